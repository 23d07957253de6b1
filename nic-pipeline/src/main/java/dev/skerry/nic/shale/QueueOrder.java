package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.Bank;

import java.lang.foreign.Arena;

/** Order in which the eligible cells of a send queue leave (docs/spec/shale.md §7). Immutable; any thread may call. */
public interface QueueOrder {
    /** First come, first served. */
    QueueOrder ARRIVAL = new Arrival();

    /**
     * Creates the empty queues of a bank.
     *
     * @param arena owner of the memory.
     * @param shale the fabric.
     * @param ends  gives the flows, and the flow of a cell.
     * @param nodes number of nodes of the bank.
     * @param pool  overflow of the bank.
     */
    CellQueues queues(Arena arena, Shale shale, Bank.Ends ends, int nodes, SpillPool pool);

    /** Whether it depends on the length of a cell's flow. */
    default boolean readsFlows() {
        return false;
    }

    /** Size of a queue in bytes, without growth. */
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
