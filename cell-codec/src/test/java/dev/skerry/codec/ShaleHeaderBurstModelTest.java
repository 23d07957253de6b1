package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.SplittableRandom;

/** Bursts of random and damaged headers against {@link ShaleHeader}, cell by cell. */
final class ShaleHeaderBurstModelTest {
    private static final long SEED = 0xB0257_5A1EL;
    private static final int ROUNDS = 400;
    private static final int CAPACITY = 100;
    private static final int STRIDE = 21;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @ParameterizedTest
    @EnumSource
    void shouldWriteAndReadWhatOneCellDoes(final ShaleLayout layout) {
        final EnumSet<HeaderFault> seen = EnumSet.noneOf(HeaderFault.class);
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final ShaleHeader header = RandomShale.fabric(random, layout);
            final ShaleHeaderBurst burst = new ShaleHeaderBurst(header, CAPACITY);
            final int count = random.nextInt(CAPACITY + 1);
            final byte[] expected = new byte[CAPACITY * STRIDE];
            random.nextBytes(expected);
            final byte[] bytes = expected.clone();
            fill(header, burst, count);
            for (int i = 0; i < count; i++) {
                header.encode(MemorySegment.ofArray(expected), burst.offset()[i], burst.source()[i],
                    burst.destination()[i], burst.sprays()[i], burst.sequence()[i], burst.token1()[i],
                    burst.token2()[i]);
            }

            burst.encode(MemorySegment.ofArray(bytes), count);

            assertArrayEquals(expected, bytes, at);
            assertEquals(0, new Comparison(header, bytes, count).refused(burst, seen, at), at);
            final int length = header.layout().headerBytes();
            HeaderBits.damage(random, bytes, burst.offset(), count, length, length,
                cut -> HeaderBits.repairCrc(header.layout(), cut));
            new Comparison(header, bytes, count).refused(burst, seen, at);
        }
        assertTrue(seen.containsAll(EnumSet.of(HeaderFault.NONE, HeaderFault.WRONG_LENGTH, HeaderFault.CRC,
            HeaderFault.SOURCE, HeaderFault.DESTINATION, HeaderFault.SPRAYS)), seen::toString);
        assertEquals(layout.hasKinds(), seen.contains(HeaderFault.UNKNOWN_KIND), seen::toString);
        assertEquals(layout.hasKinds(), seen.contains(HeaderFault.NONE_TOKEN_NOT_ZERO), seen::toString);
        assertEquals(layout == ShaleLayout.L16, seen.contains(HeaderFault.RESERVED_BIT), seen::toString);
    }

    /** Compares a burst with one call per cell. */
    private record Comparison(ShaleHeader header, byte[] bytes, int count) {
        int refused(final ShaleHeaderBurst sent, final EnumSet<HeaderFault> seen, final String at) {
            final MemorySegment cells = MemorySegment.ofArray(bytes);
            final ShaleHeaderBurst burst = new ShaleHeaderBurst(header, CAPACITY);
            System.arraycopy(sent.offset(), 0, burst.offset(), 0, count);
            Arrays.fill(burst.token1(), -1);
            final int refused = burst.decode(cells, count);
            int expected = 0;
            for (int i = 0; i < count; i++) {
                final long offset = burst.offset()[i];
                final HeaderFault fault = header.check(cells, offset);
                assertEquals(fault, burst.fault(i), at + " cell=" + i);
                seen.add(fault);
                expected += fault == HeaderFault.NONE ? 0 : 1;
                if (fault != HeaderFault.WRONG_LENGTH) {
                    final long head = header.head(cells, offset);
                    final long tail = header.tail(cells, offset);
                    assertArrayEquals(
                        new int[] {header.source(head), header.destination(head), header.sprays(head),
                            header.sequence(head, tail), header.token1(tail), header.token2(tail)},
                        new int[] {burst.source()[i], burst.destination()[i], burst.sprays()[i],
                            burst.sequence()[i], burst.token1()[i], burst.token2()[i]}, at + " cell=" + i);
                }
            }
            assertEquals(expected, refused, at);
            return refused;
        }
    }

    private void fill(final ShaleHeader header, final ShaleHeaderBurst burst, final int count) {
        final int swap = random.nextInt(CAPACITY);
        for (int i = 0; i < count; i++) {
            burst.offset()[i] = (long) ((i + swap) % CAPACITY) * STRIDE + random.nextInt(5);
            burst.source()[i] = random.nextInt(header.nodes());
            burst.destination()[i] = random.nextInt(4) == 0 ? burst.source()[i] : random.nextInt(header.nodes());
            burst.sprays()[i] = random.nextInt(header.phases());
            burst.sequence()[i] = random.nextInt();
            burst.token1()[i] = RandomShale.token(random, header);
            burst.token2()[i] = RandomShale.token(random, header);
        }
    }
}
