package dev.skerry.tools.run;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.tools.input.InputException;

import java.nio.file.Path;
import java.util.List;

/**
 * The nodes of a fabric that traffic can use where the first ones have failed, as in the simulator of Shoal's authors.
 * In all other fabrics, every endpoint. Immutable.
 *
 * @param failed nodes 0 to failed - 1 never answer.
 * @param count  of the nodes behind them.
 */
record Survivors(int failed, int count) {
    static Survivors of(final Fabric fabric) {
        final int failed = fabric instanceof final Shoal shoal ? shoal.failedNodes() : 0;
        return new Survivors(failed, fabric.population().endpoints() - failed);
    }

    /** Flows that were made for as many nodes as survive, between those. */
    FlowSet numbered(final FlowSet flows) {
        return failed == 0 ? flows : renumbered(flows, failed);
    }

    /**
     * The flows of a trace between survivors, as that simulator takes them.
     *
     * @param remarks gets a line if others are left out.
     * @throws InputException if none is left.
     */
    FlowSet among(final FlowSet flows, final Path trace, final List<String> remarks) {
        if (failed == 0) {
            return flows;
        }
        final FlowSet left = renumbered(flows, 0);
        if (left.size() == 0) {
            throw new InputException("--failed-nodes", Integer.toString(failed),
                "every flow of " + trace + " has a failed node at one end", "fail fewer nodes");
        }
        if (left.size() < flows.size()) {
            remarks.add("skerry: warning: trace: " + trace + ": a failed node is at one end, flows left out: "
                + (flows.size() - left.size()));
        }
        return left;
    }

    /** The flows between nodes that survive once their numbers have grown. */
    private FlowSet renumbered(final FlowSet flows, final int by) {
        final FlowSet result = new FlowSet();
        for (int flow = 0; flow < flows.size(); flow++) {
            final int source = flows.source(flow) + by;
            final int destination = flows.destination(flow) + by;
            if (source >= failed && destination >= failed) {
                result.add(flows.id(flow), source, destination, flows.bytes(flow), flows.cells(flow),
                    flows.startSlot(flow));
                result.setClass(flows.trafficClass(flow));
            }
        }
        return result;
    }
}
