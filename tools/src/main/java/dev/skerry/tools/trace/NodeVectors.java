package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.flow.FlowSet;

import java.util.ArrayList;
import java.util.List;

/**
 * Vectors of nodes in a run: in each slot the words that a node receives and sends on each channel, and its state after
 * the slot. With the received words as stimulus, RTL of the node must produce the other values.
 */
public final class NodeVectors extends FabricVectors {
    private static final String[] WORDS = {"route", "cell", "feedback"};

    private final int[] nodes;
    private final List<NodeProbes> probes = new ArrayList<>();

    /**
     * Creates the vectors of nodes from slot 0 on.
     *
     * @param fabric fabric of the run.
     * @param flows  flows of the run.
     * @param nodes  traced nodes.
     * @param range  traced slots.
     * @param unitPs length of a slot in ps.
     */
    public NodeVectors(final CircuitFabric fabric, final FlowSet flows, final int[] nodes, final SlotRange range,
        final long unitPs) {
        super(fabric, flows, range, unitPs);
        this.nodes = nodes.clone();
        for (final int node : nodes) {
            final NodeProbes inside = model.probes(node);
            final List<Signal> signals = new ArrayList<>();
            addCells(signals, "rx", fabric.channels());
            addCells(signals, "tx", fabric.channels());
            signals.addAll(inside.signals());
            probes.add(inside);
            scopes.add(new Scope("node" + node, signals));
        }
    }

    private static void addCells(final List<Signal> signals, final String direction, final int channels) {
        for (int channel = 0; channel < channels; channel++) {
            for (final String word : WORDS) {
                signals.add(new Signal(direction + channel + "_" + word, Long.SIZE));
            }
        }
    }

    @Override
    public void read(final int scope, final long[] values) {
        model.received(nodes[scope], cells);
        int at = put(values, 0);
        model.sent(nodes[scope], cells);
        at = put(values, at);
        final NodeProbes inside = probes.get(scope);
        final int count = values.length - at;
        for (int i = 0; i < count; i++) {
            values[at + i] = inside.value(i);
        }
    }

    private int put(final long[] values, final int from) {
        int at = from;
        for (int channel = 0; channel < cells.channels(); channel++) {
            values[at++] = cells.route(channel);
            values[at++] = cells.cell(channel);
            values[at++] = cells.feedback(channel);
        }
        return at;
    }
}
