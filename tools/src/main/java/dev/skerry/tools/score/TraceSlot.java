package dev.skerry.tools.score;

import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.model.NodeCells;

import java.util.Arrays;
import java.util.List;

/** What all nodes sent and received in a slot of a trace. One thread. */
final class TraceSlot {
    static final int UNKNOWN = -1;

    final long slot;
    final NodeCells[] sent;
    final NodeCells[] received;
    /**
     * By node and then channel, {@link #at}: the neighbour and the phase that the header of its cell names, {@link
     * #UNKNOWN} for none.
     */
    final int[] peer;
    final int[] phase;
    /** By node and channel: what stands in a dummy that has no place there, and a second cell; null for none. */
    final String[] load;
    final String[] second;
    /** By node and channel: what is wrong with headers beside what they say; null for nothing. */
    final String[] faults;
    private final int channels;

    /** A slot in which nothing is sent. */
    TraceSlot(final long slot, final int nodes, final int channels) {
        this.slot = slot;
        this.channels = channels;
        this.sent = new NodeCells[nodes];
        this.received = new NodeCells[nodes];
        this.peer = new int[nodes * channels];
        this.phase = new int[nodes * channels];
        this.load = new String[nodes * channels];
        this.second = new String[nodes * channels];
        this.faults = new String[nodes * channels];
        Arrays.fill(peer, UNKNOWN);
        Arrays.fill(phase, UNKNOWN);
        for (int node = 0; node < nodes; node++) {
            sent[node] = new NodeCells(channels);
            received[node] = new NodeCells(channels);
            for (int channel = 0; channel < channels; channel++) {
                sent[node].setNothing(channel);
                received[node].setNothing(channel);
            }
        }
    }

    /** Where a channel of a node stands. */
    int at(final int node, final int channel) {
        return node * channels + channel;
    }

    /** Notes what is wrong with a header that was sent or received at a place {@link #at}. */
    void faults(final int at, final String how, final List<String> found) {
        if (!found.isEmpty()) {
            faults[at] = (faults[at] == null ? "" : faults[at] + "; ") + how + ": " + String.join(", ", found);
        }
    }

    /** Takes what is wrong with a slot beside its words. */
    interface Refusal {
        void refuse(Law law, String expected, String seen);
    }

    /** Tells what is wrong at a place {@link #at}, beside the words and numbers. */
    void refuse(final int at, final Refusal to) {
        if (second[at] != null) {
            to.refuse(Law.SCHEDULE, "one cell or dummy", second[at]);
        }
        if (faults[at] != null) {
            to.refuse(Law.PAYLOAD, "an intact header", faults[at]);
        }
        if (load[at] != null) {
            to.refuse(Law.PAYLOAD, "a dummy without a cell", load[at]);
        }
    }
}
