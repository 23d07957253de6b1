package dev.skerry.nic.shale;

import dev.skerry.dataplane.random.CounterRandom;

/** Looks for bits among words of 64. Static; any thread may call. */
final class SetBits {
    private SetBits() {
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

    /** The same in one word. */
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
