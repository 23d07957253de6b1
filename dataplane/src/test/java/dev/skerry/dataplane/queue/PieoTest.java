package dev.skerry.dataplane.queue;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;

final class PieoTest {
    private static final int NO_SUBLIST = 15;
    private static final int NO_ID = 31;

    private final PieoLayout layout = new PieoLayout(16);
    private final MemorySegment segment = Arena.ofAuto().allocate(layout.byteSize(), PieoLayout.ALIGNMENT);
    private final Pieo pieo = new Pieo(layout, segment);

    private static Pieo pieo(final PieoLayout dimensions) {
        return new Pieo(dimensions, Arena.ofAuto().allocate(dimensions.byteSize(), PieoLayout.ALIGNMENT));
    }

    /** Ranks 10, 20, ... to ids 1, 2, ..., all eligible at once. */
    private void fill(final int elements) {
        for (int i = 1; i <= elements; i++) {
            assertEquals(Pieo.DONE, pieo.enqueue(i, 10L * i, 0));
        }
    }

    @Test
    void shouldHaveTheDimensionsOfTheRtl() {
        final PieoLayout rtl = new PieoLayout(64);
        assertEquals(8, rtl.sublistLength());
        assertEquals(16, rtl.sublists());
        assertEquals(6, rtl.idBits());
        assertEquals(63, rtl.nullId());
        assertEquals(127, rtl.noId());
        assertEquals(31, rtl.noSublist());
        assertEquals(65_535, rtl.noRank());
        assertEquals(65_535, rtl.noTime());
        assertEquals(17, rtl.resetClocks());
        assertEquals(17, pieo(rtl).clocks());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "4, 2", "5, 3", "9, 3", "10, 4", "100, 10", "101, 11", "65025, 255", "65026, 256",
        "65536, 256"})
    void shouldRoundTheSublistLengthUp(final int capacity, final int length) {
        assertEquals(length, new PieoLayout(capacity).sublistLength());
    }

    @Test
    void shouldAnswerNullWhenNothingIsEligible() {
        pieo.enqueue(3, 1, 9);
        assertEquals(Pieo.NOTHING, pieo.dequeue(8));
        assertEquals(15, pieo.id());
        assertEquals(65_535, pieo.rank());
        assertEquals(65_535, pieo.sendTime());
        assertEquals(NO_SUBLIST, pieo.enqueuedInSublist());
        assertEquals(2, pieo.clocks());
        assertEquals(Pieo.DONE, pieo.dequeue(9));
    }

    @Test
    void shouldTellTheSublistOfAnId() {
        fill(5);
        assertEquals(0, pieo.sublistOf(4));
        assertEquals(1, pieo.sublistOf(5));
        assertEquals(NO_SUBLIST, pieo.sublistOf(6));
        assertEquals(Pieo.DONE, pieo.dequeueF(5, 1));
        assertEquals(5, pieo.id());
    }

    private void assertRefused(final int code, final IntSupplier operation) {
        final byte[] before = segment.toArray(JAVA_BYTE);
        assertEquals(code, operation.getAsInt());
        assertArrayEquals(before, segment.toArray(JAVA_BYTE));
        assertEquals(0, pieo.clocks());
        assertEquals(15, pieo.id());
        assertEquals(NO_ID, pieo.movedId());
        assertEquals(NO_SUBLIST, pieo.enqueuedInSublist());
        assertFalse(Pieo.meaning(code).isEmpty());
    }

    @Test
    void shouldRefuseWhatTheHardwareGetsWrongAndTouchNothing() {
        fill(5);
        pieo.dequeueF(2);
        assertRefused(Pieo.BAD_ID, () -> pieo.enqueue(-1, 1, 1));
        assertRefused(Pieo.BAD_ID, () -> pieo.enqueue(16, 1, 1));
        assertRefused(Pieo.BAD_RANK, () -> pieo.enqueue(9, -1, 1));
        assertRefused(Pieo.BAD_RANK, () -> pieo.enqueue(9, 65_535, 1));
        assertRefused(Pieo.BAD_RANK, () -> pieo.enqueue(9, 65_536, 1));
        assertRefused(Pieo.BAD_TIME, () -> pieo.enqueue(9, 1, -1));
        assertRefused(Pieo.BAD_TIME, () -> pieo.enqueue(9, 1, 65_535));
        assertRefused(Pieo.BAD_TIME, () -> pieo.enqueue(9, 1, 1L << 32));
        assertRefused(Pieo.BAD_TIME, () -> pieo.dequeue(65_535));
        assertRefused(Pieo.BAD_TIME, () -> pieo.dequeue(-1));
        assertRefused(Pieo.BAD_ID, () -> pieo.dequeueF(-1));
        assertRefused(Pieo.BAD_ID, () -> pieo.dequeueF(16));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(2));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(0));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(5, 1));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(5, 7));
        assertRefused(Pieo.ABSENT, () -> pieo.dequeueF(5, -1));
        assertThrows(IllegalArgumentException.class, () -> Pieo.meaning(2));
    }

    @Test
    void shouldRefuseWhenFull() {
        fill(15);
        pieo.enqueue(0, 5, 5);
        assertRefused(Pieo.FULL, () -> pieo.enqueue(3, 1, 1));
        assertEquals(Pieo.DONE, pieo.dequeue(0));
        assertEquals(Pieo.DONE, pieo.enqueue(1, 1, 1));
        assertEquals(16, pieo.size());
    }

    @Test
    void shouldCompareWideFieldsAsUnsigned() {
        final Pieo wide = pieo(new PieoLayout(16, 30, 32, 32));
        assertEquals(Pieo.DONE, wide.enqueue((1 << 30) - 1, 0xFFFF_FFFEL, 0));
        assertEquals(Pieo.DONE, wide.enqueue(1, 0x7FFF_FFFFL, 0xFFFF_FFFEL));
        assertEquals(Pieo.BAD_RANK, wide.enqueue(2, 0xFFFF_FFFFL, 0));
        assertEquals(Pieo.DONE, wide.dequeue(0x8000_0000L));
        assertEquals((1 << 30) - 1, wide.id());
        assertEquals(0xFFFF_FFFEL, wide.rank());
        assertEquals(Pieo.DONE, wide.dequeue(0xFFFF_FFFEL));
        assertEquals(1, wide.id());
        assertEquals(0xFFFF_FFFEL, wide.sendTime());
    }

    @Test
    void shouldStartAgainAfterReset() {
        final byte[] fresh = segment.toArray(JAVA_BYTE);
        fill(9);
        pieo.dequeueF(3);
        assertNotEquals(-1, MemorySegment.ofArray(fresh).mismatch(segment));
        pieo.reset();
        assertEquals(-1, MemorySegment.ofArray(fresh).mismatch(segment));
        assertEquals(9, pieo.clocks());
    }

    @Test
    void shouldRefuseBadDimensionsAndSegments() {
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(0));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(65_537));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 0, 16, 16));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 31, 16, 16));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 4, 33, 16));
        assertThrows(IllegalArgumentException.class, () -> new PieoLayout(16, 4, 16, 1));
        assertThrows(IllegalArgumentException.class,
            () -> new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize() - 1, PieoLayout.ALIGNMENT)));
        assertThrows(IllegalArgumentException.class,
            () -> new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize() + 8, 8).asSlice(1)));
        assertThrows(IllegalArgumentException.class,
            () -> new Pieo(layout, MemorySegment.ofArray(new byte[(int) layout.byteSize()])));
    }
}
