package dev.skerry.tools.trace;

/**
 * An operation of a PIEO.
 *
 * @param kind     {@link #ENQUEUE}, {@link #DEQUEUE} or {@link #DEQUEUE_F}.
 * @param id       of the element, 0 for a dequeue.
 * @param rank     of the element, 0 but for an enqueue.
 * @param time     the element's send time, or now; 0 for a dequeue of one by its id.
 */
public record PieoOperation(int kind, int id, long rank, long time) {
    /** {@code enqueue(f)}. */
    public static final int ENQUEUE = 1;
    /** {@code dequeue()}. */
    public static final int DEQUEUE = 2;
    /** {@code dequeue(f)}. */
    public static final int DEQUEUE_F = 3;
}
