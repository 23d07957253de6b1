package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.count.NicCounter;

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
        /**
         * A cell, which no queue holds any more, is lost at a node of the bank.
         *
         * @param name one of {@link NicCounter#DROPS}.
         */
        void onDrop(int node, long cell, NicCounter name);
    }
}
