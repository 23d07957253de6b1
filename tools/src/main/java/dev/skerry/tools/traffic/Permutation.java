package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;

/**
 * Every endpoint sends one flow to another and receives one, all from slot 0: the traffic that shows a fabric's
 * guaranteed throughput. The permutation is uniform among those without fixed points.
 *
 * @param flowBytes bytes of each flow, or {@link #ENDLESS_BYTES}.
 */
public record Permutation(long flowBytes) implements Workload {
    /** Flows that never end, as {@link FlowSet#bytes} gives them. */
    public static final long ENDLESS_BYTES = Long.MAX_VALUE;

    /** Refuses flows of no bytes. */
    public Permutation {
        Limits.checkFlowBytes(flowBytes);
    }

    @Override
    public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
        Limits.checkEndpoints(endpoints);
        final int cells = flowBytes == ENDLESS_BYTES ? FlowSet.ENDLESS : Limits.cells(flowBytes, payloadBytes);
        final int[] receiver = derangement(endpoints, new Draws(seed));
        final FlowSet flows = new FlowSet();
        for (int sender = 0; sender < endpoints; sender++) {
            flows.add(sender, sender, receiver[sender], flowBytes, cells, 0);
        }
        return flows;
    }

    /** Draws permutations until one has no fixed point: one in e has none, whatever the size. */
    private static int[] derangement(final int size, final Draws draws) {
        final int[] target = new int[size];
        long drawn = 0;
        boolean fixedPoint = true;
        while (fixedPoint) {
            for (int i = 0; i < size; i++) {
                target[i] = i;
            }
            fixedPoint = false;
            // Fisher-Yates from the top: position i is settled once it is drawn, so a fixed point shows at once.
            for (int i = size - 1; i >= 0 && !fixedPoint; i--) {
                final int j = draws.below(drawn++, 0, i + 1);
                final int chosen = target[j];
                target[j] = target[i];
                target[i] = chosen;
                fixedPoint = chosen == i;
            }
        }
        return target;
    }
}
