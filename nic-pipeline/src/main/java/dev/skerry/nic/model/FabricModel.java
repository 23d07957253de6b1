package dev.skerry.nic.model;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Assembly;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;


/**
 * A whole fabric that a caller steps slot by slot on one thread. Every cell and every node can be inspected, so golden
 * vectors are recorded from it. The result equals that of {@code LockStep}. No threads, files or JVM flags.
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
    private long slot;

    /**
     * Creates a fabric before slot 0, without faults.
     *
     * @param parts parts of the fabric.
     * @param flows its traffic, in one class.
     * @throws IllegalArgumentException if there are traffic classes.
     */
    public FabricModel(final FabricParts parts, final FlowSet flows) {
        if (flows.classes() > 1) {
            throw new IllegalArgumentException("a model has one traffic class: classes=" + flows.classes());
        }
        this.parts = parts;
        this.flows = flows;
        this.fabric = parts.fabric();
        this.assembly = new Assembly(new CountedArena(), parts, new Traffic(flows, Faults.NONE),
            Assembly.shares(fabric, 1), Math.max(2 * fabric.propagationSlots(), 2),
            (index, link) -> parts.scheduled(link), false);
        this.bank = assembly.bank(0);
        this.circuits = parts.scheduled(assembly.link());
        this.connected = new SlotCircuits(fabric);
    }

    /**
     * A flow comes while the model runs, as if it had been known beforehand; see {@code NodeModel}.
     *
     * @return the flow's index.
     */
    public int offer(final long start, final int source, final int destination, final int cells) {
        return Offers.add(flows, fabric, slot, start, source, destination, cells);
    }

    /** Runs one slot. {@link #sent} and {@link #received} then describe it. */
    public void step() {
        bank.send(slot);
        bank.receive(slot);
        slot++;
    }

    /** The next slot. */
    public long slot() {
        return slot;
    }

    /** Copies what a node sent in the last slot: nothing if it is absent or connected to no one. */
    public void sent(final int node, final NodeCells into) {
        for (int channel = 0; channel < fabric.channels(); channel++) {
            into.read(channel, assembly.link(), assembly.link().offset(slot - 1)
                + ((long) channel * fabric.nodes() + node) * InFlightCells.PLACE_BYTES);
            if (into.state(channel) == SlotState.DUMMY && !connected.sends(node, channel, slot - 1)) {
                into.setNothing(channel);
            }
        }
    }

    /**
     * Copies what a node received in the last slot: nothing before the first propagation delay has passed, and where it
     * is connected to no one or to an absent node.
     */
    public void received(final int node, final NodeCells into) {
        final long sentIn = slot - 1 - fabric.propagationSlots();
        for (int channel = 0; channel < fabric.channels(); channel++) {
            into.setNothing(channel);
            if (connected.receives(node, channel, sentIn)) {
                circuits.arrivals(sentIn, channel, node, 1, place);
                into.read(channel, assembly.link(), place[0]);
            }
        }
    }

    /** The signals inside a node. */
    public NodeProbes probes(final int node) {
        return parts.probes(bank, node);
    }

    /** The digest of all deliveries, that of a run. */
    public long digest() {
        return bank.deliveries().digest();
    }

    /** The value of a counter, summed over all nodes. */
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
}
