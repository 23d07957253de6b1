package dev.skerry.tools.compare;

import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.spi.RunOptions.KindOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.ArrivalOptions.Arrivals;
import dev.skerry.tools.traffic.Collective;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of {@code skerry compare}: the fabrics and their own options, the terms common to all, and the values
 * derived from them. One thread.
 */
public final class CompareOptions {
    /** Share of a cell's time that a circuit takes to change, as in Shale and in the authors' simulator of Shoal. */
    static final double GUARD = 0.1;
    private static final int STEP_BYTES = 64;
    private static final int LEAST_CELL = 128;
    private static final int LARGEST_CELL = 512;
    private static final double USUAL_US = 2000;
    /** Default share of the smallest guarantee among the fabrics, before guard bands and headers. */
    private static final double USUAL_SHARE = 0.4;
    private static final double MAX_GBPS = 100_000;
    private static final double MAX_US = 1e9;

    /** The options of fabrics, each of which applies to its own fabric. */
    private final KindOptions own = new KindOptions();
    private CommandSpec command;

    @Option(names = "--fabrics", paramLabel = "NAME", split = ",", completionCandidates = FabricKind.Names.class,
        description = "Fabrics to compare, in column order. NAME:OPTION=VALUE sets an option of one column only, as "
            + "in fattree,fattree:hosts=ndp (default: ${COMPLETION-CANDIDATES}).")
    List<String> fabrics;

    @Option(names = "--workload", paramLabel = "NAME", defaultValue = "short",
        description = "Workload: short, heavy, web, permutation, incast or all-to-all. Mean sizes: short 196 kB, "
            + "heavy 7.5 MB, web 1.67 MB; file:PATH, linear:PATH and step:PATH draw sizes from a file "
            + "(default: ${DEFAULT-VALUE}).")
    public String workload;

    @Option(names = "--flows", paramLabel = "FILE",
        description = "Read the flows from a trace file. One flow per line: "
            + "flow-id,source,destination,size-in-bytes,start-in-seconds. Traces of HPCC, opera-sim and htsim and "
            + "GOAL schedules are recognised by their first line.")
    public Path flows;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "64",
        description = "Number of end nodes. Stardust: a multiple of 8, at least 16. Shoal: up to 1024. Shale: if N "
            + "is not a power r^H, there are more nodes, which only forward. fattree: a leaf-spine network if no "
            + "fat tree has N hosts (default: ${DEFAULT-VALUE}).")
    public int nodes;

    @Option(names = "--load", paramLabel = "L",
        description = "Offered payload as a share of the rate of the nodes. Applies to short, heavy, web and "
            + "file:PATH (default: 0.4 of the lowest throughput that one of the fabrics guarantees: 0.1 with Shale "
            + "and H = 2).")
    public Double load;

    @Option(names = "--gbps", paramLabel = "R", defaultValue = "400",
        description = "Rate of each node into the fabric in Gb/s (default: ${DEFAULT-VALUE}).")
    public double gbps;

    @Option(names = "--cell-bytes", paramLabel = "B", defaultValue = "256",
        description = "Cell size in bytes, header included: a multiple of 64 from 128 to 512 (default: "
            + "${DEFAULT-VALUE}).")
    int cellBytes;

    @Option(names = "--propagation-ns", paramLabel = "X", defaultValue = "100",
        description = "Propagation delay from node to node, in ns. Stardust and fattree: of all links of the "
            + "longest path together (default: ${DEFAULT-VALUE}).")
    public double propagationNs;

    @Option(names = "--time-us", paramLabel = "T",
        description = "Time in us during which flows arrive. The run then continues until all of them are done. A "
            + "trace, a permutation, an incast or an all-to-all ends at T, unless T is 0 (default: 2000; 0 for a "
            + "trace, incast, all-to-all).")
    Double timeUs;

    @Option(names = "--slots", paramLabel = "T",
        description = "Time in slots during which flows arrive, in place of --time-us. A slot is the time for a cell "
            + "and the guard band.")
    Long slots;

    @Option(names = "--warm-up-us", paramLabel = "T",
        description = "Exclude flows that start before T us from completion times (default: half of the time; 0 "
            + "where flows do not arrive over time).")
    Double warmUpUs;

    @Option(names = "--no-drain",
        description = "Stop when arrivals end. Flows in flight then count as unfinished, and some percentiles are "
            + "only lower bounds.")
    boolean noDrain;

    @Option(names = "--incast-senders", paramLabel = "K",
        description = "Number of senders of the incast (default: 32).")
    public Integer incastSenders;

    @Option(names = "--flow-bytes", paramLabel = "B",
        description = "Bytes per flow of permutation, incast and all-to-all (default: more than can be sent for "
            + "permutation, 24400 for incast, 2440 for all-to-all); for collectives as in run.")
    public Long flowBytes;

    @Mixin
    public Collective.Options collectives = new Collective.Options();

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "Seed of everything random, a 64-bit number (default: ${DEFAULT-VALUE}).")
    public long seed;

    @Option(names = "--threads", paramLabel = "W", defaultValue = "1",
        description = "Number of threads; the results do not depend on it (default: ${DEFAULT-VALUE}).")
    int threads;

    /** Adds the options of all fabrics to the command that has these options. */
    @Spec(Spec.Target.MIXEE)
    void joinTo(final CommandSpec mixee) {
        command = mixee;
        own.addTo(mixee, false);
    }

    /**
     * A column: a fabric, and options that apply to this column only.
     *
     * @param name name as typed.
     * @param kind kind of the fabric.
     * @param own  options, one word each.
     */
    public record Column(String name, FabricKind kind, List<String> own) {
        private static Column of(final String name) {
            final String[] parts = name.split(":", -1);
            final FabricKind kind = FabricKind.named("--fabrics", parts[0]);
            final List<String> own = Arrays.stream(parts).skip(1).map(option -> "--" + option).toList();
            own.forEach(word -> Choices.refuseIf(!kind.optionNames().contains(option(word)), "--fabrics", name,
                option(word) + " is not an option of " + kind.name(), "see skerry run --fabric " + kind.name()
                + " --help"));
            own.forEach(word -> Choices.refuseIf(!word.contains("="), "--fabrics", name, word + " has no value",
                "write it as " + parts[0] + ":" + option(word).substring(2) + "=VALUE"));
            return new Column(name, kind, own);
        }

        /** Returns the name of the fabric as in the papers, with the options. */
        String title() {
            return kind.title() + own.stream().map(word -> " " + word.substring(2)).collect(Collectors.joining());
        }

        private static String option(final String word) {
            return word.split("=", 2)[0];
        }
    }

    /**
     * Returns the columns, in order.
     *
     * @throws InputException if a term that no fabric checks by itself is wrong, or an option of a fabric that is not
     *                        among them was typed.
     */
    public List<Column> columns() {
        final List<Column> columns = (fabrics == null ? FabricKind.all().stream().map(FabricKind::name).toList()
            : fabrics).stream().distinct().map(Column::of).toList();
        Choices.refuseIf(columns.isEmpty(), "--fabrics", ",", "names no fabric", "leave it out, or name one");
        check();
        for (final FabricKind kind : FabricKind.all()) {
            if (columns.stream().noneMatch(one -> one.kind.name().equals(kind.name()))) {
                typed(kind).stream().findFirst().ifPresent(word -> {
                    throw new InputException(word.split("=", 2)[0], null, "an option of " + kind.name()
                        + ", which is not compared", "leave it out, or add " + kind.name() + " to --fabrics");
                });
            }
        }
        return columns;
    }

    private List<String> typed(final FabricKind kind) {
        return KindOptions.typed(kind, command.commandLine().getParseResult());
    }

    /** Returns the typed options of the fabric of a column, for all columns or for this one, one word each. */
    public List<String> typed(final Column column) {
        return Stream.concat(typed(column.kind).stream().filter(word -> column.own.stream().noneMatch(own ->
            Column.option(own).equals(Column.option(word)))), column.own.stream()).toList();
    }

    private void check() {
        Choices.refuseIf(!(gbps > 0 && gbps <= MAX_GBPS), "--gbps", gbps, "the rate of a node must be above 0 and at "
            + "most "
            + (long) MAX_GBPS + " Gb/s", "give a number in this range");
        Choices.refuseIf(cellBytes < LEAST_CELL || cellBytes > LARGEST_CELL || cellBytes % STEP_BYTES != 0,
            "--cell-bytes", cellBytes, "not all fabrics support this cell size", "give a multiple "
                + "of " + STEP_BYTES + " from "
            + LEAST_CELL + " to " + LARGEST_CELL);
        Choices.refuseIf(slots != null && timeUs != null, "--slots", slots, "--time-us is given too",
            "leave one of them out");
        Choices.refuseIf(slots != null && slots < 0 || !(timeUs() >= 0 && timeUs() <= MAX_US), slots != null ? "--slots"
            : "--time-us", slots != null ? (Object) slots : timeUs, "must be 0 to " + (long) MAX_US + " us",
            "give a time in this range, 0 until every flow is done");
        Choices.refuseIf(arrive() && timeUs() == 0, slots != null ? "--slots" : "--time-us", "0", "flows of " + workload
            + " arrive over time, and the run then waits for all of them", "give a time above 0, or leave it out for "
            + (long) USUAL_US + " us");
        Choices.refuseIf(noDrain && !arrive(), "--no-drain", null, "these flows do not arrive over time: the run "
            + "ends after --time-us, or with the last flow", "leave it out");
        Choices.refuseIf(warmUpUs != null && !(warmUpUs >= 0 && (warmUpUs == 0 || arrive() && warmUpUs < timeUs())),
            "--warm-up-us", warmUpUs, arrive() ? "flows arrive for " + timeUs() + " us" : "these flows do not arrive "
            + "over time", "give 0" + (arrive() ? " or a time before their end" : " or leave it out"));
    }

    /** Returns the default load. */
    double usualLoad() {
        return USUAL_SHARE * columns().stream().mapToDouble(column -> naming(column.kind,
            () -> column.kind.choose(onEqualTerms(column, new ArrayList<>())).guarantee())).min().orElseThrow();
    }

    /** Returns what is made of the options of one fabric; errors name the fabric. */
    public static <T> T naming(final FabricKind kind, final Supplier<T> made) {
        try {
            return made.get();
        } catch (final InputException e) {
            throw e.in(kind.name());
        }
    }

    /** Returns a description of the arrivals of flows. */
    public String arrivals() {
        return arrive() ? String.format(Locale.ROOT, ", load %s for %s us, warm-up %s us",
            rounded(load == null ? usualLoad() : load), rounded(timeUs()), rounded(warmUpUs())) : "";
    }

    /** Returns a number without decimals from a hundred on, else with three digits. */
    static String rounded(final double value) {
        return value >= 100 ? String.format(Locale.ROOT, "%,.0f", value)
            : BigDecimal.valueOf(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
    }

    /** Tells whether flows arrive over time. */
    boolean arrive() {
        return flows == null && !workload.equals("permutation") && !ends();
    }

    /** Returns the time from which on flows count, in us. */
    public double warmUpUs() {
        return warmUpUs != null ? warmUpUs : arrive() ? timeUs() / 2 : 0;
    }

    /** Tells whether the run continues after its time until all flows are done. */
    private boolean drains() {
        return arrive() && !noDrain;
    }

    /** Returns the time of a cell at the rate of a node, in ns. */
    public double cellNs() {
        return BigDecimal.valueOf(8L * cellBytes).divide(BigDecimal.valueOf(gbps), MathContext.DECIMAL32).doubleValue();
    }

    /** Returns the time of a cell and the guard band after it, in ns. */
    public double circuitNs() {
        return BigDecimal.valueOf(cellNs()).multiply(BigDecimal.valueOf(1 + GUARD)).doubleValue();
    }

    /** Returns the duration of the run in us; 0 until every flow is done. */
    double timeUs() {
        if (slots != null) {
            return slots * circuitNs() / 1e3;
        }
        return timeUs != null ? timeUs : ends() ? 0 : USUAL_US;
    }

    /**
     * Returns the time in us that determines the bytes of a flow without a size: that of the run, or the default one if
     * it runs to its end.
     */
    double sendingUs() {
        return timeUs() == 0 ? USUAL_US : timeUs();
    }

    private boolean ends() {
        return flows != null || workload.equals("incast") || Collective.NAMES.contains(workload);
    }

    /**
     * Returns the options of a run of one column.
     *
     * @param warnings gets warnings for the user before the run.
     */
    public RunOptions of(final Column column, final Path trace, final List<String> warnings) {
        final RunOptions run = onEqualTerms(column, warnings);
        run.seed = seed;
        run.engine.threads = threads;
        run.flows = trace;
        run.workload = trace == null ? workload : null;
        run.collectives = trace == null ? collectives : run.collectives;
        final double slotNs = column.kind.choose(run).wholeSlotNs();
        run.slots = drains() ? 0 : (long) Math.ceil(timeUs() * 1e3 / slotNs);
        if (arrive()) {
            run.arrivals.give(new Arrivals((long) Math.ceil(timeUs() * 1e3 / slotNs), true,
                (long) (warmUpUs() * 1e3 / slotNs), drains(), 0));
        }
        return run;
    }

    private RunOptions onEqualTerms(final Column column, final List<String> warnings) {
        final RunOptions run = RunOptions.of(typed(column).toArray(String[]::new));
        run.fabric = column.kind.name();
        run.nodes = nodes;
        run.cellBytes = cellBytes;
        run.slotNs = circuitNs();
        run.propagationNs = propagationNs;
        warnings.addAll(column.kind.setForComparison(run, new FabricKind.Terms(nodes, cellBytes, cellNs(), circuitNs(),
            propagationNs)));
        return run;
    }
}
