package dev.skerry.tools.report;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;

import java.util.Locale;
import java.util.Optional;

/**
 * What arrivals brought and the fabric delivered in the last half of the slots in which flows arrived. Where less is
 * delivered than comes in, queues grow for as long as the run lasts, and its completion times say how long that was.
 *
 * @param fromSlot  first slot of that half.
 * @param untilSlot first slot after it.
 * @param offered   cells of the flows that started there, per node, slot and channel.
 * @param delivered cells delivered there, per node, slot and channel.
 */
public record OfferedLoad(long fromSlot, long untilSlot, double offered, double delivered) {
    /** Nothing arrives over time: a trace, endless flows, or too few slots or flows to tell. */
    public static final OfferedLoad UNKNOWN = new OfferedLoad(0, 0, Double.NaN, Double.NaN);

    /** Less than this share of the offered cells delivered is no steady state. */
    private static final double STEADY = 0.9;
    /** Least intervals of the timeline in the half. */
    private static final int INTERVALS = 4;
    /** Least flows that start in the half. Of fewer, one that is long decides. */
    private static final int FLOWS = 200;

    /**
     * Of a run.
     *
     * @param arrivalSlots slots in which flows may start; 0 if they do not arrive over time.
     */
    static OfferedLoad of(final Fabric fabric, final FlowSet flows, final Outcome outcome, final long arrivalSlots) {
        final long interval = outcome.timeline().intervalSlots();
        final long[] cells = outcome.timeline().cells();
        final long end = Math.min(arrivalSlots, outcome.slots());
        final int last = (int) Math.min(end / interval, cells.length);
        final int first = (int) Math.ceilDiv(end / 2, interval);
        if (last - first < INTERVALS) {
            return UNKNOWN;
        }
        long delivered = 0;
        for (int i = first; i < last; i++) {
            delivered += cells[i];
        }
        long offered = 0;
        int count = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final long start = flows.startSlot(flow);
            if (start >= first * interval && start < last * interval) {
                offered += flows.cells(flow);
                count++;
            }
        }
        if (count < FLOWS) {
            return UNKNOWN;
        }
        final double places = (double) fabric.nodes() * fabric.channels() * (last - first) * interval;
        return new OfferedLoad(first * interval, last * interval, offered / places, delivered / places);
    }

    /** Whether both are known. */
    public boolean isKnown() {
        return offered >= 0;
    }

    /** Whether the fabric delivered about what it was offered. */
    public boolean isSteady() {
        return delivered >= STEADY * offered;
    }

    /** Whether the fabric was offered more than it guarantees, and did not deliver it. */
    public boolean isSaturated(final Guarantee guarantee) {
        return isKnown() && !isSteady() && guarantee.isGiven() && offered > guarantee.throughput();
    }

    /** Why completion times depend on the length of the run, in one line; empty where they do not, as far as known. */
    public Optional<String> warning(final Guarantee guarantee) {
        if (!isKnown() || isSteady()) {
            return Optional.empty();
        }
        final boolean saturated = isSaturated(guarantee);
        return Optional.of(String.format(Locale.ROOT, "%s: in slots %,d to %,d a node was offered %.4f cells per slot "
            + "and channel%s and %.4f were delivered, %s", saturated ? "saturated" : "no steady state", fromSlot,
            untilSlot, offered, saturated ? String.format(Locale.ROOT, ", more than the guaranteed %.4f,",
            guarantee.throughput()) : "", delivered, saturated
            ? "so queues grow as long as flows arrive: use a lower --load" : "run longer or use a lower --load"));
    }
}
