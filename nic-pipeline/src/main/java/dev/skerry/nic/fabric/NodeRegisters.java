package dev.skerry.nic.fabric;

import java.util.List;

/**
 * The registers of a node by name: what decides what it will send. Read from one node and set in another with the same
 * fabric and flows, both go on equal. Numbers only count from there. Between slots, on the thread of the bank.
 */
public interface NodeRegisters {
    /** Names of all registers, in an order in which they can be set. */
    List<String> names();

    /**
     * The words of a register.
     *
     * @throws IllegalArgumentException if there is no such register.
     */
    long[] get(String name);

    /**
     * Sets a register as a whole.
     *
     * @throws IllegalArgumentException if there is no such register, or it cannot hold these words; nothing changes
     *     then.
     */
    void set(String name, long... values);

    /** Sets all registers of another node with the same fabric and flows. */
    default void copyTo(final NodeRegisters other) {
        for (final String name : names()) {
            other.set(name, get(name));
        }
    }

    /** In a fresh node, before all other registers: the flows that start before a slot have started. */
    void begin(long slot);
}
