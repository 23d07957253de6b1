package dev.skerry.nic.shoal;

/** The epoch of a slot and the slot's place in it, incremented from one slot to the next. One thread. */
final class EpochClock {
    private final int epochSlots;
    private long slot = -1;
    /** The epoch. */
    long epoch = -1;
    /** The slot's place in its epoch. */
    int inEpoch;

    /** Creates a clock before slot 0. */
    EpochClock(final int epochSlots) {
        this.epochSlots = epochSlots;
        this.inEpoch = epochSlots - 1;
    }

    /** Sets the slot, 0 or later. A slot that does not follow the previous one costs a division. */
    void turnTo(final long toSlot) {
        if (toSlot == slot) {
            return;
        }
        if (toSlot != slot + 1) {
            epoch = toSlot / epochSlots;
            inEpoch = (int) (toSlot - epoch * epochSlots);
        } else if (++inEpoch == epochSlots) {
            inEpoch = 0;
            epoch++;
        }
        slot = toSlot;
    }
}
