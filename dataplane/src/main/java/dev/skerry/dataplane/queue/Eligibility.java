package dev.skerry.dataplane.queue;

/** The rule that says which entries of an {@link EligibilityQueues} may leave now. */
@FunctionalInterface
public interface Eligibility {
    /** Every entry may leave: the queue is a FIFO. */
    Eligibility ALWAYS = (queue, entry) -> true;

    /**
     * Whether an entry may leave. It must not change during one dequeue and must not touch the queue.
     *
     * @param queue index of the queue.
     * @param entry first word of the entry.
     */
    boolean eligible(int queue, long entry);
}
