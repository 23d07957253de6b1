package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Skerry's headers as descriptions: the same bytes as the codecs' over random headers, and the same fields. */
final class DescribedHeaderModelTest {
    private static final long SEED = 0xDE5C_71BEL;
    private static final int ROUNDS = 2_000;
    private static final byte[] NO_PAYLOAD = {};

    private final SplittableRandom random = new SplittableRandom(SEED);

    @ParameterizedTest
    @EnumSource
    void shouldEqualTheCodecOfShale(final ShaleLayout layout) {
        final HeaderDescription described = HeaderDescription.builtIn(layout.toString());
        assertEquals(layout.headerBytes(), described.bytes());
        assertEquals(layout.sequenceBits(), described.sequenceBits());
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final ShaleHeader header = HeaderBits.fabric(random, layout);
            final int source = random.nextInt(header.nodes());
            final int destination = random.nextInt(4) == 0 ? source : random.nextInt(header.nodes());
            final int sequence = random.nextInt(1 << layout.sequenceBits());
            final DescribedCell cell = new DescribedCell(source == destination ? SlotState.DUMMY : SlotState.CELL,
                source, destination, sequence, random.nextInt(header.phases()), DescribedCell.UNKNOWN,
                DescribedCell.UNKNOWN, DescribedCell.UNKNOWN, HeaderBits.token(random, header),
                HeaderBits.token(random, header));
            final byte[] bytes = new byte[layout.headerBytes()];
            header.encode(MemorySegment.ofArray(bytes), 0, source, destination, cell.sprays(), sequence, cell.token1(),
                cell.token2());
            assertArrayEquals(bytes, described.pack(cell), at);
            final long[] values = described.unpack(bytes);
            assertEquals(cell, described.cell(values), at);
            assertArrayEquals(bytes, described.pack(values, NO_PAYLOAD), at);
            assertEquals(List.of(), described.faults(bytes, null), at);
            final byte[] damaged = bytes.clone();
            final int bit = random.nextInt(bytes.length * Byte.SIZE);
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertFalse(described.faults(damaged, null).isEmpty(), at);
            assertNotEquals(List.of(), described.differences(values, described.unpack(damaged)), at);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldEqualTheCodecOfShoal(final int classes) {
        final HeaderDescription described = HeaderDescription.builtIn(classes == 1 ? "shoal" : "shoal-classes");
        final ShoalHeader header = new ShoalHeader(1024, classes, new CellFormat(64, ShoalHeader.BYTES));
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final byte[] bytes = new byte[64];
            random.nextBytes(bytes);
            final MemorySegment cell = MemorySegment.ofArray(bytes);
            final int source = random.nextInt(1024);
            final int feedback = random.nextInt(header.maxFeedback() + 1);
            final int kind = random.nextInt(3);
            if (kind == 0) {
                header.encodeDummy(cell, 0, source, feedback, random.nextInt(2));
            } else if (kind == 1) {
                header.encodeControl(cell, 0, source, feedback, random.nextInt(2));
            } else {
                header.encode(cell, 0, source, (source + random.nextInt(1, 1024)) % 1024, random.nextInt(classes),
                    random.nextLong() >>> 1, feedback, random.nextInt(8));
            }
            final byte[] front = Arrays.copyOf(bytes, ShoalHeader.BYTES);
            final byte[] payload = Arrays.copyOfRange(bytes, ShoalHeader.BYTES, bytes.length);
            final long[] values = described.unpack(front);

            assertArrayEquals(front, described.pack(values, payload), at);
            assertEquals(List.of(), described.faults(front, payload), at);
            final long word = ShoalHeader.read(cell, 0);
            final DescribedCell read = described.cell(values);
            assertEquals(kind == 0, read.state() == SlotState.DUMMY, at);
            assertEquals(List.of(source, ShoalHeader.destination(word), header.sequence(word)),
                List.of(read.source(), read.destination(), read.sequence()), at);
            assertEquals(feedback, values[described.indexOf("feedback")], at);
            assertEquals(ShoalHeader.flags(word), values[described.indexOf("sop")] << 2
                | values[described.indexOf("eop")] << 1 | values[described.indexOf("lcd")], at);
            if (classes > 1) {
                assertEquals(header.trafficClass(word), values[described.indexOf("class")], at);
            }
        }
    }
}
