package dev.skerry.tools.report;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.report.RunResult.Guarantee;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The cells that arrivals offered and that the fabric delivered in the measured window, which extends from the end of
 * the warm-up to the end of arrivals. If less is delivered than offered, queues grow as long as the run lasts, and
 * completion times depend on its length. If flows do not arrive over time, or a trace has too few flows to judge, the
 * window ends with the run and the offered load is unknown.
 *
 * @param fromSlot first slot of the window.
 * @param untilSlot first slot after the window.
 * @param flows flows that started in the window; -1 if flows do not arrive over time.
 * @param offered cells of these flows, per node, slot and channel; NaN if the flows are too few to judge or do not
 *     arrive over time.
 * @param delivered cells delivered in the window, per node, slot and channel; NaN without slots.
 */
public record OfferedLoad(long fromSlot, long untilSlot, int flows, double offered, double delivered) {
    /** The load if it was not measured. */
    public static final OfferedLoad UNKNOWN = new OfferedLoad(0, 0, -1, Double.NaN, Double.NaN);

    /** Minimum share of the offered cells that must be delivered in a steady state. */
    private static final double STEADY = 0.9;
    /** Minimum number of intervals of the timeline in the window. */
    private static final int INTERVALS = 4;
    /** Minimum number of flows that start in the window. With fewer flows, a single long one determines the result. */
    public static final int FLOWS = 200;

    /**
     * Computes the load of a run. Flows of a trace arrive until the last one starts, if that time is long enough to
     * judge.
     *
     * @param arrivalSlots slots in which flows may start; 0 without a limit.
     * @param isRandom whether flows start at random in these slots.
     * @param warmUpSlots slots at the start that are not measured.
     */
    static OfferedLoad of(final Fabric fabric, final FlowSet flows, final Outcome outcome, final long arrivalSlots,
        final boolean isRandom, final long warmUpSlots) {
        final long interval = outcome.timeline().intervalSlots();
        final long slots = outcome.slots();
        // A run ends early if all flows are complete, but the fabric had until the end of arrivals to carry them.
        final boolean isDone = flows.size() > 0 && outcome.completed().length == flows.size();
        final long end = arrivalSlots == 0 || !isDone && slots < arrivalSlots ? slots : arrivalSlots;
        final long arrived = isRandom ? end : Math.min(end, lastStart(flows, slots) + 1);
        final long last = arrived / interval;
        final long first = Math.min(Math.ceilDiv(warmUpSlots, interval), last);
        long offered = 0;
        int count = 0;
        boolean isEndless = false;
        for (int flow = 0; flow < flows.size(); flow++) {
            if (flows.startSlot(flow) >= first * interval && flows.startSlot(flow) < last * interval) {
                offered += flows.cells(flow);
                count++;
                isEndless |= flows.cells(flow) == FlowSet.ENDLESS;
            }
        }
        final boolean isKnown = last - first >= INTERVALS && count >= FLOWS && !isEndless;
        final long until = isRandom || isKnown ? last * interval : end;
        final long from = Math.min(Math.ceilDiv(warmUpSlots, interval) * interval, until);
        final double delivered = delivered(fabric, outcome, from, until);
        return new OfferedLoad(from, until, isRandom || isKnown ? count : -1,
            isKnown ? offered / ((double) fabric.nodes() * fabric.channels() * (until - from)) : Double.NaN, delivered);
    }

    /** Returns the last slot before the end in which a flow starts; -1 if there are no flows. */
    private static long lastStart(final FlowSet flows, final long end) {
        return IntStream.range(0, flows.size()).mapToLong(flows::startSlot).filter(slot -> slot < end).max().orElse(-1);
    }

    /**
     * Returns the cells delivered from the start of an interval to a slot, per node, slot and channel; NaN if there are
     * no slots.
     */
    private static double delivered(final Fabric fabric, final Outcome outcome, final long from, final long until) {
        final long interval = outcome.timeline().intervalSlots();
        final long[] cells = outcome.timeline().cells();
        long delivered = 0;
        for (long i = from / interval; i < Math.min(Math.ceilDiv(until, interval), cells.length); i++) {
            delivered += cells[(int) i];
        }
        return until == from ? Double.NaN : delivered / ((double) fabric.nodes() * fabric.channels() * (until - from));
    }

    /** Tells whether the warm-up leaves nothing to measure. */
    boolean isEmpty() {
        return fromSlot > 0 && fromSlot == untilSlot;
    }

    /** Tells whether flows arrived over time, but too few to judge whether the fabric carried them. */
    public boolean isTooShort() {
        return flows >= 0 && !isKnown();
    }

    /** Returns what is missing if {@link #isTooShort()}, as part of a sentence. */
    String shortage() {
        return isEmpty() ? "no interval of the timeline lies between the warm-up and the end of arrivals"
            : String.format(Locale.ROOT, "%s started in slots %,d to %,d, at least %d are needed",
            Numbers.counted(flows, "flow"), fromSlot, untilSlot, FLOWS);
    }

    /** Tells whether the offered and the delivered load are both known. */
    public boolean isKnown() {
        return offered >= 0;
    }

    /** Tells whether the fabric delivered about as much as was offered. */
    public boolean isSteady() {
        return delivered >= STEADY * offered;
    }

    /** Tells whether more was offered than the fabric guarantees, and the fabric did not deliver it. */
    public boolean isSaturated(final Guarantee guarantee) {
        return isKnown() && !isSteady() && guarantee.isGiven() && offered > guarantee.throughput();
    }

    /**
     * Returns a warning if completion times depend on the length of the run; empty if they do not, as far as known.
     *
     * @param less advice on how to reduce the offered load.
     */
    public Optional<String> warning(final Guarantee guarantee, final String less) {
        if (!isKnown() || isSteady()) {
            return Optional.empty();
        }
        final boolean saturated = isSaturated(guarantee);
        return Optional.of(String.format(Locale.ROOT, "%s: in slots %,d to %,d a node was offered %.4f cells per slot "
            + "and channel%s and %.4f were delivered, %s", saturated ? "saturated" : "no steady state", fromSlot,
            untilSlot, offered, saturated ? String.format(Locale.ROOT, ", more than the guaranteed %.4f,",
            guarantee.throughput()) : "", delivered, saturated
            ? "so queues grow as long as flows arrive: use " + less : guarantee.needs().isEmpty()
            ? "run longer or use " + less : "use " + guarantee.needs() + " or " + less));
    }
}
