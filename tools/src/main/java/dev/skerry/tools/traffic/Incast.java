package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;

import java.util.Arrays;
import java.util.OptionalInt;

/**
 * Many senders, one receiver, all at once from slot 0, one flow each: the answers to a query. The seed chooses who;
 * flows are in order of their senders.
 *
 * @param senders   how many; {@link #DEFAULT_SENDERS}, or all other endpoints if these are fewer, if not given.
 * @param flowBytes bytes of each flow.
 */
public record Incast(OptionalInt senders, long flowBytes) implements Workload {
    /** Senders if none are given: the fan-in of one aggregator in a rack. */
    public static final int DEFAULT_SENDERS = 32;
    /** Bytes of a flow if none are given: 100 cells of Shale. */
    public static final long DEFAULT_FLOW_BYTES = 24_400;

    private static final int RECEIVER = 0;
    private static final int SENDER = 1;

    /** Refuses no senders and flows of no bytes. */
    public Incast {
        if (senders.isPresent() && senders.getAsInt() < 1) {
            throw new InputException("--incast-senders", Integer.toString(senders.getAsInt()),
                "an incast needs a sender", "give 1 or more");
        }
        Limits.checkFlowBytes(flowBytes);
    }

    @Override
    public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
        Limits.checkEndpoints(endpoints);
        final int others = endpoints - 1;
        final int count = senders.orElse(Math.min(DEFAULT_SENDERS, others));
        if (count > others) {
            throw new InputException("--incast-senders", Integer.toString(count), "there are " + endpoints
                + " working nodes and one receives", "give at most " + others);
        }
        final int cells = Limits.cells(flowBytes, payloadBytes);
        final Draws draws = new Draws(seed);
        final int receiver = draws.below(0, RECEIVER, endpoints);
        final int[] chosen = choose(count, others, draws);
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < count; flow++) {
            final int sender = chosen[flow] < receiver ? chosen[flow] : chosen[flow] + 1;
            flows.add(flow, sender, receiver, flowBytes, cells, 0);
        }
        return flows;
    }

    /** A uniform choice of {@code count} numbers below {@code bound}, ascending. */
    private static int[] choose(final int count, final int bound, final Draws draws) {
        final int[] numbers = new int[bound];
        for (int i = 0; i < bound; i++) {
            numbers[i] = i;
        }
        for (int i = 0; i < count; i++) {
            final int j = i + draws.below(i, SENDER, bound - i);
            final int chosen = numbers[j];
            numbers[j] = numbers[i];
            numbers[i] = chosen;
        }
        final int[] chosen = Arrays.copyOf(numbers, count);
        Arrays.sort(chosen);
        return chosen;
    }
}
