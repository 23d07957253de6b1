package dev.skerry.nic.fault;

/** One change of what is faulty, from the beginning of a slot on. */
public sealed interface Fault {
    /** The first slot it holds in, 0 or later. */
    long slot();

    /**
     * A node stops or starts. While it is down nothing leaves it and nothing that reaches it is taken in; what it held
     * is lost.
     *
     * @param slot the first slot.
     * @param node the node's id.
     * @param up   whether it starts.
     */
    record Node(long slot, int node, boolean up) implements Fault {
    }

    /**
     * The way from one node to another, in this direction only, breaks or is mended. While it is down, what is sent
     * that way does not arrive.
     *
     * @param slot the first slot.
     * @param from the sender's id.
     * @param to   the receiver's id.
     * @param up   whether it is mended.
     */
    record Link(long slot, int from, int to, boolean up) implements Fault {
    }

    /**
     * From here on every cell on every way is damaged with some probability, independently.
     *
     * @param slot        the first slot.
     * @param probability 0 to 1.
     */
    record Corruption(long slot, double probability) implements Fault {
    }
}
