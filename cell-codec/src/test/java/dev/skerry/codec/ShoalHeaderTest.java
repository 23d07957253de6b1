package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** The vectors of docs/spec/shoal.md §3.2 and every refusal of docs/spec/shoal.md §10. */
final class ShoalHeaderTest {
    private static final long SEED = 0x5EC_0110L;
    private static final ShoalHeader LARGEST = new ShoalHeader(1024, 1, CellFormat.SHOAL);

    private static MemorySegment cell() {
        return MemorySegment.ofArray(new byte[64]);
    }

    private static HeaderFault checkOf(final ShoalHeader header, final int... rawFields) {
        final byte[] payload = new byte[header.format().payloadBytes()];
        return header.check(MemorySegment.ofArray(ShoalBits.cell(payload, rawFields)), 0);
    }

    @Test
    void shouldAgreeWithTheVectors() {
        final MemorySegment cell = cell();
        for (int i = 0; i < 56; i++) {
            cell.set(ValueLayout.JAVA_BYTE, 8 + i, (byte) i);
        }
        LARGEST.encode(cell, 0, 3, 5, 0, 0x12345, 7, ShoalHeader.SOP);
        assertEquals(0x01403048D1403C3EL, ShoalHeader.read(cell, 0));
        assertEquals(HeaderFault.NONE, LARGEST.check(cell, 0));
        LARGEST.encodeDummy(cell, 0, 3, 2046, ShoalHeader.LCD);
        assertEquals(0x00C03000003FF17AL, ShoalHeader.read(cell, 0));
        assertEquals(HeaderFault.NONE, LARGEST.check(cell, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 128, 256, 1024})
    void shouldRefuseBlankMemory(final int cellBytes) {
        final ShoalHeader header = new ShoalHeader(1024, 4, new CellFormat(cellBytes, 8));
        assertEquals(HeaderFault.CRC, header.check(MemorySegment.ofArray(new byte[cellBytes]), 0));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, nodes=1", "0, 1, nodes=0", "1025, 1, nodes=1025", "-3, 1, nodes=-3", "8, 0, classes=0",
        "8, 5, classes=5"})
    void shouldRefuseAFabricThatTheHeaderDoesNotHold(final int nodes, final int classes, final String named) {
        final var refusal = assertThrows(IllegalArgumentException.class,
            () -> new ShoalHeader(nodes, classes, CellFormat.SHOAL));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"64, 12", "96, 8", "65, 8", "32, 8"})
    void shouldRefuseAFormatThatIsNotOurs(final int cellBytes, final int headerBytes) {
        final var refusal = assertThrows(IllegalArgumentException.class,
            () -> new ShoalHeader(8, 1, new CellFormat(cellBytes, headerBytes)));
        assertTrue(refusal.getMessage().contains("cellBytes=" + cellBytes), refusal.getMessage());
    }

    @Test
    void shouldTakeTheSequenceBitsForClassesOnlyWhereThereAreSome() {
        assertEquals(22, LARGEST.sequenceBits());
        for (int classes = 2; classes <= 4; classes++) {
            assertEquals(20, new ShoalHeader(8, classes, CellFormat.SHOAL).sequenceBits());
        }
        assertEquals(14, new ShoalHeader(8, 1, CellFormat.SHOAL).maxFeedback());
        assertEquals(2046, LARGEST.maxFeedback());
    }

    @Test
    void shouldRefuseIdsAndClassesThatTheFabricLacks() {
        final ShoalHeader header = new ShoalHeader(512, 3, CellFormat.SHOAL);
        assertEquals(HeaderFault.NONE, checkOf(header, 0, 511, 0, 0, 0, 0, 0));
        assertEquals(HeaderFault.SOURCE, checkOf(header, 0, 512, 0, 0, 0, 0, 0));
        assertEquals(HeaderFault.NONE, checkOf(header, 511, 0, 0, 0, 0, 0, 0));
        assertEquals(HeaderFault.DESTINATION, checkOf(header, 512, 0, 0, 0, 0, 0, 0));
        assertEquals(HeaderFault.SOURCE, checkOf(header, 1023, 1023, 0, 0, 0, 0, 0));
        for (int trafficClass = 0; trafficClass < 4; trafficClass++) {
            final HeaderFault expected = trafficClass < 3 ? HeaderFault.NONE : HeaderFault.TRAFFIC_CLASS;
            assertEquals(expected, checkOf(header, 1, 2, trafficClass << 20, 0, 1, 1, 0), "class=" + trafficClass);
        }
    }

    @Test
    void shouldRefuseDummiesWithBitsThatMustBeZero() {
        for (int sop = 0; sop < 2; sop++) {
            assertEquals(HeaderFault.NONE, checkOf(LARGEST, 3, 3, 0, 2047, sop, 0, 1));
            assertEquals(HeaderFault.DUMMY_NOT_ZERO, checkOf(LARGEST, 3, 3, 0, 0, sop, 1, 0));
            for (int bit = 0; bit < 22; bit++) {
                assertEquals(HeaderFault.DUMMY_NOT_ZERO, checkOf(LARGEST, 3, 3, 1 << bit, 0, sop, 0, 0));
            }
        }
    }

    @Test
    void shouldClampTheFeedbackAndNotRefuseIt() {
        final ShoalHeader header = new ShoalHeader(16, 1, CellFormat.SHOAL);
        for (int feedback = 0; feedback < 2048; feedback++) {
            final MemorySegment cell =
                MemorySegment.ofArray(ShoalBits.cell(new byte[56], 1, 2, 77, feedback, 0, 0, 0));
            assertEquals(HeaderFault.NONE, header.check(cell, 0));
            assertEquals(Math.min(feedback, 30), header.feedback(ShoalHeader.read(cell, 0)));
            assertEquals(feedback, ShoalHeader.rawFeedback(ShoalHeader.read(cell, 0)));
        }
    }

    @Test
    void shouldRefuseAHopThatNoCellTakes() {
        final MemorySegment cell = cell();
        for (int receiver = 0; receiver < 5; receiver++) {
            for (int sender = 0; sender < 5; sender++) {
                for (int source = 0; receiver != sender && source < 5; source++) {
                    final String at = "source=" + source + " receiver=" + receiver + " sender=" + sender;
                    for (int destination = 0; destination < 5; destination++) {
                        if (destination != source) {
                            LARGEST.encode(cell, 0, source, destination, 0, 1, 0, 0);
                            final HeaderFault fault = source == receiver ? HeaderFault.OWN_CELL
                                : source != sender && destination != receiver ? HeaderFault.NOT_FROM_SOURCE
                                : HeaderFault.NONE;
                            assertEquals(fault, ShoalHeader.checkHop(ShoalHeader.read(cell, 0), receiver, sender),
                                at + " destination=" + destination);
                        }
                    }
                    final HeaderFault ofDummy = source == receiver ? HeaderFault.OWN_CELL
                        : source != sender ? HeaderFault.NOT_FROM_SOURCE : HeaderFault.NONE;
                    LARGEST.encodeDummy(cell, 0, source, 0, 0);
                    assertEquals(ofDummy, ShoalHeader.checkHop(ShoalHeader.read(cell, 0), receiver, sender), at);
                    LARGEST.encodeControl(cell, 0, source, 0, 0);
                    assertEquals(ofDummy, ShoalHeader.checkHop(ShoalHeader.read(cell, 0), receiver, sender), at);
                }
            }
        }
    }

    @Test
    void shouldRefuseACellThatDoesNotLieInTheSegment() {
        final byte[] bytes = new byte[64 + 3];
        final MemorySegment cell = MemorySegment.ofArray(bytes);
        for (final long offset : new long[] {Long.MIN_VALUE, -8, -1, 4, 8, 60, 67, Long.MAX_VALUE}) {
            assertEquals(HeaderFault.WRONG_LENGTH, LARGEST.check(cell, offset), "offset=" + offset);
            assertThrows(IndexOutOfBoundsException.class, () -> LARGEST.encode(cell, offset, 1, 2, 0, 0, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> LARGEST.encodeDummy(cell, offset, 1, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> LARGEST.encodeControl(cell, offset, 1, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> LARGEST.rewrite(cell, offset, 0, 0));
        }
        assertArrayEquals(new byte[64 + 3], bytes, "a refused write must leave nothing behind");
        assertEquals(HeaderFault.CRC, LARGEST.check(cell, 3));
        assertEquals(HeaderFault.WRONG_LENGTH, LARGEST.check(MemorySegment.NULL, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldFindTheCountNextToTheExpectedOne(final int classes) {
        final ShoalHeader header = new ShoalHeader(512, classes, CellFormat.SHOAL);
        final SplittableRandom random = new SplittableRandom(SEED);
        final long space = 1L << header.sequenceBits();
        for (int round = 0; round < 5_000; round++) {
            final long expected = random.nextLong(0, Long.MAX_VALUE / 2);
            final long count = expected + switch (round) {
                case 0 -> -space / 2;
                case 1 -> space / 2 - 1;
                case 2 -> 0;
                default -> random.nextLong(-space / 2, space / 2);
            };
            final int sequence = (int) Math.floorMod(count, space);
            assertEquals(count, header.countOf(expected, sequence), "seed=" + SEED + " round=" + round);
        }
        assertFalse(header.countOf(0, (int) (space / 2)) > 0, "half the space away is behind, not ahead");
    }

    @Test
    void shouldAssertWhatItWrites() {
        final ShoalHeader header = new ShoalHeader(8, 2, CellFormat.SHOAL);
        final MemorySegment cell = cell();
        assertAll(
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 8, 0, 0, 0, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 0, -1, 0, 0, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 1, 1, 0, 0, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 0, 1, 2, 0, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 0, 1, 0, 0, 15, 0)),
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 0, 1, 0, 0, 0, 8)),
            () -> assertThrows(AssertionError.class, () -> header.encodeDummy(cell, 0, 1, 0, ShoalHeader.SOP)),
            () -> assertThrows(AssertionError.class, () -> header.encodeControl(cell, 0, 8, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.rewrite(cell, 0, -1, 0)),
            () -> assertThrows(AssertionError.class, () -> header.rewrite(cell, 0, 0, ShoalHeader.EOP)));
    }
}
