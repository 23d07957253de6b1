package dev.skerry.nic.shale.limit;

import java.util.Arrays;

/**
 * Which entries of a send queue are in the PIEO of its link, where that has fewer places than the queue has cells: the
 * oldest in all places but the last, in which the others take turns.
 *
 * <pre>
 *   queue, oldest first:   e0  e1  e2 | e3  e4  e5  e6  e7        Q_P = 4: e0 to e2 and one of the others
 *                          all but    |     ^ place
 *                          the last   |
 * </pre>
 *
 * A cell leaves: the next oldest comes in. Nothing may leave: the entry in the last place gives way to the next one,
 * from the end to the beginning. So each entry comes in while none leaves, and the fabric cannot lock up. One thread.
 */
final class PieoWindow {
    private static final int NONE = -1;

    private final int entries;
    /** By queue: cells, and the one in the last place, counted from the oldest. */
    private final int[] length;
    private final int[] place;
    /** The queue that is being searched, the entry that was asked last, and the one in the last place. */
    private int searched = NONE;
    private int asked;
    private int last;
    private int most;
    private long overflowed;
    private long returned;

    /**
     * Empty queues.
     *
     * @param queues  of a bank.
     * @param entries places of a PIEO, at least 2, so that the oldest cell is always in.
     */
    PieoWindow(final int queues, final int entries) {
        this.entries = entries;
        this.length = new int[queues];
        this.place = new int[queues];
        Arrays.fill(place, entries - 1);
    }

    /** Searches begin anew. */
    void begin() {
        searched = NONE;
    }

    /** Whether the next entry of a queue is in the PIEO; a search asks for all entries, from the oldest on. */
    boolean hasNext(final int queue) {
        if (queue != searched) {
            searched = queue;
            asked = NONE;
            last = place[queue];
        }
        asked++;
        return asked < entries - 1 || asked == last;
    }

    /**
     * The entry asked last may not leave.
     *
     * @return whether another one takes its place.
     */
    boolean refuse(final int queue) {
        if (asked != last || length[queue] <= entries) {
            return false;
        }
        place[queue] = last + 1 < length[queue] ? last + 1 : entries - 1;
        return true;
    }

    /** The entry asked last leaves, before the others move up. */
    void leaves(final int queue) {
        // The one behind it comes in.
        place[queue] += asked == last ? 1 : 0;
    }

    /**
     * A cell has joined a queue.
     *
     * @param now cells of the queue.
     * @return whether it found the PIEO full.
     */
    boolean join(final int queue, final int now) {
        length[queue] = now;
        most = Math.max(most, now);
        overflowed += now > entries ? 1 : 0;
        return now > entries;
    }

    /**
     * A cell has left a queue: the others move up.
     *
     * @return whether one that had found the PIEO full came in.
     */
    boolean leave(final int queue) {
        final int left = --length[queue];
        place[queue] = place[queue] > left ? entries - 1 : Math.max(entries - 1, place[queue] - 1);
        returned += left >= entries ? 1 : 0;
        return left >= entries;
    }

    /** Entries in the PIEO of a queue. */
    int inside(final int queue) {
        return Math.min(length[queue], entries);
    }

    /** Entries of a queue that are not in its PIEO. */
    int outside(final int queue) {
        return Math.max(0, length[queue] - entries);
    }

    /** Most entries of a queue, in the PIEO or not. */
    int most() {
        return most;
    }

    /** Cells that found the PIEO full. */
    long overflowed() {
        return overflowed;
    }

    /** Such cells that came in since, as a place became free. */
    long returned() {
        return returned;
    }
}
