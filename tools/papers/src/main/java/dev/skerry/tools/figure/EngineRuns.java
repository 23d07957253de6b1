package dev.skerry.tools.figure;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;

import java.util.function.LongConsumer;

/** Runs of any engine that report how far they are and stop when they are told to. */
public final class EngineRuns {
    private static final int STEPS = 200;

    private EngineRuns() {
    }

    /**
     * Advances an engine in steps.
     *
     * @param engine takes the slots of a step.
     * @param slots  in all.
     */
    public static void advance(final LongConsumer engine, final long slots, final FigureProgress progress) {
        final long step = Math.max(1, Math.ceilDiv(slots, STEPS));
        for (long done = 0; done < slots; done += step) {
            progress.done((double) done / slots);
            engine.accept(Math.min(step, slots - done));
        }
    }

    /**
     * Runs an engine to its end.
     *
     * @param slots of the run, 0 until every flow is done.
     * @param watch may throw what progress throws when the figure is stopped.
     */
    public static Outcome run(final Engine engine, final long slots, final Engine.Watch watch) {
        engine.run(slots, watch);
        return engine.outcome();
    }
}
