package dev.skerry.tools.port.generator;

/** Rate of offered packets. */
public sealed interface PacketRate {
    /** Bytes of line overhead per packet: frame check sequence 4, preamble 8, gap 12. */
    int LINE_OVERHEAD_BYTES = 24;

    /** As fast as the caller takes packets. */
    record Unlimited() implements PacketRate {
    }

    /**
     * Packets per second.
     *
     * @param packetsPerSecond 0.01 to 10^9.
     */
    record Packets(double packetsPerSecond) implements PacketRate {
        /** Checks the bounds. */
        public Packets {
            check("packets per second", packetsPerSecond, 0.01, 1e9);
        }
    }

    /**
     * Bits per second, without line overhead.
     *
     * @param bitsPerSecond 10^3 to 10^13.
     */
    record Bits(double bitsPerSecond) implements PacketRate {
        /** Checks the bounds. */
        public Bits {
            check("bits per second", bitsPerSecond, 1e3, 1e13);
        }
    }

    /**
     * Share of a line's rate, with {@link #LINE_OVERHEAD_BYTES} for each packet.
     *
     * @param percent           above 0, up to 100.
     * @param lineBitsPerSecond 10^3 to 10^13; the share has the same bounds.
     */
    record Line(double percent, double lineBitsPerSecond) implements PacketRate {
        /** Checks the bounds. */
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
