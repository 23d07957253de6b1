package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Random headers against a string of bits; the bytes around a header must not change. */
final class ShaleHeaderModelTest {
    private static final long SEED = 0xBEEF_0C7A_11L;
    private static final int ROUNDS = 20_000;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @ParameterizedTest
    @EnumSource
    void shouldWriteAndReadBackEveryField(final ShaleLayout layout) {
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final ShaleHeader header = RandomShale.fabric(random, layout);
            final int source = random.nextInt(header.nodes());
            final int destination = random.nextInt(4) == 0 ? source : random.nextInt(header.nodes());
            final int sprays = random.nextInt(header.phases());
            final int sequence = random.nextInt(1 << layout.sequenceBits());
            final int token1 = RandomShale.token(random, header);
            final int token2 = RandomShale.token(random, header);
            final byte[] model = HeaderBits.header(layout, source, destination, sprays, sequence,
                HeaderBits.rawToken(layout, token1), HeaderBits.rawToken(layout, token2));
            final int offset = random.nextInt(20);
            final byte filler = (byte) random.nextInt();
            final byte[] bytes = new byte[offset + model.length + 5];
            Arrays.fill(bytes, filler);
            final MemorySegment cell = MemorySegment.ofArray(bytes);

            header.encode(cell, offset, source, destination, sprays, sequence, token1, token2);

            assertArrayEquals(HeaderBits.framed(model, offset, 5, filler), bytes, at);
            assertEquals(HeaderFault.NONE, header.check(cell, offset), at);
            final long head = header.head(cell, offset);
            final long tail = header.tail(cell, offset);
            assertEquals(source, header.source(head), at);
            assertEquals(destination, header.destination(head), at);
            assertEquals(source == destination, header.isDummy(head), at);
            assertEquals(sprays, header.sprays(head), at);
            assertEquals(sequence, header.sequence(head, tail), at);
            assertEquals(token1, header.token1(tail), at);
            assertEquals(token2, header.token2(tail), at);
            shouldForward(header, bytes, offset, at);
        }
    }

    private void shouldForward(final ShaleHeader header, final byte[] bytes, final int offset, final String at) {
        final MemorySegment cell = MemorySegment.ofArray(bytes);
        final int sprays = random.nextInt(header.phases());
        final int token1 = RandomShale.token(random, header);
        final int token2 = RandomShale.token(random, header);
        final long head = header.head(cell, offset);
        final byte[] model = HeaderBits.header(header.layout(), header.source(head), header.destination(head), sprays,
            header.sequence(head, header.tail(cell, offset)),
            HeaderBits.rawToken(header.layout(), token1), HeaderBits.rawToken(header.layout(), token2));
        final byte[] expected = bytes.clone();
        System.arraycopy(model, 0, expected, offset, model.length);

        header.forward(cell, offset, sprays, token1, token2);

        assertArrayEquals(expected, bytes, at);
        assertEquals(HeaderFault.NONE, header.check(cell, offset), at);
    }
}
