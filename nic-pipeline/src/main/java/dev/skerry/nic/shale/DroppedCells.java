package dev.skerry.nic.shale;

/** Takes the cells that a node drops, under a name. */
@FunctionalInterface
public interface DroppedCells {
    /** Why a cell is dropped. */
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

    /** A cell, which no queue holds any more, is lost at a node of the bank. */
    void onDrop(int node, long cell, Loss loss);
}
