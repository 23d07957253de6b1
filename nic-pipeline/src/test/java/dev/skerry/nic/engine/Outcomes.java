package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;

import java.util.Arrays;
import java.util.EnumSet;
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
        assertArrayEquals(expected.counts(), actual.counts(), where);
        assertEquals(expected.firstDrop(), actual.firstDrop(), where);
        sameAsReference(expected, actual, where);
    }

    /** Asserts the same of all that a reference engine counts. */
    public static void sameAsReference(final Outcome expected, final Outcome actual, final String where) {
        assertEquals(expected.digest(), actual.digest(), where);
        assertEquals(expected.slots(), actual.slots(), where);
        assertEquals(expected.cellsHeld(), actual.cellsHeld(), where);
        assertEquals(expected.maxReorder(), actual.maxReorder(), where);
        for (final NicCounter counter : EnumSet.range(NicCounter.CELLS_INJECTED, NicCounter.FLOWS_COMPLETED)) {
            assertEquals(expected.count(counter), actual.count(counter), where + " " + counter);
        }
        assertArrayEquals(expected.completed(), actual.completed(), where);
        assertArrayEquals(expected.completedIn(), actual.completedIn(), where);
        assertArrayEquals(expected.nodes().bufferOccupancy(), actual.nodes().bufferOccupancy(), where);
        assertArrayEquals(expected.nodes().queueLength(), actual.nodes().queueLength(), where);
        assertArrayEquals(expected.nodes().activeBuckets(), actual.nodes().activeBuckets(), where);
        assertEquals(latencies(expected), latencies(actual), where);
        final long intervalSlots = Math.max(expected.timeline().intervalSlots(), actual.timeline().intervalSlots());
        assertEquals(deliveries(expected, intervalSlots), deliveries(actual, intervalSlots), where);
        if (expected.sampled() != null && actual.sampled() != null) {
            assertEquals(expected.sampled().parkedCells(), actual.sampled().parkedCells(), where);
            assertEquals(lengths(expected), lengths(actual), where);
        }
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

    private static String lengths(final Outcome outcome) {
        final long[] lengths = outcome.sampled().queueLengths();
        return Arrays.toString(Arrays.copyOf(lengths, outcome.sampled().longest() + 1));
    }

    private static String latencies(final Outcome outcome) {
        final StringBuilder all = new StringBuilder();
        outcome.latency().forEach((slots, cells) -> all.append(slots).append(':').append(cells).append(' '));
        return all.toString();
    }
}
