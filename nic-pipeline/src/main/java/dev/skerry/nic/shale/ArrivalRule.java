package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellBatch;

/** What becomes of cells that arrive at a bank and are to join queues there. One thread. */
@FunctionalInterface
public interface ArrivalRule {
    /**
     * Cells arrive that are to join queues. A rule may rewrite their words, and may take cells out of the batch, which
     * it then reports as dropped, or has sent back to their sources.
     *
     * @param first    the first node of the block.
     * @param arriving cells with node, hop, queue, word and cell.
     * @param drops    where it reports what it drops.
     */
    void onArrive(int first, CellBatch arriving, DroppedCells drops);

    /** Takes the cells that a node drops, under a name. */
    @FunctionalInterface
    interface DroppedCells {
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
}
