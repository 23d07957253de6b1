package dev.skerry.nic.model;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NoPayload;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * One node of a Shale or Shoal fabric on its own, to put beside RTL: {@code step(slot, received) -> sent}. It is a bank
 * of one node over the stages that every run goes through, so what holds for a run holds for it. It needs no JVM flag,
 * no thread and no file; a JVM that is not told {@code --enable-native-access} says so once on standard error.
 *
 * <p>In a slot a node sends first and receives then: what is sent depends on what came in slots before. The cell
 * received in slot s is the one put on the fabric propagation slots earlier, whose slot decides its place in the
 * schedule; there is none before.
 *
 * <p>All nodes of a fabric know the same flows, as the cell word names one; only those that start here are sent from
 * here. One thread at a time. Any number of models may live in a process.
 */
public final class NodeModel implements AutoCloseable {
    private final Arena arena;
    private final CircuitFabric fabric;
    private final int node;
    private final InFlightCells link;
    private final Bank bank;
    private final StateImage image;
    private final NodeProbes probes;
    private final NodeCells sent;
    private long slot;

    /** Received cells lie in the row of the link that this slot's are not sent from. */
    private record Received(InFlightCells link, int nodes) implements ArrivalMap {
        @Override
        public void arrivals(final long sentIn, final int channel, final int firstId, final int count,
            final long[] places) {
            for (int i = 0; i < count; i++) {
                places[i] = place(link, nodes, channel, firstId + i, 1);
            }
        }
    }

    /**
     * A node before slot 0.
     *
     * @param parts  what the fabric is put together from.
     * @param flows  of all nodes, of one traffic class.
     * @param node   which node.
     * @throws IllegalArgumentException if the fabric has no such node, or it is absent, or there are traffic classes.
     */
    public NodeModel(final FabricParts parts, final FlowSet flows, final int node) {
        final CircuitFabric fabric = parts.fabric();
        if (node < 0 || node >= fabric.nodes() || !fabric.population().present(node)) {
            throw new IllegalArgumentException("no such node: node=" + node + " nodes=" + fabric.nodes());
        }
        if (flows.classes() > 1) {
            throw new IllegalArgumentException("a single node has one traffic class: classes=" + flows.classes());
        }
        this.arena = Arena.ofShared();
        this.fabric = fabric;
        this.node = node;
        this.link = new InFlightCells(arena, fabric.cellsInSlot(), 2);
        final Bank.Ends ends = new Bank.Ends(flows, new FlowTable(arena, flows), link,
            new Received(link, fabric.nodes()), new NoPayload());
        this.bank = parts.banks(arena, new Traffic(flows, Faults.NONE), link, 2).of(new NodeRange(node, node + 1),
            ends);
        this.probes = parts.probes(bank, 0);
        this.sent = new NodeCells(fabric.channels());
        this.image = new StateImage(this, arena, NodeModel::isConstant);
    }

    private static boolean isConstant(final Object value) {
        return value instanceof CircuitFabric || value instanceof FlowSet || value instanceof Faults
            || value instanceof StateImage || value instanceof NodeProbes;
    }

    /** Offset of the words of a node; row 0 is that of even slots of the sender, row 1 of what is received. */
    private static long place(final InFlightCells link, final int nodes, final int channel, final int id,
        final long row) {
        return link.offset(row) + ((long) channel * nodes + id) * InFlightCells.PLACE_BYTES;
    }

    /**
     * One slot.
     *
     * @param now      the slot: 0 first, then one after the other.
     * @param received what arrives in it, looked at in this call only; ignored before the propagation delay is over.
     * @return what the node sends in it, overwritten by the next step.
     * @throws IllegalArgumentException if it is another slot's turn, or the fabric has not as many channels.
     * @throws IllegalStateException    if what arrives breaks a law of the fabric, such as a token never spent.
     */
    public NodeCells step(final long now, final NodeCells received) {
        if (now != slot) {
            throw new IllegalArgumentException("slots come one after another: slot=" + now + " next=" + slot);
        }
        if (received.channels() != sent.channels()) {
            throw new IllegalArgumentException("channels must be " + sent.channels() + ": channels="
                + received.channels());
        }
        bank.send(now);
        for (int channel = 0; channel < sent.channels(); channel++) {
            sent.read(channel, link, place(link, fabric.nodes(), channel, node, now));
            final long at = place(link, fabric.nodes(), channel, node, 1);
            link.send(at, received.route(channel), received.cell(channel), received.feedback(channel));
        }
        bank.receive(now);
        slot = now + 1;
        return sent;
    }

    /** Which node. */
    public int node() {
        return node;
    }

    /** The slot that is next. */
    public long slot() {
        return slot;
    }

    /** The value of a counter. */
    public long count(final NicCounter counter) {
        return bank.count(counter);
    }

    /** What is inside, between steps. */
    public NodeProbes probes() {
        return probes;
    }

    /** Everything that decides how it goes on, as bytes; of use to an equal model in any process. */
    public byte[] save() {
        return image.save();
    }

    /**
     * Goes back, or on, to a state.
     *
     * @param state what {@link #save} of a model of the same fabric, flows and node returned.
     * @throws IllegalArgumentException if it is damaged or that of another model.
     */
    public void restore(final byte[] state) {
        image.restore(state);
    }

    /** What differs between two saved states of equal models, the first value of each field and table. */
    public static List<StateImage.Difference> differences(final byte[] first, final byte[] second) {
        return StateImage.differences(first, second);
    }

    @Override
    public void close() {
        arena.close();
    }
}
