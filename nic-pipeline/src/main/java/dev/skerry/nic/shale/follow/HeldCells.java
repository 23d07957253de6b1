package dev.skerry.nic.shale.follow;

import dev.skerry.schedule.Phased;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cells that a followed node holds, by phase of their next hop and in order of arrival. Each cell is in the queue of
 * one link of the phase. A cell whose link is unknown is open: it has a set of possible links. A link leaves the set
 * when the node sends a later cell, a local cell or a dummy on it although the open cell could have left there. Not
 * thread-safe.
 *
 * <p>No more cells are open than are held, which the law of tokens bounds to N·E·(T_F+(h-1)T). The set of each open
 * cell only shrinks.
 */
final class HeldCells {
    private final int linksPerPhase;
    private final int words;
    private final List<List<HeldCell>> ofPhase = new ArrayList<>();
    /** By link: number of cells known to be in its queue, and number of open cells that may be in it. */
    private final int[] known;
    private final int[] maybe;
    int size;
    int open;
    int mostOpen;

    HeldCells(final Phased schedule) {
        this.linksPerPhase = schedule.linksPerPhase();
        this.words = schedule.linkWords();
        this.known = new int[schedule.epochSlots()];
        this.maybe = new int[known.length];
        for (int phase = 0; phase < schedule.phases(); phase++) {
            ofPhase.add(new ArrayList<>());
        }
    }

    /** Returns the cells of a phase, oldest first. The list must not be changed. */
    List<HeldCell> of(final int phase) {
        return ofPhase.get(phase);
    }

    /** Returns the minimum length that a link's queue can have. */
    int least(final int link) {
        return known[link];
    }

    /** Returns the maximum length that a link's queue can have. */
    int most(final int link) {
        return known[link] + maybe[link];
    }

    /** Returns the maximum length that the shortest queue of a phase can have. */
    int shortest(final int phase) {
        int shortest = Integer.MAX_VALUE;
        for (int link = phase * linksPerPhase; link < (phase + 1) * linksPerPhase; link++) {
            shortest = Math.min(shortest, known[link] + maybe[link]);
        }
        return shortest;
    }

    /** Appends a cell whose link is known. */
    void add(final int phase, final int link, final HeldCell cell) {
        of(phase).add(cell);
        size++;
        cell.link = link;
        known[link]++;
    }

    /** Appends an open cell with at least two possible links of the phase. */
    void add(final int phase, final long[] links, final HeldCell cell) {
        of(phase).add(cell);
        size++;
        cell.possible = Arrays.copyOf(links, words);
        for (int word = words - 1; word >= 0; word--) {
            cell.lowest = links[word] == 0 ? cell.lowest
                : phase * linksPerPhase + word * Long.SIZE + Long.numberOfTrailingZeros(links[word]);
        }
        count(phase, cell, 1);
        mostOpen = Math.max(mostOpen, ++open);
    }

    private void count(final int phase, final HeldCell cell, final int change) {
        for (int word = 0; word < words; word++) {
            for (long bits = cell.possible[word]; bits != 0; bits &= bits - 1) {
                maybe[phase * linksPerPhase + word * Long.SIZE + Long.numberOfTrailingZeros(bits)] += change;
            }
        }
    }

    /** Returns a cell of a phase; null if it is not held there. */
    HeldCell find(final int phase, final long cell) {
        for (final HeldCell at : of(phase)) {
            if (at.cell == cell) {
                return at;
            }
        }
        return null;
    }

    /** Moves a cell to the queue of a link, whichever queue it was assumed to be in. */
    void settle(final int phase, final HeldCell cell, final int link) {
        if (cell.link == HeldCell.OPEN) {
            count(phase, cell, -1);
            open--;
        } else {
            known[cell.link]--;
        }
        cell.link = link;
        known[link]++;
    }

    /** Removes a link from the possible links of an open cell. */
    void exclude(final int phase, final HeldCell cell, final int link) {
        final int inPhase = link - phase * linksPerPhase;
        cell.possible[inPhase / Long.SIZE] &= ~(1L << inPhase);
        maybe[link]--;
        int left = 0;
        int some = 0;
        for (int word = 0; word < words; word++) {
            left += Long.bitCount(cell.possible[word]);
            some = cell.possible[word] == 0 ? some
                : word * Long.SIZE + Long.numberOfTrailingZeros(cell.possible[word]);
        }
        if (left == 1) {
            settle(phase, cell, phase * linksPerPhase + some);
        }
    }

    /** Removes a cell whose link is known. */
    void remove(final int phase, final HeldCell cell) {
        known[cell.link]--;
        size--;
        of(phase).remove(cell);
    }

    /** Cell that a followed node holds, and the links whose queues may contain it. Not thread-safe. */
    static final class HeldCell {
        /** Value of {@link #link} while more than one link is possible. */
        static final int OPEN = -1;

        final long cell;
        /** Bucket that the cell will be in after its next hop. */
        final int next;
        final int destination;
        /** Link back to the neighbour that sent the cell, and the bucket that the cell is in at this node. */
        final int owedLink;
        final int owedBucket;
        /** Slot in which the source sent the cell, modulo {@code Route.SENT_SLOTS}; 0 if unknown. */
        long sent;
        /** Link as a position in the epoch, or {@link #OPEN}. */
        int link = OPEN;
        /** Lowest link that was possible, as a position in the epoch; -1 if only one link was. */
        int lowest = -1;
        /** Possible links of the phase while the cell is open. */
        long[] possible;

        /** Silent turns in which the cell might have left, by link of the phase; null if there were none. */
        private int[] passed;

        HeldCell(final long cell, final int next, final int destination, final int owedLink, final int owedBucket) {
            this.cell = cell;
            this.next = next;
            this.destination = destination;
            this.owedLink = owedLink;
            this.owedBucket = owedBucket;
        }

        /** Whether the queue of a link of its phase may contain the cell. */
        boolean mayBeAt(final int ofPhase, final int inEpoch) {
            return link == OPEN ? (possible[ofPhase / Long.SIZE] >>> ofPhase & 1) != 0 : link == inEpoch;
        }

        /**
         * Counts a silent turn of a link of the cell's phase. Returns whether each possible link has had {@code turns}
         * of them.
         */
        boolean isOverdue(final int ofPhase, final int first, final int linksPerPhase, final int turns) {
            passed = passed == null ? new int[linksPerPhase] : passed;
            passed[ofPhase]++;
            for (int of = 0; of < linksPerPhase; of++) {
                if (mayBeAt(of, first + of) && passed[of] < turns) {
                    return false;
                }
            }
            passed = null;
            return true;
        }
    }
}
