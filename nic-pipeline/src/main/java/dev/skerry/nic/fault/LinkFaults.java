package dev.skerry.nic.fault;

/**
 * Decides what a faulty link does to each transmission, and counts it: the one rule for all fabrics. Which ones are
 * damaged, and how, follows from the seed, slot, sender and channel alone. One thread.
 */
public final class LinkFaults {
    private final FaultState state;
    private long lost;
    private long outOfWindow;
    private long damaged;
    private long damagedCells;

    /** What becomes of a transmission. */
    public enum Fate {
        /** It arrives as it was sent. */
        INTACT,
        /** Nothing arrives. */
        LOST,
        /** Nothing arrives: it crossed the fabric while circuits changed. */
        OUT_OF_WINDOW,
        /** It arrives and fails a check. */
        DAMAGED
    }

    /**
     * Nothing lost or damaged yet.
     *
     * @param state what is faulty; its owner turns it from slot to slot.
     */
    public LinkFaults(final FaultState state) {
        this.state = state;
    }

    /** Whether anything may go wrong in this slot. */
    public boolean any() {
        return state.any();
    }

    /**
     * The fate of one transmission of this slot.
     *
     * @param from    node that sends.
     * @param to      node at the other end of the link.
     * @param sender  number of the sending node or port that decides damage.
     * @param channel channel of the sender, 0 if it has one.
     * @param isCell  whether a cell of a flow is sent; nothing else counts as a lost or damaged cell.
     */
    public Fate fate(final int from, final int to, final int sender, final int channel, final boolean isCell) {
        if (state.leavesLinks()) {
            return Fate.INTACT;
        }
        if (state.isLost(from, to)) {
            lost += isCell ? 1 : 0;
            return Fate.LOST;
        }
        if (state.isOutOfWindow(from)) {
            outOfWindow += isCell ? 1 : 0;
            return Fate.OUT_OF_WINDOW;
        }
        if (state.isDamaged(from, to, sender, channel)) {
            damaged++;
            damagedCells += isCell ? 1 : 0;
            return Fate.DAMAGED;
        }
        return Fate.INTACT;
    }

    /** 64 random bits for the transmission of a sender on a channel in this slot: how it is damaged if it is. */
    public long noise(final int sender, final int channel) {
        return state.noise(sender, channel);
    }

    /** Cells of flows that were lost. */
    public long lost() {
        return lost;
    }

    /** Cells of flows that were lost as the clock of their sender was off. */
    public long outOfWindow() {
        return outOfWindow;
    }

    /** Transmissions that were damaged, idle ones included. */
    public long damaged() {
        return damaged;
    }

    /** Cells of flows that were damaged. */
    public long damagedCells() {
        return damagedCells;
    }
}
