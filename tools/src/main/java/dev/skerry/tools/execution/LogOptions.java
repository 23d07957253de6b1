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

/** The options of {@code skerry run} that say where a run ends and what its files show on the way. */
public final class LogOptions {
    private static final long USUAL_INTERVAL = 1_000_000;
    private static final String COUNT_AFTER = "--count-after-epochs";

    @Option(names = "--max-flows", paramLabel = "K",
        description = "Stop after the slot in which the K-th flow is done. The flows run twice: once to find that "
            + "slot, then up to it.")
    Long maxFlows;

    @Option(names = "--snapshot-slots", paramLabel = "K",
        description = "With --out, Shale and Shoal: write queue contents and throughput every K slots (default: "
            + "1000000).")
    Long snapshotSlots;

    @Option(names = COUNT_AFTER, paramLabel = "K",
        description = "With --out, Shoal: of flows in flight at the end, count only cells sent K or more epochs "
            + "after the last flow started, as the authors' simulator does with -w 1 and K = 10 (default: all cells).")
    Long countAfterEpochs;

    /**
     * Checks the options and says what is to be logged.
     *
     * @param out whether there are files.
     * @return null if nothing is.
     * @throws InputException if an option is out of range or means nothing.
     */
    public RunLog log(final Scenario scenario, final boolean out) {
        Choices.atLeast("--max-flows", maxFlows, 1, 1);
        final boolean circuits = scenario.fabric() instanceof CircuitFabric;
        if (!out || !circuits) {
            Choices.refuse("--snapshot-slots", snapshotSlots, out ? "not supported by this fabric"
                : "snapshots are files", out ? "leave it out" : "leave it out or add --out");
            Choices.refuse(COUNT_AFTER, countAfterEpochs, out ? "not supported by this fabric"
                : "flows under way are listed in a file", out ? "leave it out" : "leave it out or add --out");
            return null;
        }
        final long interval = Choices.atLeast("--snapshot-slots", snapshotSlots, 1, USUAL_INTERVAL);
        return new RunLog(interval, scenario.choice().links(), scenario.flows(), countFrom(scenario));
    }

    /** A log that is not written to files: it tells those who watch what nodes hold. Null for Stardust. */
    public RunLog unwritten(final Scenario scenario) {
        return scenario.fabric() instanceof CircuitFabric
            ? new RunLog(Long.MAX_VALUE / 2, scenario.choice().links(), scenario.flows()) : null;
    }

    /**
     * Where the run ends by its flows; null if it does not.
     *
     * @param checkpoints of the run.
     */
    public FlowLimit limit(final Scenario scenario, final CheckpointOptions checkpoints) {
        return maxFlows == null ? null : FlowLimit.of(maxFlows, scenario, checkpoints);
    }

    /** Whether the run stops after some flows. */
    public boolean isLimited() {
        return maxFlows != null;
    }

    /** The slot from which on cells are counted. */
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

    /** Slots of a run. One to the end of its flows counts them to the last cell that came, P after it was sent. */
    private static long end(final Scenario scenario, final RunResult result) {
        return scenario.slotLimit() > 0 && !result.interrupted() ? result.totals().slots()
            : Math.max(1, result.totals().slots() - scenario.fabric().propagationSlots());
    }

    /** The result with what a log tells of nodes over time. */
    public RunResult overTime(final Scenario scenario, final RunLog log, final RunResult result) {
        return result.with(log.held(end(scenario, result)));
    }

    /** Whether tokens are spent and returned bucket by bucket. */
    private static boolean hasBuckets(final Scenario scenario) {
        return List.of(scenario.settings().getOrDefault("cc", "").split("\\+")).contains("hbh");
    }

    /**
     * The files of a log. Flows that nothing has arrived of are listed for Shoal only, as its simulator does and
     * Shale's does not.
     *
     * @param log  closed.
     * @param done what the run came to.
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
