package dev.skerry.tools.trace;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Schedule;
import dev.skerry.tools.run.CircuitParts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Vectors of nodes in a run: in each slot the words that a node receives and sends on each channel, and its state after
 * the slot. With the received words as stimulus, RTL of the node must produce the other values. With faults, what a
 * node sends is what leaves it, and what it receives is what is left on the way. Cells may stand as bytes of a header
 * in place of words.
 */
public final class NodeVectors extends FabricVectors {
    private final int[] nodes;
    private final Schedule schedule;
    private final int propagationSlots;
    private final ChannelSignals channels;
    /** With faults: the nodes alone, and what they sent last; else null. */
    private final NodeModel[] alone;
    private final NodeCells[] sent;
    private final List<NodeProbes> probes = new ArrayList<>();
    /** By node: numbers of its signals. */
    private final List<int[]> numbers = new ArrayList<>();

    /**
     * Creates the vectors of nodes from slot 0 on.
     *
     * @param fabric fabric of the run.
     * @param flows  flows of the run.
     * @param faults of the run.
     * @param header in which cells stand, null for words.
     * @param nodes  traced nodes.
     * @param range  traced slots.
     * @param unitPs length of a slot in ps.
     * @param asked  names on the command line; the ones that no other signal has name details of nodes
     *               ({@link NodeProbes#details}). Null for no details.
     */
    public NodeVectors(final CircuitFabric fabric, final FlowSet flows, final Faults faults,
        final HeaderDescription header, final int[] nodes, final SlotRange range, final long unitPs,
        final String asked) {
        super(fabric, flows, faults, range, unitPs);
        this.nodes = nodes.clone();
        this.schedule = fabric.schedule();
        this.propagationSlots = fabric.propagationSlots();
        this.channels = header != null ? headers(header, fabric, flows, !faults.isEmpty())
            : new ChannelSignals.CellSignals(fabric instanceof Shoal && !faults.isEmpty()
                ? ChannelSignals.CellSignals.OF_SHOAL : 0);
        this.alone = faults.isEmpty() ? null : new NodeModel[nodes.length];
        this.sent = new NodeCells[nodes.length];
        for (int scope = 0; alone != null && scope < nodes.length; scope++) {
            alone[scope] = new NodeModel(CircuitParts.of(fabric), flows, faults, nodes[scope]);
            sent[scope] = new NodeCells(fabric.channels());
        }
        for (int scope = 0; scope < nodes.length; scope++) {
            final int node = nodes[scope];
            final NodeProbes inside = alone == null ? model.probes(node) : alone[scope].probes();
            final List<Signal> signals = new ArrayList<>();
            for (final String direction : List.of("rx", "tx")) {
                for (int channel = 0; channel < fabric.channels(); channel++) {
                    channels.name(direction + channel, signals);
                }
            }
            signals.addAll(inside.signals());
            final int[] details = details(inside, signals, "node" + node, asked);
            for (final int detail : details) {
                signals.add(inside.details().get(detail));
            }
            numbers.add(IntStream.concat(IntStream.range(0, inside.signals().size()), Arrays.stream(details)
                .map(detail -> inside.signals().size() + detail)).toArray());
            probes.add(inside);
            scopes.add(new Scope("node" + node, signals));
        }
    }

    private static ChannelSignals.HeaderSignals headers(final HeaderDescription header, final CircuitFabric fabric,
        final FlowSet flows, final boolean guards) {
        final ChannelSignals.HeaderSignals signals = new ChannelSignals.HeaderSignals(header, fabric, flows);
        signals.checkRoom(guards);
        return signals;
    }

    /** The details that the names match which match none of the signals. */
    private static int[] details(final NodeProbes inside, final List<Signal> signals, final String scope,
        final String asked) {
        final List<Pattern> patterns = asked == null ? List.of() : Arrays.stream(asked.split(","))
            .map(SelectedSignals::pattern)
            .filter(pattern -> signals.stream().noneMatch(signal -> matches(pattern, scope, signal))).toList();
        return patterns.isEmpty() ? new int[0] : IntStream.range(0, inside.details().size())
            .filter(i -> patterns.stream().anyMatch(pattern -> matches(pattern, scope, inside.details().get(i))))
            .toArray();
    }

    private static boolean matches(final Pattern pattern, final String scope, final Signal signal) {
        return pattern.matcher(signal.name()).matches() || pattern.matcher(scope + "." + signal.name()).matches();
    }

    @Override
    void step() {
        super.step();
        for (int scope = 0; alone != null && scope < nodes.length; scope++) {
            model.received(nodes[scope], cells);
            sent[scope].set(alone[scope].step(time(), cells));
        }
    }

    @Override
    public void close() {
        super.close();
        for (int scope = 0; alone != null && scope < nodes.length; scope++) {
            alone[scope].close();
        }
    }

    @Override
    public void read(final int scope, final long[] values) {
        final int node = nodes[scope];
        final long sentIn = Math.max(time() - propagationSlots, 0);
        final int then = schedule.slotInEpoch(sentIn);
        model.received(node, cells);
        int at = 0;
        for (int channel = 0; channel < cells.channels(); channel++) {
            at = channels.put(new ChannelSignals.Way(sentIn, schedule.senderAt(node, channel, then), node), channel,
                cells, values, at);
        }
        model.sent(node, cells);
        final NodeCells out = alone == null ? cells : sent[scope];
        final int now = schedule.slotInEpoch(time());
        for (int channel = 0; channel < out.channels(); channel++) {
            at = channels.put(new ChannelSignals.Way(time(), node, schedule.peerAt(node, channel, now)), channel, out,
                values, at);
        }
        final NodeProbes inside = probes.get(scope);
        for (final int number : numbers.get(scope)) {
            values[at++] = inside.value(number);
        }
    }
}
