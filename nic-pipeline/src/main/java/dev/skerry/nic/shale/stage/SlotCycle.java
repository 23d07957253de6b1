package dev.skerry.nic.shale.stage;

/** Slots modulo a period. The slot after the last one asked for takes no division. One thread. */
final class SlotCycle {
    private final int period;
    private long slot = -1;
    private int at = -1;

    SlotCycle(final int period) {
        this.period = period;
    }

    /** A slot, from 0 on, modulo the period. */
    int turnTo(final long to) {
        if (to == slot + 1) {
            at = at + 1 == period ? 0 : at + 1;
        } else {
            at = (int) (to % period);
        }
        slot = to;
        return at;
    }
}
