package dev.skerry.nic.count;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TimelineTest {
    @ParameterizedTest
    @CsvSource({"1, 1", "511, 1", "512, 1", "513, 2", "1024, 2", "1025, 4", "100000, 256"})
    void shouldJoinNeighboursWhenItOutgrowsItsIntervals(final int slots, final long interval) {
        final Timeline timeline = new Timeline();
        for (int slot = 0; slot < slots; slot++) {
            timeline.add(slot, slot % 7);
        }
        timeline.endBefore(slots);
        assertEquals(interval, Timeline.merged(new Timeline[] {timeline}).intervalSlots());
        final long[] delivered = timeline.delivered();
        assertEquals((slots + interval - 1) / interval, delivered.length);
        for (int i = 0; i < delivered.length; i++) {
            long expected = 0;
            for (long slot = i * interval; slot < Math.min(slots, (i + 1) * interval); slot++) {
                expected += slot % 7;
            }
            assertEquals(expected, delivered[i], "interval " + i);
        }
    }
}
