package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.Bank;

import java.lang.foreign.Arena;

/** What decides which eligible cell of a send queue leaves first (docs/spec/shale.md §7). Immutable; any thread. */
public interface QueueOrder {
    /** First come, first served. */
    QueueOrder ARRIVAL = new Arrival();

    /**
     * The empty queues of a bank.
     *
     * @param arena owner of the memory.
     * @param shale the fabric.
     * @param ends  knows the flows, and which of them a cell is of.
     * @param nodes nodes of the bank.
     * @param pool  overflow of the bank.
     */
    CellQueues queues(Arena arena, Shale shale, Bank.Ends ends, int nodes, SpillPool pool);

    /** Whether it asks how long the flow of a cell is. */
    default boolean readsFlows() {
        return false;
    }

    /** Bytes of a queue, what grows not counted. */
    int queueBytes();

    /** First come, first served. */
    record Arrival() implements QueueOrder {
        @Override
        public CellQueues queues(final Arena arena, final Shale shale, final Bank.Ends ends, final int nodes,
            final SpillPool pool) {
            return new EligibilityQueues(arena, shale.schedule().epochSlots() * nodes, pool);
        }

        @Override
        public int queueBytes() {
            return EligibilityQueues.QUEUE_BYTES;
        }

    }
}
