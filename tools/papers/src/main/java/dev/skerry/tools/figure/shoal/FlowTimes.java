package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * How long flows took, as Shoal's authors count: short ones that have ended, and long ones with what they received by
 * the end of the run if they have not (docs/spec/shoal.md §9.1). Arrays are not changed.
 *
 * @param slotNs   length of a slot.
 * @param flows    that were offered.
 * @param end      slot before which each had ended, {@link #OPEN} for one that had not.
 * @param received bytes of each.
 * @param slots    of the run.
 */
record FlowTimes(double slotNs, FlowSet flows, long[] end, long[] received, long slots) {
    /** The flow had not ended. */
    static final long OPEN = Long.MAX_VALUE;

    private static final double BITS_PER_NS_OF_BYTES = 8;

    FlowTimes(final double slotNs, final FlowSet flows, final Outcome outcome, final long[] received) {
        this(slotNs, flows, ends(flows, outcome), received, outcome.slots());
    }

    private static long[] ends(final FlowSet flows, final Outcome outcome) {
        final long[] end = new long[flows.size()];
        Arrays.fill(end, OPEN);
        for (int i = 0; i < outcome.completed().length; i++) {
            end[outcome.completed()[i]] = outcome.completedIn()[i] + 1;
        }
        return end;
    }

    /** Microseconds of the short flows that have ended, ascending. */
    double[] shortUs() {
        return IntStream.range(0, end.length)
            .filter(flow -> end[flow] != OPEN && flows.bytes(flow) <= ParetoFlows.SHORT_BYTES)
            .mapToDouble(flow -> (end[flow] - flows.startSlot(flow)) * slotNs / 1e3).sorted().toArray();
    }

    /** Mean rate of the long flows, Gb/s; NaN if there are none. */
    double goodputGbps() {
        return IntStream.range(0, end.length).filter(flow -> flows.bytes(flow) >= ParetoFlows.LONG_BYTES)
            .mapToDouble(flow -> BITS_PER_NS_OF_BYTES * (end[flow] == OPEN ? received[flow] : flows.bytes(flow))
                / ((Math.min(end[flow], slots) - flows.startSlot(flow)) * slotNs)).average().orElse(Double.NaN);
    }
}
