package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.model.NodeCells;

import java.util.List;

/** How the cell on a channel of a node stands in a vector. One thread. */
interface ChannelSignals {
    /**
     * The hop that a cell is on.
     *
     * @param sentIn slot in which it was sent.
     * @param sender node that sends it, -1 if there is none.
     * @param peer   node that receives it, -1 if there is none.
     */
    record Way(long sentIn, int sender, int peer) {
    }

    /**
     * Appends the signals of a channel.
     *
     * @param channel its name, such as {@code rx0}.
     */
    void name(String channel, List<Signal> signals);

    /**
     * Puts a channel of a node's cells into a vector.
     *
     * @param from index of its first value.
     * @return index after its last value.
     */
    int put(Way way, int channel, NodeCells cells, long[] values, int from);
}
