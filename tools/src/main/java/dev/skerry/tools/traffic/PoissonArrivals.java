package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;

import java.util.Objects;

/**
 * One Poisson process for the whole fabric, as in the papers (docs/spec/shale.md §10.1): {@code load * channels *
 * endpoints / meanCells} flows per slot, each from a uniform source to a uniform other endpoint, its size drawn from a
 * table. A longer run has the flows of a shorter one first.
 *
 * @param sizes    the table of flow sizes.
 * @param load     L of the papers: cells that an endpoint offers per slot and channel on average, over 0 up to 1.
 * @param channels of an endpoint.
 */
public record PoissonArrivals(FlowSizes sizes, double load, int channels) implements Workload {
    private static final int GAP = 0;
    private static final int SIZE = 1;
    private static final int SOURCE = 2;
    private static final int DESTINATION = 3;

    /** Refuses a load that no endpoint can send. */
    public PoissonArrivals {
        Objects.requireNonNull(sizes, "sizes");
        Choices.refuseIf(!(load > 0 && load <= 1), "--load", load, "a node sends up to one cell a slot",
            "give more than 0 and at most 1");
    }

    /** The same for endpoints with one channel. */
    public PoissonArrivals(final FlowSizes sizes, final double load) {
        this(sizes, load, 1);
    }

    @Override
    public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
        Limits.checkEndpoints(endpoints);
        Limits.checkPayload(payloadBytes);
        Choices.refuseIf(untilSlot < 1, "--slots", untilSlot, "flows arrive for as long as the run lasts",
            "give 1 or more");
        final double flowsPerSlot = load * channels * endpoints / sizes.meanCells(payloadBytes);
        Choices.refuseIf(flowsPerSlot * untilSlot > MAX_FLOWS, "--slots", untilSlot, "more than " + MAX_FLOWS
            + " flows would arrive", "give at most " + (long) (MAX_FLOWS / flowsPerSlot) + " or a smaller --load");
        final Draws draws = new Draws(seed);
        final FlowSet flows = new FlowSet();
        double clock = gap(draws, 0, flowsPerSlot);
        for (int flow = 0; clock < untilSlot; flow++) {
            final long bytes = sizes.bytes(draws.uniform(flow, SIZE));
            final int cells = (int) ((bytes - 1) / payloadBytes + 1); // at most 973 million, with 1 B cells
            final int source = draws.below(flow, SOURCE, endpoints);
            final int other = draws.below(flow, DESTINATION, endpoints - 1);
            flows.add(flow, source, other < source ? other : other + 1, bytes, cells, (long) clock);
            clock += gap(draws, flow + 1L, flowsPerSlot);
        }
        return flows;
    }

    /** Slots between a flow and the one before. StrictMath: the other logarithm may differ between machines. */
    private static double gap(final Draws draws, final long flow, final double flowsPerSlot) {
        return -StrictMath.log(1 - draws.uniform(flow, GAP)) / flowsPerSlot;
    }
}
