package dev.skerry.nic.follow;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * The sequence numbers of a followed node's own cells where they wait in several queues, as with Shoal: a cell has its
 * number when it joins a queue, so a number may be skipped while its cell waits elsewhere. It leaves once, and soon.
 * One thread.
 */
final class OwnNumbers {
    private final CellNames names;
    private final int links;
    /** Slots in which a skipped number has left: no queue is longer. */
    private final long soon;
    /** By flow, one more than the largest number that has left. */
    private final long[] next;
    /** Words of cells whose numbers were skipped, and the slot in which that was seen. */
    private final Map<Long, Long> skipped = new HashMap<>();
    /** By flow and link, the largest number that has left there. */
    private final Map<Long, Long> last = new HashMap<>();

    /** What is wrong with a cell. */
    record Wrong(Law law, String expected, String seen) {
    }

    OwnNumbers(final CellNames names, final int links, final long soon) {
        this.names = names;
        this.links = links;
        this.soon = soon;
        this.next = new long[names.flows()];
    }

    /** The first number of a flow that is not known to have joined a queue. */
    long next(final int flow) {
        return next[flow];
    }

    /**
     * Takes in a cell that leaves on a link.
     *
     * @param elsewhere most own cells that may wait in the queues of other links.
     * @return what is wrong with its number, null if nothing.
     */
    Wrong take(final long slot, final long cell, final int link, final int elsewhere) {
        final int flow = names.flow(cell);
        final long number = names.sequence(cell);
        final long ahead = number - next[flow] & names.sequences() - 1;
        final String seen = CellText.cell(names, cell);
        if (ahead >= names.sequences() / 2) {
            return behind(cell, link, seen);
        }
        final long expected = next[flow];
        next[flow] = number + 1 & names.sequences() - 1;
        last.put((long) flow * links + link, number);
        if (skipped.size() + ahead > elsewhere) {
            return new Wrong(Law.ORDER, "seq " + expected, seen);
        }
        for (long each = 0; each < ahead; each++) {
            skipped.put(names.cell(names.source(cell), flow, expected + each & names.sequences() - 1), slot);
        }
        return null;
    }

    private Wrong behind(final long cell, final int link, final String seen) {
        if (skipped.remove(cell) == null) {
            return new Wrong(Law.CONSERVATION, "seq " + next[names.flow(cell)], seen + ", which left before");
        }
        final Long before = last.put((long) names.flow(cell) * links + link, (long) names.sequence(cell));
        return before == null || (names.sequence(cell) - before & names.sequences() - 1) < names.sequences() / 2 ? null
            : new Wrong(Law.ORDER, "a number above " + before + " on this link", seen);
    }

    /** A skipped number that should have left by a slot, and is forgotten; null if there is none. */
    Wrong overdue(final long slot) {
        for (final Iterator<Map.Entry<Long, Long>> all = skipped.entrySet().iterator(); all.hasNext();) {
            final Map.Entry<Long, Long> each = all.next();
            if (slot - each.getValue() > soon) {
                all.remove();
                return new Wrong(Law.CONSERVATION, CellText.cell(names, each.getKey()) + " to leave within " + soon
                    + " slots", "it does not");
            }
        }
        return null;
    }
}
