package dev.skerry.nic.shale.stage;

import dev.skerry.schedule.SlotShare;

/** Slots of a share modulo a period. The slot after the last one asked for takes no division. One thread. */
final class SlotCycle {
    private final int period;
    private final SlotShare share;
    private long slot = -1;
    private int at = -1;

    /** All slots. */
    SlotCycle(final int period) {
        this(period, SlotShare.ALL);
    }

    /** The slots of a share, by their number among them. */
    SlotCycle(final int period, final SlotShare share) {
        this.period = period;
        this.share = share;
    }

    /** A slot of the share modulo the period. */
    int turnTo(final long to) {
        final long own = share.before(to);
        if (own == slot + 1) {
            at = at + 1 == period ? 0 : at + 1;
        } else {
            at = (int) (own % period);
        }
        slot = own;
        return at;
    }
}
