package dev.skerry.schedule;

/**
 * The C++ standard's {@code std::mt19937}, and {@code std::shuffle} with it as libstdc++ computes it.
 *
 * <p>The standard defines the generator but not how a shuffle uses it. To reproduce the failed nodes that the Shale
 * authors' simulator chooses (docs/spec/shale.md §8.6), this class therefore follows the library: the nearly
 * divisionless bounded draw, and one draw for two positions while the square of the length fits in 32 bits (GCC 11 and
 * later; {@code bits/uniform_int_dist.h}, {@code bits/stl_algo.h}). For set-up, not for the data path. One thread at a
 * time.
 */
final class Mt19937 {
    private static final int STATE_WORDS = 624;
    private static final int MIDDLE_WORD = 397;
    private static final int TWIST = 0x9908b0df;
    private static final long MAX_DRAW = 0xffff_ffffL;

    private final int[] state = new int[STATE_WORDS];
    private int position = STATE_WORDS;

    Mt19937(final int seed) {
        state[0] = seed;
        for (int i = 1; i < STATE_WORDS; i++) {
            final int before = state[i - 1];
            state[i] = 1812433253 * (before ^ before >>> 30) + i;
        }
    }

    /** The next 32 bits. */
    int next() {
        if (position == STATE_WORDS) {
            regenerate();
        }
        int bits = state[position++];
        bits ^= bits >>> 11;
        bits ^= bits << 7 & 0x9d2c5680;
        bits ^= bits << 15 & 0xefc60000;
        return bits ^ bits >>> 18;
    }

    /**
     * A uniform draw from 0 to {@code bound - 1}: {@code std::uniform_int_distribution} by Lemire's method.
     *
     * @param bound 1 to 2^32 - 1.
     */
    long below(final long bound) {
        long product = (next() & MAX_DRAW) * bound;
        if ((product & MAX_DRAW) < bound) {
            final long threshold = (MAX_DRAW + 1 - bound) % bound;
            while ((product & MAX_DRAW) < threshold) {
                product = (next() & MAX_DRAW) * bound;
            }
        }
        return product >>> 32;
    }

    /** Shuffles the first {@code length} values. */
    void shuffle(final int[] values, final int length) {
        int i = 1;
        if (length > 0 && MAX_DRAW / length >= length) {
            // An even length leaves an odd number of positions to draw: the first is drawn alone, the others in
            // pairs.
            if (length % 2 == 0) {
                swap(values, i++, (int) below(2));
            }
            while (i < length) {
                final long second = i + 2L;
                final long both = below((i + 1L) * second);
                swap(values, i++, (int) (both / second));
                swap(values, i++, (int) (both % second));
            }
        }
        while (i < length) {
            swap(values, i, (int) below(i + 1L));
            i++;
        }
    }

    private static void swap(final int[] values, final int i, final int j) {
        final int value = values[i];
        values[i] = values[j];
        values[j] = value;
    }

    private void regenerate() {
        for (int i = 0; i < STATE_WORDS; i++) {
            final int mixed = state[i] & 0x80000000 | state[(i + 1) % STATE_WORDS] & 0x7fffffff;
            state[i] = state[(i + MIDDLE_WORD) % STATE_WORDS] ^ mixed >>> 1 ^ ((mixed & 1) == 0 ? 0 : TWIST);
        }
        position = 0;
    }
}
