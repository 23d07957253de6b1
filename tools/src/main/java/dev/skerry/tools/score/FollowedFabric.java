package dev.skerry.tools.score;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.model.NodeCells;

/** A fabric whose nodes are all followed, as a trace is played to it. One thread. */
interface FollowedFabric {
    /** No link: nobody is connected there. */
    int NONE = -1;

    int nodes();

    int channels();

    CellNames names();

    /** Begins in mid-run, before the first step, where what nodes hold is not known. */
    void beginAt(long first);

    /** Follows one slot. */
    void step(TraceSlot slot);

    /** Registers compared so far. */
    long registers();

    /** Cells held for others by all nodes. */
    int held();

    /** Most cells whose link was unknown at a node at a time. */
    int mostOpen();

    /** The link on which a node sends, as findings number it; {@link #NONE} if it does not. */
    int link(int node, int channel, long slot);

    /** The neighbour that it sends to. */
    int peer(int node, int channel, long slot);

    /** What a channel holds, for readers. */
    String text(NodeCells cells, int channel);
}
