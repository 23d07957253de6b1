package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RingLayoutTest {
    @Test
    void shouldKeepPositionsAndSlotsOnBlocksOfTheirOwn() {
        assertEquals(0, RingLayout.TAIL_OFFSET);
        assertEquals(128, RingLayout.HEAD_OFFSET);
        assertEquals(256, RingLayout.SLOTS_OFFSET);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 32, 1 << 20, RingLayout.MAX_CAPACITY})
    void shouldRoundLengthUpToWholeBlocks(final int capacity) {
        final long bytes = RingLayout.lengthBytes(capacity);
        final long needed = RingLayout.SLOTS_OFFSET + 4L * capacity;
        assertEquals(0, bytes % RingLayout.BLOCK_BYTES);
        assertTrue(bytes >= needed && bytes < needed + RingLayout.BLOCK_BYTES, "bytes=" + bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 12, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void shouldRefuseWhatIsNoPowerOfTwo(final int capacity) {
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> RingLayout.lengthBytes(capacity));
        assertTrue(e.getMessage().endsWith("capacity=" + capacity), e.getMessage());
    }
}
