package dev.skerry.tools.ctl;

import java.util.Map;

/** What a running dataplane is told to do. Nodes are numbers that nobody has checked against the fabric yet. */
public sealed interface Order {
    /** Lists the ports. */
    record Ports() implements Order {
    }

    /**
     * Opens a port.
     *
     * @param text {@code NODE=KIND:...}, as on the command line.
     */
    record Add(String text) implements Order {
    }

    /** Closes the port at a node. */
    record Remove(int node) implements Order {
    }

    /**
     * Takes no more packets from a port and sends none to it, and waits for those under way.
     *
     * @param node    its node.
     * @param seconds the longest wait.
     */
    record Drain(int node, double seconds) implements Order {
    }

    /** Serves a port again that was drained. */
    record Resume(int node) implements Order {
    }

    /**
     * Changes where the packets of ports go.
     *
     * @param to by node, the node that all of its packets go to; {@link #BY_ADDRESS}: where their addresses say.
     */
    record Route(Map<Integer, Integer> to) implements Order {
        /** In place of a node. */
        public static final int BY_ADDRESS = -1;
    }

    /**
     * Changes which node a MAC address is at.
     *
     * @param mac  the address, its first byte in bits 47 to 40.
     * @param node its node; {@link #FORGET}: to be learned anew.
     */
    record Address(long mac, int node) implements Order {
        /** In place of a node. */
        public static final int FORGET = -1;
    }

    /**
     * Changes the rate of a generator.
     *
     * @param node its node.
     * @param text as in the text of a generator, for example {@code 10kpps}.
     */
    record Rate(int node, String text) implements Order {
    }

    /**
     * Something fails or is mended.
     *
     * @param text as in a script of faults, without the slot.
     */
    record Fail(String text) implements Order {
    }

    /**
     * Copies packets of a port into the answer, as a capture.
     *
     * @param node   its node.
     * @param in     whether packets that enter the fabric at the port are copied.
     * @param out    whether packets that leave it there are copied.
     * @param one    one packet in this many is copied, from the first on.
     * @param count  most packets.
     * @param bytes  most bytes of each.
     */
    record Tap(int node, boolean in, boolean out, int one, long count, int bytes) implements Order {
        /** Longest record. */
        static final int MOST_BYTES = 9216;
    }

    /** Ends the tap at a node. */
    record Untap(int node) implements Order {
    }

    /**
     * Reads what was counted since the start or the last reset.
     *
     * @param node of one port; {@link #ALL}: of all.
     */
    record Counters(int node) implements Order {
        /** In place of a node. */
        public static final int ALL = -1;
    }

    /** Reads the settings again, as HUP does. */
    record Reload() implements Order {
    }

    /** Lets {@link Counters} count from 0 again. The report, {@code stat} and Prometheus go on. */
    record Reset() implements Order {
    }
}
