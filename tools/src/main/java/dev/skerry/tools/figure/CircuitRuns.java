package dev.skerry.tools.figure;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.run.CircuitParts;

import java.util.Arrays;

/** Runs of Shoal and Shale for figures. */
final class CircuitRuns {
    private static final int STEPS = 200;

    /**
     * What a fabric does once it runs evenly.
     *
     * @param delivered cells that came in the slots counted.
     * @param slots     counted.
     * @param outcome   of the whole run.
     */
    record Steady(long delivered, long slots, Outcome outcome) {
        /** Cells a slot of one of so many nodes. */
        double rate(final double nodes) {
            return delivered / (nodes * slots);
        }
    }

    private CircuitRuns() {
    }

    /** Cells delivered after a warm-up. */
    static Steady steady(final CircuitFabric fabric, final FlowSet flows, final long warmUp, final long slots,
        final Effort effort, final FigureProgress progress) {
        try (LockStep engine = new LockStep(CircuitParts.of(fabric), flows, effort.threads(), false)) {
            final double all = warmUp + slots;
            advance(engine, warmUp, progress.part(0, warmUp / all));
            final long before = engine.count(NicCounter.CELLS_DELIVERED);
            advance(engine, slots, progress.part(warmUp / all, 1));
            return new Steady(engine.count(NicCounter.CELLS_DELIVERED) - before, slots, engine.outcome());
        }
    }

    private static void advance(final LockStep engine, final long slots, final FigureProgress progress) {
        final long step = Math.max(1, Math.ceilDiv(slots, STEPS));
        for (long done = 0; done < slots; done += step) {
            progress.done((double) done / slots);
            engine.advance(Math.min(step, slots - done));
        }
    }

    /** A run of some slots, 0 until every flow is done. */
    static Outcome run(final CircuitFabric fabric, final FlowSet flows, final long slots, final Effort effort,
        final FigureProgress progress) {
        try (LockStep engine = new LockStep(CircuitParts.of(fabric), flows, effort.threads(), false)) {
            final RuntimeException[] stopped = new RuntimeException[1];
            engine.run(slots, (slot, delivered, completed) -> {
                try {
                    progress.done(slots > 0 ? Math.min(1, (double) slot / slots) : (double) completed / flows.size());
                    return true;
                } catch (final FigureProgress.StoppedException stop) {
                    stopped[0] = stop;
                    return false;
                }
            });
            if (stopped[0] != null) {
                throw stopped[0];
            }
            return engine.outcome();
        }
    }

    /** An endless flow more. */
    static void endless(final FlowSet flows, final int from, final int to) {
        flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
    }

    /** Most of the values. */
    static int max(final int[] values) {
        return Arrays.stream(values).max().orElse(0);
    }
}
