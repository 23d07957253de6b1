package dev.skerry.dataplane.queue;

import java.util.function.LongUnaryOperator;

/**
 * A bank of queues of cells. An entry consists of a word that an eligibility rule inspects, and a payload word that is
 * opaque here. The bank defines the order of entries in a queue: order of arrival ({@link EligibilityQueues}), or of a
 * rank ({@link RankedQueues}). The first eligible entry in that order leaves first. Queues are numbered from 0; a
 * number outside the bank is caught by an assertion only. One thread at a time.
 */
public abstract sealed class CellQueues permits EligibilityQueues, RankedQueues {
    /** Number of entries in all queues, and the entry taken out last. */
    long held;
    long entry;
    long payload;

    CellQueues() {
    }

    /** Number of entries in a queue. */
    public abstract int length(int queue);

    /**
     * Reads the lengths of queues {@code first}, {@code first + step}, .. into [0, count).
     *
     * @return the minimum length.
     */
    public int lengths(final int first, final int step, final int count, final int[] into) {
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            into[i] = length(first + i * step);
            least = Math.min(least, into[i]);
        }
        return least;
    }

    /** The word of the first entry; undefined for an empty queue. */
    public abstract long first(int queue);

    /** Sets the arrival time of entries that join from now on; only ranks depend on it. */
    public void turnTo(final long now) {
    }

    /**
     * Adds an entry.
     *
     * @param queue 0 to queues - 1.
     * @param word  the word that the rule inspects.
     * @param with  payload word.
     * @return the new length of the queue.
     */
    public abstract int enqueue(int queue, long word, long with);

    /** Adds the cells of a batch to their queues, and writes the new lengths into the batch. */
    public abstract void enqueue(CellBatch batch);

    /**
     * Removes the first eligible entry; {@link #entry()} and {@link #payload()} then return its words.
     *
     * @param queue 0 to queues - 1.
     * @param rule  decides which entries may leave.
     * @return false if the queue is empty or no entry is eligible.
     */
    public abstract boolean dequeue(int queue, Eligibility rule);

    /**
     * Reads the first entries of consecutive queues into columns [0, count).
     *
     * @param first   the first queue.
     * @param count   number of queues, at most {@link CellBatch#CELLS}.
     * @param oldest  receives the lower halves of their words; undefined for empty queues.
     * @param waiting receives 1 for a queue with entries, 0 for an empty one.
     */
    public abstract void oldest(int first, int count, int[] oldest, int[] waiting);

    /**
     * Removes the first entry of each listed queue and appends it to a batch.
     *
     * @param first     queue at place 0.
     * @param firstNode node at place 0.
     * @param which     distinct places, in [0, taken); none of these queues is empty.
     * @param taken     number of places.
     * @param into      receives the entries in the order of the list; its hops are not set.
     */
    public abstract void dequeueOldest(int first, int firstNode, int[] which, int taken, CellBatch into);

    /**
     * Reads the cache lines of the listed queues together, so that following accesses do not wait for each one
     * separately.
     *
     * @param first queue at place 0.
     * @param which places, in [from, end).
     */
    public void fetch(final int first, final int[] which, final int from, final int end) {
    }

    /** Number of entries in all queues. */
    public final long held() {
        return held;
    }

    /** The word of the entry removed last. */
    public final long entry() {
        return entry;
    }

    /** The payload word of the entry taken out last. */
    public final long payload() {
        return payload;
    }

    /**
     * Takes out the entries that a rule does not let stay, in their order; the others keep theirs. Not for the path.
     *
     * @param away receives the entries taken out; it must not touch the queues.
     */
    public abstract void remove(int queue, Eligibility stays, Visitor away);

    /** Rewrites the words of a queue, whose entries keep their order: what they are grouped by may not change. */
    public abstract void rewrite(int queue, LongUnaryOperator change);

    /**
     * Shows every entry of a queue; in order where that is the order of arrival.
     *
     * @param queue   0 to queues - 1.
     * @param visitor receives word and payload word; it must not touch the queues.
     */
    public abstract void forEach(int queue, Visitor visitor);

    /** The first queue whose entries violate its order, or -1. Slow: for audits. */
    public int disordered() {
        return -1;
    }

    /** Receives the entries of a queue. */
    @FunctionalInterface
    public interface Visitor {
        /** Receives one entry. */
        void entry(long word, long payload);
    }
}
