package dev.skerry.nic.follow;

import dev.skerry.schedule.check.Bounds;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a device may do beyond the laws, the capacity of its hardware, and its latencies. Immutable and thread-safe.
 *
 * @param settings values that differ from the defaults.
 * @param full     what the device does with a cell or token if a queue or FIFO is full.
 */
public record FollowRules(Map<Setting, Integer> settings, Full full) {
    /** Default of {@link Setting#SILENCE} for devices that may be silent. */
    public static final int USUAL_SILENCE = 64;
    /** Rules for a device that is never silent and has no limits or delays. */
    public static final FollowRules STRICT = new FollowRules(Map.of(), Full.COUNT);

    /** Settings of a device; a description writes them as in {@code owedLatency=2}. */
    public enum Setting {
        /**
         * Number of consecutive turns of a link in which the device may send neither a cell nor a dummy while a token
         * or cell could leave; 0 if the device is never silent.
         */
        SILENCE(0, 0, Integer.MAX_VALUE),
        /** 1 if the cells that wait for a link may leave in any order, as from a shared store. */
        FREE_ORDER(0, 0, 1),
        /** Maximum number of tokens sent per slot. */
        TOKENS_A_SLOT(2, 1, 2),
        /** Maximum number of tokens that wait for a link. */
        OWED_FIFO(Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
        /** Maximum number of cells that wait for a link. */
        QUEUE_CELLS(Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
        /** Width of the device's counters, which wrap. */
        REGISTER_BITS(Integer.SIZE, 1, Integer.SIZE),
        /** Number of entries at the head of a queue among which the device looks for a cell that may leave. */
        SCAN_DEPTH(Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
        /** Slots between the departure of a cell and the first slot in which the token that it owes may be sent. */
        OWED_LATENCY(0, 0, 1 << 16),
        /** Slots, beyond the next slot, until a returned token counts. */
        TOKEN_DELAY(0, 0, 1 << 16),
        /** Slots, beyond the next slot, until a received cell joins its queue. */
        CELL_DELAY(0, 0, 1 << 16),
        /** 1 if what arrives in a slot can affect what the device sends in the same slot. */
        RECEIVE_FIRST(0, 0, 1),
        /**
         * For a host that always has a cell for each destination it ever served: number of times that it may skip such
         * a destination on a link with tokens left for it. 0 if the host may run out of cells.
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

        /** Name of the setting in descriptions. */
        public String word() {
            return word;
        }

        /** Minimum value. */
        public int least() {
            return least;
        }

        /** Maximum value. */
        public int most() {
            return most;
        }

        /** Default value. */
        public int usual() {
            return usual;
        }
    }

    /** What a device does if there is no room. */
    public enum Full {
        /** Overflow must not happen and is reported as a finding of capacity. */
        COUNT,
        /** The device drops the cell or token. */
        DROP,
        /**
         * The cell waits: a cell that would owe a token on a link whose FIFO is full at the start of the slot does not
         * leave, and cells behind it may.
         */
        STALL
    }

    /** Checks the bounds of the settings and removes default values. */
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
            "an arriving cell cannot wait outside its queue: queueCells=", kept.get(Setting.QUEUE_CELLS));
        Bounds.refuseIf(kept.containsKey(Setting.FREE_ORDER) && kept.containsKey(Setting.SCAN_DEPTH),
            "an unordered store has no first entries: scanDepth=", kept.get(Setting.SCAN_DEPTH));
        settings = Collections.unmodifiableMap(kept);
    }

    /** Returns these rules with another value of a setting. */
    public FollowRules with(final Setting setting, final int value) {
        final Map<Setting, Integer> changed = new EnumMap<>(Setting.class);
        changed.putAll(settings);
        changed.put(setting, value);
        return new FollowRules(changed, full);
    }

    /** Returns these rules with another behaviour for full queues. */
    public FollowRules with(final Full choice) {
        return new FollowRules(settings, choice);
    }

    /** Returns the value of a setting. */
    public int get(final Setting setting) {
        return settings.getOrDefault(setting, setting.usual);
    }

    /** Whether the value of a setting is not 0. */
    public boolean is(final Setting setting) {
        return get(setting) != 0;
    }

    /** Returns the signed difference between a counter of the device and a value, modulo the width of the counter. */
    public int ahead(final int seen, final int value) {
        final int unused = Integer.SIZE - get(Setting.REGISTER_BITS);
        return seen - value << unused >> unused;
    }
}
