package dev.skerry.nic.shale;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.Population;

/**
 * The links that a spraying hop may take: none to an absent node; for the last spraying hop none from whose end the
 * direct path meets an absent node (docs/spec/shale.md §8.6); none that failures make useless (§8.2).
 *
 * <p>Beside them, what looks for one among links that are a bit each. One bank, one thread.
 */
public final class OpenLinks {
    /** No link is open. */
    public static final int NONE = -1;

    private final Population population;
    private final PathReachability reach;
    private final boolean complete;
    private final int words;

    /** @param reach what is known of failures, null where nothing ever fails. */
    public OpenLinks(final Shale shale, final PathReachability reach) {
        this.population = shale.population();
        this.reach = reach;
        this.complete = population.allPresent();
        this.words = shale.schedule().linkWords();
    }

    /** Whether every link is open to every node, always. */
    boolean always() {
        return complete && reach == null;
    }

    /** Whether every link of a node is open now. */
    public boolean all(final int node) {
        return complete && (reach == null || !reach.isTroubled(node));
    }

    /**
     * The open links among 64 of a phase.
     *
     * @param id          the node's id.
     * @param node        its number in the bank.
     * @param word        which 64 links.
     * @param among       a bit for each link to look at.
     * @param destination of the cell.
     * @param sprays      spraying hops left after this one.
     */
    long among(final int id, final int node, final int phase, final int word, final long among, final int destination,
        final int sprays) {
        final long present = complete ? among : among & (sprays > 0 ? population.presentLinks(id, phase, word)
            : population.lastSprayLinks(id, phase, destination, word));
        return reach == null || !reach.isTroubled(node) ? present
            : reach.usable(node, phase, word, present, destination, sprays);
    }

    /** No link is open to a cell, which the records of failures have to know. Gives {@link #NONE}. */
    int none(final int node, final int phase, final int destination, final int sprays) {
        if (reach != null) {
            reach.onNoLink(node, phase, destination, sprays);
        }
        return NONE;
    }

    /** Draws one of the open links of a phase, all equally likely; {@link #NONE} if all are closed. */
    public int any(final int id, final int node, final int phase, final int destination, final int sprays,
        final long random) {
        int count = 0;
        for (int word = 0; word < words; word++) {
            count += Long.bitCount(among(id, node, phase, word, -1, destination, sprays));
        }
        int pick = CounterRandom.below(random, count);
        for (int word = 0; word < words && count > 0; word++) {
            final long links = among(id, node, phase, word, -1, destination, sprays);
            if (pick < Long.bitCount(links)) {
                return word * Long.SIZE + at(links, pick);
            }
            pick -= Long.bitCount(links);
        }
        return NONE;
    }

    /** One of the bits that are set, all equally likely. */
    static int drawn(final long[] words, final int count, final long random) {
        return at(words, CounterRandom.below(random, count));
    }

    /** The n-th bit that is set, from 0 on; there must be more than n. */
    static int at(final long[] words, final int n) {
        int rest = n;
        int word = 0;
        for (int count = Long.bitCount(words[0]); rest >= count; count = Long.bitCount(words[word])) {
            rest -= count;
            word++;
        }
        return word * Long.SIZE + at(words[word], rest);
    }

    /** The n-th bit that is set in one word. */
    static int at(final long word, final int n) {
        return Long.numberOfTrailingZeros(Long.expand(1L << n, word));
    }

    /** How many bits are set at most as high as one, -1 for none. */
    static int upTo(final long[] words, final int bit) {
        int count = 0;
        for (int word = 0; word <= bit / Long.SIZE && bit >= 0; word++) {
            count += Long.bitCount(word < bit / Long.SIZE ? words[word] : words[word] & -1L >>> ~bit);
        }
        return count;
    }
}
