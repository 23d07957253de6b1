package dev.skerry.tools.trace;

/**
 * An operation of a PIEO.
 *
 * @param kind {@link #ENQUEUE}, {@link #DEQUEUE} or {@link #DEQUEUE_F}.
 * @param id   id of the element, 0 for a dequeue.
 * @param rank rank of the element, 0 except for an enqueue.
 * @param time send time of an enqueue, current time of a dequeue, 0 for a dequeue by id.
 */
public record PieoOperation(int kind, int id, long rank, long time) {
    /** {@code enqueue(f)}. */
    public static final int ENQUEUE = 1;
    /** {@code dequeue()}. */
    public static final int DEQUEUE = 2;
    /** {@code dequeue(f)}. */
    public static final int DEQUEUE_F = 3;
}
