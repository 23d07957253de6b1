package dev.skerry.tools.trace;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.ShoalControl;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Schedule;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.FabricKind;

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
            alone[scope] = new NodeModel(FabricKind.partsOf(fabric), flows, faults, nodes[scope]);
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

    /** How the cell on a channel of a node stands in a vector. One thread. */
    private interface ChannelSignals {
        /**
         * The hop that a cell is on.
         *
         * @param sentIn slot in which it was sent.
         * @param sender node that sends it, -1 if there is none.
         * @param peer   node that receives it, -1 if there is none.
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
         * Puts a channel of a node's cells into a vector.
         *
         * @param from index of its first value.
         * @return index after its last value.
         */
        int put(Way way, int channel, NodeCells cells, long[] values, int from);

        /**
         * A cell on a channel as signals of a vector. One thread.
         *
         * @param messageWords words of a message between nodes, 0 where other words hold it.
         */
        record CellSignals(int messageWords) implements ChannelSignals {
            private static final String[] WORDS = {"route", "cell", "feedback"};
            /** Where nodes of Shoal tell each other of failures. */
            static final int OF_SHOAL = ShoalControl.BYTES / Long.BYTES;

            @Override
            public void name(final String channel, final List<Signal> signals) {
                for (final String word : WORDS) {
                    signals.add(new Signal(channel + "_" + word, Long.SIZE));
                }
                for (int word = 0; word < messageWords; word++) {
                    signals.add(new Signal(channel + "_message" + word, Long.SIZE));
                }
            }

            @Override
            public int put(final Way way, final int channel, final NodeCells cells, final long[] values,
                final int from) {
                values[from] = cells.route(channel);
                values[from + 1] = cells.cell(channel);
                values[from + 2] = cells.feedback(channel);
                final long[] message = messageWords == 0 ? null : cells.message(channel);
                for (int word = 0; word < messageWords; word++) {
                    values[from + WORDS.length + word] = message == null ? 0 : message[word];
                }
                return from + WORDS.length + messageWords;
            }
        }

        /**
         * A cell on a channel as the bytes of a described header, eight in a signal, the first byte most significant,
         * after the state of the slot: 0 a cell, 1 a dummy, 2 nothing, 3 a cell that came damaged; the last two have a
         * header of zeros. Payloads are not known; a CRC that covers them covers zeros. One thread.
         */
        final class HeaderSignals implements ChannelSignals {
            private static final int DAMAGED = 3;
            private static final int STATE_BITS = 2;
            private static final int PAYLOAD_BYTES = 56;

            private final HeaderDescription header;
            private final CircuitFabric fabric;
            private final CellNames names;
            private final byte[] payload;

            HeaderSignals(final HeaderDescription header, final CircuitFabric fabric, final FlowSet flows) {
                this.header = header;
                this.fabric = fabric;
                this.names = CellNames.of(flows, fabric.population());
                this.payload = new byte[isShale() ? 0 : PAYLOAD_BYTES];
            }

            /**
             * Checks that the largest numbers of the fabric have room.
             *
             * @param guards whether nodes tell each other of failures.
             * @throws InputException if they have not.
             */
            void checkRoom(final boolean guards) {
                final int last = fabric.nodes() - 1;
                final int phases = switch (fabric) {
                    case final Shale shale -> shale.schedule().phases();
                    case final Interleaved all ->
                        all.fabrics().stream().mapToInt(each -> each.schedule().phases()).max()
                        .orElseThrow();
                    default -> 1;
                };
                final int token = !isShale() ? ShaleToken.NONE
                    : ShaleToken.of(guards ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN, last, phases - 1);
                values(new DescribedCell(SlotState.CELL, last, last, 0, phases - 1, phases - 1, last, last, token,
                    token));
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

            private boolean isShale() {
                return fabric instanceof Shale || fabric instanceof Interleaved;
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

            private byte[] bytes(final Way way, final int channel, final NodeCells cells) {
                final long route = cells.route(channel);
                final long[] values = values(cells.state(channel) == SlotState.CELL
                    ? cell(way, route, cells.cell(channel), cells.feedback(channel))
                    : dummy(way, cells.feedback(channel)));
                if (!isShale()) {
                    setReport(values, route, cells.feedback(channel));
                }
                return header.pack(values, payload);
            }

            private DescribedCell cell(final Way way, final long route, final long cell, final long feedback) {
                return new DescribedCell(SlotState.CELL, names.source(cell), names.destination(cell),
                    names.sequence(cell), isShale() ? Route.sprays(route) : DescribedCell.UNKNOWN, phase(way),
                    way.sender(), way.peer(), token((int) feedback), token((int) (feedback >>> Integer.SIZE)));
            }

            /** A dummy is from its sender to its sender, as in the headers of Shoal and Shale. */
            private DescribedCell dummy(final Way way, final long feedback) {
                return new DescribedCell(SlotState.DUMMY, way.sender(), way.sender(), 0, 0, phase(way), way.sender(),
                    way.peer(), token((int) feedback), token((int) (feedback >>> Integer.SIZE)));
            }

            private int phase(final Way way) {
                return fabric instanceof final Shale shale
                    ? shale.slotInEpoch(way.sentIn()) / shale.schedule().linksPerPhase() : DescribedCell.UNKNOWN;
            }

            /** A token of Shale; what tells of failures has its kind already. */
            private int token(final int half) {
                if (!isShale() || half == (int) InFlightCells.NO_FEEDBACK) {
                    return ShaleToken.NONE;
                }
                return FailureNotices.isToken(half) ? ShaleToken.of(Route.bucketDestination(half), Route.sprays(half))
                    : half;
            }

            private void setReport(final long[] values, final long route, final long feedback) {
                final long word = feedback == InFlightCells.NO_FEEDBACK ? 0 : feedback;
                set(values, "feedback", ReportWord.feedback(word));
                set(values, "lcd", ReportWord.isDropped(word) ? 1 : 0);
                set(values, "sop", route == InFlightCells.CONTROL ? 1 : 0);
                set(values, "class", InFlightCells.isCell(route) ? ClassedCell.trafficClass(route) : 0);
            }

            private void set(final long[] values, final String field, final long value) {
                final int at = header.indexOf(field);
                if (at >= 0) {
                    values[at] = value;
                }
            }
        }
    }
}
