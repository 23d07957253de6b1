package dev.skerry.tools.command;

import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.execution.CheckpointOptions;
import dev.skerry.tools.execution.Checkpoints;
import dev.skerry.tools.execution.FlowLimit;
import dev.skerry.tools.execution.LogOptions;
import dev.skerry.tools.execution.RunDone;
import dev.skerry.tools.execution.RunGauges;
import dev.skerry.tools.execution.RunGauges.PublishOption;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.members.MemberOptions;
import dev.skerry.tools.members.Members;
import dev.skerry.tools.report.Numbers;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.report.ResultFiles;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.RunResult.Measure;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.report.TableFormats;
import dev.skerry.tools.report.TerminalReport;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.sweep.SweepTarget.RunNeeds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** {@code skerry run}: runs flows across a fabric, slot by slot, and reports the results. */
@Command(name = "run", addMethodSubcommands = false, description = {
        "Runs flows across a fabric and reports completion times, queues and throughput.",
        "",
        "Without options it runs Shale with 256 nodes and the short-flow data-centre workload, at 0.8 of the "
            + "guaranteed throughput. Flows arrive for 200,000 slots, flows that start in the second half are "
            + "measured, and the run ends when all flows are done. An option that you omit keeps its default whatever "
            + "else you set, with one exception: --slowdown 20 is added only if you set no option of the fabric or "
            + "the workload. Results are bit-for-bit reproducible for a given seed and options, whatever the number "
            + "of threads.",
        ""
    },
    footer = {
        "",
        "Example, 1024 nodes, each of which sends to one other as fast as it can, with two threads:",
        "  ./skerry run --nodes 1024 --workload permutation --first-hop-tokens 4 --slots 20000 --threads 2",
        "",
        "The same on Shoal with 512 nodes and four channels:",
        "  ./skerry run --fabric shoal --nodes 512 --workload permutation --slots 20000",
        "",
        "An incast to one of the 432 hosts of a Stardust fabric:",
        "  ./skerry run --fabric stardust --topology n432 --workload incast --incast-senders 60 --slots 0"
    })
final class RunCommand extends ToolCommand {
    private static final int CELLS_LOST = 1;
    private static final int FLOWS_WAITING = 1;
    /** Heap for a flow and its completion, twice, because arrays grow and results are sorted. */
    private static final int HEAP_BYTES_PER_FLOW = 200;

    @Mixin
    final RunOptions options = new RunOptions();

    @Mixin
    final LogOptions log = new LogOptions();

    @Mixin
    final CheckpointOptions checkpoint = new CheckpointOptions();

    @Mixin
    final PublishOption publish = new PublishOption();

    @Mixin
    final MemberOptions member = new MemberOptions();

    @Option(names = "--out", paramLabel = "DIR", description = "Write the result files to this new folder.")
    Path out;

    @Option(names = "--format", paramLabel = "csv|parquet", defaultValue = "csv",
        description = "With --out: also write every table in this format; docs/sweep.md explains how to build in "
            + "Parquet (default: ${DEFAULT-VALUE}).")
    String format;

    @Option(names = "--json", description = "Print the summary as JSON instead of the report.")
    boolean json;

    @Override
    public Integer call() {
        final PrintWriter err = err();
        final Members members = member.members();
        final Scenario scenario = Scenario.ofRun(options, null);
        if (members != null) {
            RunDone.checkTogether(scenario, log.isLimited(), publish.isGiven());
        }
        final RunLog logged = log.log(scenario, out != null);
        refuseBesideReference(scenario, logged);
        final TableFormats tables = TableFormats.of(format);
        if (out != null && (members == null || members.self() == 0)) {
            OutFolder.checkFree(out);
        } else if (out == null && !format.equals("csv")) {
            throw new InputException("--format", format, "tables are written to files", "add --out DIR or leave it "
                + "out");
        }
        return members == null ? run(scenario, logged, tables, err) : together(scenario, logged, tables, members, err);
    }

    private int run(final Scenario scenario, final RunLog logged, final TableFormats tables, final PrintWriter err) {
        final FlowLimit limit = log.limit(scenario, checkpoint);
        final Checkpoints whole = limit == null ? checkpoint.checkpoints(scenario, out != null) : null;
        announce(scenario, err);
        try (StopSignal stop = StopSignal.listen()) {
            final Scenario limited = limit == null ? scenario : limit.limited(scenario, stop, err);
            return ended(limited, limited == null ? null : run(limited, logged,
                limit == null ? whole : checkpoint.checkpoints(limited, out != null), stop, err), logged, tables, stop,
                err);
        }
    }

    /** Runs the part of one member. If another member is lost, the run ends with a message of one line. */
    private int together(final Scenario scenario, final RunLog logged, final TableFormats tables,
        final Members members, final PrintWriter err) {
        MemberGroup group = null;
        try (MemberGroup joined = member.join(members)) {
            group = joined;
            return joined.together(() -> {
                joined.agree(scenario.identity(out != null));
                return part(scenario, logged, tables, joined, err);
            });
        } catch (final MemberLostException lost) {
            final Path written = group == null ? null : checkpoint.written(group);
            err.println("skerry: members: " + members.name(lost.member()) + ": " + lost.why() + ", restart all members "
                + "again" + (written == null ? "" : " with --resume " + written));
            err.flush();
            return written == null ? CELLS_LOST : Checkpoints.STOPPED;
        }
    }

    private int part(final Scenario scenario, final RunLog logged, final TableFormats tables,
        final MemberGroup group, final PrintWriter err) {
        final Checkpoints kept = checkpoint.checkpoints(scenario, out != null, group);
        announce(scenario, err);
        try (StopSignal stop = StopSignal.listen()) {
            final RunDone done = RunDone.of(scenario, logged, stop, kept, null, group, err);
            if (done == null || group.self() == 0) {
                return ended(scenario, done, logged, tables, stop, err);
            }
            err.println("skerry: member " + group.self() + " is done, the report is that of member 0");
            err.flush();
            return code(scenario, done);
        }
    }

    /**
     * Reports a run and returns the exit code of the process. {@code done} is null for a run that was stopped and can
     * be resumed.
     */
    private int ended(final Scenario limited, final RunDone done, final RunLog logged, final TableFormats tables,
        final StopSignal stop, final PrintWriter err) {
        if (done == null) {
            stop.endWith(Checkpoints.STOPPED);
            return Checkpoints.STOPPED;
        }
        final RunResult result = limited.engine().isReference() ? done.result()
            : done.result().with(new Measure("stateBytesPerNode", "bytes",
            limited.stateBytes() / limited.fabric().nodes(), "bytes of state per node"));
        final Summary summary = Summary.of(logged == null ? result : log.overTime(limited, logged, result));
        final PrintWriter print = out();
        summary.warnings().forEach(warning -> err.println("skerry: " + warning));
        print.print(json ? summary.json() : TerminalReport.of(summary));
        print.flush();
        if (out != null) {
            final Path written = ResultFiles.write(summary, folder -> {
                done.flows().writeInto(folder);
                if (logged != null) {
                    log.files(limited, logged, done).writeInto(folder);
                }
            }, tables, out);
            err.println(("skerry: results in " + written).replaceAll("\\p{Cntrl}", "?"));
        }
        if (done.firstDrop() != null && limited.faults().isEmpty()) {
            err.printf(Locale.ROOT, "skerry: run: %,d cells lost, the first in slot %d at node %d, where all links "
                + "for spraying lead to absent nodes, choose other --failed-nodes, --exchange-coordinates or --fill%n",
                done.result().totals().cellsDropped(), done.firstDrop().slot(), done.firstDrop().node());
        }
        err.flush();
        return code(limited, done);
    }

    /**
     * Returns the exit code. Losses caused by a fault script are counted by cause and are part of the result, unless
     * they keep other flows waiting forever.
     */
    private static int code(final Scenario scenario, final RunDone done) {
        if (scenario.slotLimit() == 0 && !done.result().interrupted() && done.flows().areSomeWaiting()) {
            return FLOWS_WAITING;
        }
        return done.firstDrop() == null || !scenario.faults().isEmpty() ? 0 : CELLS_LOST;
    }

    private static void announce(final Scenario scenario, final PrintWriter err) {
        scenario.remarks().forEach(remark -> err.println("skerry: " + remark));
        err.printf(Locale.ROOT, "skerry: %s, %s each, %s: %,.1f MiB of state%n",
            Numbers.counted(scenario.fabric().nodes(), "node"), Numbers.counted(scenario.choice().links(), "link"),
            Numbers.counted(scenario.flows().size(), "flow"), scenario.stateBytes() / (double) (1 << 20));
        err.flush();
    }

    /**
     * Runs the scenario. Without result files, the contents of nodes are sampled only if the counters are published and
     * no checkpoints are written, because these do not include a log.
     */
    private RunDone run(final Scenario scenario, final RunLog logged, final Checkpoints kept, final StopSignal stop,
        final PrintWriter err) {
        final RunLog recorded = logged == null && publish.isGiven() && kept == null ? log.unwritten(scenario) : logged;
        try (RunGauges shown = publish.open(String.join(" ",
            spec().commandLine().getParseResult().originalArgs()), scenario, recorded)) {
            return RunDone.of(scenario, recorded, stop, kept, shown, null, err);
        }
    }

    /** Returns the settings that determine the result, without flows and files; for a sweep. */
    Map<String, String> resolved() {
        return Scenario.ofRun(options, _ -> new FlowSet()).settings();
    }

    /**
     * Checks all options; returns the resources of the run in addition to those of the process, including its flows on
     * the heap.
     *
     * @param resumes whether the run can resume from a checkpoint.
     */
    RunNeeds needs(final boolean resumes) {
        final Scenario scenario = refuse();
        return new RunNeeds((long) scenario.flows().size() * HEAP_BYTES_PER_FLOW, scenario.stateBytes(),
            scenario.engine().threads(scenario.fabric().nodes()), resumes);
    }

    /** Checks all options; returns the run that they define. */
    Scenario refuse() {
        final Scenario scenario = Scenario.ofRun(options, null);
        Choices.refuseIf(member.members() != null, "--members", null, "a run of a sweep is one process",
            "leave it out");
        refuseBesideReference(scenario, log.log(scenario, true));
        checkpoint.check(scenario);
        return scenario;
    }

    private void refuseBesideReference(final Scenario scenario, final RunLog logged) {
        Choices.refuseIf(scenario.engine().isReference()
            && (logged != null || checkpoint.check(scenario) || publish.isGiven()), "--engine", "reference",
            "it writes no logs, no checkpoints and no counters for other processes", "leave out the options that ask "
            + "for them, or use --engine fast");
    }

    /**
     * Returns the forecast duration of the run in seconds, from its first two seconds; NaN if no forecast is possible.
     */
    double forecastSeconds() {
        return RunDone.forecastSeconds(Scenario.ofRun(options, null));
    }
}
