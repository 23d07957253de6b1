package dev.skerry.nic.stardust.element;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.check.Bounds;

import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Arbiters, each of which spreads cells over a set of links: round robin over a random permutation of the set, which is
 * renewed every few rounds (Stardust §3.2 and §5.3, docs/spec/stardust.md §3.6). After m full rounds, every link has
 * received exactly m cells; in any window, the numbers of two links differ by at most two.
 *
 * <pre>
 *   arbiter a    order[first(a) ..]    links in the order of this permutation
 *                base[first(a) ..]     the set, ascending
 * </pre>
 *
 * <p>The permutation is a pure function of the seed, the key of the arbiter and the number of renewals, so the result
 * does not depend on the assignment of arbiters to banks. Selecting a link takes one load and one compare; a renewal
 * takes a few nanoseconds per link, every K rounds. After construction, only {@link #assign} allocates. Not
 * thread-safe.
 */
public final class SprayOrder {
    /** Result for an empty set of links. */
    public static final int NONE = -1;
    /** Default number of rounds with the same permutation. */
    public static final int DEFAULT_ROUNDS = 4;
    /** Number of rounds with which the permutation is never renewed, for comparison. */
    public static final int NEVER = Integer.MAX_VALUE;

    private final long seed;
    private final int rounds;
    // Not final, because a saved state may have other sets of links.
    private int[] first;
    private int[] end;
    private int[] at;
    private int[] roundsLeft;
    private long[] keys;
    private long[] renewals;
    private short[] order;
    private short[] base;

    /**
     * Creates arbiters without links.
     *
     * @param seed     seed of all permutations.
     * @param rounds   K: rounds with a permutation before it is replaced, at least 1; {@link #NEVER} keeps it.
     * @param capacity maximum number of links of each arbiter.
     * @throws IllegalArgumentException if a number is out of range.
     */
    public SprayOrder(final long seed, final int rounds, final int... capacity) {
        Bounds.refuseIf(rounds < 1, "a permutation lasts a round at least: rounds=", rounds);
        this.seed = seed;
        this.rounds = rounds;
        this.first = new int[capacity.length + 1];
        for (int arbiter = 0; arbiter < capacity.length; arbiter++) {
            Bounds.refuseIf(capacity[arbiter] < 0 || capacity[arbiter] > Short.MAX_VALUE, "an arbiter has up to ",
                Short.MAX_VALUE, " links: capacity[", arbiter, "]=", capacity[arbiter]);
            first[arbiter + 1] = Math.addExact(first[arbiter], capacity[arbiter]);
        }
        this.end = new int[capacity.length];
        this.at = new int[capacity.length];
        this.roundsLeft = new int[capacity.length];
        this.keys = new long[capacity.length];
        this.renewals = new long[capacity.length];
        this.order = new short[first[capacity.length]];
        this.base = new short[order.length];
        System.arraycopy(first, 0, end, 0, end.length);
        System.arraycopy(first, 0, at, 0, at.length);
    }

    /** Returns the number of links in the set of an arbiter. */
    public int size(final int arbiter) {
        return end[arbiter] - first[arbiter];
    }

    /** Tells whether a link is in the set of an arbiter. */
    public boolean has(final int arbiter, final int link) {
        return IntStream.range(first[arbiter], end[arbiter]).anyMatch(place -> base[place] == link);
    }

    /**
     * Sets the links of an arbiter, at the start or after reachability has changed. The arbiter starts with a new
     * permutation.
     *
     * @param arbiter index of the arbiter, from 0.
     * @param key     unique among all arbiters of the fabric, in all banks.
     * @param links   bitmap of links, least significant bit first.
     * @throws IllegalArgumentException if there are more links than the capacity of the arbiter.
     */
    public void assign(final int arbiter, final long key, final long[] links) {
        final BitSet set = BitSet.valueOf(links);
        if (set.cardinality() > first[arbiter + 1] - first[arbiter]) {
            throw new IllegalArgumentException("arbiter " + arbiter + " has room for "
                + (first[arbiter + 1] - first[arbiter]) + " links: links=" + set.cardinality());
        }
        int place = first[arbiter];
        for (int link = set.nextSetBit(0); link >= 0; link = set.nextSetBit(link + 1)) {
            base[place++] = (short) link;
        }
        end[arbiter] = place;
        keys[arbiter] = key;
        renew(arbiter);
    }

    /**
     * Returns the link for the next cell.
     *
     * @return the link, or {@link #NONE} if the arbiter has none.
     */
    public int next(final int arbiter) {
        int place = at[arbiter];
        if (place == end[arbiter]) {
            if (!startRound(arbiter)) {
                return NONE;
            }
            place = at[arbiter];
        }
        at[arbiter] = place + 1;
        return order[place];
    }

    private boolean startRound(final int arbiter) {
        if (end[arbiter] == first[arbiter]) {
            return false;
        }
        if (roundsLeft[arbiter] > 1) {
            at[arbiter] = first[arbiter];
            roundsLeft[arbiter] -= rounds == NEVER ? 0 : 1;
        } else {
            renew(arbiter);
        }
        return true;
    }

    /** Renews the permutation by a Fisher-Yates shuffle of the ascending set. */
    private void renew(final int arbiter) {
        final int start = first[arbiter];
        final long stream = CounterRandom.slotKey(CounterRandom.slotKey(seed, keys[arbiter]), renewals[arbiter]++);
        for (int place = start; place < end[arbiter]; place++) {
            final int chosen = start + CounterRandom.below(CounterRandom.slotKey(stream, place - start),
                place - start + 1);
            order[place] = order[chosen];
            order[chosen] = base[place];
        }
        at[arbiter] = start;
        roundsLeft[arbiter] = rounds;
    }
}
