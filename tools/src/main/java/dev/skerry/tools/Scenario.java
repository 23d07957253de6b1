package dev.skerry.tools;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.ShaleLayout;
import dev.skerry.nic.FlowSet;
import dev.skerry.nic.LockStep;
import dev.skerry.nic.fabric.shale.CongestionControl;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.traffic.PoissonArrivals;
import dev.skerry.tools.traffic.Trace;
import dev.skerry.tools.traffic.TraceReader;
import dev.skerry.tools.traffic.Workload;

import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What {@code skerry run} is asked to run, checked: the fabric, the flows and the length.
 *
 * @param shale        the fabric.
 * @param flows        the flows.
 * @param slotLimit    slots to run, 0 until every flow is done.
 * @param threads      workers.
 * @param check        whether every invariant is checked.
 * @param payloadBytes payload of a cell.
 * @param settings     every setting as it would be typed, for the reports.
 * @param remarks      what the user should know before the run, a line each.
 */
record Scenario(
    Shale shale,
    FlowSet flows,
    long slotLimit,
    int threads,
    boolean check,
    int payloadBytes,
    Map<String, String> settings,
    List<String> remarks) {

    private static final double DEFAULT_PROPAGATION_NS = 500;
    private static final double SHARE_OF_GUARANTEE = 0.96;
    private static final long DEFAULT_SLOTS = 100_000;
    private static final int MAX_THREADS = 1024;
    /** Up to here every slot number is a double of its own, as the reports need. */
    private static final long MAX_SLOTS = 1L << 53;
    /** Share of the machine's memory that a fabric may take at the start. */
    private static final double MEMORY_SHARE = 0.9;

    /**
     * Makes sense of the options.
     *
     * @throws InputException if one of them is wrong, alone or with another.
     */
    static Scenario of(final RunOptions options) {
        final List<String> remarks = new ArrayList<>();
        choose("--fabric", options.fabric, "shale");
        choose("--mode", options.mode, "lockstep");
        inRange("--h", options.h, 1, Phased.MAX_PHASES);
        inRange("--nodes", options.nodes, 2, Phased.MAX_NODES - 1);
        inRange("--threads", options.threads, 1, MAX_THREADS);
        inRange("--failed-nodes", options.failedNodes, 0, options.nodes - 2);
        if (options.slots != null && (options.slots < 0 || options.slots > MAX_SLOTS)) {
            throw new InputException("--slots", options.slots.toString(), "must be 0 to " + MAX_SLOTS,
                "give a number of slots, or 0 to run until every flow is done");
        }
        if (!(options.slotNs > 0 && options.slotNs < 1e9)) {
            throw new InputException("--slot-ns", Double.toString(options.slotNs), "a slot lasts more than 0 ns "
                + "and less than a second", "give its length in ns, for example 5.632");
        }
        final Shale shale = shale(options, remarks);
        final CellFormat format = format(options, shale);
        final FlowSet flows = flows(options, shale, format.payloadBytes(), remarks);
        final long slotLimit = slotLimit(options, flows);
        final Scenario scenario = new Scenario(shale, flows, slotLimit, options.threads, options.check,
            format.payloadBytes(), settings(options, shale, format, slotLimit), remarks);
        scenario.refuseIfTooLarge();
        return scenario;
    }

    /** Bytes the fabric takes before its first slot. */
    long stateBytes() {
        return LockStep.bytes(shale, flows);
    }

    private static Shale shale(final RunOptions options, final List<String> remarks) {
        inRange("--tokens", options.tokens, 1, Shale.MAX_TOKENS);
        inRange("--first-hop-tokens", options.firstHopTokens, 1, Shale.MAX_TOKENS);
        final int firstHopTokens = Math.max(options.tokens, options.firstHopTokens);
        if (firstHopTokens > options.firstHopTokens) {
            remarks.add("--first-hop-tokens raised to " + firstHopTokens + ", the value of --tokens");
        }
        if (options.fill && options.failedNodes > 0) {
            throw new InputException("--fill", "true", "--failed-nodes is given too", "leave one of them out");
        }
        try {
            final Phased schedule = new Phased(options.h, Population.radixFor(options.h, options.nodes));
            final Shale shale = new Shale(schedule,
                options.fill ? Population.fill(schedule, options.nodes)
                    : Population.of(schedule, options.nodes, options.failedNodes),
                control(options.cc), options.tokens, firstHopTokens, propagationSlots(options), options.seed);
            remark(shale, options, remarks);
            return shale;
        } catch (final IllegalArgumentException e) {
            throw new InputException("--nodes", Integer.toString(options.nodes), e.getMessage(),
                "choose another number of nodes, another --h or --fill");
        }
    }

    private static void remark(final Shale shale, final RunOptions options, final List<String> remarks) {
        final Phased schedule = shale.schedule();
        if (schedule.nodes() > options.nodes) {
            remarks.add(String.format(Locale.ROOT, "%,d nodes are no r^%d: a fabric of %,d is used, %,d of them %s",
                options.nodes, options.h, schedule.nodes(), schedule.nodes() - options.nodes,
                options.fill ? "only forward" : "failed (--fill would let them forward)"));
        }
        final long firstHops = (long) schedule.phases() * shale.firstHopTokens() * schedule.epochSlots();
        final long laterHops = (long) schedule.epochSlots() * schedule.epochSlots() * shale.tokens();
        final long bound = Math.min(firstHops, laterHops);
        if (shale.control().hopByHop() && shale.propagationSlots() > bound) {
            remarks.add(String.format(Locale.ROOT, "with these tokens the guaranteed throughput holds up to a "
                + "propagation delay of %d slots, and it is %d; --first-hop-tokens %d would do", bound,
                shale.propagationSlots(),
                Math.ceilDiv(shale.propagationSlots(), schedule.phases() * schedule.epochSlots())));
        }
    }

    private static CongestionControl control(final String name) {
        for (final CongestionControl control : CongestionControl.values()) {
            if (control.label().equals(name)) {
                return control;
            }
        }
        throw new InputException("--cc", name, "this version has no such congestion control",
            "use none, hbh, spray-short or hbh+spray");
    }

    /** Whole slots of the delay, by decimal arithmetic: 500 / 5.632 is rounded up once, not twice. */
    private static int propagationSlots(final RunOptions options) {
        if (options.propagationSlots != null && options.propagationNs != null) {
            throw new InputException("--propagation-slots", options.propagationSlots.toString(),
                "--propagation-ns is given too", "leave one of them out");
        }
        if (options.propagationSlots != null) {
            return inRange("--propagation-slots", options.propagationSlots, 0, Shale.MAX_PROPAGATION_SLOTS);
        }
        final double delayNs = options.propagationNs == null ? DEFAULT_PROPAGATION_NS : options.propagationNs;
        if (!(delayNs >= 0 && delayNs / options.slotNs < Shale.MAX_PROPAGATION_SLOTS)) {
            throw new InputException("--propagation-ns", Double.toString(delayNs), "the delay must be 0 to "
                + Shale.MAX_PROPAGATION_SLOTS + " slots", "give the one-way delay in ns, for example 500");
        }
        return BigDecimal.valueOf(delayNs).divide(BigDecimal.valueOf(options.slotNs), 0, RoundingMode.CEILING)
            .intValue();
    }

    private static FlowSet flows(final RunOptions options, final Shale shale, final int payloadBytes,
        final List<String> remarks) {
        final int endpoints = shale.population().endpoints();
        if (options.flows == null) {
            final double load = options.load == null ? SHARE_OF_GUARANTEE * shale.guarantee() : options.load;
            final long until = options.slots == null || options.slots == 0 ? DEFAULT_SLOTS : options.slots;
            final OptionalInt senders =
                options.incastSenders == null ? OptionalInt.empty() : OptionalInt.of(options.incastSenders);
            final OptionalLong bytes =
                options.flowBytes == null ? OptionalLong.empty() : OptionalLong.of(options.flowBytes);
            final Workload workload = Workload.named(workload(options), load, senders, bytes);
            if (options.load != null && !(workload instanceof PoissonArrivals)) {
                throw new InputException("--load", options.load.toString(), "the workload '" + options.workload
                    + "' starts all its flows at once", "leave it out or add --workload short, heavy or web");
            }
            return workload.generate(endpoints, payloadBytes, until, options.seed);
        }
        if (options.workload != null || options.load != null || options.incastSenders != null
            || options.flowBytes != null) {
            throw new InputException("--flows", options.flows.toString(), "a trace says all about its flows",
                "leave out --workload, --load, --incast-senders and --flow-bytes");
        }
        final Trace trace = TraceReader.read(options.flows, endpoints, payloadBytes, options.slotNs);
        remarks.addAll(trace.warnings());
        return trace.flows();
    }

    private static long slotLimit(final RunOptions options, final FlowSet flows) {
        final long slots = options.slots != null ? options.slots : options.flows == null ? DEFAULT_SLOTS : 0;
        for (int flow = 0; slots == 0 && flow < flows.size(); flow++) {
            if (flows.cells(flow) == FlowSet.ENDLESS) {
                throw new InputException("--slots", "0", "the workload has endless flows and would never be done",
                    "give a number of slots or --flow-bytes");
            }
        }
        return slots;
    }

    private static CellFormat format(final RunOptions options, final Shale shale) {
        final ShaleLayout layout = ShaleLayout.forFabric(shale.nodes(), shale.schedule().phases(), false);
        final int least = layout.headerBytes();
        final int headerBytes = options.headerBytes != null ? options.headerBytes : least;
        if (headerBytes < least) {
            throw new InputException("--header-bytes", Integer.toString(headerBytes), layout == ShaleLayout.L16
                ? "over 32768 nodes or over 4 phases need the wide header" : "the header of Shale does not fit",
                "leave it out or give " + least);
        }
        if (options.cellBytes <= headerBytes) {
            throw new InputException("--cell-bytes", Integer.toString(options.cellBytes),
                "a header of " + headerBytes + " bytes leaves no room for payload", "give " + (headerBytes + 1L)
                + " or more");
        }
        return new CellFormat(options.cellBytes, headerBytes);
    }

    private void refuseIfTooLarge() {
        final long bytes = stateBytes();
        final long memory = ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getTotalMemorySize();
        if (bytes > memory * MEMORY_SHARE) {
            throw new InputException("--nodes", Integer.toString(shale.population().endpoints()),
                String.format(Locale.ROOT, "the fabric needs %,d MiB and the machine has %,d MiB", bytes >> 20,
                    memory >> 20), "choose fewer nodes or a larger --h");
        }
    }

    private static Map<String, String> settings(final RunOptions options, final Shale shale, final CellFormat format,
        final long slotLimit) {
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fabric", options.fabric);
        settings.put("nodes", Integer.toString(options.nodes));
        settings.put("fill", Boolean.toString(options.fill));
        settings.put("h", Integer.toString(options.h));
        settings.put("cc", options.cc);
        settings.put("tokens", Integer.toString(shale.tokens()));
        settings.put("first-hop-tokens", Integer.toString(shale.firstHopTokens()));
        settings.put("flows", options.flows == null ? "" : options.flows.toString());
        settings.put("workload", options.flows == null ? workload(options) : "");
        settings.put("load", options.load == null ? "" : options.load.toString());
        settings.put("incast-senders", options.incastSenders == null ? "" : options.incastSenders.toString());
        settings.put("flow-bytes", options.flowBytes == null ? "" : options.flowBytes.toString());
        settings.put("slots", Long.toString(slotLimit));
        settings.put("slot-ns", Double.toString(options.slotNs));
        settings.put("cell-bytes", Integer.toString(format.cellBytes()));
        settings.put("header-bytes", Integer.toString(format.headerBytes()));
        settings.put("payload-bytes", Integer.toString(format.payloadBytes()));
        settings.put("propagation-slots", Integer.toString(shale.propagationSlots()));
        settings.put("failed-nodes", options.failedNodes == 0 ? "" : Integer.toString(options.failedNodes));
        settings.put("seed", Long.toString(options.seed));
        settings.put("threads", Integer.toString(options.threads));
        settings.put("check", Boolean.toString(options.check));
        return settings;
    }

    private static String workload(final RunOptions options) {
        return options.workload == null ? "short" : options.workload;
    }

    private static void choose(final String option, final String value, final String only) {
        if (!value.equals(only)) {
            throw new InputException(option, value, "this version has no such choice", "use " + only);
        }
    }

    private static int inRange(final String option, final int value, final int from, final int to) {
        if (value < from || value > to) {
            throw new InputException(option, Integer.toString(value), "must be " + from + " to " + to,
                "give a number in this range");
        }
        return value;
    }
}
