package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Wiring;

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

    /** Runs a fabric in lock step. */
    public static Outcome lockStep(final CircuitFabric fabric, final FlowSet flows, final int workers,
        final boolean check, final long limit) {
        return lockStep(fabric, flows, Faults.NONE, workers, check, limit);
    }

    /** Runs a fabric with faults in lock step. */
    public static Outcome lockStep(final CircuitFabric fabric, final FlowSet flows, final Faults faults,
        final int workers, final boolean check, final long limit) {
        return run(new LockStep(Parts.of(fabric), flows, faults, workers, check), limit);
    }

    /** Runs a fabric with faults on threads. */
    public static Outcome threads(final CircuitFabric fabric, final FlowSet flows, final Faults faults,
        final Wiring wiring, final Threading threading, final long limit) {
        return run(new FreeRunning(Parts.of(fabric), flows, faults, wiring, threading, false), limit);
    }

    /** When each of the flows of a run completed, 0 for those that did not. */
    public static long[] completions(final Outcome outcome, final int flows) {
        final long[] in = new long[flows];
        for (int i = 0; i < outcome.completed().length; i++) {
            in[outcome.completed()[i]] = outcome.completedIn()[i];
        }
        return in;
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

    /** Asserts that something is refused with a reason. */
    public static void refused(final String why, final Runnable asked) {
        final String said = assertThrows(IllegalArgumentException.class, asked::run).getMessage();
        assertTrue(said.contains(why), said);
    }
}
