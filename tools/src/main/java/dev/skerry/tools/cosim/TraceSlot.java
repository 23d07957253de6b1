package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;

import java.util.Arrays;
import java.util.List;

/** What all nodes sent and received in a slot of a trace. One thread. */
final class TraceSlot {
    static final int UNKNOWN = -1;

    final long slot;
    final NodeCells[] sent;
    final NodeCells[] received;
    /** By node: the neighbour and the phase that the header of its cell names, {@link #UNKNOWN} for none. */
    final int[] peer;
    final int[] phase;
    /** By node: what stands in a dummy that has no place there, and a second cell of the slot; null for none. */
    final String[] load;
    final String[] second;
    /** By node: what is wrong with headers beside what they say; null for nothing. */
    final String[] faults;

    /** A slot in which nothing is sent. */
    TraceSlot(final long slot, final int nodes) {
        this.slot = slot;
        this.sent = new NodeCells[nodes];
        this.received = new NodeCells[nodes];
        this.peer = new int[nodes];
        this.phase = new int[nodes];
        this.load = new String[nodes];
        this.second = new String[nodes];
        this.faults = new String[nodes];
        Arrays.fill(peer, UNKNOWN);
        Arrays.fill(phase, UNKNOWN);
        for (int node = 0; node < nodes; node++) {
            sent[node] = new NodeCells(1);
            sent[node].set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
            received[node] = new NodeCells(1);
            received[node].set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
        }
    }

    /** Notes what is wrong with a header that a node sent or received. */
    void faults(final int node, final String how, final List<String> found) {
        if (!found.isEmpty()) {
            faults[node] = (faults[node] == null ? "" : faults[node] + "; ") + how + ": " + String.join(", ", found);
        }
    }
}
