package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * The obvious model of a header: a string of bits, the widths written down from docs/spec/shale.md §4, the CRC a shift
 * register that takes one bit at a time.
 */
final class HeaderBits {
    private HeaderBits() {
    }

    /** Widths of source, destination, sprays, sequence, token 1, token 2 and, in L16, the reserved bit. */
    static int[] widths(final ShaleLayout layout) {
        return switch (layout) {
            case L12 -> new int[] {15, 15, 2, 22, 17, 17};
            case L12F -> new int[] {15, 15, 2, 18, 19, 19};
            case L16 -> new int[] {20, 20, 3, 26, 25, 25, 1};
        };
    }

    static int coveredBits(final ShaleLayout layout) {
        return layout == ShaleLayout.L16 ? 119 : 88;
    }

    /** A header with a correct CRC from raw fields; an omitted reserved bit is 0. */
    static byte[] header(final ShaleLayout layout, final int... fields) {
        final int[] widths = widths(layout);
        final byte[] bytes = new byte[layout == ShaleLayout.L16 ? 16 : 12];
        put(bytes, widths, fields);
        repairCrc(layout, bytes);
        return bytes;
    }

    /** Writes fields, one behind the other, over zeros. */
    static void put(final byte[] bytes, final int[] widths, final int... fields) {
        int position = 0;
        for (int field = 0; field < widths.length; field++) {
            final int value = field < fields.length ? fields[field] : 0;
            for (int bit = widths[field] - 1; bit >= 0; bit--) {
                if ((value >>> bit & 1) != 0) {
                    flip(bytes, position);
                }
                position++;
            }
        }
    }

    /** Counts around an expected one are found again from their low bits. */
    static void assertFindsCounts(final int sequenceBits, final long seed, final CountOf countOf) {
        final SplittableRandom random = new SplittableRandom(seed);
        final long space = 1L << sequenceBits;
        for (int round = 0; round < 5_000; round++) {
            final long expected = random.nextLong(0, Long.MAX_VALUE / 2);
            final long count = expected + switch (round) {
                case 0 -> -space / 2;
                case 1 -> space / 2 - 1;
                case 2 -> 0;
                default -> random.nextLong(-space / 2, space / 2);
            };
            final int sequence = (int) Math.floorMod(count, space);
            assertEquals(count, countOf.of(expected, sequence), "seed=" + seed + " round=" + round);
        }
        assertFalse(countOf.of(0, (int) (space / 2)) > 0, "half the space away is behind, not ahead");
    }

    /** The count next to an expected one with these low bits. */
    interface CountOf {
        long of(long expected, int sequence);
    }

    /** The slot of a token in the header. */
    static int rawToken(final ShaleLayout layout, final int token) {
        final int indexBits = layout == ShaleLayout.L16 ? 3 : 2;
        final int bucket = ShaleToken.destination(token) << indexBits | ShaleToken.index(token);
        return switch (layout) {
            case L12 -> token == ShaleToken.NONE ? 0x1FFFF : bucket;
            case L12F -> ShaleToken.kind(token) << 17 | bucket;
            case L16 -> ShaleToken.kind(token) << 23 | bucket;
        };
    }

    static void repairCrc(final ShaleLayout layout, final byte[] header) {
        header[header.length - 1] = (byte) crc(Crc8.SHALE, header, coveredBits(layout));
    }

    /** The CRC of the first bits of some bytes, bit by bit. */
    static int crc(final Crc8 variant, final byte[] bytes, final int bits) {
        int register = variant.init();
        for (int bit = 0; bit < bits; bit++) {
            final boolean subtract = (register & 0x80) != 0 ^ get(bytes, bit);
            register = register << 1 & 0xFF;
            if (subtract) {
                register ^= 0x07;
            }
        }
        return register ^ variant.xorOut();
    }

    static boolean get(final byte[] bytes, final int bit) {
        return (bytes[bit >> 3] << (bit & 7) & 0x80) != 0;
    }

    /** Inverts one bit; bit 0 is the most significant of the first byte. */
    static void flip(final byte[] bytes, final int bit) {
        bytes[bit >> 3] ^= (byte) (0x80 >>> (bit & 7));
    }

    /** Bytes with padding before and after them. */
    static byte[] framed(final byte[] bytes, final int before, final int after, final byte filler) {
        final byte[] framed = new byte[before + bytes.length + after];
        Arrays.fill(framed, filler);
        System.arraycopy(bytes, 0, framed, before, bytes.length);
        return framed;
    }

    /** Flips bits of cells, with or without repairing the CRC, and moves offsets outside the segment. */
    static void damage(final SplittableRandom random, final byte[] bytes, final long[] offset, final int count,
        final int length, final int header, final Consumer<byte[]> repair) {
        for (int i = 0; i < count; i++) {
            final int what = random.nextInt(8);
            final int at = (int) offset[i];
            if (what < 2) {
                flip(bytes, at * 8 + random.nextInt(length * 8));
            } else if (what < 6) {
                final byte[] cut = Arrays.copyOfRange(bytes, at, at + length);
                for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                    flip(cut, random.nextInt(header * 8));
                }
                repair.accept(cut);
                System.arraycopy(cut, 0, bytes, at, length);
            } else if (what == 6) {
                offset[i] = random.nextBoolean() ? random.nextLong() | Long.MIN_VALUE
                    : random.nextLong(bytes.length - length + 1, Long.MAX_VALUE);
            }
        }
    }

    /** The headers of a random fabric that fits a layout, often the largest one. */
    static ShaleHeader fabric(final SplittableRandom random, final ShaleLayout layout) {
        final int nodes = random.nextBoolean() ? layout.maxNodes() : random.nextInt(2, layout.maxNodes());
        final int phases = random.nextInt(1, layout.maxPhases() + 1);
        return new ShaleHeader(layout, nodes, phases, layout.hasKinds() && random.nextBoolean());
    }

    static int token(final SplittableRandom random, final ShaleHeader header) {
        if (random.nextInt(3) == 0) {
            return ShaleToken.NONE;
        }
        final int index = random.nextInt(header.phases());
        // In L12 bucket <32767, 3> is encoded as no token; no complete fabric has it (docs/spec/shale.md §4.1).
        final int nodes = header.layout() == ShaleLayout.L12 && index == 3
            ? Math.min(header.nodes(), 32_767) : header.nodes();
        final int kinds = header.failureCapable() ? 3 : 1;
        return ShaleToken.of(random.nextInt(1, kinds + 1), random.nextInt(nodes), index);
    }
}
