package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.check.Bounds;

/**
 * Sizes of packets in bytes, from the destination MAC address to the end of the payload, without the frame check
 * sequence.
 */
public sealed interface PacketSizes {
    /** Minimum size, enough for headers and the generator's fields. */
    int MIN_BYTES = 64;

    /** Maximum size. */
    int MAX_BYTES = 16_384;

    /** Size of the longest packet in bytes. */
    int most();

    /** One size. */
    record Fixed(int bytes) implements PacketSizes {
        /** Checks the bounds. */
        public Fixed {
            check(bytes);
        }

        @Override
        public int most() {
            return bytes;
        }
    }

    /** Uniform distribution within {@code [least, most]}. */
    record Uniform(int least, int most) implements PacketSizes {
        /** Checks the bounds. */
        public Uniform {
            check(least);
            check(most);
            if (most < least) {
                throw new IllegalArgumentException("sizes must go up: least=" + least + " most=" + most);
            }
        }
    }

    /**
     * The simple Internet mix: of every 12 packets, 7 have 64, 4 have 590 and 1 has 1,514 bytes (IP packets of 40, 576
     * and 1,500 bytes, the first padded to the minimum), in the order 64 590 64 64 590 64 1514 64 590 64 590 64.
     */
    record Imix() implements PacketSizes {
        @Override
        public int most() {
            return 1_514;
        }
    }

    private static void check(final int bytes) {
        Bounds.require("bytes", bytes, MIN_BYTES, MAX_BYTES);
    }
}
