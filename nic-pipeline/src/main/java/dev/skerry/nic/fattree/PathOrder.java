package dev.skerry.nic.fattree;

import dev.skerry.dataplane.random.CounterRandom;

/**
 * Order in which a host sprays the packets of a connection: one packet over each path in random order, then again in
 * another order (docs/spec/ndp.md §3). The order is a bijection of the path numbers, keyed by connection and round, so
 * no permutation is stored. Immutable; any thread may call.
 */
record PathOrder(long seed) {
    private static final int ROUNDS = 3;
    private static final int MULTIPLIER_BITS = 16;

    /**
     * The path of a packet.
     *
     * @param isBack whether the packet goes to the source of the flow.
     * @param number number of packets that this end has sent before.
     * @param paths  number of paths.
     */
    int path(final int connection, final boolean isBack, final int number, final int paths) {
        if (paths == 1) {
            return 0;
        }
        final int mask = (Integer.highestOneBit(paths - 1) << 1) - 1;
        final long key = CounterRandom.bits(seed, connection, number / paths, isBack ? 1 : 0);
        int path = number % paths;
        do {
            path = permute(path, key, mask);
        } while (path >= paths);
        return path;
    }

    /** A bijection of the numbers up to a mask: each step is invertible. */
    private static int permute(final int number, final long key, final int mask) {
        final int shift = Integer.bitCount(mask) + 1 >> 1;
        int at = number;
        long bits = key;
        for (int round = 0; round < ROUNDS; round++) {
            at = (int) ((at ^ bits) * (bits >>> MULTIPLIER_BITS | 1)) & mask;
            at ^= at >>> shift;
            bits = Long.rotateRight(bits, 2 * MULTIPLIER_BITS - 3);
        }
        return at;
    }
}
