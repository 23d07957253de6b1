package dev.skerry.dataplane.queue;

/** Decides which entries of an {@link EligibilityQueues} may leave now. */
@FunctionalInterface
public interface Eligibility {
    /** Every entry may leave, which makes the queue a FIFO. */
    Eligibility ALWAYS = (queue, entry) -> true;

    /**
     * Whether an entry may leave. The result must not change during one dequeue; the rule must not modify the queues.
     *
     * @param queue number of the queue, from 0.
     * @param entry first word of the entry.
     */
    boolean eligible(int queue, long entry);
}
