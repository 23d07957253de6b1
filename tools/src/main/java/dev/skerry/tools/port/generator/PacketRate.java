package dev.skerry.tools.port.generator;

/** How fast packets are offered. */
public sealed interface PacketRate {
    /** Bytes that a packet takes on a line beside its own: check sequence 4, preamble 8, gap 12. */
    int LINE_OVERHEAD_BYTES = 24;

    /** As fast as they are taken. */
    record Unlimited() implements PacketRate {
    }

    /**
     * By number.
     *
     * @param packetsPerSecond 0.01 to 10^9.
     */
    record Packets(double packetsPerSecond) implements PacketRate {
        /** Checks it. */
        public Packets {
            check("packets per second", packetsPerSecond, 0.01, 1e9);
        }
    }

    /**
     * By bits of the packets themselves.
     *
     * @param bitsPerSecond 10^3 to 10^13.
     */
    record Bits(double bitsPerSecond) implements PacketRate {
        /** Checks it. */
        public Bits {
            check("bits per second", bitsPerSecond, 1e3, 1e13);
        }
    }

    /**
     * As a share of a line, on which each packet takes {@link #LINE_OVERHEAD_BYTES} more than it has.
     *
     * @param percent           above 0, to 100.
     * @param lineBitsPerSecond 10^3 to 10^13; so must be the share.
     */
    record Line(double percent, double lineBitsPerSecond) implements PacketRate {
        /** Checks both. */
        public Line {
            check("percent", percent, Double.MIN_VALUE, 100);
            check("line", lineBitsPerSecond, 1e3, 1e13);
            check("share of the line in bits per second", percent / 100 * lineBitsPerSecond, 1e3, 1e13);
        }
    }

    private static void check(final String name, final double value, final double least, final double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                name + " must be " + least + " to " + most + ": value=" + value);
        }
    }
}
