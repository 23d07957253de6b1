package dev.skerry.tools.trace;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.schedule.Schedule;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.trace.VectorSource.Scope;
import dev.skerry.tools.trace.VectorSource.Selection;
import dev.skerry.tools.trace.VectorSource.SlotRange;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Vectors of nodes in a run: in each slot the words that a node receives and sends on each channel, and its state after
 * the slot. With the received words as stimulus, RTL of the node must produce the other values. With faults, the sent
 * words are those that leave the node, and the received words are those that survive on the link. Cells may be bytes of
 * a header instead of words.
 */
public final class NodeVectors extends FabricVectors {
    private static final List<String> WORDS = List.of("_route", "_cell", "_feedback");
    private final int[] nodes;
    private final Schedule schedule;
    private final int propagationSlots;
    private final ChannelSignals channels;
    private final WaveFields fields;
    /** With faults, the nodes without the fabric, and the cells that they sent last; otherwise empty. */
    private final NodeModel[] alone;
    private final NodeCells[] sent;
    private final List<NodeProbes> probes = new ArrayList<>();
    /** Numbers of the signals, by node. */
    private final List<int[]> numbers = new ArrayList<>();

    /**
     * Creates the vectors of nodes from slot 0 on.
     *
     * @param choice fabric of the run.
     * @param flows flows of the run.
     * @param faults faults of the run.
     * @param header header of the cells; null for words.
     * @param nodes traced nodes.
     * @param range traced slots.
     * @param unitPs length of a slot in ps.
     * @param asked names on the command line; names that match no other signal are details of nodes
     *              ({@link NodeProbes#details}). Null for no details.
     */
    public NodeVectors(final FabricChoice choice, final FlowSet flows, final Faults faults,
        final HeaderDescription header, final int[] nodes, final SlotRange range, final long unitPs,
        final String asked) {
        super(choice.circuits(), flows, faults, range, unitPs);
        final CircuitFabric fabric = choice.circuits();
        this.nodes = nodes.clone();
        this.schedule = fabric.schedule();
        this.propagationSlots = fabric.propagationSlots();
        this.alone = new NodeModel[faults.isEmpty() ? 0 : nodes.length];
        this.sent = new NodeCells[alone.length];
        Arrays.setAll(alone, scope -> new NodeModel(FabricKind.partsOf(fabric), flows, faults, nodes[scope]));
        Arrays.setAll(sent, scope -> new NodeCells(fabric.channels()));
        this.fields = header != null ? null
            : new WaveFields(choice.words(), CellNames.of(flows, fabric.population()));
        this.channels = header != null ? new ChannelSignals.HeaderSignals(header, choice.words(),
            CellNames.of(flows, fabric.population()), fabric.nodes() - 1, alone.length > 0)
            : new ChannelSignals.CellSignals(alone.length == 0 ? 0 : alone[0].messageWords());
        for (int scope = 0; scope < nodes.length; scope++) {
            final int node = nodes[scope];
            final NodeProbes inside = alone.length == 0 ? model.probes(node) : alone[scope].probes();
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

    /** Returns the names of the words of a cell on a channel, and of a message in its place. */
    public static List<String> words(final String channel, final int messageWords) {
        return Stream.concat(WORDS.stream(), IntStream.range(0, messageWords).mapToObj(word -> "_message" + word))
            .map(word -> channel + word).toList();
    }

    /** Returns the details that match a name which matches none of the signals. */
    private static int[] details(final NodeProbes inside, final List<Signal> signals, final String scope,
        final String asked) {
        final List<Pattern> patterns = asked == null ? List.of() : Arrays.stream(asked.split(","))
            .map(Selection::pattern)
            .filter(pattern -> signals.stream().noneMatch(signal -> Selection.matches(pattern, scope, signal)))
            .toList();
        return patterns.isEmpty() ? new int[0] : IntStream.range(0, inside.details().size())
            .filter(i -> patterns.stream()
                .anyMatch(pattern -> Selection.matches(pattern, scope, inside.details().get(i))))
            .toArray();
    }

    @Override
    public WaveFields fields() {
        return fields;
    }

    @Override
    void step() {
        super.step();
        for (int scope = 0; scope < alone.length; scope++) {
            model.received(nodes[scope], cells);
            sent[scope].set(alone[scope].step(time(), cells));
        }
    }

    @Override
    public void close() {
        super.close();
        Arrays.stream(alone).forEach(NodeModel::close);
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
        final NodeCells out = alone.length == 0 ? cells : sent[scope];
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

    /** The signals of the cell on a channel of a node. Not thread-safe. */
    private interface ChannelSignals {
        /**
         * The hop that a cell is on.
         *
         * @param sentIn slot in which it was sent.
         * @param sender node that sends it, -1 if there is none.
         * @param peer node that receives it, -1 if there is none.
         */
        record Way(long sentIn, int sender, int peer) {
        }

        /**
         * Appends the signals of a channel.
         *
         * @param channel its name, such as {@code rx0}.
         */
        void name(String channel, List<Signal> signals);

        /**
         * Writes a channel of a node's cells into a vector.
         *
         * @param from index of its first value.
         * @return index after its last value.
         */
        int put(Way way, int channel, NodeCells cells, long[] values, int from);

        /**
         * A cell on a channel as signals of a vector. Not thread-safe.
         *
         * @param messageWords words of a message between nodes, 0 if other words contain it.
         */
        record CellSignals(int messageWords) implements ChannelSignals {
            @Override
            public void name(final String channel, final List<Signal> signals) {
                words(channel, messageWords).forEach(word -> signals.add(new Signal(word, Long.SIZE)));
            }

            @Override
            public int put(final Way way, final int channel, final NodeCells cells, final long[] values,
                final int from) {
                values[from] = cells.route(channel);
                values[from + 1] = cells.cell(channel);
                values[from + 2] = cells.feedback(channel);
                final long[] message = messageWords == 0 ? null : cells.message(channel);
                for (int word = 0; word < messageWords; word++) {
                    values[from + WORDS.size() + word] = message == null ? 0 : message[word];
                }
                return from + WORDS.size() + messageWords;
            }
        }

        /**
         * A cell on a channel as the bytes of a described header, eight per signal, the first byte most significant,
         * after the state of the slot: 0 a cell, 1 a dummy, 2 empty, 3 a cell that arrived damaged; the last two have a
         * header of zeros. Payloads are unknown; a CRC over a payload is computed over zeros. Not thread-safe.
         */
        final class HeaderSignals implements ChannelSignals {
            private static final int DAMAGED = 3;
            private static final int STATE_BITS = 2;
            private final HeaderDescription header;
            private final LinkWords words;
            private final CellNames names;
            private final byte[] payload;

            /**
             * Checks that the header has room for the largest numbers of the fabric.
             *
             * @param last the last node.
             * @param guards whether nodes notify each other of failures.
             * @throws InputException if it does not.
             */
            HeaderSignals(final HeaderDescription header, final LinkWords words, final CellNames names, final int last,
                final boolean guards) {
                this.header = header;
                this.words = words;
                this.names = names;
                this.payload = new byte[words.payloadBytes()];
                values(words.largest(plain(SlotState.CELL, last, last, 0, new Way(0, last, last)), guards));
            }

            private static DescribedCell plain(final SlotState state, final int source, final int destination,
                final int sequence, final Way way) {
                return new DescribedCell(state, source, destination, sequence, DescribedCell.UNKNOWN,
                    DescribedCell.UNKNOWN, way.sender(), way.peer(), ShaleToken.NONE, ShaleToken.NONE);
            }

            private long[] values(final DescribedCell cell) {
                try {
                    return header.values(cell);
                } catch (final IllegalArgumentException e) {
                    throw new InputException("--header", header.name(), e.getMessage(),
                        "widen the field, or trace a smaller "
                        + "fabric");
                }
            }

            @Override
            public void name(final String channel, final List<Signal> signals) {
                signals.add(new Signal(channel + "_state", STATE_BITS));
                for (int from = 0; from < header.bytes(); from += Long.BYTES) {
                    signals.add(new Signal(channel + "_header" + from / Long.BYTES,
                        Byte.SIZE * Math.min(Long.BYTES, header.bytes() - from)));
                }
            }

            @Override
            public int put(final Way way, final int channel, final NodeCells cells, final long[] values,
                final int from) {
                final boolean isDamaged = cells.route(channel) == InFlightCells.DAMAGED;
                final SlotState state = cells.state(channel);
                values[from] = isDamaged ? DAMAGED : state.ordinal();
                final byte[] bytes = isDamaged || state == SlotState.NOTHING ? new byte[header.bytes()]
                    : bytes(way, channel, cells);
                int at = from + 1;
                for (int i = 0; i < bytes.length; i += Long.BYTES) {
                    long word = 0;
                    for (int k = i; k < Math.min(i + Long.BYTES, bytes.length); k++) {
                        word = word << Byte.SIZE | bytes[k] & 0xFF;
                    }
                    values[at++] = word;
                }
                return at;
            }

            /** A dummy is from its sender to its sender, as in the headers of Shoal and Shale. */
            private byte[] bytes(final Way way, final int channel, final NodeCells cells) {
                final long route = cells.route(channel);
                final long cell = cells.cell(channel);
                final long feedback = cells.feedback(channel);
                final DescribedCell plain = cells.state(channel) == SlotState.CELL
                    ? plain(SlotState.CELL, names.source(cell), names.destination(cell), names.sequence(cell), way)
                    : plain(SlotState.DUMMY, way.sender(), way.sender(), 0, way);
                final long[] values = values(words.described(plain, way.sentIn(), route, feedback));
                words.complete(header, values, route, feedback);
                return header.pack(values, payload);
            }
        }
    }
}
