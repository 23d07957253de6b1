package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.SplittableRandom;

/** Bursts of random and damaged cells of every kind against {@link ShoalHeader}, cell by cell. */
final class ShoalHeaderBurstModelTest {
    private static final long SEED = 0xB0257_540AL;
    private static final int ROUNDS = 600;
    private static final int CAPACITY = 100;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @Test
    void shouldWriteAndReadWhatOneCellDoes() {
        final EnumSet<HeaderFault> seen = EnumSet.noneOf(HeaderFault.class);
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final ShoalHeader header = fabric();
            final ShoalHeaderBurst burst = new ShoalHeaderBurst(header, CAPACITY);
            final int count = random.nextInt(CAPACITY + 1);
            final byte[] expected = new byte[CAPACITY * (header.format().cellBytes() + 5)];
            random.nextBytes(expected);
            final byte[] bytes = expected.clone();
            fill(header, burst, count);
            for (int i = 0; i < count; i++) {
                encode(header, MemorySegment.ofArray(expected), burst, i);
            }

            burst.encode(MemorySegment.ofArray(bytes), count);

            assertArrayEquals(expected, bytes, at);
            assertEquals(0, new Comparison(header, bytes, count).refused(burst, seen, at), at);
            HeaderBits.damage(random, bytes, burst.offset(), count, header.format().cellBytes(), Long.BYTES,
                ShoalBits::repairCrc);
            new Comparison(header, bytes, count).refused(burst, seen, at);
        }
        assertTrue(seen.containsAll(EnumSet.of(HeaderFault.NONE, HeaderFault.WRONG_LENGTH, HeaderFault.CRC,
            HeaderFault.SOURCE, HeaderFault.DESTINATION, HeaderFault.DUMMY_NOT_ZERO, HeaderFault.TRAFFIC_CLASS)),
            seen::toString);
    }

    @Test
    void shouldAssertThatEveryFieldIsValid() {
        final ShoalHeader header = new ShoalHeader(16, 3, CellFormat.SHOAL);
        final MemorySegment cells = MemorySegment.ofArray(new byte[64]).fill((byte) 0x5A);
        // Source, destination, class, sequence, feedback, flags: valid data, dummy and control cell.
        final int[][] valid = {{1, 2, 2, -1, 30, 7}, {1, 1, 0, 0, 30, 1}, {1, 1, 0, 1 << 20, 0, 4}};
        final int[][] invalid = {{16, 2, 0, 0, 0, 0}, {-1, 2, 0, 0, 0, 0}, {1, 16, 0, 0, 0, 0}, {1, -1, 0, 0, 0, 0},
            {1, 2, 3, 0, 0, 0}, {1, 2, -1, 0, 0, 0}, {1, 2, 0, 0, 31, 0}, {1, 2, 0, 0, -1, 0}, {1, 2, 0, 0, 0, 8},
            {1, 1, 1, 0, 0, 0}, {1, 1, 0, 1, 0, 0}, {1, 1, 0, 1 << 19, 0, 0}, {1, 1, 0, 0, 0, 2}, {1, 1, 0, 1, 0, 4}};
        for (final int[] fields : valid) {
            one(header, fields).encode(cells, 1);
            assertEquals(HeaderFault.NONE, header.check(cells, 0), () -> Arrays.toString(fields));
        }
        for (final int[] fields : invalid) {
            final ShoalHeaderBurst burst = one(header, fields);
            assertThrows(AssertionError.class, () -> burst.encode(cells, 1), () -> Arrays.toString(fields));
        }
    }

    private static ShoalHeaderBurst one(final ShoalHeader header, final int[] fields) {
        final ShoalHeaderBurst burst = new ShoalHeaderBurst(header, 1);
        burst.source()[0] = fields[0];
        burst.destination()[0] = fields[1];
        burst.trafficClass()[0] = fields[2];
        burst.sequence()[0] = fields[3];
        burst.feedback()[0] = fields[4];
        burst.flags()[0] = fields[5];
        return burst;
    }

    /** Compares a burst with one call per cell. */
    private record Comparison(ShoalHeader header, byte[] bytes, int count) {
        int refused(final ShoalHeaderBurst sent, final EnumSet<HeaderFault> seen, final String at) {
            final MemorySegment cells = MemorySegment.ofArray(bytes);
            final ShoalHeaderBurst burst = new ShoalHeaderBurst(header, CAPACITY);
            System.arraycopy(sent.offset(), 0, burst.offset(), 0, count);
            Arrays.fill(burst.flags(), -1);
            final int refused = burst.decode(cells, count);
            int expected = 0;
            for (int i = 0; i < count; i++) {
                final HeaderFault fault = header.check(cells, burst.offset()[i]);
                assertEquals(fault, burst.fault(i), at + " cell=" + i);
                seen.add(fault);
                expected += fault == HeaderFault.NONE ? 0 : 1;
                if (fault != HeaderFault.WRONG_LENGTH) {
                    final long read = ShoalHeader.read(cells, burst.offset()[i]);
                    assertArrayEquals(
                        new int[] {ShoalHeader.source(read), ShoalHeader.destination(read), header.trafficClass(read),
                            header.sequence(read), header.feedback(read), ShoalHeader.flags(read)},
                        new int[] {burst.source()[i], burst.destination()[i], burst.trafficClass()[i],
                            burst.sequence()[i], burst.feedback()[i], burst.flags()[i]}, at + " cell=" + i);
                }
            }
            assertEquals(expected, refused, at);
            return refused;
        }
    }

    private static void encode(final ShoalHeader header, final MemorySegment cells, final ShoalHeaderBurst burst,
        final int i) {
        final long offset = burst.offset()[i];
        final int source = burst.source()[i];
        final int feedback = burst.feedback()[i];
        final int flags = burst.flags()[i];
        if (source != burst.destination()[i]) {
            header.encode(cells, offset, source, burst.destination()[i], burst.trafficClass()[i], burst.sequence()[i],
                feedback, flags);
        } else if ((flags & ShoalHeader.SOP) == 0) {
            header.encodeDummy(cells, offset, source, feedback, flags);
        } else {
            header.encodeControl(cells, offset, source, feedback, flags & ShoalHeader.LCD);
        }
    }

    private void fill(final ShoalHeader header, final ShoalHeaderBurst burst, final int count) {
        final int swap = random.nextInt(CAPACITY);
        for (int i = 0; i < count; i++) {
            final boolean data = random.nextBoolean();
            burst.offset()[i] = (long) ((i + swap) % CAPACITY) * (header.format().cellBytes() + 5) + random.nextInt(5);
            burst.source()[i] = random.nextInt(header.nodes());
            burst.destination()[i] = data ? (burst.source()[i] + random.nextInt(1, header.nodes())) % header.nodes()
                : burst.source()[i];
            burst.trafficClass()[i] = data ? random.nextInt(header.classes()) : 0;
            burst.sequence()[i] = data ? random.nextInt() : 0;
            burst.feedback()[i] = random.nextInt(header.maxFeedback() + 1);
            burst.flags()[i] = random.nextInt(8) & (data ? 7 : ShoalHeader.SOP | ShoalHeader.LCD);
        }
    }

    private ShoalHeader fabric() {
        final int nodes = random.nextBoolean() ? ShoalHeader.MAX_NODES : random.nextInt(2, ShoalHeader.MAX_NODES);
        final int cellBytes = random.nextInt(4) != 0 ? 64 : 64 * random.nextInt(1, 5);
        return new ShoalHeader(nodes, random.nextInt(1, 5), new CellFormat(cellBytes, 8));
    }
}
