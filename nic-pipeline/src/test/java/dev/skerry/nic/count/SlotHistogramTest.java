package dev.skerry.nic.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

final class SlotHistogramTest {
    @Test
    void shouldBeExactBelowItsLimit() {
        final SlotHistogram histogram = new SlotHistogram();
        for (int slots = 0; slots < 16_384; slots++) {
            histogram.record(slots);
        }
        final TreeMap<Integer, Long> shown = shown(histogram);
        assertEquals(16_384, shown.size());
        assertTrue(shown.values().stream().allMatch(count -> count == 1));
        assertEquals(16_383, shown.lastKey());
    }

    @Test
    void shouldBeNearAboveIt() {
        final Random random = new Random(1);
        for (int i = 0; i < 400; i++) {
            final int slots = i == 0 ? Integer.MAX_VALUE : i == 1 ? 16_384 : i == 2 ? 32_767 : i == 3 ? 32_768
                : Math.max(16_384, random.nextInt() >>> 1 + random.nextInt(17));
            final SlotHistogram histogram = new SlotHistogram();
            histogram.record(slots);
            final int shown = shown(histogram).firstKey();
            assertTrue(shown <= slots && slots - shown <= slots / 8192, "slots=" + slots + " shown=" + shown);
        }
    }

    @Test
    void shouldAddUp() {
        final SlotHistogram one = new SlotHistogram();
        final SlotHistogram other = new SlotHistogram();
        one.record(3);
        one.record(1 << 20);
        other.record(3);
        other.record(0);
        one.add(other);
        assertEquals(new TreeMap<>(Map.of(0, 1L, 3, 2L, 1 << 20, 1L)), shown(one));
        assertEquals(new TreeMap<>(Map.of(0, 1L, 3, 1L)), shown(other));
    }

    private static TreeMap<Integer, Long> shown(final SlotHistogram histogram) {
        final TreeMap<Integer, Long> shown = new TreeMap<>();
        histogram.forEach((slots, count) -> {
            assertTrue(shown.isEmpty() || shown.lastKey() < slots, "ascending");
            shown.put((int) slots, count);
        });
        return shown;
    }
}
