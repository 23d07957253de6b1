package dev.skerry.nic.shale;

/** The books that the pipeline keeps of the cells of its nodes, for those who move or drop cells beside it. */
public interface HeldCells {
    /** Why a cell is dropped after a failure. */
    enum Loss {
        /** It waited for its last hop over a link that failed. */
        LAST_HOP,
        /** No link of its spraying phase is usable. */
        NO_LINK,
        /** It started anew where no phase leads to its destination. */
        UNREACHABLE,
        /** Its node went down. */
        NODE_DOWN
    }

    /** A node holds one more cell, in a queue that is now {@code length} long. */
    void onEnqueue(int node, int length);

    /** A node holds one cell less. */
    void onDequeue(int node);

    /** A cell, which is held no more, is lost at a node. */
    void onDrop(int node, long cell, Loss loss);
}
