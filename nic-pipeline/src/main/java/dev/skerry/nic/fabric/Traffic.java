package dev.skerry.nic.fabric;

import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;

/**
 * What a fabric has to carry and to survive.
 *
 * @param flows  the flows.
 * @param faults the faults.
 * @param edges  where cells of flows on demand enter and leave; null without such flows.
 */
public record Traffic(FlowSet flows, Faults faults, Edges edges) {
    /** Traffic whose cells the fabric makes itself. */
    public Traffic(final FlowSet flows, final Faults faults) {
        this(flows, faults, null);
    }

    /** Whether the plan has any faults. */
    public boolean mayFail() {
        return !faults.isEmpty();
    }
}
