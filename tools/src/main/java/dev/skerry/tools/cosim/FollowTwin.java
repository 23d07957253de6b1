package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Coverage;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FirstSlots;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.follow.Payloads;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.FabricKind.Device;
import dev.skerry.tools.run.NodeChoice;
import dev.skerry.tools.trace.NodeVectors;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Follower of a node of another design, one slot per step; with {@code faults} or {@code failures}, of a node that
 * handles failures. Words are those of {@link NodeTwin}; a route of -2 is an empty slot.
 *
 * <pre>
 *   in    slot | received route, cell, feedback, three words per channel | sent, three words per channel | joined
 *         with messages of Shoal: | seven words of a message after the three words of each channel
 *         with payload: | received payload or a digest of it, per channel | sent, per channel
 *   out   findings so far | findings of this slot | law | link | destination | sprays | held | open
 *         joined   link that the arriving cell joins, -1 if it is unknown or the words of the cell determine it
 *         law      of the first finding of this slot, -1 for none: 0 schedule, 1 route, 2 token, 3 order,
 *                  4 capacity, 5 conservation, 6 payload; then its link and bucket, -1 for none
 * </pre>
 */
final class FollowTwin implements Twin {
    private static final int CELL_WORDS = 3;
    /** Names of the words of an output row. */
    static final List<String> OUTPUTS = List.of("findings", "new", "law", "link", "destination", "sprays",
        "held", "open");

    private final FindingLog log;
    private final FirstSlots first = new FirstSlots();
    /** Whether the follower started at slot 0. */
    private boolean isWhole = true;
    /** Number of findings when the explanation was computed last, and the explanation. */
    private long explained;
    private String explanation = "";
    private final Follower follower;
    private final NodeChoice run;
    private final CellNames names;
    private final int node;
    /** Fault script; null if the device does not handle failures. */
    private final FaultState script;
    private boolean down;
    private final int channels;
    /** Words per channel, including those of a message. */
    private final int words;
    /** Payloads of in-flight cells; null if rows have no payloads. */
    private final Payloads payloads;
    private final NodeCells received;
    private final NodeCells sent;

    /**
     * Creates a follower before slot 0.
     *
     * @param run   run that contains the node.
     * @param node  node id.
     * @param limit maximum number of findings that are listed.
     * @param payload whether rows have payloads.
     */
    FollowTwin(final NodeChoice run, final int node, final FollowRules rules, final int limit, final boolean payload) {
        this.run = run;
        this.payloads = payload ? new Payloads() : null;
        this.log = new FindingLog(limit);
        final CircuitFabric fabric = run.fabric();
        this.names = CellNames.of(run.flows(), fabric.population());
        this.node = node;
        this.script = run.faults().isEmpty() ? null : run.faults().state(fabric.nodes());
        this.follower = FabricKind.followerOf(new Device(fabric, names, node, rules, script != null), log);
        this.channels = fabric.channels();
        this.words = CELL_WORDS + follower.messageWords();
        this.received = new NodeCells(channels);
        this.sent = new NodeCells(channels);
    }

    @Override
    public Names names() {
        final List<String> inputs = new ArrayList<>(List.of("slot"));
        for (final String side : List.of("rx", "tx")) {
            for (int channel = 0; channel < channels; channel++) {
                inputs.addAll(NodeVectors.words(side + (channels == 1 ? "" : channel), follower.messageWords()));
            }
        }
        inputs.add("joined");
        for (final String side : payloads == null ? List.<String>of() : List.of("rx", "tx")) {
            for (int channel = 0; channel < channels; channel++) {
                inputs.add(side + (channels == 1 ? "" : channel) + "_payload");
            }
        }
        return new Names(inputs, OUTPUTS);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        throw new IllegalArgumentException("a follower needs a device to follow");
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final int joined = Words.intOf(in, inAt, 1 + 2 * words * channels, "joined", Follower.UNTOLD,
            follower.links() - 1);
        read(in, inAt, 1, received);
        read(in, inAt, 1 + words * channels, sent);
        final long before = log.total();
        final long slot = Words.get(in, inAt, 0);
        playScript(slot);
        for (int channel = 0; payloads != null && channel < channels; channel++) {
            final int at = 2 + 2 * words * channels + channel;
            final boolean late = follower.receivesFirst();
            checkPayload(late ? received : sent, channel, Words.get(in, inAt, late ? at : at + channels), slot);
            checkPayload(late ? sent : received, channel, Words.get(in, inAt, late ? at + channels : at), slot);
        }
        follower.step(slot, received, sent, joined);
        if (isWhole) {
            first.keep(new NodeCells[] {sent}, new NodeCells[] {received}, log);
        }
        write(out, outAt, log, before, follower.held(), follower.open());
    }

    /**
     * Writes an output row.
     *
     * @param before number of findings before this slot.
     */
    static void write(final MemorySegment out, final long outAt, final FindingLog log, final long before,
        final int held, final int open) {
        final Finding last = log.after(before);
        final Finding.Bucket bucket = last == null ? null : last.bucket();
        Words.set(out, outAt, 0, log.total(), log.total() - before, last == null ? -1 : last.law().ordinal(),
            last == null ? -1 : last.link(), bucket == null ? -1 : bucket.destination(),
            bucket == null ? -1 : bucket.sprays(), held, open);
    }

    private void checkPayload(final NodeCells cells, final int channel, final long payload, final long slot) {
        final long cell = cells.cell(channel);
        if (!InFlightCells.isCell(cells.route(channel)) || !names.exists(cell)) {
            return;
        }
        final Payloads.Change change = payloads.see(names, cell, payload, node, slot);
        if (change != null) {
            follower.refuse(channel, Law.PAYLOAD, change.expected(), change.seen());
        }
        if (cells == sent || names.destination(cell) == node) {
            payloads.forget(cell);
        }
    }

    /** Stops and restarts the device as its fault script specifies. */
    private void playScript(final long slot) {
        if (script != null && slot == follower.slot()) {
            script.turnTo(slot);
            if (script.isDown(node) != down) {
                setDown(!down);
            }
        }
    }

    @Override
    public void setDown(final boolean isDown) {
        if (isDown == down) {
            throw new IllegalArgumentException("the device is " + (down ? "down" : "up") + " already");
        }
        follower.setDown(isDown);
        down = isDown;
    }

    private void read(final MemorySegment in, final long inAt, final int first, final NodeCells into) {
        for (int channel = 0; channel < channels; channel++) {
            final int at = first + words * channel;
            final long feedback = Words.get(in, inAt, at + 2);
            into.set(channel, Words.get(in, inAt, at), Words.get(in, inAt, at + 1), feedback);
            if (into.route(channel) == InFlightCells.CONTROL && words > CELL_WORDS) {
                into.setMessage(channel, feedback, LongStream.range(at + CELL_WORDS, at + words)
                    .map(word -> Words.get(in, inAt, (int) word)).toArray());
            }
        }
    }

    @Override
    public NodeRegisters registers() {
        return follower.registers();
    }

    @Override
    public void beginAt(final long slot) {
        if (follower.slot() != 0 || slot < 0) {
            throw new IllegalArgumentException("only a new model can begin at a slot: first=" + slot + " slot="
                + follower.slot());
        }
        follower.beginAt(slot);
        isWhole = false;
    }

    @Override
    public long slot() {
        return follower.slot();
    }

    @Override
    public int offer(final long slot, final int source, final int destination, final int cells) {
        return run.offer(follower.slot(), slot, source, destination, cells);
    }

    @Override
    public Coverage coverage() {
        return follower.coverage();
    }

    @Override
    public String report() {
        if (log.total() >= 2 * explained && log.total() > 0) {
            explained = log.total();
            explanation = first.explain(follower.others());
        }
        return log.text() + explanation;
    }

    @Override
    public long reported() {
        return log.total();
    }
}
