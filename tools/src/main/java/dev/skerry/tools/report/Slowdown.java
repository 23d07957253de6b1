package dev.skerry.tools.report;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Slowdown of flows: the completion time of a flow divided by that of the same flow alone in the same fabric, from the
 * same start slot. It is 1 for a flow that never competes with another one. The arrays must not be changed.
 *
 * @param aloneSlots slots of each flow of the run alone; 0 if it was not run alone.
 * @param measured   number of flows that were run alone.
 * @param bins       flows that were run alone, by size.
 * @param all        all flows that count; each flow that was run alone represents an equal part of the flows of its
 *     size.
 */
public record Slowdown(long[] aloneSlots, long measured, List<SizeBin> bins, SizeBin all) {
    /** The slowdown of a run in which no flow was run alone. */
    public static final Slowdown NONE = new Slowdown(new long[0], 0, List.of(), null);

    /**
     * Returns the flows that count, by size bin in ascending order: those that started in the run, not before a slot,
     * and are not endless.
     */
    public static List<int[]> counted(final FlowSet flows, final Outcome outcome, final long from) {
        final int[] counted = IntStream.range(0, flows.size()).filter(flow -> flows.startSlot(flow) >= from
            && flows.startSlot(flow) < outcome.slots() && flows.cells(flow) != FlowSet.ENDLESS).toArray();
        final List<int[]> bySize = new ArrayList<>();
        for (int bin = 0; bin < SizeBin.BINS; bin++) {
            final int number = bin;
            bySize.add(Arrays.stream(counted).filter(flow -> SizeBin.binOf(flows.bytes(flow)) == number).toArray());
        }
        return bySize;
    }

    /**
     * Computes the slowdown of a run.
     *
     * @param from       flows that start before this slot do not count.
     * @param aloneSlots slots of each flow alone, 0 if it was not run alone; empty if no flow was.
     */
    public static Slowdown of(final FlowSet flows, final Outcome outcome, final long from, final long[] aloneSlots) {
        if (aloneSlots.length == 0) {
            return NONE;
        }
        final long[] took = completionSlots(flows, outcome);
        final List<Integer> measured = new ArrayList<>();
        final List<Integer> representatives = new ArrayList<>();
        for (final int[] ofSize : counted(flows, outcome, from)) {
            final int[] alone = Arrays.stream(ofSize).filter(flow -> aloneSlots[flow] > 0).toArray();
            for (int i = 0; i < ofSize.length && alone.length > 0; i++) {
                representatives.add(alone[i % alone.length]);
            }
            Arrays.stream(alone).forEach(measured::add);
        }
        return new Slowdown(aloneSlots, measured.size(), table(measured, flows, outcome, took, aloneSlots).bins(),
            table(representatives, flows, outcome, took, aloneSlots).all().measuredBy(measured.size()));
    }

    /** Returns the slots from the start of each flow to its last cell; 0 if it is not complete. */
    static long[] completionSlots(final FlowSet flows, final Outcome outcome) {
        final long[] slots = new long[flows.size()];
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            slots[flow] = outcome.completedIn()[i] + 1 - flows.startSlot(flow);
        }
        return slots;
    }

    /** Tells whether flows were run alone. */
    public boolean isMeasured() {
        return measured > 0;
    }

    private static SizeBin.Table table(final List<Integer> some, final FlowSet flows, final Outcome outcome,
        final long[] took, final long[] alone) {
        final int[] done = some.stream().mapToInt(flow -> flow).filter(flow -> took[flow] > 0).toArray();
        final int[] open = some.stream().mapToInt(flow -> flow).filter(flow -> took[flow] == 0).toArray();
        return SizeBin.tableOf(Arrays.stream(done).mapToLong(flows::bytes).toArray(),
            Arrays.stream(done).mapToDouble(flow -> (double) took[flow] / alone[flow]).toArray(),
            Arrays.stream(open).mapToLong(flows::bytes).toArray(),
            Arrays.stream(open).mapToDouble(flow -> (double) (outcome.slots() - flows.startSlot(flow)) / alone[flow])
                .toArray());
    }
}
