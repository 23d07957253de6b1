package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    void shouldCarryARowOfHandlesASlot() {
        final LinkBundle link = new LinkBundle(arena, 3, 4, 0);
        final LinkBundle.Producer producer = link.producer();
        final LinkBundle.Consumer consumer = link.consumer();
        assertEquals(4, producer.writableUntil(0));
        assertTrue(producer.put(0, 0, 17));
        assertTrue(producer.put(0, 1, LinkBundle.DARK));
        assertTrue(producer.put(0, 2, Integer.MAX_VALUE));
        assertEquals(0, consumer.readableUntil(0));
        producer.publish(1);
        assertEquals(1, consumer.readableUntil(0));
        assertEquals(17, consumer.handle(0, 0));
        assertEquals(LinkBundle.DARK, consumer.handle(0, 1));
        assertEquals(Integer.MAX_VALUE, consumer.handle(0, 2));
        assertEquals(0, consumer.surplus(0));
    }

    @Test
    void shouldDropAndCountSecondCellsOfASlot() {
        final LinkBundle link = new LinkBundle(arena, 2, 1, 5);
        assertTrue(link.producer().put(5, 0, 1));
        assertFalse(link.producer().put(5, 0, 2));
        assertFalse(link.producer().put(5, 0, LinkBundle.DARK));
        assertFalse(link.producer().put(5, 0, 3));
        assertTrue(link.producer().put(5, 1, LinkBundle.DARK));
        assertTrue(link.producer().put(5, 1, 4), "the first cell of a lane that was said to be dark");
        link.producer().publish(6);
        assertEquals(6, link.consumer().readableUntil(5));
        assertEquals(1, link.consumer().handle(5, 0));
        assertEquals(4, link.consumer().handle(5, 1));
        assertEquals(2, link.consumer().surplus(5));
        link.consumer().free(6);
        assertEquals(7, link.producer().writableUntil(6));
        assertTrue(link.producer().put(6, 0, 9), "the row is used again");
        link.producer().publish(7);
        assertEquals(7, link.consumer().readableUntil(6));
        assertEquals(0, link.consumer().surplus(6));
        assertEquals(LinkBundle.MISSING, link.consumer().handle(6, 1), "what the row held before is not of this slot");
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
    void shouldSayWhatMemoryItTakes(final int lanes, final int rows, final long bytes) {
        assertEquals(bytes, LinkBundle.bytes(lanes, rows));
    }
}
