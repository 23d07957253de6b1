package dev.skerry.nic.shale;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.Population;

/**
 * The links that a spraying hop may take: no link to an absent node; for the last spraying hop, no link whose following
 * direct path meets an absent node (docs/spec/shale.md §8.6); no link that failures make useless (§8.2).
 *
 * <p>Also contains functions that select one of the links in a bitmap. One bank, one thread.
 */
public final class OpenLinks {
    /** No link is open. */
    public static final int NONE = -1;

    private final Population population;
    private final PathReachability reach;
    private final boolean complete;
    private final int words;

    /** @param reach knowledge of failures, null if nothing ever fails. */
    public OpenLinks(final Shale shale, final PathReachability reach) {
        this.population = shale.population();
        this.reach = reach;
        this.complete = population.allPresent();
        this.words = shale.schedule().linkWords();
    }

    /** Whether every link is always open to every node. */
    boolean always() {
        return complete && reach == null;
    }

    /** Whether every link of a node is currently open. */
    public boolean all(final int node) {
        return complete && (reach == null || !reach.isTroubled(node));
    }

    /**
     * The open links among 64 of a phase.
     *
     * @param id          the node's id.
     * @param node        its number in the bank.
     * @param word        index of a group of 64 links.
     * @param among       bitmap of the links to consider.
     * @param destination destination of the cell.
     * @param sprays      spraying hops left after this one.
     */
    long among(final int id, final int node, final int phase, final int word, final long among, final int destination,
        final int sprays) {
        final long present = complete ? among : among & (sprays > 0 ? population.presentLinks(id, phase, word)
            : population.lastSprayLinks(id, phase, destination, word));
        return reach == null || !reach.isTroubled(node) ? present
            : reach.usable(node, phase, word, present, destination, sprays);
    }

    /** Reports to the records of failures that no link is open to a cell. Returns {@link #NONE}. */
    int none(final int node, final int phase, final int destination, final int sprays) {
        if (reach != null) {
            reach.onNoLink(node, phase, destination, sprays);
        }
        return NONE;
    }

    /** Chooses one of the open links of a phase uniformly at random; {@link #NONE} if all are closed. */
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

    /** One of the set bits, uniformly at random. */
    static int drawn(final long[] words, final int count, final long random) {
        return at(words, CounterRandom.below(random, count));
    }

    /** The n-th set bit, from 0 on; there must be more than n. */
    static int at(final long[] words, final int n) {
        int rest = n;
        int word = 0;
        for (int count = Long.bitCount(words[0]); rest >= count; count = Long.bitCount(words[word])) {
            rest -= count;
            word++;
        }
        return word * Long.SIZE + at(words[word], rest);
    }

    /** The n-th set bit of one word. */
    static int at(final long word, final int n) {
        return Long.numberOfTrailingZeros(Long.expand(1L << n, word));
    }

    /** Number of set bits up to and including {@code bit}, which may be -1. */
    static int upTo(final long[] words, final int bit) {
        int count = 0;
        for (int word = 0; word <= bit / Long.SIZE && bit >= 0; word++) {
            count += Long.bitCount(word < bit / Long.SIZE ? words[word] : words[word] & -1L >>> ~bit);
        }
        return count;
    }
}
