package dev.skerry.nic.model;

import dev.skerry.nic.Parts;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.control.Mechanisms;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Fabrics to record, and the record of one of their nodes. */
final class Recorded {
    final CircuitFabric fabric;
    final FlowSet flows;
    final int node;
    final List<NodeCells> received = new ArrayList<>();
    final List<NodeCells> sent = new ArrayList<>();
    final List<long[]> signals = new ArrayList<>();

    private int inFabric = -1;

    private Recorded(final CircuitFabric fabric, final FlowSet flows, final int node) {
        this.fabric = fabric;
        this.flows = flows;
        this.node = node;
    }

    static CircuitFabric shale(final int propagation) {
        return Parts.shale(2, 4, Mechanisms.HBH_SPRAY, 2, propagation, 7);
    }

    static CircuitFabric shoal(final int propagation, final int channels) {
        return Parts.shoal(8, channels, propagation);
    }

    /** An endless flow from each node, and short flows that start in [0, slots). */
    static FlowSet flows(final int nodes, final long slots, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < nodes; node++) {
            flows.add(node, node, (node + 1 + random.nextInt(nodes - 1)) % nodes, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        for (long slot = 0; slot < slots; slot += 40) {
            final int from = random.nextInt(nodes);
            final int cells = 1 + random.nextInt(30);
            flows.add(flows.size(), from, (from + 1 + random.nextInt(nodes - 1)) % nodes, cells * 240L, cells, slot);
        }
        return flows;
    }

    static Recorded of(final CircuitFabric fabric, final int slots, final int node) {
        final Recorded record = new Recorded(fabric, flows(fabric.nodes(), slots, 11), node);
        try (FabricModel model = new FabricModel(Parts.of(fabric), record.flows)) {
            final NodeProbes probes = model.probes(node);
            for (int slot = 0; slot < slots; slot++) {
                model.step();
                final NodeCells in = new NodeCells(fabric.channels());
                final NodeCells out = new NodeCells(fabric.channels());
                model.received(node, in);
                model.sent(node, out);
                record.received.add(in);
                record.sent.add(out);
                record.signals.add(record.values(probes));
            }
        }
        return record;
    }

    /** The values of the signals that a node of a fabric has too: all but the counters, which come last. */
    long[] values(final NodeProbes probes) {
        if (inFabric < 0) {
            inFabric = probes.signals().size();
        }
        final long[] values = new long[inFabric];
        for (int i = 0; i < values.length; i++) {
            values[i] = probes.value(i);
        }
        return values;
    }

    NodeModel model() {
        return new NodeModel(Parts.of(fabric), flows, node);
    }
}
