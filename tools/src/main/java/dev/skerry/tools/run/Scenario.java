package dev.skerry.tools.run;

import dev.skerry.codec.CellFormat;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.EngineChoice;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunIdentity;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.traffic.ArrivalOptions;
import dev.skerry.tools.traffic.ArrivalOptions.Arrivals;
import dev.skerry.tools.traffic.TraceReader;
import dev.skerry.tools.traffic.TraceReader.Trace;
import dev.skerry.tools.traffic.Workload;
import dev.skerry.tools.traffic.Workload.PoissonArrivals;
import dev.skerry.tools.traffic.Workload.WorkloadChoice;

import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A run as {@code skerry run} defines it, checked: the fabric, the flows and the length.
 *
 * @param choice    the fabric and everything that depends on its kind.
 * @param faults    the faults.
 * @param flows     the flows.
 * @param slotLimit number of slots to run; 0 until every flow is complete.
 * @param arrivals  time of the arrivals, and the flows that count.
 * @param engine    the engine.
 * @param check     whether every invariant is checked.
 * @param settings  all settings as they would be typed, for the reports.
 * @param remarks   remarks for the user before the run, one line each.
 */
public record Scenario(FabricChoice choice, Faults faults, FlowSet flows, long slotLimit, Arrivals arrivals,
    EngineChoice engine, boolean check, Map<String, String> settings, List<String> remarks) {

    /**
     * Flows of each size that also run alone if the command line does not define a run; this takes less than a second.
     */
    private static final int ALONE = 20;
    /** Options about the execution of a run or its output, which do not define the run. */
    private static final Set<String> NOT_WHAT = Set.of("--seed", "--engine", "--mode", "--threads", "--nic-threads",
        "--switch-threads", "--idle", "--pin", "--check", "--json", "--out", "--snapshot-slots", "--checkpoint",
        "--checkpoint-every", "--resume", "--trust-checkpoint", "--verbose");
    private static final String EACH_TO_EACH = "each-to-each";
    private static final String PAIR_RATE = "--pair-gbps";
    private static final double MOST_PAIR_GBPS = 1e4;
    /** Default load as a share of the guarantee. Higher loads take long to reach a steady state. */
    private static final double SHARE_OF_GUARANTEE = 0.8;
    /** Digits of the default load, so that the displayed command is short. */
    private static final int LOAD_DIGITS = 4;
    /** Maximum number of slots. Up to this number, every slot number is an exact double, which reports require. */
    private static final long MAX_SLOTS = 1L << 53;
    private static final double NS_PER_SECOND = 1e9;
    /** If the last flow of a trace starts later than this, there is a remark. */
    private static final double FAR_SECONDS = 1;
    /** Maximum share of the machine's memory that a fabric may use at the start. */
    private static final double MEMORY_SHARE = 0.9;

    /**
     * Creates the run from the options.
     *
     * @throws InputException if an option is invalid or contradicts another one.
     */
    public static Scenario of(final RunOptions options) {
        return of(options, null);
    }

    /**
     * Creates the run of {@code skerry run}, whose command line need not define a run.
     *
     * @param source source of the flows; null for the flows that the options define.
     */
    public static Scenario ofRun(final RunOptions options, final FlowSource source) {
        final boolean chosen = options.areAllTypedIn(NOT_WHAT);
        if (chosen) {
            options.arrivals.measureAlone(ALONE);
        }
        final Scenario scenario = of(options, source);
        if (chosen) {
            final Map<String, String> set = scenario.settings;
            scenario.remarks.addFirst("without options: --load " + set.get("load") + " --slots " + set.get("slots")
                + " --warm-up " + set.get("warm-up") + " --drain --slowdown " + set.get("slowdown")
                + "; any fabric or workload option turns --slowdown off");
        }
        return scenario;
    }

    /** A source of flows for runs whose options do not define any. */
    @FunctionalInterface
    public interface FlowSource {
        /** Returns the flows for a fabric. */
        FlowSet flows(FabricChoice choice);
    }

    /**
     * Creates the run from the options.
     *
     * @param source source of the flows; null for the flows that the options define.
     * @throws InputException if an option is invalid or contradicts another one.
     */
    public static Scenario of(final RunOptions options, final FlowSource source) {
        Choices.refuseIf(options.slots != null && (options.slots < 0 || options.slots > MAX_SLOTS), "--slots",
            options.slots, "must be 0 to " + MAX_SLOTS, "give a number of slots, or 0 to run until every flow is done");
        final FabricChoice choice = FabricChoice.of(options);
        final List<String> remarks = new ArrayList<>(choice.remarks());
        final EngineChoice engine = EngineChoice.of(options, choice);
        final Workload workload = options.flows == null ? workload(options, choice) : null;
        final FlowSet flows = choice.classed(source != null ? source.flows(choice)
            : workload != null ? generated(options, choice, workload) : traced(options, choice, remarks));
        engine.check(choice, flows);
        final String against = flows.waits() == null ? "" : choice.againstWaits();
        Choices.refuseIf(!against.isEmpty(), "--fabric", options.fabric, against,
            "leave these options out, or use flows that do not wait");
        if (engine.isReference()) {
            remarks.add("the reference engine counts cells, flows and the maxima of nodes, and nothing else");
        }
        final Arrivals arrivals = options.arrivals.of(options.slots, workload, flows);
        remarkLoad(options, choice, workload, remarks);
        final long slotLimit = arrivals.isDrained() ? 0 : slotLimit(options, flows);
        if (source == null) {
            remarks.addAll(workload != null ? synthetic(options).remarks(workload)
                : farStarts(options.flows, flows, slotLimit, choice.wholeSlotNs()));
        }
        choice.refuseSlots(slotLimit);
        Choices.refuse("--slowdown", options.faults == null ? null : options.arrivals.slowdown(),
            "a flow that runs alone would see different faults", "leave out one of them");
        final Faults faults = FaultOrders.of(options, choice, remarks);
        final Map<String, String> settings = settings(options, choice, engine,
            arrivals.isDrained() ? ArrivalOptions.until(options.slots, workload) : slotLimit, arrivals, workload);
        Choices.put(settings, "class-bytes", options.classBytes);
        choice.describeClasses(flows, settings);
        final Scenario scenario = new Scenario(choice, faults, flows, slotLimit, arrivals, engine, options.check,
            settings, remarks);
        scenario.refuseIfTooLarge();
        return scenario;
    }

    /** Returns this run with another number of slots and an additional setting. */
    public Scenario upTo(final long slots, final String setting, final String value) {
        final Map<String, String> more = new LinkedHashMap<>(settings);
        more.put(setting, value);
        return new Scenario(choice, faults, flows, slots, arrivals, engine, check, more, remarks);
    }

    /**
     * Returns the inputs of the run as text.
     *
     * @param out whether there are result files.
     */
    public String identity(final boolean out) {
        return RunIdentity.of(settings, out, engine.workers(), flows, faults);
    }

    /** Returns the seed of all random choices. */
    public long seed() {
        return Long.parseLong(settings.get("seed"));
    }

    /** Returns the fabric. */
    public Fabric fabric() {
        return choice.fabric();
    }

    /** Returns the memory in bytes that the fabric needs before its first slot. */
    public long stateBytes() {
        return choice.stateBytes(flows, faults);
    }

    private static WorkloadChoice synthetic(final RunOptions options) {
        return new WorkloadChoice(options.workload, options.load, options.incastSenders, options.flowBytes);
    }

    private static Workload workload(final RunOptions options, final FabricChoice choice) {
        refusePairRate(options);
        options.trace.refuse();
        final Workload collective = options.collectives.collective(options.workload, options.flowBytes, options.load,
            options.incastSenders);
        if (collective != null) {
            return collective;
        }
        return EACH_TO_EACH.equals(options.workload) ? eachToEach(options, choice)
            : synthetic(options).workload(usualLoad(choice), choice.fabric().channels());
    }

    private static double usualLoad(final FabricChoice choice) {
        return BigDecimal.valueOf(SHARE_OF_GUARANTEE * choice.guarantee()).round(new MathContext(LOAD_DIGITS))
            .doubleValue();
    }

    private static void remarkLoad(final RunOptions options, final FabricChoice choice, final Workload workload,
        final List<String> remarks) {
        final double guaranteed = choice.promise().throughput();
        if (workload instanceof PoissonArrivals && options.load != null && options.load > guaranteed) {
            remarks.add(String.format(Locale.ROOT, "--load %s is more than the guaranteed throughput of %.4f cells per "
                + "node, slot and channel: queues can grow as long as flows arrive", options.load, guaranteed));
        }
    }

    /**
     * Returns warnings about starts long after the run: they often have a wrong unit, or count from an earlier time.
     */
    private static List<String> farStarts(final Path trace, final FlowSet flows, final long slotLimit,
        final double slotNs) {
        int late = flows.size();
        while (slotLimit > 0 && late > 0 && flows.startSlot(late - 1) >= slotLimit) {
            late--;
        }
        if (late < flows.size()) {
            return List.of(String.format(Locale.ROOT, "warning: trace: %s: %,d of %,d flows start after the end of the "
                + "run, check the unit of starts, give more --slots or use --from-first-start", trace,
                flows.size() - late, flows.size()));
        }
        final double seconds = late == 0 ? 0 : flows.startSlot(late - 1) * slotNs / NS_PER_SECOND;
        return seconds < FAR_SECONDS ? List.of() : List.of(String.format(Locale.ROOT, "warning: trace: %s: the last "
            + "flow starts at %.3f s, check the unit of starts; use --from-first-start to count from the first flow",
            trace, seconds));
    }

    private static FlowSet generated(final RunOptions options, final FabricChoice choice, final Workload workload) {
        final Survivors survivors = Survivors.of(choice);
        return survivors.numbered(workload.generate(survivors.count(), choice.format().payloadBytes(),
            ArrivalOptions.until(options.slots, workload), options.seed));
    }

    private static FlowSet traced(final RunOptions options, final FabricChoice choice, final List<String> remarks) {
        refusePairRate(options);
        synthetic(options).refuseBeside(options.flows);
        options.collectives.refuse("a trace defines its flows completely", "leave it out");
        final Trace trace = TraceReader.read(options.flows, choice.fabric().population().endpoints(),
            choice.format().payloadBytes(), choice.wholeSlotNs(),
            options.trace.filter(options.arrivals.drainedAfter(options.slots)));
        remarks.addAll(trace.warnings());
        return Survivors.of(choice).among(trace.flows(), options.flows, remarks);
    }

    private static long slotLimit(final RunOptions options, final FlowSet flows) {
        final long slots = options.slots != null ? options.slots
            : options.flows == null ? ArrivalOptions.USUAL_SLOTS : 0;
        Choices.refuseIf(slots == 0 && ArrivalOptions.isEndless(flows), "--slots", "0", "the workload has endless "
            + "flows and would never be done", "give a number of slots or --flow-bytes");
        return slots;
    }

    private void refuseIfTooLarge() {
        final long bytes = stateBytes();
        final long memory = ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getTotalMemorySize();
        Choices.refuseIf(bytes > memory * MEMORY_SHARE, "--nodes", fabric().population().endpoints(),
            String.format(Locale.ROOT, "the fabric needs %,d MiB and the machine has %,d MiB", bytes >> 20,
            memory >> 20), choice.smaller());
    }

    private static Map<String, String> settings(final RunOptions options, final FabricChoice choice,
        final EngineChoice engine, final long slots, final Arrivals arrivals, final Workload workload) {
        final CellFormat format = choice.format();
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fabric", options.fabric);
        settings.put("nodes", Integer.toString(options.nodes));
        settings.putAll(choice.settings());
        settings.put("flows", options.flows == null ? "" : options.flows.toString());
        settings.putAll(options.trace.settings());
        settings.put("workload", options.flows == null ? workload(options) : "");
        if (workload instanceof PoissonArrivals random && Workload.filePrefix(workload(options)) != null) {
            settings.put(Summary.MEAN_FLOW_BYTES, Long.toString(Math.round(random.sizes().meanCells(1))));
        }
        settings.put("load", !(workload instanceof PoissonArrivals) ? ""
            : Double.toString(options.load == null ? usualLoad(choice) : options.load));
        settings.put("incast-senders", options.incastSenders == null ? "" : options.incastSenders.toString());
        settings.put("flow-bytes", options.flowBytes == null ? "" : options.flowBytes.toString());
        options.collectives.describe(settings);
        settings.put("pair-gbps", options.pairGbps == null ? "" : options.pairGbps.toString());
        settings.put("slots", Long.toString(slots));
        options.arrivals.describe(settings, arrivals);
        settings.put("slot-ns", Double.toString(choice.slotNs()));
        settings.put("cell-bytes", Integer.toString(choice.typedCellBytes()));
        settings.put("header-bytes", Integer.toString(format.headerBytes()));
        settings.put("payload-bytes", Integer.toString(format.payloadBytes()));
        settings.put("propagation-slots", Integer.toString(choice.typedPropagationSlots()));
        settings.put("failed-nodes", options.failedNodes == 0 ? "" : Integer.toString(options.failedNodes));
        settings.put("faults", options.faults == null ? "" : options.faults.toString());
        settings.put("seed", Long.toString(options.seed));
        settings.putAll(engine.settings());
        settings.put("check", Boolean.toString(options.check));
        return settings;
    }

    private static String workload(final RunOptions options) {
        return options.workload == null ? WorkloadChoice.USUAL : options.workload;
    }

    /** Refuses a pair rate without the workload to which it applies. */
    private static void refusePairRate(final RunOptions options) {
        if (options.flows != null || !EACH_TO_EACH.equals(options.workload)) {
            Choices.refuse(PAIR_RATE, options.pairGbps, "only the workload " + EACH_TO_EACH + " has a rate of pairs",
                "leave it out or add --workload " + EACH_TO_EACH);
        }
    }

    private static Workload eachToEach(final RunOptions options, final FabricChoice choice) {
        final String why = "the workload is '" + EACH_TO_EACH + "', which generates cells at a rate";
        Choices.refuse("--load", options.load, why, "leave it out or give " + PAIR_RATE);
        Choices.refuse("--incast-senders", options.incastSenders, why, "leave it out");
        Choices.refuse("--flow-bytes", options.flowBytes, why, "leave it out");
        Choices.refuseIf(!(choice.fabric() instanceof CircuitFabric), "--workload", EACH_TO_EACH,
            "it generates cells, but hosts of this fabric send packets", "use all-to-all");
        final double gbps = options.pairGbps == null ? 1 : options.pairGbps;
        Choices.refuseIf(!(gbps > 0 && gbps <= MOST_PAIR_GBPS), PAIR_RATE, gbps, "a rate is above 0 and up to "
            + (int) MOST_PAIR_GBPS, "give Gb/s, for example 1");
        return new Workload.EachToEach(choice.format().cellBytes() * Byte.SIZE / gbps / choice.wholeSlotNs());
    }

    /**
     * The nodes that can carry traffic if the first ones have failed; otherwise all endpoints. Immutable.
     *
     * @param failed number of failed nodes; these have the lowest ids.
     * @param count  number of other nodes.
     */
    private record Survivors(int failed, int count) {
        static Survivors of(final FabricChoice choice) {
            final int failed = choice.failedNodes();
            return new Survivors(failed, choice.fabric().population().endpoints() - failed);
        }

        /** Returns flows that were generated for {@link #count} nodes, between the surviving nodes. */
        FlowSet numbered(final FlowSet flows) {
            return failed == 0 ? flows : renumbered(flows, failed);
        }

        /**
         * Returns the flows of a trace between surviving nodes, as in the authors' simulator.
         *
         * @param remarks receives a line if other flows are left out.
         * @throws InputException if no flow remains.
         */
        FlowSet among(final FlowSet flows, final Path trace, final List<String> remarks) {
            if (failed == 0) {
                return flows;
            }
            final FlowSet left = renumbered(flows, 0);
            Choices.refuseIf(flows.waits() != null && left.size() < flows.size(), "--failed-nodes", failed,
                "flows that wait for others have a failed node at one end", "fail no node of " + trace);
            Choices.refuseIf(left.size() == 0, "--failed-nodes", failed, "every flow of " + trace
                + " has a failed node at one end", "fail fewer nodes");
            if (left.size() < flows.size()) {
                remarks.add("warning: trace: " + trace + ": a failed node is at one end, flows left out: "
                    + (flows.size() - left.size()));
            }
            return left;
        }

        /** Returns the flows between surviving nodes after an offset has been added to node numbers. */
        private FlowSet renumbered(final FlowSet flows, final int by) {
            final FlowSet result = new FlowSet();
            for (int flow = 0; flow < flows.size(); flow++) {
                final int source = flows.source(flow) + by;
                final int destination = flows.destination(flow) + by;
                if (source >= failed && destination >= failed) {
                    result.add(flows.id(flow), source, destination, flows.bytes(flow), flows.cells(flow),
                        flows.startSlot(flow));
                    result.setClass(flows.trafficClass(flow));
                }
            }
            if (flows.waits() != null && result.size() == flows.size()) {
                result.setWaits(flows.waits());
            }
            return result;
        }
    }
}
