package dev.skerry.dataplane.pieo;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The definition of PIEO (docs/spec/shale.md §6): one list in rank order, first come, first served among equal ranks.
 * It allocates, takes O(n) per operation and checks nothing; {@link Pieo} is compared with it in tests and in
 * {@code skerry pieo}. One thread.
 */
public final class PieoList {
    /**
     * One element.
     *
     * @param id       the caller's identifier.
     * @param rank     its rank, smallest first.
     * @param sendTime the first time at which it may leave.
     */
    public record Element(int id, long rank, long sendTime) {
    }

    private final List<Element> elements = new ArrayList<>();

    /** An empty list. */
    public PieoList() {
    }

    /** Inserts an element after all elements of the same or a smaller rank. */
    public void enqueue(final Element f) {
        int at = elements.size();
        while (at > 0 && elements.get(at - 1).rank > f.rank) {
            at--;
        }
        elements.add(at, f);
    }

    /** Removes and returns the first element in order with {@code sendTime <= now}; {@code null} if there is none. */
    public Element dequeue(final long now) {
        return take(f -> f.sendTime <= now);
    }

    /** Removes and returns the first element in order with this id; {@code null} if there is none. */
    public Element dequeueF(final int id) {
        return take(f -> f.id == id);
    }

    private Element take(final Predicate<Element> which) {
        for (int i = 0; i < elements.size(); i++) {
            if (which.test(elements.get(i))) {
                return elements.remove(i);
            }
        }
        return null;
    }

    /** The element at an index of the order, from 0. */
    public Element get(final int index) {
        return elements.get(index);
    }

    /** Number of elements held. */
    public int size() {
        return elements.size();
    }
}
