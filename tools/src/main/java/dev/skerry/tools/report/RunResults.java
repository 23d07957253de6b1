package dev.skerry.tools.report;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Results of runs from what engines say of them. Pure functions; any thread. */
public final class RunResults {
    private static final int LATENCY_DIGITS = 3;
    private static final Set<NicCounter> IN_TOTALS = EnumSet.of(NicCounter.CELLS_INJECTED, NicCounter.CELLS_DELIVERED,
        NicCounter.CELLS_FORWARDED, NicCounter.FLOWS_STARTED, NicCounter.FLOWS_COMPLETED);

    private RunResults() {
    }

    /**
     * The result of a run.
     *
     * @param settings    what was run: option name without dashes, value.
     * @param terms       what its numbers are worth.
     * @param interrupted whether the run was stopped before its end.
     * @param fabric      what was run.
     * @param flows       across it.
     * @param outcome     what came of it.
     * @param seconds     that the slots took.
     * @param measured    which flows count.
     */
    public static RunResult of(final Map<String, String> settings, final RunResult.Terms terms,
        final boolean interrupted, final Fabric fabric, final FlowSet flows, final Outcome outcome,
        final double seconds, final RunResult.Measured measured) {
        final long delivered = outcome.count(NicCounter.CELLS_DELIVERED);
        final double nodeSlots = (double) fabric.nodes() * outcome.slots();
        final Outcome.Nodes nodes = outcome.nodes();
        final RunResult.Totals totals = new RunResult.Totals(
            fabric.population().endpoints(),
            outcome.slots(),
            fabric.propagationSlots(),
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
            nodeSlots == 0 ? 0 : delivered / (nodeSlots * fabric.channels()),
            seconds,
            seconds == 0 ? 0 : nodeSlots / seconds,
            seconds == 0 ? 0 : (double) fabric.directedLinks() * outcome.slots() / seconds,
            outcome.digest());
        return new RunResult(settings, terms, interrupted, totals, flows(flows, outcome),
            new RunResult.Nodes(nodes.bufferOccupancy(), nodes.queueLength(), nodes.activeBuckets()),
            new RunResult.Timeline(outcome.timeline().intervalSlots(), outcome.timeline().cells()),
            Stream.of(events(outcome), control(fabric, outcome),
                classes(flows, outcome, fabric.propagationSlots())).flatMap(all -> all).toList(),
            latency(outcome),
            sampled(outcome.sampled()),
            measured);
    }

    private static List<Measure> sampled(final Outcome.Sampled sampled) {
        if (sampled == null) {
            return List.of();
        }
        final String cells = "cells";
        return List.of(
            new Measure("queueP90", cells, sampled.quantile(0.9), "queues met in their turns, 90 of 100 up to"),
            new Measure("queueP95", cells, sampled.quantile(0.95), "95 of 100 up to"),
            new Measure("queueP99", cells, sampled.quantile(0.99), "99 of 100 up to"),
            new Measure("queueP999", cells, sampled.quantile(0.999), "999 of 1,000 up to"),
            new Measure("queueMax", cells, sampled.longest(), "all up to"),
            sampled.parkedCells() < 0 ? new Measure("maxParkedCells", cells, null, null)
                : new Measure("maxParkedCells", cells, sampled.parkedCells(), "most parked for one sent before them"),
            new Measure("dummiesSent", cells, sampled.dummies() < 0 ? null : sampled.dummies(),
                sampled.dummies() < 0 ? null : "dummies sent, headers of turns without a cell"));
    }

    /** What the totals do not say. */
    private static Stream<Measure> events(final Outcome outcome) {
        return Arrays.stream(NicCounter.values())
            .filter(counter -> !IN_TOTALS.contains(counter) && outcome.count(counter) > 0)
            .map(counter -> new Measure(nameOf(counter), "", outcome.count(counter), counter.sentence()));
    }

    private static Stream<Measure> control(final Fabric fabric, final Outcome outcome) {
        final long bytes = outcome.count(NicCounter.CONTROL_BYTES);
        return bytes == 0 ? Stream.empty() : Stream.of(new Measure("controlShare", "",
            fabric.controlShare(bytes, outcome.slots()), "of all links was taken by control messages"));
    }

    /** The results of each traffic class; nothing if all flows are of one. */
    private static Stream<Measure> classes(final FlowSet flows, final Outcome outcome, final int propagationSlots) {
        final List<Measure> measures = new ArrayList<>();
        final int classes = flows.classes();
        final long[] completed = new long[classes];
        final long[] cells = new long[classes];
        final double[] normalised = new double[classes];
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            final int of = flows.trafficClass(flow);
            completed[of]++;
            cells[of] += flows.cells(flow);
            normalised[of] += (outcome.completedIn()[i] + 1.0 - flows.startSlot(flow))
                / ((double) flows.cells(flow) + propagationSlots);
        }
        for (int of = 0; classes > 1 && of < classes; of++) {
            final String name = "class" + of;
            measures.add(new Measure(name + "FlowsCompleted", "flows", completed[of],
                "flows completed in class " + of));
            measures.add(new Measure(name + "Cells", "cells", cells[of], "cells of completed flows in class " + of));
            if (completed[of] > 0) {
                measures.add(new Measure(name + "MeanCompletion", "times the least", normalised[of] / completed[of],
                    "mean completion in class " + of));
            }
        }
        return measures.stream();
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
