package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Bounds are asserted; tests run with assertions on. */
final class RegionTest {
    @Test
    void shouldStartAlignedAndZeroed() {
        try (Arena arena = Arena.ofConfined()) {
            for (int bytes = 8; bytes < 300; bytes += 8) {
                final Region region = Region.allocate(arena, bytes);
                assertEquals(bytes, region.bytes());
                assertEquals(0, region.at(0, Long.BYTES) % Region.ALIGNMENT);
                for (int at = 0; at < bytes; at += 8) {
                    assertEquals(0, region.getLong(at));
                }
            }
        }
    }

    @Test
    void shouldKeepWhatIsWritten() {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 64);
            region.setLong(56, 0x0123_4567_89AB_CDEFL);
            region.setInt(0, Integer.MIN_VALUE);
            region.setInt(4, 5);
            assertEquals(0x0123_4567_89AB_CDEFL, region.getLong(56));
            assertEquals(Integer.MIN_VALUE, region.getInt(0));
            assertEquals(5, region.getInt(4));
            assertEquals(0, region.getLong(8));
            region.fill((byte) -1);
            assertEquals(-1, region.getLong(56));
            assertEquals(-1, region.getInt(0));
        }
    }

    @Test
    void shouldKeepBytesApart() {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 64);
            region.setByte(3, 0x1FF);
            region.setByte(4, 7);
            assertEquals(0, region.getByte(2));
            assertEquals(255, region.getByte(3));
            assertEquals(7, region.getByte(4));
            region.setByte(3, 1);
            assertEquals(1, region.getByte(3));
            assertEquals(7, region.getByte(4));
            assertThrows(IndexOutOfBoundsException.class, () -> region.getByte(64));
        }
    }

    @Test
    void shouldCopyLongs() {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 64);
            final long[] longs = {1L << 40, 2L << 40, 3L << 40, 4L << 40};
            region.setLongs(8, longs, 1, 3);
            assertEquals(0, region.getLong(0));
            assertEquals(2L << 40, region.getLong(8));
            assertEquals(4L << 40, region.getLong(24));
            assertEquals(0, region.getLong(32));
            final long[] into = new long[4];
            region.getLongs(16, into, 2, 2);
            assertArrayEquals(new long[] {0, 0, 3L << 40, 4L << 40}, into);
            region.getLongs(64, into, 4, 0);
            assertThrows(IndexOutOfBoundsException.class, () -> region.getLongs(48, into, 0, 3));
            assertThrows(IndexOutOfBoundsException.class, () -> region.setLongs(4, longs, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> region.setLongs(0, longs, 3, 2));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 8, 15, 16})
    void shouldCatchALongOutsideItsRecord(final int n) {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 256);
            assertThrows(AssertionError.class, () -> region.getLong(64, n));
            assertThrows(AssertionError.class, () -> region.setLong(64, n, 1));
        }
    }

    @Test
    void shouldLieOverMemoryOfAnotherMaker() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(128, Region.ALIGNMENT);
            final Region region = Region.over(memory);
            assertEquals(128, region.bytes());
            region.setLong(64, 1, 7);
            assertEquals(7, memory.get(ValueLayout.JAVA_LONG, 72));
            assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(128));
            for (final MemorySegment wrong : List.of(memory.asSlice(8), memory.asReadOnly(),
                MemorySegment.ofArray(new long[8]))) {
                assertThrows(IllegalArgumentException.class, () -> Region.over(wrong));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, -1, 1, 4, 12, 60, 64, 72, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldCatchALongOutsideOrOffItsBoundary(final long offset) {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 64);
            assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(offset));
            assertThrows(IndexOutOfBoundsException.class, () -> region.setLong(offset, 1));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-4, -1, 1, 2, 62, 64, 68, Long.MAX_VALUE, Long.MIN_VALUE})
    void shouldCatchAnIntOutsideOrOffItsBoundary(final long offset) {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 64);
            assertThrows(IndexOutOfBoundsException.class, () -> region.getInt(offset));
            assertThrows(IndexOutOfBoundsException.class, () -> region.setInt(offset, 1));
        }
    }

    @Test
    void shouldCatchUseAfterItsArenaClosed() {
        final Region region;
        try (Arena arena = Arena.ofConfined()) {
            region = Region.allocate(arena, 64);
        }
        assertThrows(AssertionError.class, () -> region.getLong(0));
        assertThrows(AssertionError.class, () -> region.setInt(0, 1));
    }

    @Test
    void shouldReadAndWriteTheFieldsOfARecord() {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 128);
            for (int n = 0; n < 8; n++) {
                region.setLong(64, n, 1000 + n);
                assertEquals(1000 + n, region.getLong(64 + n * 8));
                assertEquals(1000 + n, region.getLong(64, n));
            }
            for (int n = 0; n < 16; n++) {
                region.setInt(64, n, n - 8);
                assertEquals(n - 8, region.getInt(64 + n * 4));
                assertEquals(n - 8, region.getInt(64, n));
            }
            assertEquals(0, region.getLong(56), "the record before is untouched");
        }
    }

    @Test
    void shouldCatchAFieldOutsideTheRegion() {
        try (Arena arena = Arena.ofConfined()) {
            final Region region = Region.allocate(arena, 96);
            assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(64, 4));
            assertThrows(IndexOutOfBoundsException.class, () -> region.setInt(64, 8, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> region.getInt(-64, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> region.getLong(4, 1));
        }
    }
}
