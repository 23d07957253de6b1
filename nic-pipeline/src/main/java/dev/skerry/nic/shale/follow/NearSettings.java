package dev.skerry.nic.shale.follow;

import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Variants of a device's description that differ from it in one setting; the more permissive ones come last. */
final class NearSettings {
    private static final int MOST = 16;
    private static final int FEW_TURNS = 8;

    private final Shale shale;
    private final FollowRules rules;
    private final List<Near> all = new ArrayList<>();

    /** A fabric and rules, and the setting that differs. */
    record Near(String setting, Shale shale, FollowRules rules) {
    }

    private NearSettings(final Shale shale, final FollowRules rules) {
        this.shale = shale;
        this.rules = rules;
    }

    /** Returns the description itself, then its variants. */
    static List<Near> of(final Shale shale, final FollowRules rules) {
        return new NearSettings(shale, rules).list();
    }

    private List<Near> list() {
        all.add(new Near("", shale, rules));
        for (int far = 1; far <= MOST; far++) {
            propagation(shale.propagationSlots() + far);
            propagation(shale.propagationSlots() - far);
        }
        for (final Setting late : List.of(Setting.OWED_LATENCY, Setting.TOKEN_DELAY, Setting.CELL_DELAY)) {
            for (int slots = 0; slots <= MOST; slots++) {
                rules(late, slots);
            }
        }
        for (int slots = 1; slots <= 2; slots++) {
            all.add(new Near("store and forward: cellDelay=" + slots + " tokenDelay=" + slots, shale,
                rules.with(Setting.CELL_DELAY, slots).with(Setting.TOKEN_DELAY, slots)));
        }
        for (int tokens = 1; tokens <= MOST; tokens++) {
            tokens("first-hop tokens " + tokens, shale.tokens(), tokens);
            tokens("tokens " + tokens, tokens, Math.max(tokens, shale.firstHopTokens()));
        }
        if (shale.propagationSlots() > 0) {
            rules(Setting.RECEIVE_FIRST, 1 - rules.get(Setting.RECEIVE_FIRST));
        }
        rules(Setting.TOKENS_A_SLOT, 3 - rules.get(Setting.TOKENS_A_SLOT));
        room();
        permit();
        return all;
    }

    private void room() {
        for (final Setting room : List.of(Setting.OWED_FIFO, Setting.QUEUE_CELLS)) {
            for (int places = 1; places <= MOST; places++) {
                final boolean mayWait = room == Setting.OWED_FIFO
                    && !rules.settings().containsKey(Setting.QUEUE_CELLS);
                for (final Full full : mayWait ? List.of(Full.STALL, Full.DROP) : List.of(Full.DROP)) {
                    all.add(new Near(room.word() + "=" + places + " full=" + full.name().toLowerCase(
                        Locale.ROOT), shale, rules.with(Full.COUNT).with(room, places).with(full)));
                }
            }
        }
    }

    private void permit() {
        for (int depth = MOST; depth > 0 && !rules.is(Setting.FREE_ORDER); depth--) {
            rules(Setting.SCAN_DEPTH, depth);
        }
        for (final MechanismSet other : List.of(shale.mechanisms().with(TieRule.DRAWN), Mechanisms.HBH_SPRAY,
            Mechanisms.of("hbh+spray-bucket"), Mechanisms.HBH)) {
            all.add(new Near(other.label() + " and any link of equals", shale(shale.tokens(), shale.firstHopTokens(),
                shale.propagationSlots(), other), rules));
        }
        // Fewer turns than the default, which would hide a device that died recently.
        all.add(new Near("mayBeSilent=1", shale, rules.with(Setting.SILENCE, FEW_TURNS)));
        if (!rules.settings().containsKey(Setting.SCAN_DEPTH)) {
            rules(Setting.FREE_ORDER, 1);
        }
    }

    private void propagation(final int slots) {
        if (slots >= rules.get(Setting.RECEIVE_FIRST)) {
            all.add(new Near("propagation " + slots, shale(shale.tokens(), shale.firstHopTokens(), slots,
                shale.mechanisms()), rules));
        }
    }

    private void tokens(final String setting, final int tokens, final int firstHop) {
        if (firstHop >= tokens) {
            all.add(new Near(setting, shale(tokens, firstHop, shale.propagationSlots(), shale.mechanisms()), rules));
        }
    }

    private void rules(final Setting setting, final int value) {
        all.add(new Near(setting.word() + "=" + value, shale, rules.with(setting, value)));
    }

    private Shale shale(final int tokens, final int firstHop, final int propagation, final MechanismSet mechanisms) {
        return new Shale(shale.schedule(), shale.population(), mechanisms, tokens, firstHop, propagation, shale.seed(),
            shale.failures(), shale.share());
    }
}
