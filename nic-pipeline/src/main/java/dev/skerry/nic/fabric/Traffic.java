package dev.skerry.nic.fabric;

import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;

/**
 * The traffic and the faults of a run.
 *
 * @param flows  the flows.
 * @param faults the faults.
 * @param edges  entry and exit of cells of flows on demand; null without such flows.
 */
public record Traffic(FlowSet flows, Faults faults, Edges edges) {
    /** Traffic whose cells are created by the fabric itself. */
    public Traffic(final FlowSet flows, final Faults faults) {
        this(flows, faults, null);
    }

    /** Whether the plan has any faults. */
    public boolean mayFail() {
        return !faults.isEmpty();
    }
}
