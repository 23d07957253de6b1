package dev.skerry.nic.fault;

import dev.skerry.schedule.check.Bounds;

/** One change of the faulty parts of a fabric. It takes effect at the beginning of a slot. */
public sealed interface Fault {
    /** The first slot in which it holds, at least 0. */
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
     * A circuit switch stops or starts. While it is down, cells whose way crosses it are lost; a way that several such
     * faults cut is open again when all of them are repaired.
     *
     * @param slot   the first slot.
     * @param number of the switch, as the fabric counts them.
     * @param up     whether it starts.
     * @param ways   ordered pairs of nodes whose cells cross it, the sender's id in the upper 32 bits and the
     *               receiver's in the lower ones. Not to be changed.
     */
    record Switch(long slot, int number, boolean up, long[] ways) implements Fault {
        @Override
        public String toString() {
            return "Switch[slot=" + slot + ", number=" + number + ", up=" + up + ", ways=" + ways.length + "]";
        }
    }

    /**
     * From here on every cell on every link is damaged with this probability, independently of the others.
     *
     * @param slot        the first slot.
     * @param probability 0 to 1.
     */
    record Corruption(long slot, double probability) implements Fault {
    }

    /**
     * From here on every cell on the link from one node to another is damaged with this probability, in this direction
     * only; with that of {@link Corruption} if that is higher.
     *
     * @param slot        the first slot.
     * @param from        the sender's id.
     * @param to          the receiver's id.
     * @param probability 0 to 1.
     */
    record LinkCorruption(long slot, int from, int to, double probability) implements Fault {
    }

    /**
     * Shale, Shoal: the clock of a node leaves or comes back into the window that the guard band of a slot gives it.
     * While it is outside, circuits change during the cells that the node sends, and all of them are lost. Shoal: a
     * clock that is whole slots late is in the window of a later slot, and its cells come out where circuits lead then.
     *
     * @param slot      the first slot.
     * @param node      the node's id.
     * @param inWindow  whether it is in the window of a slot; a fault may repeat the present state of a clock.
     * @param lateSlots slots by which that is later than its own, 0 or more; 0 if it is in none.
     */
    record Clock(long slot, int node, boolean inWindow, int lateSlots) implements Fault {
        /** Checks the slots. */
        public Clock {
            Bounds.refuseIf(lateSlots < 0 || lateSlots > 0 && !inWindow,
                "a clock is 0 or more slots late in a window: node=", node, " inWindow=", inWindow, " lateSlots=",
                lateSlots);
        }

        /** A clock in the window of its own slots, or in none. */
        public Clock(final long slot, final int node, final boolean inWindow) {
            this(slot, node, inWindow, 0);
        }
    }

    /**
     * Stardust: from here on each control message is lost or comes twice with these probabilities, independently of the
     * others. Control messages travel beside the cells.
     *
     * @param slot   the first sending slot to which this applies.
     * @param loss   probability of loss, 0 to 1.
     * @param repeat probability that a message that is not lost comes twice, 0 to 1.
     */
    record Control(long slot, double loss, double repeat) implements Fault {
    }

    /**
     * Stardust: a host stops or resumes taking packets from its port.
     *
     * @param slot     the first slot.
     * @param endpoint the host, by its port of an adapter.
     * @param up       whether it resumes.
     */
    record HostPort(long slot, int endpoint, boolean up) implements Fault {
    }

    /**
     * Stardust: from here on an adapter sends far more credits than its ports can carry.
     *
     * @param slot the first slot.
     * @param node the adapter.
     */
    record Rogue(long slot, int node) implements Fault {
    }
}
