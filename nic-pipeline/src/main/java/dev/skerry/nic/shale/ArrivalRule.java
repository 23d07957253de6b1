package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.count.NicCounter;

/** Treatment of cells that arrive at a bank to join queues there. One thread. */
@FunctionalInterface
public interface ArrivalRule {
    /**
     * Handles cells that arrive to join queues. A rule may rewrite their words, and may remove cells from the batch,
     * which it then reports as dropped, or has sent back to their sources.
     *
     * @param first    the first node of the block.
     * @param arriving cells with node, hop, queue, word and cell.
     * @param drops    receives dropped cells.
     */
    void onArrive(int first, CellBatch arriving, DroppedCells drops);

    /** Receives the cells that a node drops, with the reason. */
    @FunctionalInterface
    interface DroppedCells {
        /**
         * Reports the loss of a cell that has left its queue, at a node of the bank.
         *
         * @param name one of {@link NicCounter#DROPS}.
         */
        void onDrop(int node, long cell, NicCounter name);
    }
}
