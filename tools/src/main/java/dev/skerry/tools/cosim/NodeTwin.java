package dev.skerry.tools.cosim;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Shale;
import dev.skerry.tools.run.CircuitParts;
import dev.skerry.tools.run.NodeChoice;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Shale or Shoal node on its own, one slot per step. Words are those of {@link NodeCells} and of the vectors that
 * {@code skerry trace --node} writes. Probes are read after the slot.
 *
 * <pre>
 *   in    slot | route 0 | cell 0 | feedback 0 | route 1 | ...              received, three words per channel
 *   out          route 0 | cell 0 | feedback 0 | route 1 | ... | probes     sent, three words per channel
 *         slot     ascends by 1 from 0
 *         route    -1: a dummy; -2: nothing, which has no feedback; the cell word is then ignored in inputs and 0 in
 *                  outputs
 *         feedback -1: none
 * </pre>
 *
 * With faults a route of -4 is a message between nodes, and -3, of Shoal, a cell that came damaged. The cell word of -4
 * is the probe of Shale; of Shoal each channel has seven words more, which hold its message, or 0.
 */
final class NodeTwin implements Twin {
    private static final String ALL = "all";
    /** Of a signal that counts; others are words. */
    private static final int COUNTER_BITS = 16;
    private static final int FIRST_WORD = 1;

    private final CircuitFabric fabric;
    private final NodeChoice run;
    private final FlowSet flows;
    private final NodeLimits limits;
    private final DeviceNode device;
    private final NodeRows rows;
    private final NodeModel model;
    private final NodeCells received;
    /** Numbers of the signals read after each slot. */
    private final int[] probes;
    /** Tokens too many of the slots so far. */
    private long anomalies;
    /** Null unless rows are drawn. */
    private ShaleNeighbours neighbours;
    private final String[] inputs;
    private final String[] outputs;

    /**
     * Creates a node before slot 0.
     *
     * @param run    run that has the node.
     * @param node   node id.
     * @param probes names of signals, separated by commas; {@code all} for all that are no details; empty for none.
     * @param timing how the device counts.
     * @param limits what it has room for.
     */
    NodeTwin(final NodeChoice run, final int node, final String probes, final DeviceNode.Timing timing,
        final NodeLimits limits) {
        this.run = run;
        this.limits = limits;
        this.fabric = run.fabric();
        this.flows = run.flows();
        this.rows = new NodeRows(fabric, flows, !run.faults().isEmpty());
        this.received = new NodeCells(fabric.channels());
        this.model = new NodeModel(CircuitParts.of(fabric), flows, run.faults(), node);
        final NodeProbes inside = model.probes();
        try {
            this.probes = numbers(inside, probes);
            this.device = new DeviceNode(fabric, model, timing, limits);
        } catch (final IllegalArgumentException e) {
            model.close();
            throw e;
        }
        final List<String> in = new ArrayList<>(List.of("slot"));
        final List<String> out = new ArrayList<>();
        rows.name("rx", in);
        rows.name("tx", out);
        Arrays.stream(this.probes).mapToObj(signal -> signal(inside, signal).name()).forEach(out::add);
        this.inputs = in.toArray(String[]::new);
        this.outputs = out.toArray(String[]::new);
    }

    private static int[] numbers(final NodeProbes inside, final String names) {
        return names.equals(ALL) ? IntStream.range(0, inside.signals().size()).toArray()
            : names.isEmpty() ? new int[0] : Arrays.stream(names.split(",")).mapToInt(inside::indexOf).toArray();
    }

    private static NodeProbes.Signal signal(final NodeProbes inside, final int number) {
        final int count = inside.signals().size();
        return number < count ? inside.signals().get(number) : inside.details().get(number - count);
    }

    FlowSet flows() {
        return flows;
    }

    int node() {
        return model.node();
    }

    /**
     * The neighbours, which follow every row from now on.
     *
     * @throws IllegalArgumentException if the node is not one of Shale with hop-by-hop or without congestion control.
     */
    ShaleNeighbours neighbours() {
        if (neighbours == null) {
            if (!(fabric instanceof final Shale shale) || shale.mechanisms().endToEnd() != null) {
                throw new IllegalArgumentException("rows are drawn for nodes of Shale without isd, rd and ndp only");
            }
            neighbours = new ShaleNeighbours(shale, flows, model.node());
        }
        return neighbours;
    }

    /** The slot follows the last one, and what no neighbour could send in it is taken out. */
    @Override
    public void resolve(final MemorySegment in, final long inAt) {
        final ShaleNeighbours senders = neighbours();
        senders.receive(Words.get(in, inAt, FIRST_WORD), Words.get(in, inAt, FIRST_WORD + 1),
            Words.get(in, inAt, FIRST_WORD + 2));
        Words.set(in, inAt, 0, senders.slot());
        Words.set(in, inAt, FIRST_WORD, senders.route());
        Words.set(in, inAt, FIRST_WORD + 1, senders.cell());
        Words.set(in, inAt, FIRST_WORD + 2, senders.feedback());
    }

    @Override
    public List<String> probes() {
        final NodeProbes inside = model.probes();
        return Stream.concat(inside.signals().stream(), inside.details().stream()).map(NodeProbes.Signal::name)
            .toList();
    }

    @Override
    public NodeRegisters registers() {
        return model.registers();
    }

    @Override
    public void beginAt(final long slot) {
        model.beginAt(slot);
    }

    @Override
    public long slot() {
        return device.slot();
    }

    @Override
    public void setDown(final boolean down) {
        model.setDown(down);
    }

    @Override
    public int offer(final long slot, final int source, final int destination, final int cells) {
        return run.offer(slot(), slot, source, destination, cells);
    }

    @Override
    public String[] inputs() {
        return inputs;
    }

    @Override
    public String[] outputs() {
        return outputs;
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final long slot = Words.get(in, inAt, 0);
        rows.read(in, inAt, FIRST_WORD, slot, received);
        final NodeCells sent = device.step(slot, received);
        if (neighbours != null) {
            neighbours.onStep(sent.route(0), sent.feedback(0));
        }
        int at = rows.write(out, outAt, sent);
        final NodeProbes inside = model.probes();
        for (final int probe : probes) {
            final long value = inside.value(probe);
            Words.set(out, outAt, at++, signal(inside, probe).bits() == COUNTER_BITS ? limits.wrapped(value) : value);
        }
        if (model.count(NicCounter.TOKEN_ANOMALY) > anomalies) {
            anomalies = model.count(NicCounter.TOKEN_ANOMALY);
            throw new IllegalStateException("surplus token, which the node ignored: it had not spent what came back: "
                + "slot=" + slot + " node=" + model.node());
        }
    }

    @Override
    public void close() {
        model.close();
    }
}
