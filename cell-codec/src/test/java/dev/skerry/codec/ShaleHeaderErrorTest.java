package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Every error of one, two and three bits in the largest fabrics, where the CRC alone detects errors. */
final class ShaleHeaderErrorTest {
    private static final long SEED = 0xE44_0415L;

    @ParameterizedTest
    @EnumSource
    void shouldFindEveryErrorOfUpToThreeBits(final ShaleLayout layout) {
        final ShaleHeader header = new ShaleHeader(layout, layout.maxNodes(), layout.maxPhases(), layout.hasKinds());
        final long bits = layout.headerBytes() * 8;
        for (final byte[] bytes : samples(header)) {
            final MemorySegment cell = MemorySegment.ofArray(bytes);
            assertEquals(HeaderFault.NONE, header.check(cell, 0));
            long found = 0;
            for (int first = 0; first < bits; first++) {
                HeaderBits.flip(bytes, first);
                found += refused(header, cell, first, -1, -1);
                for (int second = first + 1; second < bits; second++) {
                    HeaderBits.flip(bytes, second);
                    found += refused(header, cell, first, second, -1);
                    for (int third = second + 1; third < bits; third++) {
                        HeaderBits.flip(bytes, third);
                        found += refused(header, cell, first, second, third);
                        HeaderBits.flip(bytes, third);
                    }
                    HeaderBits.flip(bytes, second);
                }
                HeaderBits.flip(bytes, first);
            }
            final long pairs = bits * (bits - 1) / 2;
            assertEquals(bits + pairs + pairs * (bits - 2) / 3, found);
            assertEquals(HeaderFault.NONE, header.check(cell, 0));
        }
    }

    /** The CRC does not cover the reserved bit: flipped alone, it passes. */
    private static int refused(final ShaleHeader header, final MemorySegment cell, final int first, final int second,
        final int third) {
        final HeaderFault fault = header.check(cell, 0);
        if (fault != HeaderFault.CRC) {
            assertNotEquals(HeaderFault.NONE, fault, () -> "unseen: bits " + first + ", " + second + ", " + third);
            assertEquals(HeaderFault.RESERVED_BIT, fault);
            assertEquals(119, first);
            assertEquals(-1, second);
        }
        return 1;
    }

    private static List<byte[]> samples(final ShaleHeader header) {
        final SplittableRandom random = new SplittableRandom(SEED);
        final List<byte[]> samples = new ArrayList<>();
        for (int sample = 0; sample < 4; sample++) {
            final byte[] bytes = new byte[header.layout().headerBytes()];
            final int node = random.nextInt(header.nodes());
            header.encode(MemorySegment.ofArray(bytes), 0, node, sample == 0 ? node : random.nextInt(header.nodes()),
                random.nextInt(header.phases()), random.nextLong(), sample == 1 ? ShaleToken.of(node, 0) : 0,
                sample == 2 ? ShaleToken.of(node, 1) : 0);
            samples.add(bytes);
        }
        return samples;
    }
}
