package dev.skerry.nic.fault;

/** One change of the faults, from the beginning of a slot on. */
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

    /**
     * Stardust: from here on control messages, which travel beside the cells, get lost or come twice with some
     * probability each, independently.
     *
     * @param slot   the first slot in which they are sent so.
     * @param loss   0 to 1.
     * @param repeat 0 to 1, of the messages that are not lost.
     */
    record Control(long slot, double loss, double repeat) implements Fault {
    }

    /**
     * Stardust: a host takes nothing from its port, or does so again.
     *
     * @param slot     the first slot.
     * @param endpoint the host, by its port of an adapter.
     * @param up       whether it takes packets again.
     */
    record HostPort(long slot, int endpoint, boolean up) implements Fault {
    }

    /**
     * Stardust: from here on an adapter hands out many times the credits that its ports have room for.
     *
     * @param slot the first slot.
     * @param node the adapter.
     */
    record Rogue(long slot, int node) implements Fault {
    }
}
