package dev.skerry.nic.fabric;

import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;

/**
 * What happens to a fabric.
 *
 * @param flows  what is sent across it.
 * @param faults what goes wrong.
 * @param edges  where the cells of flows on demand come from and go to; else null.
 */
public record Traffic(FlowSet flows, Faults faults, Edges edges) {
    /** Flows whose cells the fabric makes itself. */
    public Traffic(final FlowSet flows, final Faults faults) {
        this(flows, faults, null);
    }

    /** Whether anything can fail. */
    public boolean mayFail() {
        return !faults.isEmpty();
    }
}
