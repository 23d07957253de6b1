package dev.skerry.nic.model;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.dataplane.queue.Ranking;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.fabric.PipelineState;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.model.FabricModel.SlotCircuits;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Single node of a Shale or Shoal fabric, for comparison with RTL: {@code step(slot, received) -> sent}. The model is a
 * bank of one node that executes the same stages as every run, so results of runs apply to it. It needs no threads,
 * files or JVM flags. Without {@code --enable-native-access}, the JVM prints one warning on standard error.
 *
 * <p>In each slot the node first sends and then receives, so what it sends depends on earlier slots only. The cell
 * received in slot s was sent one propagation delay earlier; the sending slot determines its position in the schedule.
 * Nothing arrives before the first propagation delay has passed.
 *
 * <p>All models of a fabric must know the same flows, because a cell word names its flow by index. A model sends only
 * the flows that start at its node. Flows can be added to an {@linkplain FlowSet#open open} set while the model runs.
 *
 * <p>A node with faults handles failures as in a run with faults. It detects them as a device does, from missing cells
 * and from the reports of its neighbours, and reports failures to its neighbours in its own cells. It stops and starts
 * as its faults or {@link #setDown} specify. The cells are returned as they leave the node; {@link FaultyLinks} applies
 * the loss and damage on the links.
 *
 * <p>One thread at a time; any number of models may exist in a process.
 */
public final class NodeModel implements AutoCloseable {
    /** Maximum cell word of a Shale message. */
    private static final long MOST_PROBE = (1L << 40) - 1;

    private final Arena arena;
    private final CircuitFabric fabric;
    private final int node;
    private final InFlightCells link;
    private final Bank bank;
    private final StateImage image;
    private final SlotCircuits connected;
    private final NodeProbes probes;
    private final NodeCells sent;
    private final FlowSet flows;
    private final FabricParts parts;
    private final FabricParts.Banks banks;
    private long slot;
    private boolean isFresh = true;
    /** Whether the first half of the current slot has been executed. */
    private boolean isSent;
    private final Faults faults;

    /**
     * Locates the received cells in row 1 of the link, where they are written after the node's own cells have been
     * read.
     */
    private record Received(InFlightCells link, int nodes) implements ArrivalMap {
        @Override
        public void arrivals(final long sentIn, final int channel, final int firstId, final int count,
            final long[] places) {
            for (int i = 0; i < count; i++) {
                places[i] = place(link, nodes, channel, firstId + i, 1);
            }
        }
    }

    /** Creates a node of a fabric without faults. */
    public NodeModel(final FabricParts parts, final FlowSet flows, final int node) {
        this(parts, flows, Faults.NONE, node);
    }

    /**
     * Creates a node before slot 0.
     *
     * @param parts  parts of the fabric.
     * @param flows  flows of all nodes.
     * @param faults faults of the whole run; {@code Faults.NONE.ofNode()} for a node that handles failures although
     *               none are scheduled.
     * @param node   id of the node.
     * @throws IllegalArgumentException if the fabric has no such node, the node is absent, the fabric does not support
     *     the traffic classes or faults, or {@link FabricParts#checkNode} refuses.
     */
    public NodeModel(final FabricParts parts, final FlowSet flows, final Faults faults, final int node) {
        final CircuitFabric fabric = parts.fabric();
        Bounds.refuseIf(node < 0 || node >= fabric.nodes() || !fabric.population().present(node), "no such node: node=",
            node, " nodes=", fabric.nodes());
        this.faults = faults.isEmpty() ? Faults.NONE : faults.ofNode();
        this.faults.state(fabric.nodes());
        final Traffic traffic = new Traffic(flows, this.faults);
        parts.checkNode();
        parts.check(traffic);
        this.arena = Arena.ofShared();
        this.parts = parts;
        this.flows = flows;
        this.fabric = fabric;
        this.node = node;
        this.link = new InFlightCells(arena, fabric.cellsInSlot(), 2);
        final Bank.Ends ends = new Bank.Ends(flows, new FlowTable(arena, flows), link,
            new Received(link, fabric.nodes()), new NoPayload());
        this.banks = parts.banks(arena, traffic, link, 2);
        this.bank = banks.of(new NodeRange(node, node + 1), ends);
        this.probes = parts.probes(bank, 0);
        this.sent = new NodeCells(fabric.channels());
        this.connected = new SlotCircuits(fabric);
        this.image = new StateImage(this, arena, (PipelineState) NodeModel::isConstant);
    }

    private static boolean isConstant(final Object of) {
        return of instanceof CircuitFabric || of instanceof FlowSet || of instanceof Faults || of instanceof Ranking
            || of instanceof StateImage || of instanceof NodeProbes || of instanceof FabricParts
            || of instanceof FabricParts.Banks || of instanceof PipelineState.Constant;
    }

    /** Returns the offset of the words of a node. The node sends in row slot mod 2; received cells are in row 1. */
    private static long place(final InFlightCells link, final int nodes, final int channel, final int id,
        final long row) {
        return link.offset(row) + ((long) channel * nodes + id) * InFlightCells.PLACE_BYTES;
    }

    /** Number of words in a message between nodes that handle failures; 0 if the cell word holds the message. */
    public int messageWords() {
        final MemorySegment message = bank.message(place(link, fabric.nodes(), 0, node, 0));
        return message == null ? 0 : (int) (message.byteSize() / Long.BYTES);
    }

    /**
     * Checks words that arrive at the node. {@link #step} does not check them: it trusts that a node sent them.
     *
     * @param now the slot in which the node receives it.
     * @throws IllegalArgumentException if no node of the fabric can send the words; the message names the wrong word.
     */
    public void check(final long now, final NodeCells received) {
        final long sentIn = Math.max(now - fabric.propagationSlots(), 0);
        for (int channel = 0; channel < received.channels(); channel++) {
            final long route = received.route(channel);
            final long cell = received.cell(channel);
            final long feedback = received.feedback(channel);
            final boolean isDamaged = route == InFlightCells.DAMAGED && !faults.isEmpty() && parts.readIfDamaged() != 0;
            if (route == InFlightCells.CONTROL && !faults.isEmpty()) {
                require(messageWords() > 0 || cell >= 0 && cell <= MOST_PROBE, "not a probe: cell", cell);
            } else if (route != InFlightCells.NO_CELL && route != InFlightCells.SILENCE && !isDamaged) {
                require(InFlightCells.isCell(route) && banks.isRoute(sentIn, route),
                    "not a route word of this fabric: route", route);
                final int flow = Cell.flow(cell);
                require(flow >= 0 && flow < flows.size() && Cell.sequence(cell) >= 0
                    && Cell.sequence(cell) < flows.cells(flow), "not a cell of a flow: flows=" + flows.size() + " cell",
                    cell);
            }
            require(feedback == InFlightCells.NO_FEEDBACK || banks.isFeedback(sentIn, feedback),
                "not a feedback word of this fabric: feedback", feedback);
        }
    }

    private static void require(final boolean holds, final String otherwise, final long word) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise + "=0x" + Long.toHexString(word));
        }
    }

    /**
     * Runs one slot.
     *
     * @param now      the slot: 0 first, then consecutive slots.
     * @param received what arrives in this slot: cells, dummies or nothing. Without faults, nothing has the same effect
     *                 as a dummy without feedback. Read during this call only; ignored before the first propagation
     *                 delay has passed.
     * @return what the node sends in this slot, overwritten by the next step: a cell or a dummy, or nothing on a
     *     channel without a circuit. With faults, a node that is down or probes a link may also send nothing.
     * @throws IllegalArgumentException if {@code now} is not the next slot, or the number of channels is not the
     *     fabric's.
     * @throws IllegalStateException if {@code received} violates a law of the fabric, for example by a token that was
     *     never spent.
     */
    public NodeCells step(final long now, final NodeCells received) {
        if (received.channels() != sent.channels()) {
            throw new IllegalArgumentException("channels must be " + sent.channels() + ": channels="
                + received.channels());
        }
        send(now);
        receive(received);
        return sent;
    }

    /**
     * Executes the first half of a slot, for test benches that do not yet know what arrives. Returns what the node
     * sends, as {@link #step}.
     *
     * @throws IllegalArgumentException if {@code now} is not the next slot, or the last one has no second half yet.
     */
    public NodeCells send(final long now) {
        if (now != slot || isSent) {
            throw new IllegalArgumentException("slots must be consecutive: slot=" + now + " next="
                + (isSent ? slot + 1 : slot) + (isSent ? ", and the last one has not received" : ""));
        }
        isFresh = false;
        isSent = true;
        bank.send(now);
        for (int channel = 0; channel < sent.channels(); channel++) {
            final long at = place(link, fabric.nodes(), channel, node, now);
            sent.read(channel, link, at, bank.message(at));
            if (sent.state(channel) == SlotState.DUMMY && !connected.sends(node, channel, now)) {
                sent.setNothing(channel);
            }
        }
        return sent;
    }

    /**
     * Executes the second half of a slot with what arrives, as in {@link #step}. Call {@link #send} for the slot
     * before.
     */
    public void receive(final NodeCells received) {
        if (!isSent) {
            throw new IllegalArgumentException("a slot must begin with sending: slot=" + slot);
        }
        for (int channel = 0; channel < sent.channels(); channel++) {
            final long at = place(link, fabric.nodes(), channel, node, 1);
            received.write(channel, link, at, bank.message(at));
        }
        bank.receive(slot);
        isSent = false;
        slot++;
    }

    /**
     * Adds a flow of this node while the model runs, see {@link #offer(long, int, int, int)}; its destination is an
     * endpoint.
     */
    public int offer(final long start, final int destination, final int cells) {
        return offer(start, fabric.population().endpointOf(node), destination, cells);
    }

    /**
     * Adds a flow while the model runs, with the same effect as a flow that was known in advance. Models that share an
     * open set all receive the flow. Models with separate sets must be offered all flows of the fabric, in the same
     * order.
     *
     * @param start       first slot in which its first cell may be sent: the next slot or later, and not before the
     *                    start of the flow offered last.
     * @param source      sending endpoint.
     * @param destination receiving endpoint.
     * @param cells       at least 1, or {@link FlowSet#ENDLESS}.
     * @return the flow's index, by which cell words name it.
     * @throws IllegalArgumentException if the set is not open or full, or there is no such flow.
     */
    public int offer(final long start, final int source, final int destination, final int cells) {
        return flows.offer(fabric.population().endpoints(), slot, start, source, destination, cells);
    }

    /**
     * Stops the node, which loses all its cells and state, or restarts it, from the next slot on.
     *
     * @throws IllegalArgumentException if the node has no faults, or is already in this state.
     */
    public void setDown(final boolean down) {
        faults.add(new Fault.Node(isSent ? slot + 1 : slot, node, !down));
    }

    /**
     * Starts at a slot other than 0, before the first step. The caller then sets the cells that the node holds and the
     * tokens that it has spent and owes in {@link #registers()}.
     *
     * @param first the first slot to be stepped.
     * @throws IllegalArgumentException if the model has been stepped, or the fabric has no registers.
     */
    public void beginAt(final long first) {
        Bounds.refuseIf(!isFresh || slot != 0 || first < 0, "only a new model can begin at a slot: first=", first,
            " slot=", slot);
        registers().begin(first);
        slot = first;
    }

    /**
     * Registers that determine what the node will send, by name. Access them between steps; fails if the fabric has no
     * registers.
     */
    public NodeRegisters registers() {
        return parts.registers(bank, 0);
    }

    /** Returns the node's share of the digest of all deliveries. */
    public long digest() {
        return bank.deliveries().digest();
    }

    /** Id of the node. */
    public int node() {
        return node;
    }

    /** The next slot. */
    public long slot() {
        return slot;
    }

    public long count(final NicCounter counter) {
        return bank.count(counter);
    }

    /** Returns the internal signals of the node; read them between steps. */
    public NodeProbes probes() {
        return probes;
    }

    /**
     * Returns the whole state as bytes, which an equal model in any process can restore.
     *
     * @throws IllegalArgumentException after {@link #setDown}.
     */
    public byte[] save() {
        checkNoneAdded();
        return image.save();
    }

    private void checkNoneAdded() {
        Bounds.refuseIf(faults.hasAdded(),
            "the state of a node that was stopped by a call cannot be saved, write its stops into its faults: "
                + "node=", node);
    }

    /**
     * Restores a saved state.
     *
     * @param state result of {@link #save} of a model with the same fabric, flows and node.
     * @throws IllegalArgumentException if the state is damaged or belongs to another model, or the node was stopped by
     * {@link #setDown}.
     */
    public void restore(final byte[] state) {
        checkNoneAdded();
        image.restore(state);
    }

    /**
     * Returns the differences between two saved states of equal models: the first differing value of each field and
     * table.
     */
    public static List<StateImage.Difference> differences(final byte[] first, final byte[] second) {
        return StateImage.differences(first, second);
    }

    @Override
    public void close() {
        arena.close();
    }
}
