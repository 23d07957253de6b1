package dev.skerry.tools.run;

import dev.skerry.nic.engine.EngineState;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.tools.input.StopSignal;

import java.io.PrintWriter;

/** A run in parts with a checkpoint after each. The thread that owns the engine calls. */
final class ResumableRun {
    private final Resumable engine;
    private final EngineState state;
    private final long slotLimit;
    private final Checkpoints kept;
    private final ProgressLine progress;
    private final PrintWriter err;
    /** Slots done when the watch was last told. */
    private long slot;

    ResumableRun(final Resumable engine, final Scenario scenario, final Checkpoints kept, final ProgressLine progress,
        final PrintWriter err) {
        this.engine = engine;
        this.state = engine.state();
        this.slotLimit = scenario.slotLimit();
        this.kept = kept;
        this.progress = progress;
        this.err = err;
    }

    /**
     * Goes on to the end of the run, or until the user stops it.
     *
     * @return seconds that it has taken, those before it was resumed included, without those of checkpoints.
     */
    double run(final StopSignal stop) {
        kept.restore(state, err);
        double seconds = kept.secondsBefore();
        while (true) {
            final long start = System.nanoTime();
            engine.run(slotLimit, (now, delivered, completed) -> {
                slot = now;
                progress.show(now, completed);
                return !stop.requested() && !kept.isDue(now);
            });
            seconds += (System.nanoTime() - start) / 1e9;
            final boolean stopped = stop.requested();
            if (state.isOver() || stopped && !kept.isWriting()) {
                return seconds;
            }
            progress.clear();
            kept.write(state, slot, seconds, stopped, err);
            if (stopped) {
                return seconds;
            }
        }
    }
}
