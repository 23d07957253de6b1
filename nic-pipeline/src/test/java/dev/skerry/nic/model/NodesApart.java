package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** All nodes of a fabric as models of their own: each receives what the others sent, and links lose and damage it. */
final class NodesApart implements AutoCloseable {
    final NodeModel[] nodes;
    private final CircuitFabric fabric;
    private final FaultyLinks links;
    private final Schedule schedule;
    /** By slot of the last ones and by node. */
    private final NodeCells[][] carried;
    private final NodeCells[] sent;
    private final List<NodeCells> received = new ArrayList<>();
    private long slot;

    NodesApart(final FabricParts parts, final FlowSet flows, final Faults faults) {
        this(parts, flows, faults, faults);
    }

    /** Nodes that are given other faults than their links. */
    NodesApart(final FabricParts parts, final FlowSet flows, final Faults ofNodes, final Faults ofLinks) {
        this.fabric = parts.fabric();
        this.schedule = fabric.schedule();
        this.links = new FaultyLinks(parts, ofLinks);
        this.nodes = new NodeModel[fabric.nodes()];
        this.sent = new NodeCells[nodes.length];
        this.carried = new NodeCells[fabric.propagationSlots() + 1][nodes.length];
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] = fabric.population().present(node) ? new NodeModel(parts, flows, ofNodes, node) : null;
            received.add(new NodeCells(fabric.channels()));
            sent[node] = new NodeCells(fabric.channels());
            for (final NodeCells[] row : carried) {
                row[node] = new NodeCells(fabric.channels());
            }
        }
    }

    /** Each node is another one from now on, which has taken its saved state. */
    void renew(final FabricParts parts, final FlowSet flows, final Faults faults) {
        for (int node = 0; node < nodes.length; node++) {
            if (nodes[node] != null) {
                final byte[] state = nodes[node].save();
                nodes[node].close();
                nodes[node] = new NodeModel(parts, flows, faults, node);
                nodes[node].restore(state);
            }
        }
    }

    /** Steps both, of which the second is renewed on the way; they stay equal. */
    static void goOnFromSavedStates(final NodesApart first, final NodesApart saved, final int slots,
        final Runnable renewal, final String what) {
        for (int slot = 0; slot < slots; slot++) {
            if (slot % 300 == 150) {
                renewal.run();
            }
            first.step();
            saved.step();
            for (int node = 0; node < first.nodes.length; node++) {
                assertEquals(first.carried(node), saved.carried(node), "slot=" + slot + " node=" + node + " " + what);
            }
        }
        assertEquals(first.digest(), saved.digest(), what);
    }

    /** What came to a node in the last slot. */
    NodeCells received(final int node) {
        return received.get(node);
    }

    /** What a node sent in the last slot. */
    NodeCells sent(final int node) {
        return sent[node];
    }

    /** What a node sent in the last slot, as far as it arrives. */
    NodeCells carried(final int node) {
        return carried[(int) ((slot - 1) % carried.length)][node];
    }

    void step() {
        links.turnTo(slot);
        for (int node = 0; node < nodes.length; node++) {
            final NodeCells into = carried[(int) (slot % carried.length)][node];
            if (nodes[node] != null) {
                sent[node].set(nodes[node].send(slot));
                links.carry(node, sent[node], into);
            } else {
                setNothing(into);
            }
        }
        for (int node = 0; node < nodes.length; node++) {
            receive(node, slot - fabric.propagationSlots());
            if (nodes[node] != null) {
                nodes[node].receive(received.get(node));
            }
        }
        slot++;
    }

    private static void setNothing(final NodeCells cells) {
        for (int channel = 0; channel < cells.channels(); channel++) {
            cells.setNothing(channel);
        }
    }

    private void receive(final int node, final long sentIn) {
        final NodeCells into = received.get(node);
        setNothing(into);
        if (sentIn < 0) {
            return;
        }
        final int inEpoch = schedule.slotInEpoch(sentIn);
        for (int channel = 0; channel < into.channels(); channel++) {
            final int sender = schedule.senderAt(node, channel, inEpoch);
            for (int of = 0; sender != Schedule.IDLE && of < into.channels(); of++) {
                if (schedule.peerAt(sender, of, inEpoch) == node) {
                    into.copy(channel, carried[(int) (sentIn % carried.length)][sender], of);
                }
            }
        }
    }

    /** Steps beside a whole fabric, cell by cell, and beside an engine; returns the nodes, to be closed. */
    static NodesApart equal(final CircuitFabric fabric, final FlowSet flows, final Faults faults, final long slots,
        final String what) {
        final FabricParts parts = Parts.of(fabric);
        final NodesApart apart = new NodesApart(parts, flows, faults);
        final NodeCells cells = new NodeCells(fabric.channels());
        try (FabricModel whole = new FabricModel(parts, flows, faults)) {
            while (apart.slot < slots) {
                apart.step();
                whole.step();
                for (int node = 0; node < fabric.nodes(); node++) {
                    whole.sent(node, cells);
                    assertEquals(cells, apart.carried(node), "sent in " + (apart.slot - 1) + " by " + node + " "
                        + what);
                    whole.received(node, cells);
                    assertEquals(cells, apart.received(node), "come in " + (apart.slot - 1) + " to " + node + " "
                        + what);
                }
            }
            apart.same(whole, what);
        }
        try (Engine engine = new LockStep(parts, flows, faults, 1, false)) {
            // An engine lets what is under way arrive.
            engine.run(slots - fabric.propagationSlots());
            assertEquals(engine.outcome().digest(), apart.digest(), what);
        }
        return apart;
    }

    private void same(final FabricModel whole, final String what) {
        assertEquals(whole.digest(), digest(), what);
        for (final NicCounter counter : List.of(NicCounter.CELLS_INJECTED, NicCounter.CELLS_FORWARDED,
            NicCounter.CELLS_DELIVERED, NicCounter.FLOWS_COMPLETED, NicCounter.NEIGHBOURS_DOWN,
            NicCounter.NEIGHBOURS_UP, NicCounter.PROBES_SENT, NicCounter.NOTICES_IGNORED, NicCounter.DROPPED_NODE_DOWN,
            NicCounter.CELLS_NOT_SENT)) {
            assertEquals(whole.count(counter), count(counter), counter + " " + what);
        }
    }

    long digest() {
        return Arrays.stream(nodes).filter(node -> node != null).mapToLong(NodeModel::digest).sum();
    }

    long count(final NicCounter counter) {
        return Arrays.stream(nodes).filter(node -> node != null).mapToLong(node -> node.count(counter)).sum();
    }

    @Override
    public void close() {
        for (final NodeModel node : nodes) {
            if (node != null) {
                node.close();
            }
        }
    }
}
