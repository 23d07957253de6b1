package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Every error of one and two bits in the largest fabric, where the CRC alone detects errors. */
final class ShoalHeaderErrorTest {
    private static final long SEED = 0xE44_5404L;
    private static final int SAMPLES = 6;
    private static final int CELL_BITS = 512;
    private static final int HEADER_BITS = 64;
    private static final int CRC_AT = 56;
    /** Bits that can change the kind: both ids and sop. */
    private static final int KIND_BITS = 21;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final ShoalHeader header = new ShoalHeader(ShoalHeader.MAX_NODES, 1, CellFormat.SHOAL);

    @ParameterizedTest
    @EnumSource
    void shouldFindEveryErrorOfOneAndTwoBitsThatItsCrcCanSee(final ShoalBits.Kind kind) {
        for (int sample = 0; sample < SAMPLES; sample++) {
            final byte[] cell = sample(kind, sample);
            final int bits = kind == ShoalBits.Kind.DUMMY ? HEADER_BITS : CELL_BITS;
            int found = 0;
            for (int first = 0; first < bits; first++) {
                HeaderBits.flip(cell, first);
                for (int second = first; second < bits; second++) {
                    if (second > first) {
                        HeaderBits.flip(cell, second);
                    }
                    // Two flips 127 bits apart in the codeword cancel.
                    final boolean visible = first == second || (place(first, bits) - place(second, bits)) % 127 != 0;
                    if (ShoalBits.kind(cell) == kind) {
                        assertEquals(visible, header.check(MemorySegment.ofArray(cell), 0) == HeaderFault.CRC,
                            "seed=" + SEED + " sample=" + sample + " bits " + first + " and " + second);
                        found += visible ? 1 : 0;
                    }
                    if (second > first) {
                        HeaderBits.flip(cell, second);
                    }
                }
                HeaderBits.flip(cell, first);
            }
            assertTrue(found > 0.99 * (bits - KIND_BITS) * (bits - KIND_BITS - 1) / 2, "found=" + found);
            assertEquals(HeaderFault.NONE, header.check(MemorySegment.ofArray(cell), 0));
        }
    }

    /** A flip that changes the kind of a cell passes with probability 1/256, the limit of 8 bits. */
    @ParameterizedTest
    @EnumSource
    void shouldFindAChangedKindAsOftenAsEightBitsAllow(final ShoalBits.Kind kind) {
        int changed = 0;
        int unseen = 0;
        for (int sample = 0; sample < 20_000; sample++) {
            final byte[] cell = sample(kind, sample);
            for (int bit = 0; bit < HEADER_BITS; bit++) {
                HeaderBits.flip(cell, bit);
                if (ShoalBits.kind(cell) != kind) {
                    changed++;
                    unseen += header.check(MemorySegment.ofArray(cell), 0) == HeaderFault.NONE ? 1 : 0;
                }
                HeaderBits.flip(cell, bit);
            }
        }
        assertTrue(changed > 0, "no kind changed: seed=" + SEED);
        assertTrue(unseen <= changed / 128, "seed=" + SEED + " changed=" + changed + " unseen=" + unseen);
    }

    /** Position of a bit in the codeword: header, payload, CRC. */
    private static int place(final int bit, final int bits) {
        return bit < CRC_AT ? bit : bit >= HEADER_BITS ? bit - 8 : bits - HEADER_BITS + bit;
    }

    private byte[] sample(final ShoalBits.Kind kind, final int sample) {
        final byte[] payload = new byte[56];
        random.nextBytes(payload);
        final int node = random.nextInt(1024);
        final int feedback = random.nextInt(2047);
        final int lcd = random.nextInt(2);
        // Ids that differ in one bit and sequence 0: one flip makes a dummy.
        final int other = sample % 2 == 0 ? node ^ 1 << random.nextInt(10) : (node + random.nextInt(1, 1024)) % 1024;
        return switch (kind) {
            case DATA -> ShoalBits.cell(payload, node, other, sample % 4 == 0 ? 0 : random.nextInt(1 << 22), feedback,
                random.nextInt(2), random.nextInt(2), lcd);
            case DUMMY -> ShoalBits.cell(payload, node, node, 0, feedback, 0, 0, lcd);
            case CONTROL -> ShoalBits.cell(payload, node, node, 0, feedback, 1, 0, lcd);
        };
    }
}
