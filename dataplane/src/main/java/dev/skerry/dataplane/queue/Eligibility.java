package dev.skerry.dataplane.queue;

/** The rule that says which entries of an {@link EligibilityQueues} may leave now. */
@FunctionalInterface
public interface Eligibility {
    /** Every entry may leave: the queue is a FIFO. */
    Eligibility ALWAYS = (queue, entry) -> true;

    /**
     * Whether an entry may leave. The answer must not change during one dequeue; the rule must not touch the queues.
     *
     * @param queue number of the queue, from 0.
     * @param entry first word of the entry.
     */
    boolean eligible(int queue, long entry);
}
