package dev.skerry.tools.execution;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.EngineChoice;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.report.JobTimes;
import dev.skerry.tools.report.ResultFiles.FlowsFile;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.RunResult.Measure;
import dev.skerry.tools.report.Slowdown;
import dev.skerry.tools.run.Scenario;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * The result of a run.
 *
 * @param result    the result for reports.
 * @param firstDrop the first loss of a cell; null if there was none.
 * @param flows     the outcome of each flow.
 */
public record RunDone(RunResult result, Outcome.Drop firstDrop, FlowsFile flows) {
    private static final long PROBE_NS = 2_000_000_000L;
    private static final double NS_PER_US = 1e3;

    /** Runs a scenario until it ends or the user stops it. */
    public static RunDone of(final Scenario scenario, final StopSignal stop, final PrintWriter err) {
        return of(scenario, null, stop, null, null, null, err);
    }

    /**
     * Checks whether several processes can run the scenario together.
     *
     * @param limited   whether the run stops after a number of flows.
     * @param published whether the run publishes its counters.
     * @throws InputException if only a single process can run it.
     */
    public static void checkTogether(final Scenario scenario, final boolean limited, final boolean published) {
        final EngineChoice engine = scenario.engine();
        final String either = "leave one of them out";
        refuse(engine.isReference(), "--engine", "reference", "several processes run in lock step", either);
        refuse(engine.threading() != null, "--mode", "threads", "several processes run in lock step", either);
        refuse(engine.workers() > 1, "--threads", engine.workers(), "each member has one thread",
            "leave it out and add members, one per processor");
        refuse(scenario.check(), "--check", null, "it checks all nodes together, which requires one process", either);
        refuse(limited, "--max-flows", null, "it needs a separate run to find the last slot", either);
        refuse(published, "--publish", null, "there is no process with the counters of all nodes", either);
        refuse(CheckpointOptions.hasLateClocks(scenario), "--faults", null, "the script makes a clock one or more "
            + "slots late, and only the process of that node knows its cells in flight",
            "leave out --members, or the late clock of the script");
        scenario.choice().refuseMembers();
    }

    private static void refuse(final boolean wrong, final String option, final Object value, final String why,
        final String advice) {
        Choices.refuseIf(wrong, option, value, "with --members " + why, advice);
    }

    /**
     * Runs a scenario, or the part of one member. All members get the whole result.
     *
     * @param log   log to fill, which is closed before the engine; null for none.
     * @param kept  checkpoints to write and to resume from; null for none.
     * @param shown counters of the run for other processes; null for none.
     * @param group the members; the group is left when all members have their data. Null for a single process.
     * @return null if the run was stopped, with a checkpoint to resume from.
     */
    public static RunDone of(final Scenario scenario, final RunLog log, final StopSignal stop, final Checkpoints kept,
        final RunGauges shown, final MemberGroup group, final PrintWriter err) {
        try (Engine engine = engine(scenario, log, group); RunLog _ = log) {
            final ProgressLine progress = ProgressLine.on(err, scenario);
            final long processorNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            final double seconds = (kept == null ? Checkpoints.none() : kept).run(engine, scenario.slotLimit(),
                Long.MAX_VALUE, progress, shown, stop, err);
            if (kept != null && kept.isStopped()) {
                return null;
            }
            progress.clear();
            final double processorSeconds =
                (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - processorNs) / 1e9;
            final Outcome outcome = engine.outcome();
            final boolean stopped = group == null ? stop.requested() : group.any(stop.requested());
            final long memoryBytes = group == null ? engine.memoryBytes() : group.sum(engine.memoryBytes());
            final List<Measure> exchanged = exchanged(engine, group, outcome.slots());
            leave(group, log);
            final FlowSet flows = scenario.flows().started(outcome.completed(), outcome.completedIn(),
                scenario.fabric().noticeSlots());
            final long[] alone = alone(scenario, flows, outcome, group, stop::requested);
            RunResult result = RunResult.of(scenario.settings(), scenario.choice().terms(), stopped,
                scenario.fabric(), flows, outcome,
                seconds, RunResult.Measured.of(
                scenario.fabric(), flows, outcome, scenario.arrivals().slots(),
                scenario.arrivals().isRandom(), scenario.arrivals().warmUpSlots(), alone));
            if (memoryBytes > 0) {
                result = result.with(new Measure("memoryBytesPerNode", "bytes",
                    memoryBytes / scenario.fabric().nodes(), "bytes per node allocated off the heap"));
            }
            for (final Measure measure : JobTimes.of(flows, outcome).measures()) {
                result = result.with(measure);
            }
            for (final Measure measure : exchanged) {
                result = result.with(measure);
            }
            if (kept == null && group == null && scenario.engine().threads(scenario.fabric().nodes()) == 1) {
                result = result.with(new Measure("processorSeconds", "s", processorSeconds,
                    "s of CPU time of its one thread"));
            }
            return new RunDone(ofWorkers(result, engine, scenario.engine().asked()), outcome.firstDrop(),
                new FlowsFile(flows, outcome, scenario.fabric().propagationSlots(), alone));
        }
    }

    /**
     * Forecasts the duration of a run from its first two seconds, in which the JVM is slowest. A run that ends earlier
     * is measured.
     *
     * @return duration of the whole run in seconds, estimated from slots, or from flows if the run ends with the last
     *     flow; NaN if no flow has completed by then.
     */
    public static double forecastSeconds(final Scenario scenario) {
        final long[] done = new long[2];
        final long start = System.nanoTime();
        try (Engine engine = engine(scenario, null, null)) {
            engine.run(scenario.slotLimit(), (slot, delivered, completed) -> {
                done[0] = slot;
                done[1] = completed;
                return System.nanoTime() - start < PROBE_NS;
            });
        }
        final long took = System.nanoTime() - start;
        final double share = took < PROBE_NS ? 1 : scenario.slotLimit() > 0 ? (double) done[0] / scenario.slotLimit()
            : (double) done[1] / scenario.flows().size();
        return share > 0 ? took / 1e9 / share : Double.NaN;
    }

    /**
     * Adds the number of threads that ran, and the time in which they did not run in parallel.
     *
     * @param asked requested number of threads.
     */
    private static RunResult ofWorkers(final RunResult result, final Engine engine, final int asked) {
        RunResult of = result;
        if (asked > 1) {
            of = of.with(new Measure("threadsRun", "threads", engine.threads(), engine.threads() == asked
                ? "threads ran the fabric" : "of " + asked + " threads ran the fabric, on a machine with "
                + Runtime.getRuntime().availableProcessors() + " processors"));
        }
        if (engine.waitedNs() > 0) {
            of = of.with(new Measure("waitedSeconds", "s", engine.waitedNs() / 1e9,
                "s that workers slept while they waited for others"));
        }
        if (engine.aloneNs() > 0) {
            of = of.with(new Measure("aloneSeconds", "s", engine.aloneNs() / 1e9,
                "s that one worker ran alone, to measure or because synchronisation would have cost more"));
        }
        return of;
    }

    /** Leaves the group when all members have the data that they need from each other. */
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
        return group == null ? scenario.choice().engine(scenario.engine(), scenario.flows(), scenario.faults(),
            scenario.check(), log)
            : scenario.choice().member(scenario.flows(), scenario.faults(), log, group.exchange());
    }

    /**
     * Runs flows again, each alone in a new fabric, and returns their completion times.
     *
     * @param flows   flows with their actual starts.
     * @param outcome outcome of the run.
     * @param group   members that ran the scenario together, of which the first one reports; null for a single process.
     * @param stopped returns whether the user has requested a stop.
     * @return completion time of each flow in slots, 0 for flows that were not run alone; empty if no flows were
     *     requested or the user stopped the run.
     */
    private static long[] alone(final Scenario scenario, final FlowSet flows, final Outcome outcome,
        final MemberGroup group, final BooleanSupplier stopped) {
        final int perSize = scenario.arrivals().alone();
        if (perSize == 0 || group != null && group.self() > 0) {
            return new long[0];
        }
        final long[] slots = new long[flows.size()];
        for (final int[] ofSize : Slowdown.counted(flows, outcome, scenario.arrivals().warmUpSlots())) {
            final List<Integer> drawn = Arrays.stream(ofSize).boxed().collect(Collectors.toList());
            Collections.shuffle(drawn, new Random(scenario.seed()));
            for (final int flow : drawn.subList(0, Math.min(perSize, drawn.size()))) {
                if (stopped.getAsBoolean()) {
                    return new long[0];
                }
                slots[flow] = alone(scenario, flows.only(flow));
            }
        }
        return slots;
    }

    private static long alone(final Scenario scenario, final FlowSet one) {
        try (Engine engine = scenario.choice().engine(scenario.engine().ofOneWorker(), one, Faults.NONE, false,
            null)) {
            engine.run(0);
            final long[] completedIn = engine.outcome().completedIn();
            return completedIn.length == 0 ? 0 : completedIn[0] + 1 - one.startSlot(0);
        }
    }

    /**
     * Returns the data that members exchanged and the CPU time for it, as averages over all slots of a run. All members
     * must call this.
     *
     * @param group null for a single process, which exchanges nothing.
     * @param slots slots of the run.
     */
    private static List<Measure> exchanged(final Engine engine, final MemberGroup group, final long slots) {
        if (group == null || slots == 0) {
            return List.of();
        }
        final MemberEngine.Exchanged own = ((MemberEngine) engine).cost();
        return List.of(
            new Measure("exchangeBatches", "batches", (double) group.sum(own.batches()) / slots,
                "batches per slot between members"),
            new Measure("exchangePlaces", "places", (double) group.sum(own.places()) / slots,
                "places of rows per slot in these batches, each with a cell, feedback or message"),
            new Measure("exchangeBytes", "bytes", (double) group.sum(own.bytes()) / slots, "bytes per slot in these "
                + "batches"),
            new Measure("exchangeSendMicros", "us", group.sum(own.sendNs()) / NS_PER_US / slots / group.size(),
                "us of CPU time per member and slot to pack and send them"),
            new Measure("exchangeTakeMicros", "us", group.sum(own.takeNs()) / NS_PER_US / slots / group.size(),
                "us of CPU time per member and slot to receive those of others"));
    }
}
