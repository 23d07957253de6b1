package dev.skerry.tools.command;

import dev.skerry.codec.CellFormat;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.spi.FabricChoice;
import dev.skerry.tools.compare.CommonFlows;
import dev.skerry.tools.compare.CompareOptions;
import dev.skerry.tools.compare.CompareOptions.Column;
import dev.skerry.tools.compare.Comparison;
import dev.skerry.tools.compare.Contender;
import dev.skerry.tools.execution.RunDone;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.report.Numbers;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.report.ResultFiles;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.sweep.SweepTarget.RunNeeds;
import dev.skerry.tools.traffic.Workload.WorkloadChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@code skerry compare}: runs the same flows across several fabrics under the same conditions, and prints the results
 * side by side.
 */
@Command(name = "compare", description = {
        "Runs the same flows across several fabrics and prints the results side by side.",
        "",
        "All fabrics get the same flows (source, destination, bytes and start), the same rate of a node into the "
            + "fabric, the same cell size and the same propagation delay between two nodes. The remaining differences "
            + "are printed with the results.",
        ""
    },
    footer = {
        "",
        "Exit code 3: the results are complete, but a fabric was not in a steady state, for example saturated.",
        "",
        "Example, 64 nodes, each of which sends to one other as fast as it can:",
        "  ./skerry compare --workload permutation --time-us 200"
    })
final class CompareCommand extends ToolCommand implements RunNeeds.Known {
    private static final int CELLS_LOST = 1;
    private static final int NOT_STEADY = 3;
    /** Heap for a flow and its completion in all fabrics. */
    private static final int HEAP_BYTES_PER_FLOW = 400;
    private static final String TRACE = "flows.csv";

    @Mixin
    final CompareOptions options = new CompareOptions();

    @Option(names = "--out", paramLabel = "DIR",
        description = "Write the results to this new folder. It then has report.html, comparison.json, the flows as "
            + "a trace, and a folder of results for each fabric.")
    Path out;

    @Option(names = "--json", description = "Print the results as JSON.")
    boolean json;

    @Override
    public Integer call() {
        final List<Column> chosen = chosen();
        if (out != null) {
            OutFolder.checkFree(out);
        }
        final PrintWriter err = err();
        final CommonFlows flows = options.flows == null ? CommonFlows.of(options) : null;
        final List<Scenario> scenarios = new ArrayList<>();
        final List<String> warnings = new ArrayList<>();
        if (flows != null) {
            if (out != null) {
                flows.checkTrace(out);
            }
            flows.remarks().forEach(remark -> err.println("skerry: " + remark));
        }
        for (final Column fabric : chosen) {
            final List<String> its = new ArrayList<>();
            scenarios.add(scenario(fabric, flows, its));
            its.forEach(warning -> warnings.add("skerry: " + fabric.name() + ": " + warning));
        }
        // Remarks on a trace are the same for all fabrics, so they are printed once.
        scenarios.stream().flatMap(scenario -> scenario.remarks().stream().map(remark -> "skerry: "
            + (remark.matches("(warning|trace): .*") ? "" : scenario.settings().get("fabric") + ": ") + remark))
            .distinct().forEach(err::println);
        warnings.forEach(err::println);
        err.flush();
        try (StopSignal stop = StopSignal.listen()) {
            return run(chosen, scenarios, flows, stop, err);
        }
    }

    /** Checks all options; returns the resources for the largest fabric. */
    @Override
    public RunNeeds needs() {
        final List<Column> chosen = chosen();
        final CommonFlows flows = options.flows == null ? CommonFlows.of(options) : null;
        final List<Scenario> all = chosen.stream().map(fabric -> scenario(fabric, flows, new ArrayList<>()))
            .toList();
        return new RunNeeds(all.stream().mapToLong(one -> (long) one.flows().size() * HEAP_BYTES_PER_FLOW).max()
            .orElse(0), all.stream().mapToLong(Scenario::stateBytes).max().orElse(0),
            all.stream().mapToInt(one -> one.engine().threads(one.fabric().nodes())).max().orElse(1), false);
    }

    private List<Column> chosen() {
        final List<Column> chosen = options.columns();
        if (options.flows != null) {
            new WorkloadChoice(options.workload.equals(WorkloadChoice.USUAL) ? null : options.workload, options.load,
                options.incastSenders, options.flowBytes).refuseBeside(options.flows);
            options.collectives.refuse("a trace defines its flows completely", "leave it out");
        }
        return chosen;
    }

    private Scenario scenario(final Column fabric, final CommonFlows flows, final List<String> warnings) {
        return CompareOptions.naming(fabric.kind(), () -> flows == null
            ? Scenario.of(options.of(fabric, options.flows, warnings))
            : Scenario.of(options.of(fabric, out == null ? null : out.resolve(TRACE), warnings), flows::of));
    }

    private int run(final List<Column> chosen, final List<Scenario> scenarios, final CommonFlows flows,
        final StopSignal stop, final PrintWriter err) {
        final List<Contender> contenders = new ArrayList<>();
        long lost = 0;
        for (final Scenario scenario : scenarios) {
            if (stop.requested()) {
                break;
            }
            final RunDone done = RunDone.of(scenario, stop, err);
            lost += done.firstDrop() == null ? 0 : done.result().totals().cellsDropped();
            contenders.add(contender(chosen.get(contenders.size()), scenario, Summary.of(done.result())));
        }
        final Comparison comparison = new Comparison(heading(scenarios.getFirst(), flows), words(), contenders,
            options.flows != null, stop.requested());
        final PrintWriter print = out();
        comparison.remark().ifPresent(remark -> err.println("skerry: compare: " + remark));
        contenders.forEach(contender -> contender.warnings().forEach(warning ->
            err.println("skerry: " + contender.column().name() + ": " + warning)));
        err.flush();
        print.print(json ? comparison.json() : comparison.text());
        print.flush();
        if (out != null) {
            err.println("skerry: results in " + OutFolder.write(out, stop.requested(),
                folder -> write(comparison, flows, folder)));
        }
        if (lost > 0) {
            err.printf(Locale.ROOT, "skerry: compare: %,d cells lost: no fabric may lose cells here, please report it "
                + "with the command line%n", lost);
        }
        err.flush();
        return lost > 0 ? CELLS_LOST : comparison.isUnsteady() ? NOT_STEADY : 0;
    }

    private static void write(final Comparison comparison, final CommonFlows flows, final Path folder)
        throws IOException {
        if (flows != null) {
            flows.write(folder.resolve(TRACE));
        }
        for (final Contender contender : comparison.contenders()) {
            ResultFiles.writeInto(contender.summary(), Files.createDirectory(folder.resolve(contender.folder())));
        }
        Files.writeString(folder.resolve("report.html"), comparison.html(), StandardCharsets.UTF_8);
        PlotFigure.writeAll(comparison.plots(), folder);
        Files.writeString(folder.resolve("comparison.json"), comparison.json(), StandardCharsets.UTF_8);
    }

    private Contender contender(final Column column, final Scenario scenario, final Summary summary) {
        final FabricChoice choice = scenario.choice();
        final Fabric fabric = scenario.fabric();
        final CellFormat format = choice.format();
        final double most = 8 * format.payloadBytes() / choice.slotNs();
        return new Contender(column, options.typed(column), summary,
            new Contender.Terms(options.gbps, fabric.channels(), fabric.nodes(), format.cellBytes(),
                format.headerBytes(), choice.wholeSlotNs(), choice.slotNs() - options.cellNs(),
                options.propagationNs), most, scenario.stateBytes());
    }

    private String heading(final Scenario first, final CommonFlows flows) {
        final String what = options.flows != null ? "trace " + options.flows : options.workload;
        return options.nodes + " nodes, " + what + options.arrivals() + ", seed " + options.seed + ": "
            + Numbers.counted(flows == null ? first.flows().size() : flows.size(), "flow")
            + (flows == null ? "" : ", " + Numbers.counted(flows.bytes(), "byte") + " in all");
    }
}
