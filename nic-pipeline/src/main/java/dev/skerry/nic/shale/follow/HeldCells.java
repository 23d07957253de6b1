package dev.skerry.nic.shale.follow;

import dev.skerry.schedule.Phased;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The cells that a followed node holds, by phase of their next hop and in the order they came. Each is in the queue of
 * one link of the phase. Where nobody told which, it is open: it has a set of links, out of which a link falls when the
 * node lets a later cell, a local one or a dummy go there although this one might have gone. One thread.
 *
 * <p>Not more cells are open than are held, N·E·(T_F+(h-1)T) by the law of tokens, and the set of each only shrinks.
 */
final class HeldCells {
    private final int linksPerPhase;
    private final int words;
    private final List<List<HeldCell>> ofPhase = new ArrayList<>();
    /** By link: cells known to be there, and open ones that may be. */
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

    /** The cells of a phase, the one that came first in front; not to be changed. */
    List<HeldCell> of(final int phase) {
        return ofPhase.get(phase);
    }

    /** Fewest cells that the queue of a link can have. */
    int least(final int link) {
        return known[link];
    }

    /** Most cells that the queue of a link can have. */
    int most(final int link) {
        return known[link] + maybe[link];
    }

    /** Fewest cells that the shortest queue of a phase can have at most. */
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

    /** Appends a cell with a set of at least two links of the phase. */
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

    /** Finds a cell of a phase; null if it is not held there. */
    HeldCell find(final int phase, final long cell) {
        for (final HeldCell at : of(phase)) {
            if (at.cell == cell) {
                return at;
            }
        }
        return null;
    }

    /** A cell is at a link, whatever was thought before. */
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

    /** An open cell is not at a link of its set. */
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

    /** Takes out a cell whose link is known. */
    void remove(final int phase, final HeldCell cell) {
        known[cell.link]--;
        size--;
        of(phase).remove(cell);
    }

    /** A cell that a followed node holds, and the links of its phase whose queue may have it. One thread. */
    static final class HeldCell {
        /** In place of a link: more than one is possible. */
        static final int OPEN = -1;

        final long cell;
        /** The bucket it will be in after its next hop. */
        final int next;
        final int destination;
        /** Link back to the neighbour it came from, and the bucket it is in here. */
        final int owedLink;
        final int owedBucket;
        /** Slot its source sent it in, modulo {@code Route.SENT_SLOTS}; 0 if nobody knows. */
        long sent;
        /** Position in the epoch of its link, or {@link #OPEN}. */
        int link = OPEN;
        /** Position in the epoch of the lowest link that was possible, -1 if only one was. */
        int lowest = -1;
        /** Links of the phase that are possible while it is open. */
        long[] possible;

        /** By link of the phase: silent turns in which it might have left; null without any. */
        private int[] passed;

        HeldCell(final long cell, final int next, final int destination, final int owedLink, final int owedBucket) {
            this.cell = cell;
            this.next = next;
            this.destination = destination;
            this.owedLink = owedLink;
            this.owedBucket = owedBucket;
        }

        /** Whether the queue of a link of its phase may have it. */
        boolean mayBeAt(final int ofPhase, final int inEpoch) {
            return link == OPEN ? (possible[ofPhase / Long.SIZE] >>> ofPhase & 1) != 0 : link == inEpoch;
        }

        /** Another silent turn of a link of its phase: whether each link that may have it has had as many. */
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
