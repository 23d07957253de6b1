package dev.skerry.tools.execution;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.report.FlowsFile;
import dev.skerry.tools.report.Measure;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.RunResults;
import dev.skerry.tools.run.Scenario;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The result of a run.
 *
 * @param result    for its reports.
 * @param firstDrop where the first cell was lost, null if none was.
 * @param flows     what became of each flow.
 */
public record RunDone(RunResult result, Outcome.Drop firstDrop, FlowsFile flows) {
    /** Runs a scenario until its end or until the user stops it. */
    public static RunDone of(final Scenario scenario, final StopSignal stop, final PrintWriter err) {
        return of(scenario, null, stop, null, null, err);
    }

    /**
     * The part of one member of a run; all have its result.
     *
     * @param group the members; it is left when all have what they need of each other.
     * @return as {@link #of(Scenario, RunLog, StopSignal, Checkpoints, RunGauges, PrintWriter)}.
     */
    public static RunDone together(final Scenario scenario, final RunLog log, final StopSignal stop,
        final Checkpoints kept, final MemberGroup group, final PrintWriter err) {
        return of(scenario, log, stop, kept, null, group, err);
    }

    /**
     * The same, and fills a log, null for none; the log is closed before the engine.
     *
     * @param kept  checkpoints to write and to go on from; null for none.
     * @param shown counters of the run for other processes; null for none.
     * @return null if the run was stopped and written, to be gone on with.
     */
    public static RunDone of(final Scenario scenario, final RunLog log, final StopSignal stop, final Checkpoints kept,
        final RunGauges shown, final PrintWriter err) {
        return of(scenario, log, stop, kept, shown, null, err);
    }

    private static RunDone of(final Scenario scenario, final RunLog log, final StopSignal stop, final Checkpoints kept,
        final RunGauges shown, final MemberGroup group, final PrintWriter err) {
        try (Engine engine = engine(scenario, log, group); RunLog _ = log) {
            final ProgressLine progress = ProgressLine.on(err, scenario);
            final double seconds;
            final long processorNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            if (kept == null) {
                final long start = System.nanoTime();
                engine.run(scenario.slotLimit(), (slot, delivered, completed) -> {
                    progress.show(slot, completed);
                    RunGauges.tick(shown, engine, slot, delivered, completed);
                    return !stop.requested();
                });
                seconds = (System.nanoTime() - start) / 1e9;
            } else {
                seconds = kept.run((Resumable) engine, scenario.slotLimit(), Long.MAX_VALUE, progress, shown, stop,
                    err);
                if (kept.isStopped()) {
                    return null;
                }
            }
            progress.clear();
            final double processorSeconds =
                (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - processorNs) / 1e9;
            final Outcome outcome = engine.outcome();
            final boolean stopped = group == null ? stop.requested() : group.any(stop.requested());
            final long memoryBytes = group == null ? engine.memoryBytes() : group.sum(engine.memoryBytes());
            final List<Measure> exchanged = ExchangeMeasures.of(engine, group, outcome.slots());
            leave(group, log);
            final long[] alone = AloneRuns.of(scenario, outcome, group, stop::requested);
            RunResult result = RunResults.of(scenario.settings(), scenario.choice().terms(), stopped,
                scenario.fabric(), scenario.flows(), outcome,
                seconds, RunResult.Measured.of(
                scenario.fabric(), scenario.flows(), outcome, scenario.arrivals().slots(),
                scenario.arrivals().warmUpSlots(), alone));
            if (memoryBytes > 0) {
                result = result.with(new Measure("memoryBytesPerNode", "bytes",
                    memoryBytes / scenario.fabric().nodes(), "bytes per node allocated off the heap"));
            }
            for (final Measure measure : exchanged) {
                result = result.with(measure);
            }
            if (kept == null && group == null && scenario.engine().threads(scenario.fabric().nodes()) == 1) {
                result = result.with(new Measure("processorSeconds", "s", processorSeconds,
                    "s of processor time of its one thread"));
            }
            return new RunDone(ofWorkers(result, engine), outcome.firstDrop(),
                new FlowsFile(scenario.flows(), outcome, scenario.fabric().propagationSlots(), alone));
        }
    }

    /** With the time that its workers did not work together. */
    private static RunResult ofWorkers(final RunResult result, final Engine engine) {
        RunResult of = result;
        if (engine.waitedNs() > 0) {
            of = of.with(new Measure("waitedSeconds", "s", engine.waitedNs() / 1e9,
                "s that workers slept because others were late"));
        }
        if (engine.aloneNs() > 0) {
            of = of.with(new Measure("aloneSeconds", "s", engine.aloneNs() / 1e9,
                "s that one worker went on alone: to measure, or because meetings cost more"));
        }
        return of;
    }

    /** All members have what they need of each other. */
    private static void leave(final MemberGroup group, final RunLog log) {
        if (group != null && log != null) {
            log.close();
            log.join(group.exchange());
        }
        if (group != null) {
            group.close();
        }
    }

    private static Engine engine(final Scenario scenario, final RunLog log, final MemberGroup group) {
        return group == null ? scenario.engine().engine(scenario.choice(), scenario.faults(), scenario.flows(),
            scenario.check(), log)
            : scenario.engine().engine(scenario.choice(), scenario.faults(), scenario.flows(), log, group.exchange());
    }
}
