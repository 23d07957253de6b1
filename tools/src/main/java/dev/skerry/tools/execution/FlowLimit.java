package dev.skerry.tools.execution;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.run.Scenario;

import java.io.PrintWriter;

/**
 * The end of a run by its flows: it stops after the slot in which some number of them is done. Finding the slot takes a
 * run, in lock step: only there do all nodes stop in one slot.
 *
 * @param flows  that have to be done.
 * @param search what is kept of the run that looks for the slot; null if nothing is.
 */
public record FlowLimit(long flows, CheckpointFiles.SearchFolder search) {
    private static final String NAME = "max-flows";

    /**
     * An end.
     *
     * @param options of the run's checkpoints.
     * @throws dev.skerry.tools.input.InputException as {@link CheckpointOptions#checkpoints}.
     */
    static FlowLimit of(final long flows, final Scenario scenario, final CheckpointOptions options) {
        return new FlowLimit(flows, options.search(scenario.upTo(scenario.slotLimit(), NAME, Long.toString(flows))));
    }

    /**
     * The scenario up to the slot; the same if that number of flows is never done.
     *
     * @return null if the search was stopped and written, to be gone on with.
     */
    public Scenario limited(final Scenario scenario, final StopSignal stop, final PrintWriter err) {
        if (search != null && search.slot() >= 0) {
            return until(scenario, search.slot());
        }
        final Checkpoints kept = search == null ? null : search.checkpoints();
        final long slot = slot(scenario, kept, stop, err);
        if (kept != null && kept.isStopped()) {
            return null;
        }
        if (search != null && !stop.requested()) {
            search.found(slot);
        }
        return until(scenario, slot);
    }

    private Scenario until(final Scenario scenario, final long slots) {
        return scenario.upTo(slots, NAME, Long.toString(flows));
    }

    private long slot(final Scenario scenario, final Checkpoints kept, final StopSignal stop, final PrintWriter err) {
        final Outcome outcome;
        try (Engine engine = scenario.choice().engine(scenario.engine().inLockStep(), scenario.flows(),
            scenario.faults(), false, null)) {
            final ProgressLine progress = ProgressLine.on(err, scenario);
            if (kept == null) {
                engine.run(scenario.slotLimit(), (slot, delivered, completed) -> {
                    progress.show(slot, completed);
                    return completed < flows && !stop.requested();
                });
            } else {
                kept.run((Resumable) engine, scenario.slotLimit(), flows, progress, null, stop, err);
            }
            progress.clear();
            outcome = engine.outcome();
        }
        final long[] completedIn = outcome.completedIn();
        final long after = scenario.fabric() instanceof CircuitFabric ? scenario.fabric().propagationSlots() : 0;
        return completedIn.length < flows ? scenario.slotLimit() : completedIn[(int) flows - 1] + 1 - after;
    }
}
