package dev.skerry.tools.port.generator;

/** How long packets are, in bytes from the destination MAC to the end of the payload; the check sequence is extra. */
public sealed interface PacketSizes {
    /** The least, what headers and the generator's own fields need. */
    int MIN_BYTES = 64;

    /** The most. */
    int MAX_BYTES = 16_384;

    /** Bytes of the longest. */
    int most();

    /**
     * All the same.
     *
     * @param bytes {@link #MIN_BYTES} to {@link #MAX_BYTES}.
     */
    record Fixed(int bytes) implements PacketSizes {
        /** Checks it. */
        public Fixed {
            check(bytes);
        }

        @Override
        public int most() {
            return bytes;
        }
    }

    /**
     * Each length from the least to the most as likely as any other.
     *
     * @param least at least {@link #MIN_BYTES}.
     * @param most  at most {@link #MAX_BYTES}.
     */
    record Uniform(int least, int most) implements PacketSizes {
        /** Checks both. */
        public Uniform {
            check(least);
            check(most);
            if (most < least) {
                throw new IllegalArgumentException("sizes must go up: least=" + least + " most=" + most);
            }
        }
    }

    /**
     * The simple Internet mix: in every 12 packets 7 of 64, 4 of 590 and 1 of 1,514 bytes (IP 40, raised to the least
     * size here, 576 and 1,500), in the order 64 590 64 64 590 64 1514 64 590 64 590 64.
     */
    record Imix() implements PacketSizes {
        @Override
        public int most() {
            return 1_514;
        }
    }

    private static void check(final int bytes) {
        if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                "a size must be " + MIN_BYTES + " to " + MAX_BYTES + " bytes: bytes=" + bytes);
        }
    }
}
