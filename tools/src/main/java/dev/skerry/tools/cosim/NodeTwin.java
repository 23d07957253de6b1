package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Coverage;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import dev.skerry.tools.trace.NodeVectors;
import dev.skerry.tools.trace.WaveFields;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A single Shale or Shoal node, one slot per step. Words are those of {@link NodeCells} and of the vectors that {@code
 * skerry trace --node} writes. Probes are read after the slot.
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
 * With faults, a route of -4 is a message between nodes; with Shoal, -3 is a cell that arrived damaged. The message of
 * Shale is a probe in the cell word. With Shoal, each channel has seven more words, which contain the message or 0.
 */
final class NodeTwin implements Twin {
    /** Width of the signals that are counters; other signals are words. */
    private static final int COUNTER_BITS = 16;
    private static final int FIRST_WORD = 1;
    /** Words per channel, without those of a message. */
    private static final int WORDS = 3;

    private final CircuitFabric fabric;
    private final NodeChoice run;
    private final FlowSet flows;
    private final FollowRules limits;
    private final DeviceNode device;
    private final int messageWords;
    private final NodeModel model;
    private final NodeCells received;
    /** Numbers of the signals read after each slot. */
    private final int[] probes;
    /** Number of surplus tokens so far. */
    private long anomalies;
    /** Neighbours of the node; null unless rows are drawn. */
    private NodeStimulus.Neighbours neighbours;
    /** Follower that counts what the node exercises; null if coverage is off. */
    private FollowTwin watch;
    /** Input row of the follower, then its output row. */
    private MemorySegment watched;

    /**
     * Creates a node before slot 0.
     *
     * @param run    run that contains the node.
     * @param node   node id.
     * @param probes names of signals, separated by commas; {@code all} for all except details; empty for none.
     * @param start  first slot of the device, in the numbering of its fabric.
     * @param limits latencies and limits of the device.
     */
    NodeTwin(final NodeChoice run, final int node, final String probes, final long start,
        final FollowRules limits) {
        this.run = run;
        this.limits = limits;
        this.fabric = run.fabric();
        this.flows = run.flows();
        this.received = new NodeCells(fabric.channels());
        this.model = new NodeModel(FabricKind.partsOf(fabric), flows, run.faults(), node);
        this.messageWords = model.messageWords();
        final NodeProbes inside = model.probes();
        try {
            this.probes = Twin.probes(probes, inside.signals().size(), inside::indexOf);
            this.device = new DeviceNode(fabric, model, start, limits);
        } catch (final IllegalArgumentException e) {
            model.close();
            throw e;
        }
    }

    /**
     * Starts to count what the node exercises.
     *
     * @param follower follower of a device with the same flows and limits.
     */
    void watch(final FollowTwin follower) {
        final Names rows = follower.names();
        if (device.slot() > 0) {
            follower.beginAt(device.slot());
        }
        watch = follower;
        watched = MemorySegment.ofArray(new long[rows.inputs().length + rows.outputs().length]);
    }

    @Override
    public Coverage coverage() {
        return watch == null ? Twin.super.coverage() : watch.coverage();
    }

    private void watch(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final long side = (long) WORDS * fabric.channels() * Long.BYTES;
        MemorySegment.copy(in, inAt, watched, 0, Long.BYTES + side);
        MemorySegment.copy(out, outAt, watched, Long.BYTES + side, side);
        final long end = Long.BYTES + 2 * side;
        watched.set(ValueLayout.JAVA_LONG_UNALIGNED, end, Follower.UNTOLD);
        watch.step(watched, 0, watched, end + Long.BYTES);
    }

    private static NodeProbes.Signal signal(final NodeProbes inside, final int number) {
        final int count = inside.signals().size();
        return number < count ? inside.signals().get(number) : inside.details().get(number - count);
    }

    /**
     * Returns the neighbours, which from now on track every row.
     *
     * @throws IllegalArgumentException if rows cannot be drawn for such a node.
     */
    NodeStimulus.Neighbours neighbours() {
        if (neighbours == null) {
            final int further = limits.get(Setting.RECEIVE_FIRST) - limits.get(Setting.CELL_DELAY);
            neighbours = switch (fabric) {
                case final Shale shale when shale.mechanisms().endToEnd() == null ->
                    new ShaleNeighbours(shale, flows, model.node(), shale.propagationSlots() + further);
                case final Shoal shoal when further == 0 && run.faults().isEmpty() ->
                    new ShoalNeighbours(shoal, flows, model.node());
                default -> throw new IllegalArgumentException("rows are drawn for nodes of Shale without isd, rd and "
                    + "ndp, and for nodes of Shoal without faults that send before they receive");
            };
        }
        return neighbours;
    }

    /** Sets the slot to the next one, and removes what no neighbour could send in it. */
    @Override
    public void resolve(final MemorySegment in, final long inAt) {
        final NodeStimulus.Neighbours senders = neighbours();
        senders.receive(Words.get(in, inAt, FIRST_WORD), Words.get(in, inAt, FIRST_WORD + 1),
            Words.get(in, inAt, FIRST_WORD + 2));
        Words.set(in, inAt, 0, senders.slot, senders.route, senders.cell, senders.feedback);
    }

    @Override
    public void follow(final MemorySegment in, final MemorySegment answer) {
        neighbours().onStep(Words.get(answer, 0, 0), Words.get(answer, 0, 2));
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
        if (watch != null) {
            watch.beginAt(slot);
        }
        model.beginAt(slot);
    }

    @Override
    public long slot() {
        return device.slot();
    }

    @Override
    public WaveFields fields() {
        return new WaveFields(run.words(), CellNames.of(flows, fabric.population()));
    }

    @Override
    public byte[] save() {
        if (watch != null) {
            throw new IllegalArgumentException("a node with coverage=1 has no saved state");
        }
        return device.save();
    }

    @Override
    public void restore(final byte[] state) {
        device.restore(state);
        anomalies = model.count(NicCounter.TOKEN_ANOMALY);
    }

    @Override
    public void setDown(final boolean down) {
        if (watch != null) {
            watch.setDown(down);
        }
        model.setDown(down);
    }

    @Override
    public int offer(final long slot, final int source, final int destination, final int cells) {
        if (watch != null) {
            watch.offer(slot, source, destination, cells);
        }
        return run.offer(slot(), slot, source, destination, cells);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        return neighbours().stimulus(weights);
    }

    @Override
    public Names names() {
        final List<String> in = new ArrayList<>(List.of("slot"));
        in.addAll(words("rx"));
        final List<String> out = new ArrayList<>(words("tx"));
        Arrays.stream(probes).mapToObj(signal -> signal(model.probes(), signal).name()).forEach(out::add);
        return new Names(in, out);
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final long slot = Words.get(in, inAt, 0);
        read(in, inAt);
        model.check(slot, received);
        final NodeCells sent = device.step(slot, received);
        if (neighbours != null) {
            neighbours.onStep(sent.route(0), sent.feedback(0));
        }
        int at = write(out, outAt, sent);
        if (watch != null) {
            watch(in, inAt, out, outAt);
        }
        final NodeProbes inside = model.probes();
        for (final int probe : probes) {
            final long value = inside.value(probe);
            // Counters wrap as in the hardware; -1, which means no value, does not.
            final boolean wraps = signal(inside, probe).bits() == COUNTER_BITS && value >= 0;
            Words.set(out, outAt, at++, wraps ? value & (1L << limits.get(Setting.REGISTER_BITS)) - 1 : value);
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

    /** Names of the words of all channels. */
    private List<String> words(final String side) {
        return IntStream.range(0, fabric.channels()).boxed()
            .flatMap(channel -> NodeVectors.words(side + channel, messageWords).stream()).toList();
    }

    /** Reads what the node receives. */
    private void read(final MemorySegment in, final long inAt) {
        int at = FIRST_WORD;
        for (int channel = 0; channel < fabric.channels(); channel++) {
            final long route = Words.get(in, inAt, at++);
            final long cell = Words.get(in, inAt, at++);
            final long feedback = Words.get(in, inAt, at++);
            if (route == InFlightCells.SILENCE && feedback != InFlightCells.NO_FEEDBACK) {
                throw new IllegalArgumentException("nothing arrives, and carries feedback: feedback=0x"
                    + Long.toHexString(feedback));
            }
            if (messageWords > 0 && route == InFlightCells.CONTROL) {
                final long[] message = new long[messageWords];
                for (int word = 0; word < messageWords; word++) {
                    message[word] = Words.get(in, inAt, at + word);
                }
                received.setMessage(channel, feedback, message);
            } else {
                received.set(channel, route, cell, feedback);
            }
            at += messageWords;
        }
    }

    /** Writes what the node sends; returns where the next word goes. */
    private int write(final MemorySegment out, final long outAt, final NodeCells sent) {
        int at = 0;
        for (int channel = 0; channel < fabric.channels(); channel++) {
            Words.set(out, outAt, at, sent.route(channel), sent.cell(channel), sent.feedback(channel));
            final long[] message = messageWords == 0 ? null : sent.message(channel);
            Words.set(out, outAt, at + WORDS, message == null ? new long[messageWords] : message);
            at += WORDS + messageWords;
        }
        return at;
    }
}
