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
}
