package dev.skerry.nic.follow;

import dev.skerry.schedule.check.Bounds;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a device may do that the laws do not grant, what its hardware has room for, and how late it is. Immutable; any
 * thread.
 *
 * @param settings values other than the usual ones.
 * @param full     what the device does with a cell or token that finds no room.
 */
public record FollowRules(Map<Setting, Integer> settings, Full full) {
    /** Turns of a link that may be silent in a row where silence is permitted and nothing else is said. */
    public static final int USUAL_SILENCE = 64;
    /** A device without limits and delays that is never silent. */
    public static final FollowRules STRICT = new FollowRules(Map.of(), Full.COUNT);

    /** What can be set; in descriptions a setting is written as in {@code owedLatency=2}. */
    public enum Setting {
        /**
         * Turns of a link that may pass in silence, neither a cell nor a dummy, while a token or cell could leave; 0 if
         * the device is never silent.
         */
        SILENCE(0, 0, Integer.MAX_VALUE),
        /** 1 if cells that wait for one link may leave in any order, as from a shared store. */
        FREE_ORDER(0, 0, 1),
        /** Tokens that ride in a slot. */
        TOKENS_A_SLOT(2, 1, 2),
        /** Tokens that wait for a link. */
        OWED_FIFO(Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
        /** Cells that wait for a link. */
        QUEUE_CELLS(Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
        /** Width of its counters, which wrap. */
        REGISTER_BITS(Integer.SIZE, 1, Integer.SIZE),
        /** Entries of a queue, from its head, in which the device looks for a cell that may leave. */
        SCAN_DEPTH(Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
        /** Slots from a cell's leaving until the token that it owes may ride. */
        OWED_LATENCY(0, 0, 1 << 16),
        /** Slots until a token that came back counts, beyond the next slot. */
        TOKEN_DELAY(0, 0, 1 << 16),
        /** Slots until a cell that arrived joins its queue, beyond the next slot. */
        CELL_DELAY(0, 0, 1 << 16),
        /** 1 if what arrives in a slot can change what the device sends in the same slot. */
        RECEIVE_FIRST(0, 0, 1),
        /**
         * Times that a destination with tokens left on a link may be passed over there by a host that always has a
         * cell for each destination it ever served; 0 if the host may have none.
         */
        SATURATED(0, 0, Integer.MAX_VALUE);

        private final int usual;
        private final int least;
        private final int most;
        private final String word;

        Setting(final int usual, final int least, final int most) {
            this.usual = usual;
            this.least = least;
            this.most = most;
            this.word = Pattern.compile("_(.)").matcher(name().toLowerCase(Locale.ROOT))
                .replaceAll(next -> next.group(1).toUpperCase(Locale.ROOT));
        }

        /** As descriptions write it. */
        public String word() {
            return word;
        }

        /** The least value. */
        public int least() {
            return least;
        }

        /** The greatest value. */
        public int most() {
            return most;
        }

        /** Without the setting. */
        public int usual() {
            return usual;
        }
    }

    /** What a device does where there is no room. */
    public enum Full {
        /** That never happens: it is a finding of capacity. */
        COUNT,
        /** It loses what comes. */
        DROP,
        /**
         * It waits. For tokens: a cell that would owe one on a link whose FIFO is full at the start of the slot does
         * not leave, and cells behind it may.
         */
        STALL
    }

    /** Checks the bounds. */
    public FollowRules {
        final Map<Setting, Integer> kept = new EnumMap<>(Setting.class);
        settings.forEach((setting, value) -> {
            Bounds.refuseIf(value < setting.least || value > setting.most, "the setting must be " + setting.least
                + " to " + setting.most + ": " + setting.word + "=", value);
            if (value != setting.usual) {
                kept.put(setting, value);
            }
        });
        Bounds.refuseIf(full == Full.STALL && kept.containsKey(Setting.QUEUE_CELLS),
            "a cell that comes cannot wait outside its queue: queueCells=", kept.get(Setting.QUEUE_CELLS));
        Bounds.refuseIf(kept.containsKey(Setting.FREE_ORDER) && kept.containsKey(Setting.SCAN_DEPTH),
            "a store without an order has no first entries: scanDepth=", kept.get(Setting.SCAN_DEPTH));
        settings = Collections.unmodifiableMap(kept);
    }

    /** The same with another value. */
    public FollowRules with(final Setting setting, final int value) {
        final Map<Setting, Integer> changed = new EnumMap<>(Setting.class);
        changed.putAll(settings);
        changed.put(setting, value);
        return new FollowRules(changed, full);
    }

    /** The same with another choice where there is no room. */
    public FollowRules with(final Full choice) {
        return new FollowRules(settings, choice);
    }

    /** The value of a setting. */
    public int get(final Setting setting) {
        return settings.getOrDefault(setting, setting.usual);
    }

    /** Whether a setting of 0 or 1 is 1, or another one is not 0. */
    public boolean is(final Setting setting) {
        return get(setting) != 0;
    }

    /** How far a counter of the device is ahead of a value, to either side, with as many bits as it has. */
    public int ahead(final int seen, final int value) {
        final int unused = Integer.SIZE - get(Setting.REGISTER_BITS);
        return seen - value << unused >> unused;
    }
}
