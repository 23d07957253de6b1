package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.tools.run.CircuitParts;

import java.util.ArrayList;
import java.util.List;

/**
 * Vectors of nodes in a run: in each slot the words that a node receives and sends on each channel, and its state after
 * the slot. With the received words as stimulus, RTL of the node must produce the other values.
 */
public final class NodeVectors implements VectorSource {
    private static final String[] WORDS = {"route", "cell", "feedback"};

    private final FabricModel model;
    private final FlowSet flows;
    private final int[] nodes;
    private final SlotRange range;
    private final long unitPs;
    private final NodeCells cells;
    private final List<NodeProbes> probes = new ArrayList<>();
    private final List<Scope> scopes = new ArrayList<>();

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
        this.model = new FabricModel(CircuitParts.of(fabric), flows);
        this.flows = flows;
        this.nodes = nodes.clone();
        this.range = range;
        this.unitPs = unitPs;
        this.cells = new NodeCells(fabric.channels());
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
    public List<Scope> scopes() {
        return scopes;
    }

    @Override
    public boolean next() {
        return range.advance(model, flows);
    }

    @Override
    public long time() {
        return model.slot() - 1;
    }

    @Override
    public long unitPs() {
        return unitPs;
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

    @Override
    public void close() {
        model.close();
    }
}
