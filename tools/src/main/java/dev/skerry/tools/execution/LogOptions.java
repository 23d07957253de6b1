package dev.skerry.tools.execution;

import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.ResultFiles.RunLogFiles;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.run.Scenario;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The options of {@code skerry run} that define the end of a run and the files that record its course. */
public final class LogOptions {
    private static final long USUAL_INTERVAL = 1_000_000;
    private static final String COUNT_AFTER = "--count-after-epochs";

    @Option(names = "--max-flows", paramLabel = "K",
        description = "Stop after the slot in which the K-th flow is done. The simulation runs twice: first to find "
            + "that slot, then up to it.")
    Long maxFlows;

    @Option(names = "--snapshot-slots", paramLabel = "K",
        description = "With --out, Shale and Shoal: write queue contents and throughput every K slots (default: "
            + "1000000).")
    Long snapshotSlots;

    @Option(names = COUNT_AFTER, paramLabel = "K",
        description = "With --out, Shoal: for flows in flight at the end, count only cells sent at least K epochs "
            + "after the last flow started. The authors' simulator does so with -w 1, for K = 10 (default: all cells).")
    Long countAfterEpochs;

    /**
     * Checks the options and returns the log that they define.
     *
     * @param out whether there are result files.
     * @return null if nothing is logged.
     * @throws InputException if an option is out of range or has no effect.
     */
    public RunLog log(final Scenario scenario, final boolean out) {
        Choices.atLeast("--max-flows", maxFlows, 1, 1);
        final boolean circuits = scenario.fabric() instanceof CircuitFabric;
        if (!out || !circuits) {
            Choices.refuse("--snapshot-slots", snapshotSlots, out ? "not supported by this fabric"
                : "snapshots are written to files", out ? "leave it out" : "leave it out or add --out");
            Choices.refuse(COUNT_AFTER, countAfterEpochs, out ? "not supported by this fabric"
                : "in-flight flows are listed in a file", out ? "leave it out" : "leave it out or add --out");
            return null;
        }
        final long interval = Choices.atLeast("--snapshot-slots", snapshotSlots, 1, USUAL_INTERVAL);
        return new RunLog(interval, scenario.choice().links(), scenario.flows(), countFrom(scenario));
    }

    /**
     * Returns a log that is not written to files, to publish the contents of nodes; null for fabrics that do not
     * consist of circuits.
     */
    public RunLog unwritten(final Scenario scenario) {
        return scenario.fabric() instanceof CircuitFabric
            ? new RunLog(Long.MAX_VALUE / 2, scenario.choice().links(), scenario.flows()) : null;
    }

    /**
     * Returns the limit by a number of flows; null if there is none.
     *
     * @param checkpoints options of the run's checkpoints.
     */
    public FlowLimit limit(final Scenario scenario, final CheckpointOptions checkpoints) {
        return maxFlows == null ? null : FlowLimit.of(maxFlows, scenario, checkpoints);
    }

    /** Tells whether the run stops after a number of flows. */
    public boolean isLimited() {
        return maxFlows != null;
    }

    /** Returns the first slot from which cells count. */
    private long countFrom(final Scenario scenario) {
        if (countAfterEpochs == null) {
            return 0;
        }
        final FlowSet flows = scenario.flows();
        Choices.refuseIf(flows.waits() != null, "--count-after-epochs", countAfterEpochs, "flows wait for others, so "
            + "that the last start is not known before the run", "leave it out");
        return IntStream.range(0, flows.size()).mapToLong(flows::startSlot).max().orElse(0)
            + scenario.choice().countingSlots(countAfterEpochs);
    }

    /**
     * Returns the slots of a run for its files. If a run ends with its flows, it executes P further slots after the
     * last cell was sent; these are subtracted.
     */
    private static long end(final Scenario scenario, final RunResult result) {
        return scenario.slotLimit() > 0 && !result.interrupted() ? result.totals().slots()
            : Math.max(1, result.totals().slots() - scenario.fabric().propagationSlots());
    }

    /** Returns a result with the contents of nodes over time from a log. */
    public RunResult overTime(final Scenario scenario, final RunLog log, final RunResult result) {
        return result.with(log.held(end(scenario, result)));
    }

    /** Tells whether tokens are counted by bucket. */
    private static boolean hasBuckets(final Scenario scenario) {
        return List.of(scenario.settings().getOrDefault("cc", "").split("\\+")).contains("hbh");
    }

    /**
     * Returns the files of a log. Flows that have not received anything are listed only for Shoal, as in the simulators
     * of the authors.
     *
     * @param log  the log, closed.
     * @param done the result of the run.
     */
    public RunLogFiles files(final Scenario scenario, final RunLog log, final RunDone done) {
        final CircuitFabric fabric = scenario.choice().circuits();
        final FlowSet flows = done.flows().flows();
        final long end = end(scenario, done.result());
        final boolean untouched = scenario.choice().listsUntouchedFlows();
        final int[] all = log.incomplete();
        final int[] listed = IntStream.range(0, all.length).filter(i -> untouched
            ? flows.startSlot(all[i]) < end : log.received()[i] > 0).toArray();
        final int[] open = Arrays.stream(listed).map(i -> all[i]).toArray();
        final long countFrom = countFrom(scenario);
        return new RunLogFiles(fabric.cellsInSlot(), scenario.choice().linksPerPhase(), hasBuckets(scenario),
            scenario.choice().hasLinkQueues(), log.snapshots(end), log.longest(), log.lengths(),
            new RunLogFiles.Incomplete(
                Arrays.stream(open).mapToLong(flows::id).toArray(),
                Arrays.stream(listed).map(i -> log.received()[i]).toArray(),
                Arrays.stream(open).mapToLong(flow -> end + 1 - (countFrom > 0
                    ? Math.min(countFrom, end) : flows.startSlot(flow) - fabric.propagationSlots())).toArray(),
                Arrays.stream(open).map(flows::cells).toArray()));
    }
}
