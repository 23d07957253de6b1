package dev.skerry.nic.fault;

import dev.skerry.schedule.check.Bounds;

/** A change of the faulty parts of a fabric. It takes effect at the beginning of a slot. */
public sealed interface Fault {
    /** The first slot in which it is effective, at least 0. */
    long slot();

    /**
     * A node stops or starts. While it is down, it sends nothing and receives nothing; the cells that it held are lost.
     *
     * @param slot the first slot.
     * @param node the node's id.
     * @param up   whether it starts.
     */
    record Node(long slot, int node, boolean up) implements Fault {
    }

    /**
     * The link from one node to another breaks or is repaired, in this direction only. While it is down, cells sent
     * over it are lost.
     *
     * @param slot the first slot.
     * @param from the sender's id.
     * @param to   the receiver's id.
     * @param up   whether it is repaired.
     */
    record Link(long slot, int from, int to, boolean up) implements Fault {
    }

    /**
     * A circuit switch stops or starts. While it is down, cells whose path crosses it are lost; a path that is cut by
     * several such faults is open again when all of them are repaired.
     *
     * @param slot   the first slot.
     * @param number number of the switch in the fabric.
     * @param up     whether it starts.
     * @param ways   ordered pairs of nodes whose cells cross it, the sender's id in the upper 32 bits and the
     *               receiver's in the lower 32. Must not be changed.
     */
    record Switch(long slot, int number, boolean up, long[] ways) implements Fault {
        @Override
        public String toString() {
            return "Switch[slot=" + slot + ", number=" + number + ", up=" + up + ", ways=" + ways.length + "]";
        }
    }

    /**
     * From this slot on every cell on every link is damaged with this probability, independently of the others.
     *
     * @param slot        the first slot.
     * @param probability 0 to 1.
     */
    record Corruption(long slot, double probability) implements Fault {
    }

    /**
     * From this slot on every cell on the link from one node to another is damaged with this probability, in this
     * direction only; if the probability of {@link Corruption} is higher, that applies.
     *
     * @param slot        the first slot.
     * @param from        the sender's id.
     * @param to          the receiver's id.
     * @param probability 0 to 1.
     */
    record LinkCorruption(long slot, int from, int to, double probability) implements Fault {
    }

    /**
     * Shale, Shoal: the clock of a node leaves or re-enters the window that the guard band of a slot allows. While it
     * is outside, circuits change during the cells that the node sends, and all of them are lost. Shoal: a clock that
     * is one or more slots late is in the window of a later slot, and its cells arrive where the circuits of that slot
     * lead.
     *
     * @param slot      the first slot.
     * @param node      the node's id.
     * @param inWindow  whether it is in the window of a slot; a fault may repeat the present state of a clock.
     * @param lateSlots slots by which that slot is later than its own, 0 or more; 0 if it is in no window.
     */
    record Clock(long slot, int node, boolean inWindow, int lateSlots) implements Fault {
        /** Checks the slots. */
        public Clock {
            Bounds.refuseIf(lateSlots < 0 || lateSlots > 0 && !inWindow,
                "a clock is 0 or more slots late in a window: node=", node, " inWindow=", inWindow, " lateSlots=",
                lateSlots);
        }

        /** A clock in the window of its own slots, or in no window. */
        public Clock(final long slot, final int node, final boolean inWindow) {
            this(slot, node, inWindow, 0);
        }
    }

    /**
     * Stardust: from this slot on each control message is lost or duplicated with these probabilities, independently of
     * the others. Control messages travel separately from the cells.
     *
     * @param slot   the first sending slot to which this applies.
     * @param loss   probability of loss, 0 to 1.
     * @param repeat probability that a message that is not lost arrives twice, 0 to 1.
     */
    record Control(long slot, double loss, double repeat) implements Fault {
    }

    /**
     * Stardust: a host stops or resumes accepting packets from its port.
     *
     * @param slot     the first slot.
     * @param endpoint the host, identified by its port of an adapter.
     * @param up       whether it resumes.
     */
    record HostPort(long slot, int endpoint, boolean up) implements Fault {
    }

    /**
     * Stardust: from this slot on an adapter sends far more credits than its ports can carry.
     *
     * @param slot the first slot.
     * @param node the adapter.
     */
    record Rogue(long slot, int node) implements Fault {
    }
}
