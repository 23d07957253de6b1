package dev.skerry.tools.ctl;

import java.util.Map;

/** What a running dataplane is told to do. Nobody has checked yet whether a port is there. */
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

    /** Closes a port. */
    record Remove(PortPlace place) implements Order {
    }

    /**
     * Takes no more packets from a port and sends none to it, and waits for those under way.
     *
     * @param place   of the port.
     * @param seconds the longest wait.
     */
    record Drain(PortPlace place, double seconds) implements Order {
    }

    /** Serves a port again that was drained. */
    record Resume(PortPlace place) implements Order {
    }

    /**
     * Changes where the packets of ports go.
     *
     * @param to by port, the port that all of its packets go to; {@link #BY_ADDRESS}: where their addresses say.
     */
    record Route(Map<PortPlace, PortPlace> to) implements Order {
        /** In place of a port. */
        public static final PortPlace BY_ADDRESS = PortPlace.NONE;
    }

    /**
     * Changes which port a MAC address is at.
     *
     * @param mac   the address, its first byte in bits 47 to 40.
     * @param place of its port; {@link #FORGET}: to be learned anew.
     */
    record Address(long mac, PortPlace place) implements Order {
        /** In place of a port. */
        public static final PortPlace FORGET = PortPlace.NONE;
    }

    /**
     * Changes the rate of a generator.
     *
     * @param place of the generator.
     * @param text  as in the text of a generator, for example {@code 10kpps}.
     */
    record Rate(PortPlace place, String text) implements Order {
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
     * @param place  of the port.
     * @param in     whether packets that enter the fabric at the port are copied.
     * @param out    whether packets that leave it there are copied.
     * @param one    one packet in this many is copied, from the first on.
     * @param count  most packets.
     * @param bytes  most bytes of each.
     */
    record Tap(PortPlace place, boolean in, boolean out, int one, long count, int bytes) implements Order {
        /** Longest record. */
        static final int MOST_BYTES = 9216;
    }

    /** Ends the tap at a port. */
    record Untap(PortPlace place) implements Order {
    }

    /**
     * Reads what was counted since the start or the last reset.
     *
     * @param place of one port; {@link #ALL}: of all.
     */
    record Counters(PortPlace place) implements Order {
        /** In place of a port. */
        public static final PortPlace ALL = PortPlace.NONE;
    }

    /** Reads the settings again, as HUP does. */
    record Reload() implements Order {
    }

    /** Lets {@link Counters} count from 0 again. The report, {@code stat} and Prometheus go on. */
    record Reset() implements Order {
    }
}
