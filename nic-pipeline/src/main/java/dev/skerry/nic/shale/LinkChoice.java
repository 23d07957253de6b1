package dev.skerry.nic.shale;

/** Chooses among the equally good links of spraying hops. One bank, one thread. */
@FunctionalInterface
public interface LinkChoice {
    /**
     * Chooses.
     *
     * @param id     the node's id.
     * @param node   its number in the bank.
     * @param phase  the phase of the hop.
     * @param links  a bit for each link of the phase to choose among, 64 a word; read during this call only.
     * @param count  of these links, at least 1.
     * @param random 64 random bits that depend on the seed, the slot and the node only.
     * @return one of the links.
     */
    int among(int id, int node, int phase, long[] links, int count, long random);

    /** Whether the link of a phase that a node took last decides about the next one. */
    default boolean remembers() {
        return false;
    }

    /** The link of a phase that a node took last, -1 for none. */
    default int taken(final int node, final int phase) {
        return -1;
    }

    /**
     * Sets it, from a register of a device.
     *
     * @throws IllegalArgumentException if it decides nothing.
     */
    default void setTaken(final int node, final int phase, final int link) {
        throw new IllegalArgumentException("the link taken last decides nothing with this rule: phase=" + phase);
    }
}
