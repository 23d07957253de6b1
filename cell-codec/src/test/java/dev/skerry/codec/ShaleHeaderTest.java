package dev.skerry.codec;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The vectors of docs/spec/shale.md §4.1, those of a second implementation for the other layouts, every refusal. */
final class ShaleHeaderTest {
    private static final long SEED = 0xE44_0415L;
    private static final int ROUNDS = 20_000;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @ParameterizedTest
    @CsvSource({"1048576, 8, nodes=1048576", "2147483647, 1, nodes=2147483647", "10000, 9, phases=9", "1, 1, nodes=1",
        "0, 1, nodes=0", "-5, 2, nodes=-5", "16, 0, phases=0", "16, -1, phases=-1", "40000, 0, phases=0"})
    void shouldRefuseWhatNoLayoutHolds(final int nodes, final int phases, final String named) {
        for (final boolean failureCapable : new boolean[] {false, true}) {
            final var refusal = assertThrows(IllegalArgumentException.class,
                () -> ShaleLayout.forFabric(nodes, phases, failureCapable));
            assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
        }
    }

    /** A fabric smaller than each layout's limits, so that out-of-range fields can be written down. */
    private static ShaleHeader small(final ShaleLayout layout, final boolean failureCapable) {
        return new ShaleHeader(layout, 10_000, 2, failureCapable);
    }

    private static ShaleHeader largest(final ShaleLayout layout) {
        return new ShaleHeader(layout, layout.maxNodes(), layout.maxPhases(), layout.hasKinds());
    }

    private static HeaderFault checkOf(final ShaleHeader header, final int... rawFields) {
        return header.check(MemorySegment.ofArray(HeaderBits.header(header.layout(), rawFields)), 0);
    }

    private static int token(final String kindNodeIndex) {
        if (kindNodeIndex.equals("-")) {
            return ShaleToken.NONE;
        }
        final int[] parts = Stream.of(kindNodeIndex.split("/")).mapToInt(Integer::parseInt).toArray();
        return ShaleToken.of(parts[0], parts[1], parts[2]);
    }

    @ParameterizedTest
    @CsvSource({
        // docs/spec/shale.md §4.1
        "L12,  00000021000003ffffffffc6, 0, 8, 1, 0, -, -",
        "L12,  000200000000140043ffffb1, 1, 0, 0, 5, 1/8/1, -",
        "L12,  4e1e134bfffffc184e0080ff, 9999, 1234, 3, 4194303, 1/777/3, 1/32/0",
        "L12,  000a0014000003ffffffff59, 5, 5, 0, 0, -, -",
        "L12F, 0000002100000000000000be, 0, 8, 1, 0, -, -",
        "L12F, 4e1e134bffffe0613e0080a8, 9999, 1234, 3, 262143, 2/777/3, 3/32/0",
        "L12F, 000a00140000100108000054, 5, 5, 0, 0, 1/8/1, -",
        "L16,  000000000820000000000000000000a6, 0, 8, 1, 0, -, -",
        "L16,  ffffe7fffffffffffb7bc63f000200e4, 1048574, 524287, 7, 67108863, 1/777777/7, 3/32/0",
        "L16,  00005000050000000430d3e400000028, 5, 5, 0, 0, 2/99999/1, -"
    })
    void shouldAgreeWithTheVectors(final ShaleLayout layout, final String hex, final int source, final int destination,
        final int sprays, final int sequence, final String kindNodeIndex1, final String kindNodeIndex2) {
        final ShaleHeader header = largest(layout);
        final int token1 = token(kindNodeIndex1);
        final int token2 = token(kindNodeIndex2);
        final byte[] vector = HexFormat.of().parseHex(hex);
        final byte[] written = new byte[vector.length];
        header.encode(MemorySegment.ofArray(written), 0, source, destination, sprays, sequence, token1, token2);
        assertArrayEquals(vector, written);
        final MemorySegment cell = MemorySegment.ofArray(vector);
        assertHolds(header, cell, 0, "vector " + hex, source, destination, sprays, sequence, token1, token2);
    }

    /** A header is whole, and reads back as what was written: source, destination, sprays, sequence, both tokens. */
    private static void assertHolds(final ShaleHeader header, final MemorySegment cell, final long offset,
        final String at, final int... fields) {
        assertEquals(HeaderFault.NONE, header.check(cell, offset), at);
        final long head = header.head(cell, offset);
        final long tail = header.tail(cell, offset);
        assertArrayEquals(fields, new int[] {header.source(head), header.destination(head), header.sprays(head),
            header.sequence(head, tail), header.token1(tail), header.token2(tail)}, at);
        assertEquals(fields[0] == fields[1], header.isDummy(head), at);
    }

    @Test
    void shouldWriteTheDummyOfTheSpecification() {
        final byte[] written = new byte[12];
        ShaleHeader.forFabric(16, 2, false).encodeDummy(MemorySegment.ofArray(written), 0, 5, 0, 0);
        assertEquals("000a0014000003ffffffff59", HexFormat.of().formatHex(written));
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheLowBitsOfTheCount(final ShaleLayout layout) {
        final ShaleHeader header = small(layout, false);
        final MemorySegment cell = MemorySegment.ofArray(new byte[16]);
        final long count = 0x1234_5678_9ABC_DEF0L;
        header.encode(cell, 0, 1, 2, 1, count, ShaleToken.NONE, ShaleToken.NONE);
        assertEquals(HeaderFault.NONE, header.check(cell, 0));
        final long head = header.head(cell, 0);
        final int lowBits = (int) (count & (1L << layout.sequenceBits()) - 1);
        assertEquals(lowBits, header.sequence(head, header.tail(cell, 0)));
        assertEquals(1, header.source(head));
        assertEquals(1, header.sprays(head));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseBlankMemory(final ShaleLayout layout) {
        assertEquals(HeaderFault.CRC, largest(layout).check(MemorySegment.ofArray(new byte[16]), 0));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseIdsAndSpraysThatTheFabricLacks(final ShaleLayout layout) {
        final ShaleHeader header = small(layout, false);
        final int none = HeaderBits.rawToken(layout, ShaleToken.NONE);
        assertEquals(HeaderFault.NONE, checkOf(header, 9_999, 0, 1, 0, none, none));
        assertEquals(HeaderFault.SOURCE, checkOf(header, 10_000, 0, 1, 0, none, none));
        assertEquals(HeaderFault.NONE, checkOf(header, 0, 9_999, 1, 0, none, none));
        assertEquals(HeaderFault.DESTINATION, checkOf(header, 0, 10_000, 1, 0, none, none));
        for (int sprays = 0; sprays < layout.maxPhases(); sprays++) {
            final HeaderFault expected = sprays < 2 ? HeaderFault.NONE : HeaderFault.SPRAYS;
            assertEquals(expected, checkOf(header, 0, 1, sprays, 0, none, none), "sprays=" + sprays);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"L12F", "L16"})
    void shouldRefuseAnEmptySlotThatIsNotZero(final ShaleLayout layout) {
        final ShaleHeader header = small(layout, true);
        final int[] widths = HeaderBits.widths(layout);
        for (int bit = 0; bit < widths[4] - 2; bit++) {
            assertEquals(HeaderFault.NONE_TOKEN_NOT_ZERO, checkOf(header, 0, 1, 0, 0, 1 << bit, 0), "bit=" + bit);
            assertEquals(HeaderFault.NONE_TOKEN_NOT_ZERO, checkOf(header, 0, 1, 0, 0, 0, 1 << bit), "bit=" + bit);
        }
    }

    @Test
    void shouldRefuseFailureTokensWhereNobodyKnowsThem() {
        for (int kind = ShaleToken.KIND_TOKEN; kind <= ShaleToken.KIND_REVALIDATION; kind++) {
            final int token = HeaderBits.rawToken(ShaleLayout.L16, ShaleToken.of(kind, 7, 1));
            final HeaderFault expected = kind == ShaleToken.KIND_TOKEN ? HeaderFault.NONE : HeaderFault.UNKNOWN_KIND;
            assertEquals(HeaderFault.NONE, checkOf(small(ShaleLayout.L16, true), 0, 1, 0, 0, token, token));
            assertEquals(expected, checkOf(small(ShaleLayout.L16, false), 0, 1, 0, 0, token, 0));
            assertEquals(expected, checkOf(small(ShaleLayout.L16, false), 0, 1, 0, 0, 0, token));
        }
    }

    @Test
    void shouldRefuseTheReservedBit() {
        assertEquals(HeaderFault.NONE, checkOf(small(ShaleLayout.L16, true), 0, 1, 0, 0, 0, 0, 0));
        assertEquals(HeaderFault.RESERVED_BIT, checkOf(small(ShaleLayout.L16, true), 0, 1, 0, 0, 0, 0, 1));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAHeaderThatDoesNotLieInTheSegment(final ShaleLayout layout) {
        final ShaleHeader header = small(layout, false);
        final int size = layout.headerBytes() + 3;
        final byte[] bytes = new byte[size];
        final MemorySegment cell = MemorySegment.ofArray(bytes);
        for (final long offset : new long[] {Long.MIN_VALUE, -8, -4, -1, 4, 8, size, Long.MAX_VALUE}) {
            assertEquals(HeaderFault.WRONG_LENGTH, header.check(cell, offset), "offset=" + offset);
            assertThrows(IndexOutOfBoundsException.class, () -> header.encode(cell, offset, 9_999, 9_998, 1, -1, 0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> header.forward(cell, offset, 1, 0, 0));
        }
        assertArrayEquals(new byte[size], bytes, "a refused write must leave nothing behind");
        assertEquals(HeaderFault.CRC, header.check(cell, 3));
        assertEquals(HeaderFault.WRONG_LENGTH, header.check(MemorySegment.NULL, 0));
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellTokensOfBucketsFromOthers(final ShaleLayout layout) {
        final ShaleHeader header = small(layout, false);
        assertTrue(header.isBucket(ShaleToken.of(9_999, 1)));
        assertFalse(header.isBucket(ShaleToken.of(10_000, 1)));
        assertFalse(header.isBucket(ShaleToken.of(9_999, 2)));
        final int raw = HeaderBits.rawToken(layout, ShaleToken.of(10_000, 3));
        assertEquals(HeaderFault.NONE, checkOf(header, 0, 1, 0, 0, raw, raw), "the cell is good, its token is not");
    }

    @Test
    void shouldAssertWhatItWrites() {
        final MemorySegment cell = MemorySegment.ofArray(new byte[16]);
        final ShaleHeader header = small(ShaleLayout.L16, false);
        assertAll(
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 10_000, 0, 0, 0, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 0, -1, 0, 0, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.encode(cell, 0, 0, 1, 2, 0, 0, 0)),
            () -> assertThrows(AssertionError.class, () -> header.forward(cell, 0, 2, 0, 0)),
            () -> assertThrows(AssertionError.class,
                () -> header.encodeDummy(cell, 0, 0, ShaleToken.of(ShaleToken.KIND_INVALIDATION, 1, 0), 0)),
            () -> assertThrows(AssertionError.class, () -> header.encodeDummy(cell, 0, 0, 0, ShaleToken.of(1, 2))),
            () -> assertThrows(AssertionError.class,
                () -> largest(ShaleLayout.L12).encodeDummy(cell, 0, 0, ShaleToken.of(32_767, 3), 0),
                "all ones would be read as no token"));
    }

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

    @ParameterizedTest
    @EnumSource
    void shouldWriteAndReadBackEveryField(final ShaleLayout layout) {
        for (int round = 0; round < ROUNDS; round++) {
            final String at = "seed=" + SEED + " round=" + round;
            final ShaleHeader header = HeaderBits.fabric(random, layout);
            final int source = random.nextInt(header.nodes());
            final int destination = random.nextInt(4) == 0 ? source : random.nextInt(header.nodes());
            final int sprays = random.nextInt(header.phases());
            final int sequence = random.nextInt(1 << layout.sequenceBits());
            final int token1 = HeaderBits.token(random, header);
            final int token2 = HeaderBits.token(random, header);
            final byte[] model = HeaderBits.header(layout, source, destination, sprays, sequence,
                HeaderBits.rawToken(layout, token1), HeaderBits.rawToken(layout, token2));
            final int offset = random.nextInt(20);
            final byte filler = (byte) random.nextInt();
            final byte[] bytes = new byte[offset + model.length + 5];
            Arrays.fill(bytes, filler);
            final MemorySegment cell = MemorySegment.ofArray(bytes);

            header.encode(cell, offset, source, destination, sprays, sequence, token1, token2);

            assertArrayEquals(HeaderBits.framed(model, offset, 5, filler), bytes, at);
            assertHolds(header, cell, offset, at, source, destination, sprays, sequence, token1, token2);
            shouldForward(header, bytes, offset, at);
        }
    }

    private void shouldForward(final ShaleHeader header, final byte[] bytes, final int offset, final String at) {
        final MemorySegment cell = MemorySegment.ofArray(bytes);
        final int sprays = random.nextInt(header.phases());
        final int token1 = HeaderBits.token(random, header);
        final int token2 = HeaderBits.token(random, header);
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

    @ParameterizedTest
    @CsvSource({"2, 1, false, L12", "2, 1, true, L12F", "10000, 2, false, L12", "10000, 4, true, L12F",
        "32768, 4, false, L12", "32768, 4, true, L12F", "32768, 5, false, L16", "32768, 5, true, L16",
        "32769, 1, false, L16", "32769, 4, true, L16", "50625, 4, false, L16", "1048575, 8, false, L16",
        "1048575, 8, true, L16", "256, 8, false, L16"})
    void shouldChooseTheSmallestLayoutThatHolds(final int nodes, final int phases, final boolean failureCapable,
        final ShaleLayout expected) {
        assertEquals(expected, ShaleLayout.forFabric(nodes, phases, failureCapable));
        final ShaleHeader header = ShaleHeader.forFabric(nodes, phases, failureCapable);
        assertEquals(new ShaleHeader(expected, nodes, phases, failureCapable), header);
    }

    @ParameterizedTest
    @CsvSource({"L12, 32769, 2, false", "L12, 16, 5, false", "L12, 16, 2, true", "L12F, 32769, 2, true",
        "L12F, 16, 5, true", "L16, 1048576, 2, true", "L16, 16, 9, true", "L16, 1, 1, false", "L12, 16, 0, false"})
    void shouldRefuseAFabricInALayoutThatDoesNotHoldIt(final ShaleLayout layout, final int nodes, final int phases,
        final boolean failureCapable) {
        final var refusal = assertThrows(IllegalArgumentException.class,
            () -> new ShaleHeader(layout, nodes, phases, failureCapable));
        assertTrue(refusal.getMessage().contains(layout.name()), refusal.getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void shouldFillItsBytesExactly(final ShaleLayout layout) {
        final int[] widths = HeaderBits.widths(layout);
        assertEquals(layout.headerBytes() * 8, Arrays.stream(widths).sum() + 8);
        assertEquals(widths[3], layout.sequenceBits());
        assertEquals(1 << widths[2], layout.maxPhases());
        assertEquals(layout == ShaleLayout.L12, !layout.hasKinds());
    }

    @Test
    void shouldGiveTheFormatsOfTheCells() {
        assertEquals(CellFormat.SHALE, ShaleLayout.L12.cellFormat(256));
        assertEquals(CellFormat.SHALE, ShaleLayout.L12F.cellFormat(256));
        assertEquals(CellFormat.SHALE_WIDE, ShaleLayout.L16.cellFormat(256));
        assertThrows(IllegalArgumentException.class, () -> ShaleLayout.L16.cellFormat(16));
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindTheCountNextToTheExpectedOne(final ShaleLayout layout) {
        HeaderBits.assertFindsCounts(layout.sequenceBits(), SEED, layout::countOf);
    }
}
