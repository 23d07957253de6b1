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
        assertEquals(0, SpscRing.TAIL_OFFSET);
        assertEquals(128, SpscRing.HEAD_OFFSET);
        assertEquals(256, SpscRing.SLOTS_OFFSET);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 32, 1 << 20, SpscRing.MAX_CAPACITY})
    void shouldRoundLengthUpToWholeBlocks(final int capacity) {
        final long bytes = SpscRing.lengthBytes(capacity);
        final long needed = SpscRing.SLOTS_OFFSET + 4L * capacity;
        assertEquals(0, bytes % SpscRing.BLOCK_BYTES);
        assertTrue(bytes >= needed && bytes < needed + SpscRing.BLOCK_BYTES, "bytes=" + bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 12, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void shouldRefuseWhatIsNoPowerOfTwo(final int capacity) {
        final IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> SpscRing.lengthBytes(capacity));
        assertTrue(e.getMessage().endsWith("capacity=" + capacity), e.getMessage());
    }
}
