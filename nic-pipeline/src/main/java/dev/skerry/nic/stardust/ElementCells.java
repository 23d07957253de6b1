package dev.skerry.nic.stardust;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Cells of elements that run apart from the adapters, a little behind: so the adapters' edges know of cells that have
 * left one adapter and not come to another. An element posts after some slots. A cell that it had since its last post
 * is either still held or counted as sent, so none is missed.
 *
 * <pre>
 *   entry   2 e            2 e + 1
 *           +--------------+--------------+
 *           | cells sent   | cells held   |    by element e: sent never falls, and is posted first
 *           +--------------+--------------+
 * </pre>
 *
 * One thread at a time posts for an element, any may look.
 */
final class ElementCells {
    /** Of a bank that has all devices on its own thread, or is not the one that looks. */
    static final ElementCells NONE = new ElementCells(0);

    private final AtomicLongArray entries;

    /** Elements that have had no cells. */
    ElementCells(final int elements) {
        this.entries = new AtomicLongArray(2 * elements);
    }

    /** Says what an element has sent so far and what it holds. */
    void post(final int element, final long sent, final long held) {
        entries.setRelease(2 * element, sent);
        entries.setRelease(2 * element + 1, held);
    }

    /** A number that grows as elements send. */
    long sent() {
        return sum(0);
    }

    /** Cells that elements hold, those under way between them not counted. */
    long held() {
        return sum(1);
    }

    private long sum(final int first) {
        long sum = 0;
        for (int i = first; i < entries.length(); i += 2) {
            sum += entries.getAcquire(i);
        }
        return sum;
    }
}
