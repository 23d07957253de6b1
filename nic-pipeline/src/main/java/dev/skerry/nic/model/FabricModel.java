package dev.skerry.nic.model;

import dev.skerry.dataplane.circuit.InFlightCells;
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

import java.lang.foreign.Arena;

/**
 * A whole fabric stepped slot by slot on one thread, whose every cell and node can be looked at: what golden vectors
 * are recorded from. The result is that of {@code LockStep}. No thread, no file, no JVM flag.
 */
public final class FabricModel implements AutoCloseable {
    private final FabricParts parts;
    private final CircuitFabric fabric;
    private final Assembly assembly;
    private final Bank bank;
    private final ArrivalMap circuits;
    private final long[] place = new long[1];
    private long slot;

    /**
     * A fabric before slot 0 in which nothing fails.
     *
     * @param parts what the fabric is put together from.
     * @param flows what is sent across it, in one traffic class.
     * @throws IllegalArgumentException if there are traffic classes.
     */
    public FabricModel(final FabricParts parts, final FlowSet flows) {
        if (flows.classes() > 1) {
            throw new IllegalArgumentException("a model has one traffic class: classes=" + flows.classes());
        }
        this.parts = parts;
        this.fabric = parts.fabric();
        this.assembly = new Assembly(Arena.ofShared(), parts, new Traffic(flows, Faults.NONE),
            Assembly.shares(fabric, 1), Math.max(2 * fabric.propagationSlots(), 2),
            (index, link) -> parts.scheduled(link), false);
        this.bank = assembly.bank(0);
        this.circuits = parts.scheduled(assembly.link());
    }

    /** One slot; {@link #sent} and {@link #received} then tell of it. */
    public void step() {
        bank.send(slot);
        bank.receive(slot);
        slot++;
    }

    /** The slot that is next. */
    public long slot() {
        return slot;
    }

    /** What a node sent in the slot just done. */
    public void sent(final int node, final NodeCells into) {
        for (int channel = 0; channel < fabric.channels(); channel++) {
            into.read(channel, assembly.link(), assembly.link().offset(slot - 1)
                + ((long) channel * fabric.nodes() + node) * InFlightCells.PLACE_BYTES);
        }
    }

    /** What a node received in the slot just done; idle where it is connected to no one, or nothing has come yet. */
    public void received(final int node, final NodeCells into) {
        into.clear();
        final long sentIn = slot - 1 - fabric.propagationSlots();
        for (int channel = 0; channel < fabric.channels() && sentIn >= 0; channel++) {
            circuits.arrivals(sentIn, channel, node, 1, place);
            if (place[0] != ArrivalMap.DARK) {
                into.read(channel, assembly.link(), place[0]);
            }
        }
    }

    /** The inside of a node. */
    public NodeProbes probes(final int node) {
        return parts.probes(bank, node);
    }

    /** The value of a counter, over all nodes. */
    public long count(final NicCounter counter) {
        return bank.count(counter);
    }

    /** Whether every one of its flows is complete. */
    public boolean isDone(final FlowSet flows) {
        return bank.count(NicCounter.FLOWS_COMPLETED) == flows.size();
    }

    @Override
    public void close() {
        assembly.close();
    }
}
