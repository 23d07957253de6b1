package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.dataplane.memory.CountedArena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;

final class LinkBundleTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldNotWriteWhatTheConsumerStillHas() {
        final LinkBundle link = new LinkBundle(arena, 1, 2, 0);
        link.producer().publish(2);
        assertEquals(2, link.producer().writableUntil(2));
        assertThrows(IllegalStateException.class, () -> link.producer().put(2, 0, 1));
        assertThrows(IllegalStateException.class, () -> link.producer().put(1, 0, 1), "published");
        assertThrows(IllegalStateException.class, () -> link.producer().publish(3));
        assertThrows(IllegalStateException.class, () -> link.producer().publish(1));
        assertEquals(2, link.consumer().readableUntil(0));
        link.consumer().free(1);
        assertEquals(3, link.producer().writableUntil(2));
        assertThrows(IllegalStateException.class, () -> link.consumer().handle(0, 0), "freed");
        assertThrows(IllegalStateException.class, () -> link.consumer().handle(2, 0), "not come");
        assertThrows(IllegalStateException.class, () -> link.consumer().free(3));
        assertThrows(IllegalStateException.class, () -> link.consumer().free(0));
    }

    @Test
    void shouldRefuseALaneThatIsNotThere() {
        final LinkBundle link = new LinkBundle(arena, 3, 2, 0);
        assertThrows(IndexOutOfBoundsException.class, () -> link.producer().put(0, 3, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> link.producer().put(0, -1, 1));
        link.producer().publish(1);
        assertEquals(1, link.consumer().readableUntil(0));
        assertThrows(IndexOutOfBoundsException.class, () -> link.consumer().handle(0, 3));
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 0", "-1, 2, 0", "1, 0, 0", "1, 3, 0", "1, 2, -1"})
    void shouldRefuseAShapeItCannotHave(final int lanes, final int rows, final long firstSlot) {
        assertThrows(IllegalArgumentException.class, () -> new LinkBundle(arena, lanes, rows, firstSlot));
    }

    /** Rows on lines of their own, a surplus word each, and the block of the two positions. */
    @ParameterizedTest
    @CsvSource({"1, 16, 1408", "8, 16, 1408", "9, 16, 2432", "32, 16, 4480", "64, 64, 33536"})
    void shouldTakeThatMuchMemory(final int lanes, final int rows, final long bytes) {
        try (CountedArena counted = new CountedArena()) {
            new LinkBundle(counted, lanes, rows, 0);
            assertEquals(bytes, counted.bytes());
        }
    }
}
