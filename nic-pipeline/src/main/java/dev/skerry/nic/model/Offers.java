package dev.skerry.nic.model;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;

/** Flows that come while a model runs. The thread that steps the models of the set. */
public final class Offers {
    private Offers() {
    }

    /**
     * Appends a flow to an open set.
     *
     * @param next  the next slot of the model.
     * @param start first slot in which the flow's first cell may be sent.
     * @return its index.
     * @throws IllegalArgumentException if the set is not open or full, the flow starts before {@code next} or the flow
     *     before it, or there is no such flow.
     */
    public static int add(final FlowSet flows, final CircuitFabric fabric, final long next, final long start,
        final int source, final int destination, final int cells) {
        final int endpoints = fabric.population().endpoints();
        if (!flows.isOpen()) {
            throw new IllegalArgumentException("the flows of this model are all known beforehand: open a set of flows");
        }
        if (start < next) {
            throw new IllegalArgumentException("a flow starts in the next slot or later: start=" + start + " next="
                + next);
        }
        if (Math.min(source, destination) < 0 || Math.max(source, destination) >= endpoints) {
            throw new IllegalArgumentException("no such endpoint: source=" + source + " destination=" + destination
                + " endpoints=" + endpoints);
        }
        flows.add(flows.size(), source, destination, Long.MAX_VALUE, cells, start);
        return flows.size() - 1;
    }
}
