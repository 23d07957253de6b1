package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Runs engines, and compares the outcomes of runs. */
public final class Outcomes {
    private Outcomes() {
    }

    /** Takes an engine to a slot, or to its end for 0, and closes it. */
    public static Outcome run(final Engine started, final long limit) {
        try (Engine engine = started) {
            engine.run(limit);
            return engine.outcome();
        }
    }

    /** Asserts that two runs are the same in everything that is said of them. */
    public static void same(final Outcome expected, final Outcome actual, final String where) {
        assertEquals(expected.digest(), actual.digest(), where);
        assertEquals(expected.slots(), actual.slots(), where);
        assertEquals(expected.cellsHeld(), actual.cellsHeld(), where);
        assertEquals(expected.firstDrop(), actual.firstDrop(), where);
        assertEquals(expected.maxReorder(), actual.maxReorder(), where);
        assertArrayEquals(expected.counts(), actual.counts(), where);
        assertArrayEquals(expected.completed(), actual.completed(), where);
        assertArrayEquals(expected.completedIn(), actual.completedIn(), where);
        assertArrayEquals(expected.nodes().bufferOccupancy(), actual.nodes().bufferOccupancy(), where);
        assertArrayEquals(expected.nodes().queueLength(), actual.nodes().queueLength(), where);
        assertArrayEquals(expected.nodes().activeBuckets(), actual.nodes().activeBuckets(), where);
        assertEquals(latencies(expected), latencies(actual), where);
        final long intervalSlots = Math.max(expected.timeline().intervalSlots(), actual.timeline().intervalSlots());
        assertEquals(deliveries(expected, intervalSlots), deliveries(actual, intervalSlots), where);
    }

    /** Asserts when flows are complete, -1 if never, and how many cells took how many slots. */
    public static void sameTimes(final long[] completedIn, final Map<Integer, Long> latency, final Outcome actual,
        final String where) {
        final long[] completed = new long[completedIn.length];
        Arrays.fill(completed, -1);
        for (int i = 0; i < actual.completed().length; i++) {
            completed[actual.completed()[i]] = actual.completedIn()[i];
        }
        assertArrayEquals(completedIn, completed, where);
        final Map<Integer, Long> slots = new TreeMap<>();
        actual.latency().forEach((duration, cells) -> slots.put((int) duration, cells));
        assertEquals(latency, slots, where);
    }

    /** Cells delivered over time; an engine may have looked on for some slots after the last one. */
    private static Map<Long, Long> deliveries(final Outcome outcome, final long intervalSlots) {
        final Map<Long, Long> deliveries = new TreeMap<>();
        for (int i = 0; i < outcome.timeline().cells().length; i++) {
            if (outcome.timeline().cells()[i] > 0) {
                deliveries.merge(i * outcome.timeline().intervalSlots() / intervalSlots, outcome.timeline().cells()[i],
                    Long::sum);
            }
        }
        return deliveries;
    }

    private static String latencies(final Outcome outcome) {
        final StringBuilder all = new StringBuilder();
        outcome.latency().forEach((slots, cells) -> all.append(slots).append(':').append(cells).append(' '));
        return all.toString();
    }
}
