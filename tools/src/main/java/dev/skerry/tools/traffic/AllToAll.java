package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;

/**
 * Every endpoint sends one flow to every other, all from slot 0: a shuffle. In turn k of the order each endpoint sends
 * to the one k behind it, so no receiver is first for all. Nothing is left to the seed.
 *
 * @param flowBytes bytes of each flow.
 */
public record AllToAll(long flowBytes) implements Workload {
    /** Bytes of a flow if none are given: 10 cells of Shale, so that 256 nodes finish within the default run. */
    public static final long DEFAULT_FLOW_BYTES = 2440;

    /** Refuses flows of no bytes. */
    public AllToAll {
        Limits.checkFlowBytes(flowBytes);
    }

    @Override
    public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
        Limits.checkEndpoints(endpoints);
        final long pairs = (long) endpoints * (endpoints - 1);
        if (pairs > MAX_FLOWS) {
            throw new InputException("--nodes", Integer.toString(endpoints), "all-to-all would have " + pairs
                + " flows", "give at most " + (int) Math.sqrt(MAX_FLOWS));
        }
        final int cells = Limits.cells(flowBytes, payloadBytes);
        final FlowSet flows = new FlowSet();
        for (int turn = 1; turn < endpoints; turn++) {
            for (int sender = 0; sender < endpoints; sender++) {
                flows.add(flows.size(), sender, (sender + turn) % endpoints, flowBytes, cells, 0);
            }
        }
        return flows;
    }
}
