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

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.stream.Stream;

/** The vectors of docs/spec/shale.md §4.1, those of a second implementation for the other layouts, every refusal. */
final class ShaleHeaderTest {
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
        final long head = header.head(cell, 0);
        final long tail = header.tail(cell, 0);
        assertAll(
            () -> assertEquals(HeaderFault.NONE, header.check(cell, 0)),
            () -> assertEquals(source, header.source(head)),
            () -> assertEquals(destination, header.destination(head)),
            () -> assertEquals(source == destination, header.isDummy(head)),
            () -> assertEquals(sprays, header.sprays(head)),
            () -> assertEquals(sequence, header.sequence(head, tail)),
            () -> assertEquals(token1, header.token1(tail)),
            () -> assertEquals(token2, header.token2(tail)));
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
            assertThrows(IndexOutOfBoundsException.class,
                () -> header.encode(cell, offset, 9_999, 9_998, 1, -1, 0, 0));
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
}
