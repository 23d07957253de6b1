package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Random cells of every kind and size against a string of bits; the bytes around a cell must not change. */
final class ShoalHeaderModelTest {
    private static final long SEED = 0x540A_1BEEFL;
    private static final int ROUNDS = 10_000;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @ParameterizedTest
    @EnumSource
    void shouldWriteAndReadBackEveryField(final ShoalBits.Kind kind) {
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final ShoalHeader header = fabric();
            final int source = random.nextInt(header.nodes());
            final int destination = kind == ShoalBits.Kind.DATA
                ? (source + random.nextInt(1, header.nodes())) % header.nodes() : source;
            final int trafficClass = kind == ShoalBits.Kind.DATA ? random.nextInt(header.classes()) : 0;
            final int sequence = kind == ShoalBits.Kind.DATA ? random.nextInt(1 << header.sequenceBits()) : 0;
            final int feedback = random.nextInt(header.maxFeedback() + 1);
            final int flags = flags(kind);
            final byte[] payload = payload(header);
            final byte[] model = ShoalBits.cell(payload, destination, source,
                trafficClass << header.sequenceBits() | sequence, feedback, flags >> 2, flags >> 1 & 1, flags & 1);
            final int offset = random.nextInt(20);
            final byte filler = (byte) random.nextInt();
            final byte[] bytes = HeaderBits.framed(payload, offset + 8, 5, filler);
            final MemorySegment cell = MemorySegment.ofArray(bytes);

            switch (kind) {
                case DATA -> header.encode(cell, offset, source, destination, trafficClass,
                    sequence + (random.nextLong() << header.sequenceBits()), feedback, flags);
                case DUMMY -> header.encodeDummy(cell, offset, source, feedback, flags);
                case CONTROL -> header.encodeControl(cell, offset, source, feedback, flags & ShoalHeader.LCD);
                default -> throw new AssertionError(kind);
            }

            assertArrayEquals(HeaderBits.framed(model, offset, 5, filler), bytes, at);
            assertEquals(HeaderFault.NONE, header.check(cell, offset), at);
            final long read = ShoalHeader.read(cell, offset);
            assertEquals(source, ShoalHeader.source(read), at);
            assertEquals(destination, ShoalHeader.destination(read), at);
            assertEquals(trafficClass, header.trafficClass(read), at);
            assertEquals(sequence, header.sequence(read), at);
            assertEquals(feedback, header.feedback(read), at);
            assertEquals(feedback, ShoalHeader.rawFeedback(read), at);
            assertEquals(flags, ShoalHeader.flags(read), at);
            assertEquals(kind == ShoalBits.Kind.DATA, ShoalHeader.isData(read), at);
            assertEquals(kind == ShoalBits.Kind.DUMMY, ShoalHeader.isDummy(read), at);
            shouldRewrite(header, bytes, offset, at);
        }
    }

    /** The rewritten CRC equals that of a cell encoded anew and does not hide earlier damage. */
    private void shouldRewrite(final ShoalHeader header, final byte[] bytes, final int offset, final String at) {
        final MemorySegment cell = MemorySegment.ofArray(bytes);
        final long before = ShoalHeader.read(cell, offset);
        final int feedback = random.nextInt(header.maxFeedback() + 1);
        final int lcd = random.nextInt(2);
        final byte[] payload = new byte[header.format().payloadBytes()];
        System.arraycopy(bytes, offset + 8, payload, 0, payload.length);
        final byte[] model = ShoalBits.cell(payload, ShoalHeader.destination(before), ShoalHeader.source(before),
            header.trafficClass(before) << header.sequenceBits() | header.sequence(before), feedback,
            ShoalHeader.flags(before) >> 2, ShoalHeader.flags(before) >> 1 & 1, lcd);
        final byte[] expected = bytes.clone();
        System.arraycopy(model, 0, expected, offset, model.length);

        header.rewrite(cell, offset, feedback, lcd);

        assertArrayEquals(expected, bytes, at);
        assertEquals(HeaderFault.NONE, header.check(cell, offset), at);
        if (!ShoalHeader.isDummy(before)) {
            HeaderBits.flip(bytes, (offset + 8) * 8 + random.nextInt(payload.length * 8));
            header.rewrite(cell, offset, header.maxFeedback() - feedback, ShoalHeader.LCD - lcd);
            assertEquals(HeaderFault.CRC, header.check(cell, offset), at);
        }
    }

    private ShoalHeader fabric() {
        final int nodes = random.nextBoolean() ? ShoalHeader.MAX_NODES : random.nextInt(2, ShoalHeader.MAX_NODES);
        final int cellBytes = random.nextBoolean() ? 64 : 64 * random.nextInt(1, 5);
        return new ShoalHeader(nodes, random.nextInt(1, 5), new CellFormat(cellBytes, 8));
    }

    private int flags(final ShoalBits.Kind kind) {
        return switch (kind) {
            case DATA -> random.nextInt(8);
            case DUMMY -> random.nextInt(2);
            case CONTROL -> ShoalHeader.SOP | random.nextInt(2);
        };
    }

    private byte[] payload(final ShoalHeader header) {
        final byte[] payload = new byte[header.format().payloadBytes()];
        random.nextBytes(payload);
        return payload;
    }
}
