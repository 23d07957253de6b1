package dev.skerry.nic.model;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Assembly;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.Schedule;

import java.util.Arrays;

/**
 * A whole fabric that the caller steps slot by slot on one thread. Every cell and every node can be inspected; golden
 * vectors are recorded from this model. Its results equal those of {@code LockStep}. It needs no threads, files or JVM
 * flags.
 */
public final class FabricModel implements AutoCloseable {
    private final FabricParts parts;
    private final CircuitFabric fabric;
    private final Assembly assembly;
    private final Bank bank;
    private final ArrivalMap circuits;
    private final FlowSet flows;
    private final SlotCircuits connected;
    private final long[] place = new long[1];
    /**
     * What each node sent, by slot modulo the number of recent slots, then node; null without faults, when the link
     * retains it.
     */
    private final NodeCells[][] kept;
    private long slot;

    /** Creates a fabric without faults. */
    public FabricModel(final FabricParts parts, final FlowSet flows) {
        this(parts, flows, Faults.NONE);
    }

    /**
     * Creates a fabric before slot 0.
     *
     * @param parts  parts of the fabric.
     * @param flows  its traffic.
     * @param faults faults of the fabric.
     * @throws IllegalArgumentException if the fabric does not support the traffic classes or faults.
     */
    public FabricModel(final FabricParts parts, final FlowSet flows, final Faults faults) {
        parts.check(new Traffic(flows, faults));
        this.parts = parts;
        this.flows = flows;
        this.fabric = parts.fabric();
        this.assembly = new Assembly(new CountedArena(), parts, new Traffic(flows, faults),
            Assembly.shares(fabric, 1), Math.max(2 * fabric.propagationSlots(), 2),
            (index, link) -> parts.scheduled(link), false);
        this.bank = assembly.bank(0);
        this.circuits = parts.scheduled(assembly.link());
        this.connected = new SlotCircuits(fabric);
        this.kept = faults.isEmpty() ? null : new NodeCells[fabric.propagationSlots() + 1][fabric.nodes()];
        for (int row = 0; kept != null && row < kept.length; row++) {
            Arrays.setAll(kept[row], node -> new NodeCells(fabric.channels()));
        }
    }

    /**
     * Adds a flow while the model runs, with the same effect as a flow that was known in advance; see {@code
     * NodeModel}.
     *
     * @return the flow's index.
     */
    public int offer(final long start, final int source, final int destination, final int cells) {
        return flows.offer(fabric.population().endpoints(), slot, start, source, destination, cells);
    }

    /** Executes one slot. {@link #sent} and {@link #received} then describe it. */
    public void step() {
        bank.send(slot);
        for (int node = 0; kept != null && node < fabric.nodes(); node++) {
            final NodeCells row = kept[(int) (slot % kept.length)][node];
            for (int channel = 0; channel < fabric.channels(); channel++) {
                final long at = place(node, channel, slot);
                row.read(channel, assembly.link(), at, bank.message(at));
            }
        }
        bank.receive(slot);
        slot++;
    }

    private long place(final int node, final int channel, final long in) {
        return assembly.link().offset(in) + ((long) channel * fabric.nodes() + node) * InFlightCells.PLACE_BYTES;
    }

    /** Copies the content of a place of the link, as it was when it was sent. */
    private void read(final NodeCells into, final int channel, final long at, final long sentIn) {
        if (kept == null) {
            into.read(channel, assembly.link(), at, null);
            return;
        }
        final int index = assembly.link().handle(at) % fabric.cellsInSlot();
        into.copy(channel, kept[(int) (sentIn % kept.length)][index % fabric.nodes()], index / fabric.nodes());
    }

    /** The next slot. */
    public long slot() {
        return slot;
    }

    /**
     * Copies what a node sent in the last slot: nothing if it is absent or has no circuit. With faults, this is what
     * remains after loss and damage on the link.
     */
    public void sent(final int node, final NodeCells into) {
        for (int channel = 0; channel < fabric.channels(); channel++) {
            read(into, channel, place(node, channel, slot - 1), slot - 1);
            if (into.state(channel) == SlotState.DUMMY && !connected.sends(node, channel, slot - 1)) {
                into.setNothing(channel);
            }
        }
    }

    /**
     * Copies what a node received in the last slot: nothing before the first propagation delay has passed, and nothing
     * if no present node has a circuit to it.
     */
    public void received(final int node, final NodeCells into) {
        final long sentIn = slot - 1 - fabric.propagationSlots();
        for (int channel = 0; channel < fabric.channels(); channel++) {
            into.setNothing(channel);
            if (connected.receives(node, channel, sentIn)) {
                circuits.arrivals(sentIn, channel, node, 1, place);
                read(into, channel, place[0], sentIn);
            }
        }
    }

    /** Returns the internal signals of a node. */
    public NodeProbes probes(final int node) {
        return parts.probes(bank, node);
    }

    /** Returns the digest of all deliveries, which equals that of a run. */
    public long digest() {
        return bank.deliveries().digest();
    }

    /** Returns the value of a counter, summed over all nodes. */
    public long count(final NicCounter counter) {
        return bank.count(counter);
    }

    /** Whether all of these flows are complete. */
    public boolean isDone(final FlowSet flows) {
        return bank.count(NicCounter.FLOWS_COMPLETED) == flows.size();
    }

    @Override
    public void close() {
        assembly.close();
    }

    /**
     * Whether a node has circuits to a receiver and from a sender in a slot. A link without a circuit carries nothing.
     */
    record SlotCircuits(Schedule schedule, Population population) {
        SlotCircuits(final CircuitFabric fabric) {
            this(fabric.schedule(), fabric.population());
        }

        boolean sends(final int node, final int channel, final long slot) {
            return population.present(node)
                && schedule.peerAt(node, channel, schedule.slotInEpoch(slot)) != Schedule.IDLE;
        }

        /** Whether a node receives what was sent to it in a slot; false for slots before the first one. */
        boolean receives(final int node, final int channel, final long sentIn) {
            if (sentIn < 0) {
                return false;
            }
            final int sender = schedule.senderAt(node, channel, schedule.slotInEpoch(sentIn));
            return sender != Schedule.IDLE && population.present(sender);
        }
    }
}
