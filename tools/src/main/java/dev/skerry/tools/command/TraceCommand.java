package dev.skerry.tools.command;

import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.trace.FabricCells;
import dev.skerry.tools.trace.FabricVectors.SwitchVectors;
import dev.skerry.tools.trace.NodeVectors;
import dev.skerry.tools.trace.PieoVectors;
import dev.skerry.tools.trace.PieoVectors.PieoOperation;
import dev.skerry.tools.trace.VectorFiles;
import dev.skerry.tools.trace.VectorSource;
import dev.skerry.tools.trace.VectorSource.Selection;
import dev.skerry.tools.trace.VectorSource.SlotRange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code skerry trace}: writes golden vectors of nodes, circuit switches or a PIEO, for comparison with RTL. */
@Command(name = "trace", description = {
        "Writes golden vectors: inputs, outputs and state of nodes, switches or a PIEO.",
        "",
        "The options of 'skerry run' define the run that is traced, on a fabric with circuit switches. Each traced "
            + "component gets NAME.hex for $readmemh, NAME_pkg.sv, a SystemVerilog package with the struct of a "
            + "vector, and NAME.csv; trace.vcd has all components, for GTKWave. The same seed and options give "
            + "byte-identical files.",
        "",
        "A vector of a node has the three words of each cell that it receives (rx) and sends (tx) in a slot, and the "
            + "state after the slot: queues, tokens or reports, and pointers. A vector of a switch has, for each "
            + "port, the selected input and the cells in and out. A vector of a PIEO has all ports, registers and the "
            + "pointer array of one operation. All ones mean that there is no value. A route, or a word of a switch, "
            + "is all ones for a dummy and -2 (all ones less one) for an empty slot.",
        ""
    },
    footer = {
        "",
        "Example, node 5 of a Shale fabric with 16 nodes, 2,000 slots from slot 1,000 on:",
        "  ./skerry trace --node 5 --nodes 16 --workload permutation --range 1000:3000 --out vectors",
        "",
        "The leaf switch 0 of Shoal's Clos, and a PIEO under 10,000 random operations:",
        "  ./skerry trace --switch 0 --fabric shoal --nodes 8 --workload permutation --slots 2000 --out leaf",
        "  ./skerry trace --pieo-random 10000 --out pieo"
    })
final class TraceCommand extends ToolCommand {
    private static final double PS_PER_NS = 1000;

    @Option(names = "--node", paramLabel = "LIST", split = ",", description = "Nodes to trace, such as 5 or 0,5,6.")
    SortedSet<Integer> nodes;

    @Option(names = "--switch", paramLabel = "LIST", split = ",",
        description = "Circuit switches to trace, by number. They are those of Shoal's Clos network (see "
            + "--clos-ports) or of Shale's phase groups.")
    SortedSet<Integer> switches;

    @Option(names = "--cells",
        description = "Trace the cells of all nodes of Shale or Shoal. cells.csv has one line per cell, in the "
            + "format that 'skerry score' reads; sequence numbers count per source and destination, modulo 2^14.")
    boolean cells;

    @Option(names = "--pieo", paramLabel = "FILE",
        description = "Trace a PIEO that performs the operations in a file. The format is that of 'skerry pieo "
            + "--replay'.")
    Path pieo;

    @Option(names = "--pieo-random", paramLabel = "K",
        description = "Trace a PIEO that performs K random operations.")
    Long pieoRandom;

    @Option(names = "--pieo-size", paramLabel = "N", defaultValue = "64",
        description = "Capacity of the PIEO in elements (default: ${DEFAULT-VALUE}).")
    int pieoSize;

    @Option(names = "--range", paramLabel = "FROM:TO",
        description = "Slots to write, or operations of a PIEO: FROM up to TO - 1 (default: all).")
    String range;

    @Option(names = "--signals", paramLabel = "NAMES",
        description = "Signals to write, separated by commas; * is a wildcard. For example tx0_*,queue3_* or "
            + "node5.rx*. A Shale node also has signals per bucket: queue3_tokens_d5n1, and the same with "
            + "_outstanding_, _owed_ and _cells_, for bucket (5, 1), and queue3_owed_0 and queue3_cell_0 to _7 "
            + "(default: all signals but those per bucket).")
    String signals;

    @Option(names = "--header", paramLabel = "FILE",
        description = "With --node: write cells as the bytes of this header. rx0_header0 has the first eight bytes; "
            + "rx0_state is 0 for a cell, 1 for a dummy, 2 for nothing, 3 for a damaged cell. FILE is a description "
            + "(docs/rtl.md) or the name of a built-in one (default: cells as words, rx0_route, rx0_cell and "
            + "rx0_feedback).")
    String header;

    @Option(names = "--format", paramLabel = "LIST", split = ",", defaultValue = "hex,csv,vcd",
        description = "Formats to write: hex, csv, vcd (default: ${DEFAULT-VALUE}).")
    Set<VectorFiles.Format> formats;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "New folder for the files.")
    Path out;

    @Mixin
    final RunOptions run = new RunOptions();

    /** Remarks for the user on the traced run. */
    private List<String> remarks = List.of();

    @Override
    public Integer call() {
        OutFolder.checkFree(out);
        run.refuseMeasures("a trace has no report");
        if (nodes == null) {
            Choices.refuse("--header", header, "only nodes have cells with headers", "leave it out or give --node");
        }
        if (cells && things() == 1) {
            writeCells();
            return 0;
        }
        try (StopSignal stop = StopSignal.listen(); VectorSource all = source()) {
            final Selection selection = new Selection(all, signals);
            Choices.refuseIf(selection.scopes().isEmpty(), "--signals", signals, "no signal has such a name",
                "leave it out and look at the names in the .csv");
            remarks.forEach(remark -> err().println("skerry: " + remark));
            write(selection, stop);
        }
        return 0;
    }

    private void write(final Selection selection, final StopSignal stop) {
        final String unit = pieo == null && pieoRandom == null ? "slot" : "clock";
        final VectorFiles.Written[] done = new VectorFiles.Written[1];
        final long start = System.nanoTime();
        final Path place = OutFolder.write(out, () -> !done[0].complete(), folder ->
            done[0] = VectorFiles.write(selection, folder, formats, unit, () -> !stop.requested()));
        final double seconds = (System.nanoTime() - start) / 1e9;
        out().printf(Locale.ROOT, "%,d vectors, %,d values, %,d changes in the dump, %.1f s: %.1f M values/s, in %s%n",
            done[0].vectors(), done[0].values(), done[0].changes(), seconds, done[0].values() / seconds / 1e6,
            done[0].complete() ? out : place);
    }

    private long things() {
        return Stream.of(nodes, switches, pieo, pieoRandom, cells ? out : null).filter(Objects::nonNull).count();
    }

    private VectorSource source() {
        Choices.refuseIf(things() != 1, "command line", "skerry trace", things() == 0 ? "it does not say what to trace"
            : "it names more than one thing to trace", "give one of --node, --switch, --cells, --pieo and "
            + "--pieo-random");
        return nodes != null || switches != null ? ofFabric() : ofPieo();
    }

    private VectorSource ofPieo() {
        Choices.refuseIf(pieoSize < 1 || pieoSize > PieoLayout.MAX_CAPACITY, "--pieo-size", pieoSize,
            "a PIEO holds 1 to " + PieoLayout.MAX_CAPACITY + " elements", "give a number in this range");
        final PieoLayout layout = new PieoLayout(pieoSize);
        final Iterator<PieoOperation> operations = pieo == null
            ? PieoOperation.random(layout, Math.max(pieoRandom, 0), run.seed) : PieoOperation.read(pieo).iterator();
        return new PieoVectors(layout, operations, SlotRange.of(range, Long.MAX_VALUE, false));
    }

    private VectorSource ofFabric() {
        if (switches != null) {
            // Runs have circuit switches only in this mode.
            run.engine.mode = "threads";
        }
        final Scenario scenario = Scenario.of(run);
        Choices.refuseIf(!scenario.faults().isEmpty() && switches != null, "--faults", run.faults,
            "switches cannot be traced with faults", "leave it out");
        final CircuitFabric fabric = scenario.choice().circuits();
        final long unitPs = Math.max(1, Math.round(scenario.choice().wholeSlotNs() * PS_PER_NS));
        final SlotRange slots = slots(scenario);
        remarks = scenario.remarks();
        if (nodes != null) {
            checkNode(fabric);
            return ofNodes(scenario, slots, unitPs);
        }
        final Wiring wiring = scenario.engine().wiring();
        return new SwitchVectors(fabric, scenario.flows(), wiring,
            numbers("--switch", switches, wiring.switches()), slots, unitPs);
    }

    private SlotRange slots(final Scenario scenario) {
        final boolean untilDone = scenario.slotLimit() == 0;
        return SlotRange.of(range, untilDone ? Long.MAX_VALUE : scenario.slotLimit(), untilDone);
    }

    private void writeCells() {
        final Scenario scenario = Scenario.of(run);
        try (StopSignal stop = StopSignal.listen();
            FabricCells all = new FabricCells(scenario.choice(), scenario.flows(), scenario.faults(),
                slots(scenario))) {
            final long[] lines = new long[1];
            final Path place = OutFolder.write(out, stop::requested, folder ->
                lines[0] = all.write(folder.resolve("cells.csv"), () -> !stop.requested()));
            out().printf(Locale.ROOT, "%,d lines in %s%n", lines[0], stop.requested() ? place : out);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--cells", "all nodes", e.getMessage(), "trace them with --node");
        }
    }

    private VectorSource ofNodes(final Scenario scenario, final SlotRange slots, final long unitPs) {
        final CircuitFabric fabric = scenario.choice().circuits();
        try {
            return new NodeVectors(scenario.choice(), scenario.flows(), scenario.faults(),
                header == null ? null : HeaderFile.read(header), numbers("--node", nodes, fabric.nodes()), slots,
                unitPs, signals);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--node", words(nodes), e.getMessage(), "choose another node or other faults");
        }
    }

    private void checkNode(final CircuitFabric fabric) {
        try {
            FabricKind.partsOf(fabric).checkNode();
        } catch (final IllegalArgumentException e) {
            throw new InputException("--node", words(nodes), e.getMessage(), "use another --cc");
        }
    }

    /** Returns the numbers in ascending order, without duplicates. */
    private static int[] numbers(final String option, final SortedSet<Integer> list, final int end) {
        Choices.refuseIf(list.first() < 0 || list.last() >= end, option, words(list), "the numbers are 0 to "
            + (end - 1), "give one of them, or several separated by commas");
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    private static String words(final SortedSet<Integer> list) {
        return list.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
