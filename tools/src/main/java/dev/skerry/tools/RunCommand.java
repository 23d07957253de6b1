package dev.skerry.tools;

import dev.skerry.nic.Engine;
import dev.skerry.nic.FlowSet;
import dev.skerry.nic.NicCounter;
import dev.skerry.nic.Outcome;
import dev.skerry.tools.report.ResultFiles;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.report.SummaryJson;
import dev.skerry.tools.report.TerminalReport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;

/** {@code skerry run}: flows across a fabric, slot by slot, and the report of what came of it. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Runs flows across a fabric and reports completion times, queues and throughput.",
        "",
        "Without options: Shale with 256 nodes under the short-flow data-centre workload, a few seconds.",
        "The same seed and options give the same result, bit by bit, with any number of threads.",
        ""
    },
    footer = {
        "",
        "Example, 1024 nodes, every node sending to one other as fast as it can, with two threads:",
        "  ./skerry run --nodes 1024 --workload permutation --first-hop-tokens 4 --slots 20000 --threads 2",
        "",
        "The same on Shoal with 512 nodes and four channels:",
        "  ./skerry run --fabric shoal --nodes 512 --workload permutation --slots 20000",
        "",
        "An incast to one of 432 hosts behind the adapters of a Stardust fabric:",
        "  ./skerry run --fabric stardust --topology n432 --workload incast --incast-senders 60 --slots 0"
    })
final class RunCommand implements Callable<Integer> {
    private static final int CELLS_LOST = 1;
    private static final int LATENCY_DIGITS = 3;
    private static final Set<NicCounter> IN_TOTALS = EnumSet.of(NicCounter.CELLS_INJECTED, NicCounter.CELLS_DELIVERED,
        NicCounter.CELLS_FORWARDED, NicCounter.FLOWS_STARTED, NicCounter.FLOWS_COMPLETED);

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(names = "--out", paramLabel = "DIR", description = "Write the result files into this new folder.")
    private Path out;

    @Option(names = "--json", description = "Print the summary as JSON instead of the report.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        final PrintWriter err = spec.commandLine().getErr();
        final Scenario scenario = Scenario.of(options);
        if (out != null) {
            ResultFiles.checkFree(out);
        }
        scenario.remarks().forEach(remark -> err.println(remark.startsWith("skerry:") ? remark : "skerry: " + remark));
        err.printf(Locale.ROOT, "skerry: %,d nodes, %,d links each, %,d flows: %,.1f MiB of state%n",
            scenario.fabric().nodes(), scenario.choice().links(), scenario.flows().size(),
            scenario.stateBytes() / (double) (1 << 20));
        err.flush();
        try (StopSignal stop = StopSignal.listen()) {
            final Done done = run(scenario, stop, err);
            final Summary summary = Summary.of(done.result);
            final PrintWriter print = spec.commandLine().getOut();
            print.print(json ? SummaryJson.of(summary) : TerminalReport.of(summary));
            if (out != null) {
                final Path written = ResultFiles.write(summary, out);
                err.println("skerry: results in " + written);
            }
            print.flush();
            if (done.firstDrop != null && scenario.faults().isEmpty()) {
                err.printf(Locale.ROOT, "skerry: run: %,d cells lost: slot %d, node %d is the first: every link it "
                    + "could spray on leads to an absent node, choose other --failed-nodes or --fill%n",
                    done.result.totals().cellsDropped(), done.firstDrop.slot(), done.firstDrop.node());
            }
            err.flush();
            // What a script of faults costs is counted by name and part of its result.
            return done.firstDrop == null || !scenario.faults().isEmpty() ? 0 : CELLS_LOST;
        }
    }

    /** What came of a run, and where the first cell was lost, null if none was. */
    private record Done(RunResult result, Outcome.Drop firstDrop) {
    }

    private static Done run(final Scenario scenario, final StopSignal stop, final PrintWriter err) {
        try (Engine engine = scenario.engine().engine(scenario.choice(), scenario.faults(), scenario.flows(),
            scenario.check())) {
            final Progress progress = Progress.on(err, scenario);
            final long start = System.nanoTime();
            engine.run(scenario.slotLimit(), (slot, delivered, completed) -> {
                progress.show(slot, completed);
                return !stop.requested();
            });
            final double seconds = (System.nanoTime() - start) / 1e9;
            progress.clear();
            final Outcome outcome = engine.outcome();
            return new Done(result(scenario, outcome, seconds, stop.requested()), outcome.firstDrop());
        }
    }

    private static RunResult result(final Scenario scenario, final Outcome outcome, final double seconds,
        final boolean interrupted) {
        final long delivered = outcome.count(NicCounter.CELLS_DELIVERED);
        final double nodeSlots = (double) scenario.fabric().nodes() * outcome.slots();
        final Outcome.Nodes nodes = outcome.nodes();
        final RunResult.Totals totals = new RunResult.Totals(
            scenario.fabric().population().endpoints(),
            outcome.slots(),
            scenario.fabric().propagationSlots(),
            outcome.count(NicCounter.CELLS_INJECTED),
            delivered,
            outcome.cellsHeld(),
            outcome.dropped(),
            outcome.count(NicCounter.CELLS_DAMAGED),
            outcome.count(NicCounter.FLOWS_STARTED),
            outcome.count(NicCounter.FLOWS_COMPLETED),
            max(nodes.queueLength()),
            max(nodes.bufferOccupancy()),
            max(nodes.activeBuckets()),
            outcome.maxReorder(),
            nodeSlots == 0 ? 0 : delivered / (nodeSlots * scenario.fabric().channels()),
            seconds,
            seconds == 0 ? 0 : nodeSlots / seconds,
            outcome.digest());
        return new RunResult(scenario.settings(), interrupted, totals, flows(scenario.flows(), outcome),
            new RunResult.Nodes(nodes.bufferOccupancy(), nodes.queueLength(), nodes.activeBuckets()),
            new RunResult.Timeline(outcome.timeline().intervalSlots(), outcome.timeline().cells()), events(outcome),
            latency(outcome));
    }

    /** What the totals do not say. */
    private static List<RunResult.Event> events(final Outcome outcome) {
        return Arrays.stream(NicCounter.values())
            .filter(counter -> !IN_TOTALS.contains(counter) && outcome.count(counter) > 0)
            .map(counter -> new RunResult.Event(nameOf(counter), counter.sentence(), outcome.count(counter)))
            .toList();
    }

    private static String nameOf(final NicCounter counter) {
        final StringBuilder name = new StringBuilder();
        for (final String word : counter.name().toLowerCase(Locale.ROOT).split("_")) {
            name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }

    private static RunResult.Flows flows(final FlowSet flows, final Outcome outcome) {
        final int count = outcome.completed().length;
        final RunResult.Flows done = new RunResult.Flows(new long[count], new long[count], new int[count],
            new long[count], new long[count]);
        for (int i = 0; i < count; i++) {
            final int flow = outcome.completed()[i];
            done.id()[i] = flows.id(flow);
            done.bytes()[i] = flows.bytes(flow);
            done.cells()[i] = flows.cells(flow);
            done.startSlot()[i] = flows.startSlot(flow);
            done.completionSlots()[i] = outcome.completedIn()[i] + 1 - flows.startSlot(flow);
        }
        return done;
    }

    private static Histogram latency(final Outcome outcome) {
        final Histogram histogram = new Histogram(LATENCY_DIGITS);
        outcome.latency().forEach(histogram::recordValueWithCount);
        return histogram;
    }

    private static int max(final int[] values) {
        return Arrays.stream(values).max().orElse(0);
    }
}
