package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.flow.FlowSet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Vectors of nodes in a run: in each slot the words that a node receives and sends on each channel, and its state after
 * the slot. With the received words as stimulus, RTL of the node must produce the other values.
 */
public final class NodeVectors extends FabricVectors {
    private static final String[] WORDS = {"route", "cell", "feedback"};

    private final int[] nodes;
    private final List<NodeProbes> probes = new ArrayList<>();
    /** By node: numbers of its signals. */
    private final List<int[]> numbers = new ArrayList<>();

    /**
     * Creates the vectors of nodes from slot 0 on.
     *
     * @param fabric fabric of the run.
     * @param flows  flows of the run.
     * @param nodes  traced nodes.
     * @param range  traced slots.
     * @param unitPs length of a slot in ps.
     * @param asked  names on the command line; the ones that no other signal has name details of nodes
     *               ({@link NodeProbes#details}). Null for no details.
     */
    public NodeVectors(final CircuitFabric fabric, final FlowSet flows, final int[] nodes, final SlotRange range,
        final long unitPs, final String asked) {
        super(fabric, flows, range, unitPs);
        this.nodes = nodes.clone();
        for (final int node : nodes) {
            final NodeProbes inside = model.probes(node);
            final List<Signal> signals = new ArrayList<>();
            addCells(signals, "rx", fabric.channels());
            addCells(signals, "tx", fabric.channels());
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
        for (final int number : numbers.get(scope)) {
            values[at++] = inside.value(number);
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
