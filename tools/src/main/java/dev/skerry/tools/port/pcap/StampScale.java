package dev.skerry.tools.port.pcap;

/**
 * Converts an interface's time stamps to nanoseconds by pcapng's if_tsresol and if_tsoffset. Results saturate at the
 * bounds of 64 bits.
 *
 * @param factor        nanoseconds per tick, or 0 if below one.
 * @param divisor       ticks per nanosecond if factor is 0.
 * @param shift         log2 of the ticks per second, 0 to 63; -1 if they are a power of ten.
 * @param offsetSeconds offset to add.
 */
record StampScale(long factor, long divisor, int shift, long offsetSeconds) {
    private static final long SECOND_NS = 1_000_000_000;
    private static final int NS_POWER = 9;
    private static final int MAX_POWER = 18;
    private static final int BINARY = 0x80;

    /** Microseconds, the default of the format. */
    static final StampScale MICROSECONDS = new StampScale(1_000, 1, -1, 0);

    /**
     * Creates the scale of the two options.
     *
     * @param resolution    if_tsresol: ticks per second are 10^resolution, or 2^(resolution - 128) from 128 on.
     * @param offsetSeconds if_tsoffset.
     */
    static StampScale of(final int resolution, final long offsetSeconds) {
        if ((resolution & BINARY) != 0) {
            return new StampScale(0, 1, Math.min(resolution & ~BINARY, Long.SIZE - 1), offsetSeconds);
        }
        return resolution <= NS_POWER
            ? new StampScale(power(NS_POWER - resolution), 1, -1, offsetSeconds)
            : new StampScale(0, power(Math.min(resolution - NS_POWER, MAX_POWER)), -1, offsetSeconds);
    }

    private static long power(final int exponent) {
        long power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 10;
        }
        return power;
    }

    /** Nanoseconds since 1970 of a stamp, an unsigned number of ticks. */
    long ns(final long ticks) {
        final long ns;
        if (shift >= 0) {
            final long seconds = ticks >>> shift;
            ns = seconds < 0 ? Long.MAX_VALUE
                : saturatingAdd(product(seconds, SECOND_NS), fraction(ticks & (1L << shift) - 1));
        } else if (factor != 0) {
            // As an unsigned number it exceeds the largest time in ns.
            ns = ticks < 0 ? Long.MAX_VALUE : product(ticks, factor);
        } else {
            ns = Long.divideUnsigned(ticks, divisor);
        }
        return offsetSeconds == 0 ? ns : saturatingAdd(ns, product(offsetSeconds, SECOND_NS));
    }

    private long fraction(final long fraction) {
        final long high = Math.multiplyHigh(fraction, SECOND_NS);
        final long low = fraction * SECOND_NS;
        return shift == 0 ? 0 : high << Long.SIZE - shift | low >>> shift;
    }

    private static long product(final long number, final long by) {
        final long high = Math.multiplyHigh(number, by);
        final long low = number * by;
        return high == low >> Long.SIZE - 1 ? low : high < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    private static long saturatingAdd(final long left, final long right) {
        final long sum = left + right;
        return ((left ^ sum) & (right ^ sum)) >= 0 ? sum : left < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
}
