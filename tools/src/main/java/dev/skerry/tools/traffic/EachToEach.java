package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;

/**
 * Every endpoint makes a cell for every other one at a fixed interval, as the generators of Shoal's prototype do at 1
 * to 10 Gb/s. A cell is a flow of its own. Endpoints begin one after the other within the first interval. Nothing is
 * left to the seed.
 *
 * @param intervalSlots from a cell of a pair to the next, above 0.
 */
public record EachToEach(double intervalSlots) implements Workload {
    @Override
    public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
        Limits.checkEndpoints(endpoints);
        final double rounds = Math.ceil(untilSlot / intervalSlots);
        if (rounds * endpoints * (endpoints - 1) > MAX_FLOWS) {
            throw new InputException("--workload", "each-to-each", "a cell is a flow, and there would be more than "
                + MAX_FLOWS, "give fewer --slots, fewer --nodes or a lower --pair-gbps");
        }
        final FlowSet flows = new FlowSet();
        for (long round = 0; round < rounds; round++) {
            for (int sender = 0; sender < endpoints; sender++) {
                final long slot = (long) ((round + (double) sender / endpoints) * intervalSlots);
                for (int turn = 1; turn < endpoints && slot < untilSlot; turn++) {
                    flows.add(flows.size(), sender, (sender + turn) % endpoints, payloadBytes, 1, slot);
                }
            }
        }
        return flows;
    }
}
