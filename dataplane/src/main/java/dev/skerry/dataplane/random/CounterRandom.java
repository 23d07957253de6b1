package dev.skerry.dataplane.random;

/**
 * Random numbers as a hash of (seed, node, slot, purpose). There is no state and no stream, so a result does not depend
 * on the distribution of nodes over threads. The mixer is the finaliser of SplitMix64 with two rounds of key injection.
 * Any thread may call.
 */
public final class CounterRandom {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private CounterRandom() {
    }

    /** 64 random bits for one purpose, 0 to 255, of one node in one slot. */
    public static long bits(final long seed, final int node, final long slot, final int use) {
        return bits(slotKey(seed, slot), node, use);
    }

    /** The part of {@link #bits(long, int, long, int)} that is the same for all nodes in a slot. */
    public static long slotKey(final long seed, final long slot) {
        return mix(seed + slot * GOLDEN);
    }

    /** 64 random bits for one purpose of one node, in the slot of a key. */
    public static long bits(final long slotKey, final int node, final int use) {
        return mix(slotKey + ((long) node << 8 | use) * GOLDEN);
    }

    /**
     * A number in {@code [0, bound)} from 64 random bits, by multiplication of their upper half: the bias is below
     * {@code bound / 2^32}.
     */
    public static int below(final long bits, final int bound) {
        return (int) ((bits >>> 32) * bound >>> 32);
    }

    /** The finaliser of SplitMix64: a bijection of 64 bits in which every input bit reaches every output bit. */
    public static long mix(final long value) {
        long z = value;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
