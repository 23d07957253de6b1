package dev.skerry.nic.follow;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * The cells of others that a followed node of Shoal has for one neighbour, oldest first. A cell of its own is among
 * them from a turn on that nobody sees, until it leaves. One thread.
 */
final class RelayQueue {
    private final ArrayDeque<Waiting> cells = new ArrayDeque<>();
    /** Slot in which an own cell left last; the next one joins later. */
    private long ownLeft = -1;
    /** Cells at the start of the last turn, and most flows that were ready in it. */
    private int atTurn;
    private int readyAtTurn;

    /**
     * A cell.
     *
     * @param cell    its word.
     * @param arrived slot in which it came, after the sending of that slot.
     */
    record Waiting(long cell, long arrived) {
    }

    int size() {
        return cells.size();
    }

    Waiting first() {
        return cells.peekFirst();
    }

    void add(final long cell, final long slot) {
        cells.add(new Waiting(cell, slot));
    }

    void removeFirst() {
        cells.removeFirst();
    }

    boolean has(final long cell) {
        return cells.stream().anyMatch(each -> each.cell == cell);
    }

    /** Takes a cell out of turn; false if it is not here. */
    boolean remove(final long cell) {
        for (final Iterator<Waiting> all = cells.iterator(); all.hasNext();) {
            if (all.next().cell == cell) {
                all.remove();
                return true;
            }
        }
        return false;
    }

    /**
     * A turn begins.
     *
     * @param ready most flows that are ready in it.
     */
    void begin(final int ready) {
        atTurn = cells.size();
        readyAtTurn = ready;
    }

    /** Most flows that were ready in the last turn. */
    int readyAtTurn() {
        return readyAtTurn;
    }

    /** Whether an own cell may wait here: behind a cell of another node, which left at most a turn ago. */
    boolean mayHoldOwn() {
        return atTurn > 0 || !cells.isEmpty();
    }

    /** An own cell leaves. */
    void ownLeaves(final long slot) {
        ownLeft = slot;
    }

    /**
     * The last turn in which an own cell that leaves now may have joined: before the oldest cell still here came.
     *
     * @param epochSlots slots from one turn to the next.
     * @return its slot; -1 if there is no such turn since the last own cell left, so that the oldest cell is before it.
     */
    long joinedIn(final long now, final int epochSlots) {
        long joined = now;
        if (!cells.isEmpty()) {
            final long later = now - cells.peekFirst().arrived + epochSlots - 1;
            joined -= later / epochSlots * epochSlots;
        }
        return joined > ownLeft ? joined : -1;
    }
}
