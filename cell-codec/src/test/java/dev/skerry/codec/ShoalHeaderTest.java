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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The vectors of docs/spec/shoal.md §3.2 and every refusal of docs/spec/shoal.md §10. */
final class ShoalHeaderTest {
    private static final long SEED = 0x5EC_0110L;
    private static final ShoalHeader LARGEST = new ShoalHeader(1024, 1, CellFormat.SHOAL);
    private static final int SAMPLES = 6;
    private static final int CELL_BITS = 512;
    private static final int HEADER_BITS = 64;
    private static final int CRC_AT = 56;
    /** Bits that can change the kind: both ids and sop. */
    private static final int KIND_BITS = 21;
    private static final int ROUNDS = 10_000;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final ShoalHeader header = new ShoalHeader(ShoalHeader.MAX_NODES, 1, CellFormat.SHOAL);

    @ParameterizedTest
    @CsvSource({"1, 1, nodes=1", "0, 1, nodes=0", "1025, 1, nodes=1025", "-3, 1, nodes=-3", "8, 0, classes=0",
        "8, 5, classes=5"})
    void shouldRefuseAFabricThatTheHeaderDoesNotHold(final int nodes, final int classes, final String named) {
        final var refusal = assertThrows(IllegalArgumentException.class,
            () -> new ShoalHeader(nodes, classes, CellFormat.SHOAL));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }

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
        final int[][] ids = {{0, 511}, {0, 512}, {511, 0}, {512, 0}, {1023, 1023}};
        assertEquals(List.of(HeaderFault.NONE, HeaderFault.SOURCE, HeaderFault.NONE, HeaderFault.DESTINATION,
            HeaderFault.SOURCE), Stream.of(ids).map(id -> checkOf(header, id[0], id[1], 0, 0, 0, 0, 0)).toList());
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
            final MemorySegment cell = MemorySegment.ofArray(ShoalBits.cell(new byte[56], 1, 2, 77, feedback, 0, 0, 0));
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
        HeaderBits.assertFindsCounts(header.sequenceBits(), SEED, header::countOf);
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
            assertArrayEquals(new int[] {source, destination, trafficClass, sequence, feedback, feedback, flags},
                new int[] {ShoalHeader.source(read), ShoalHeader.destination(read), header.trafficClass(read),
                    header.sequence(read), header.feedback(read), ShoalHeader.rawFeedback(read),
                    ShoalHeader.flags(read)}, at);
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

    private static ControlFault checkOf(final int nodes, final String hexHead, final int bit) {
        final byte[] bytes = new byte[56];
        System.arraycopy(HexFormat.of().parseHex(hexHead), 0, bytes, 0, 8);
        if (bit >= 0) {
            HeaderBits.flip(bytes, 64 + bit);
        }
        return new ShoalControl(nodes).check(MemorySegment.ofArray(bytes), 0, 56);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "384, 1", "385, 2", "512, 2", "768, 2", "769, 3", "1024, 3"})
    void shouldTakeAsManyChunksAsTheNodesNeed(final int nodes, final int chunks) {
        assertEquals(chunks, new ShoalControl(nodes).chunks());
    }

    @Test
    void shouldWriteTheBytesOfTheSpecification() {
        final ShoalControl control = new ShoalControl(512);
        final byte[] bytes = HeaderBits.framed(new byte[56], 3, 2, (byte) 0x5A);
        final MemorySegment message = MemorySegment.ofArray(bytes);
        control.encodeReachability(message, 3, 1, 0x89ABCDEF);
        control.setReached(message, 3, 0, 1L << 0 | 1L << 9);
        control.setReached(message, 3, 1, 1L << 63);
        assertEquals("5a5a5a" + "0101000189abcdef" + "8040000000000000" + "0000000000000001" + "00".repeat(32) + "5a5a",
            HexFormat.of().formatHex(bytes));
        control.encodeProbe(message, 3, true, 0x01020304);
        assertEquals("5a5a5a" + "0201000101020304" + "00".repeat(48) + "5a5a", HexFormat.of().formatHex(bytes));
        control.encodeProbe(message, 3, false, -1);
        assertEquals("5a5a5a" + "02010000ffffffff" + "00".repeat(48) + "5a5a", HexFormat.of().formatHex(bytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 64, 65, 383, 384, 385, 512, 1000, 1024})
    void shouldCarryTheBitsOfEveryNode(final int nodes) {
        final ShoalControl control = new ShoalControl(nodes);
        final MemorySegment message = MemorySegment.ofArray(new byte[64]);
        for (int round = 0; round < 200; round++) {
            final BitSet sent = new BitSet();
            for (int node = 0; node < nodes; node++) {
                sent.set(node, random.nextInt(4) != 0);
            }
            final long[] words = new long[18];
            System.arraycopy(sent.toLongArray(), 0, words, 0, sent.toLongArray().length);
            final long[] received = new long[18];
            final int counter = random.nextInt();
            for (int chunk = 0; chunk < control.chunks(); chunk++) {
                control.encodeReachability(message, 8, chunk, counter);
                for (int word = 0; word < ShoalControl.CHUNK_WORDS; word++) {
                    control.setReached(message, 8, word, words[chunk * ShoalControl.CHUNK_WORDS + word]);
                }
                final String at = "seed=" + SEED + " round=" + round + " chunk=" + chunk;
                assertEquals(ControlFault.NONE, control.check(message, 8, 56), at);
                assertEquals(ShoalControl.REACHABILITY, ShoalControl.type(message, 8), at);
                assertEquals(chunk, ShoalControl.chunk(message, 8), at);
                assertEquals(counter, ShoalControl.counter(message, 8), at);
                for (int word = 0; word < ShoalControl.CHUNK_WORDS; word++) {
                    received[chunk * ShoalControl.CHUNK_WORDS + word] = ShoalControl.reached(message, 8, word);
                }
            }
            assertEquals(sent, BitSet.valueOf(received), "seed=" + SEED + " round=" + round);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "false, -1", "true, 2147483647", "false, -2147483648"})
    void shouldCarryAProbeInACell(final boolean hears, final int incarnation) {
        final ShoalHeader header = new ShoalHeader(1024, 1, CellFormat.SHOAL);
        final ShoalControl control = new ShoalControl(1024);
        final MemorySegment cell = MemorySegment.ofArray(new byte[64]);
        control.encodeProbe(cell, ShoalHeader.BYTES, hears, incarnation);
        header.encodeControl(cell, 0, 700, 0, 0);
        assertEquals(HeaderFault.NONE, header.check(cell, 0));
        assertFalse(ShoalHeader.isData(ShoalHeader.read(cell, 0)));
        assertFalse(ShoalHeader.isDummy(ShoalHeader.read(cell, 0)));
        assertEquals(ControlFault.NONE, control.check(cell, ShoalHeader.BYTES, header.format().payloadBytes()));
        assertEquals(ShoalControl.PROBE, ShoalControl.type(cell, ShoalHeader.BYTES));
        assertEquals(hears, ShoalControl.hears(cell, ShoalHeader.BYTES));
        assertEquals(incarnation, ShoalControl.incarnation(cell, ShoalHeader.BYTES));
    }

    @ParameterizedTest
    @CsvSource({"512, 0101000000000000, -1, NONE", "512, 0101000100000000, 127, NONE",
        "512, 0201000100000000, -1, NONE", "512, 0201000000000007, 3, NONE", "512, 0001000000000000, -1, UNKNOWN_TYPE",
        "512, 0301000000000000, -1, UNKNOWN_TYPE", "512, ff01000000000000, -1, UNKNOWN_TYPE",
        "512, 0300000000000000, -1, UNKNOWN_TYPE", "512, 0100000000000000, -1, UNKNOWN_VERSION",
        "512, 0202000000000000, -1, UNKNOWN_VERSION", "512, 01ff000200000000, -1, UNKNOWN_VERSION",
        "512, 0101000200000000, -1, CHUNK_OUT_OF_RANGE", "384, 0101000100000000, -1, CHUNK_OUT_OF_RANGE",
        "1024, 0101ffff00000000, -1, CHUNK_OUT_OF_RANGE", "1024, 0101000200000000, 255, NONE",
        "1024, 0101000200000000, 256, NODE_OUT_OF_RANGE", "512, 0101000100000000, 128, NODE_OUT_OF_RANGE",
        "8, 0101000000000000, 383, NODE_OUT_OF_RANGE", "8, 0101000000000000, 8, NODE_OUT_OF_RANGE",
        "8, 0101000000000000, 7, NONE", "8, 0201000200000000, -1, RESERVED_BITS",
        "8, 0201800100000000, -1, RESERVED_BITS"})
    void shouldNameWhatItRefuses(final int nodes, final String hexHead, final int bit, final ControlFault expected) {
        assertEquals(expected, checkOf(nodes, hexHead, bit));
    }

    @Test
    void shouldRefuseWhatIsTruncated() {
        final ShoalControl control = new ShoalControl(8);
        final byte[] bytes = new byte[60];
        final MemorySegment message = MemorySegment.ofArray(bytes);
        control.encodeProbe(message, 4, true, 1);
        assertEquals(ControlFault.NONE, control.check(message, 4, 56));
        for (final long length : new long[] {Long.MIN_VALUE, -1, 0, 8, 55}) {
            assertEquals(ControlFault.TRUNCATED, control.check(message, 4, length), "length=" + length);
        }
        for (final long offset : new long[] {Long.MIN_VALUE, -1, 5, 60, Long.MAX_VALUE}) {
            assertEquals(ControlFault.TRUNCATED, control.check(message, offset, 56), "offset=" + offset);
            final byte[] before = bytes.clone();
            assertThrows(IndexOutOfBoundsException.class, () -> control.encodeProbe(message, offset, true, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> control.encodeReachability(message, offset, 0, 2));
            assertArrayEquals(before, bytes, "a refused write must leave nothing behind");
        }
    }

    @Test
    void shouldLetTheNewerCounterWinAcrossTheWrap() {
        for (int round = 0; round < 10_000; round++) {
            final int latest = round == 0 ? -1 : random.nextInt();
            final int ahead = random.nextInt(1, Integer.MAX_VALUE);
            assertEquals(ControlFault.NONE, ShoalControl.order(latest + ahead, latest), "seed=" + SEED);
            assertEquals(ControlFault.OLDER, ShoalControl.order(latest, latest + ahead), "seed=" + SEED);
            assertEquals(ControlFault.REPEATED, ShoalControl.order(latest, latest));
        }
        assertFalse(ShoalControl.isNewer(7, 7), "the same");
        assertTrue(ShoalControl.isNewer(Integer.MIN_VALUE, Integer.MAX_VALUE), "one further, over the wrap");
        assertFalse(ShoalControl.isNewer(7 + Integer.MIN_VALUE, 7));
        assertFalse(ShoalControl.isNewer(7, 7 + Integer.MIN_VALUE));
    }

    @Test
    void shouldAssertWhatAMessageSays() {
        final ShoalControl control = new ShoalControl(500);
        final MemorySegment message = MemorySegment.ofArray(new byte[56]);
        assertThrows(AssertionError.class, () -> control.encodeReachability(message, 0, 2, 0));
        control.encodeReachability(message, 0, 1, 0);
        control.setReached(message, 0, 1, 1L << 51);
        assertThrows(AssertionError.class, () -> control.setReached(message, 0, 1, 1L << 52));
        assertThrows(AssertionError.class, () -> control.setReached(message, 0, 2, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> control.setReached(message, 0, 6, 0));
        assertThrows(IllegalArgumentException.class, () -> new ShoalControl(1));
        assertThrows(IllegalArgumentException.class, () -> new ShoalControl(1025));
    }
}
