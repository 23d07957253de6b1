package dev.skerry.tools.port.generator;

import org.HdrHistogram.Histogram;

/**
 * The account of one flow at its receiver. Packets are told apart by a window of the last {@link #WINDOW} sequence
 * numbers: a new number below the highest seen came out of order (RFC 4737), a number seen before is a duplicate; one
 * older than the window may be either, so it is counted on its own. One thread; no allocation after construction.
 */
final class FlowMeter {
    /** Sequence numbers that are remembered. */
    static final int WINDOW = 1 << 13;

    private static final long HIGHEST_NS = 1L << 36;
    private static final int WORD_SHIFT = 6;
    private static final int MASK = WINDOW - 1;

    private final int name;
    private final long[] seen = new long[WINDOW >> WORD_SHIFT];
    private final Histogram latency;
    private long next;
    private long received;
    private long reordered;
    private long duplicates;
    private long stale;
    private long damaged;

    FlowMeter(final int name, final int digits) {
        this.name = name;
        this.latency = new Histogram(HIGHEST_NS, digits);
    }

    /** Takes in a good packet. */
    void accept(final long sequence, final long latencyNs) {
        if (sequence >= next) {
            if (sequence != next) {
                forget(sequence);
            }
            next = sequence + 1;
            mark(sequence);
        } else if (next - sequence > WINDOW) {
            stale++;
            return;
        } else if ((seen[(int) sequence >> WORD_SHIFT & seen.length - 1] >>> sequence & 1) != 0) {
            duplicates++;
            return;
        } else {
            mark(sequence);
            reordered++;
        }
        received++;
        latency.recordValue(Math.min(latencyNs, HIGHEST_NS));
    }

    private void mark(final long sequence) {
        seen[(int) sequence >> WORD_SHIFT & seen.length - 1] |= 1L << sequence;
    }

    /** Clears the places of the numbers jumped over. */
    private void forget(final long sequence) {
        for (long missing = Math.max(next, sequence - MASK); missing < sequence; missing++) {
            seen[(int) missing >> WORD_SHIFT & seen.length - 1] &= ~(1L << missing);
        }
    }

    /** Takes note of a damaged packet. */
    void damaged() {
        damaged++;
    }

    /** Everything so far. */
    FlowReport report() {
        return new FlowReport(name >>> Short.SIZE, name & 0xFFFF,
            new FlowReport.Counts(next, received, reordered, duplicates, stale, damaged), latency.copy());
    }
}
