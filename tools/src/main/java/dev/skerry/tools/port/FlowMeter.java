package dev.skerry.tools.port;

import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import org.HdrHistogram.Histogram;

import java.util.function.ToLongFunction;

/**
 * Measures a flow at its receiver. A window remembers the last {@link #WINDOW} sequence numbers. A new number below the
 * highest one is reordered (RFC 4737), and a repeated number is a duplicate. A number older than the window may be
 * either and is counted as stale. Used by the thread that owns the generator; does not allocate after construction.
 */
public final class FlowMeter {
    /** Size of the window in sequence numbers. */
    static final int WINDOW = 1 << 13;

    private static final long HIGHEST_NS = 1L << 36;
    private static final int WORD_SHIFT = 6;
    private static final int MASK = WINDOW - 1;

    private final int name;
    private final long[] seen = new long[WINDOW >> WORD_SHIFT];
    private final Histogram latency;
    private final LatencyBuckets buckets = new LatencyBuckets();
    private long next;
    private long received;
    private long reordered;
    private long duplicates;
    private long stale;
    private long damaged;

    /** Counters of a flow at its receiver. */
    public enum FlowCounter {
        /** Distinct undamaged packets. */
        RECEIVED("packets of a generator's flow that arrived undamaged, duplicates excluded", meter -> meter.received),
        /** Received packets that followed a higher sequence number. */
        REORDERED("packets of a flow that arrived after a later one", meter -> meter.reordered),
        /** Repeated packets. */
        DUPLICATES("duplicate packets of a flow", meter -> meter.duplicates),
        /** Packets older than the window of sequence numbers. */
        STALE("packets of a flow that arrived so late that they may be duplicates", meter -> meter.stale),
        /** Packets whose contents changed. */
        DAMAGED("packets of a flow whose contents had changed", meter -> meter.damaged);

        private final String sentence;
        private final ToLongFunction<FlowMeter> value;

        FlowCounter(final String sentence, final ToLongFunction<FlowMeter> value) {
            this.sentence = sentence;
            this.value = value;
        }

        /** Returns the description of the counter. */
        public String sentence() {
            return sentence;
        }

        /** Returns the value of the counter for a flow. */
        public long of(final FlowMeter meter) {
            return value.applyAsLong(meter);
        }
    }

    FlowMeter(final int name, final int digits) {
        this.name = name;
        this.latency = new Histogram(HIGHEST_NS, digits);
    }

    /** Counts an undamaged packet. */
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
        buckets.add(latencyNs, 1);
    }

    private void mark(final long sequence) {
        seen[(int) sequence >> WORD_SHIFT & seen.length - 1] |= 1L << sequence;
    }

    /** Clears the window entries of skipped sequence numbers. */
    private void forget(final long sequence) {
        for (long missing = Math.max(next, sequence - MASK); missing < sequence; missing++) {
            seen[(int) missing >> WORD_SHIFT & seen.length - 1] &= ~(1L << missing);
        }
    }

    /** Counts a damaged packet. */
    void damaged() {
        damaged++;
    }

    /** Returns the id of the generator and the flow in one word. */
    int name() {
        return name;
    }

    /** Returns the id of the generator. */
    public int id() {
        return name >>> Short.SIZE;
    }

    /** Returns the flow of that generator, from 0. */
    public int flow() {
        return name & 0xFFFF;
    }

    /** Returns the latencies of the received packets in coarse buckets. */
    public LatencyBuckets buckets() {
        return buckets;
    }

    /** Returns a latency quantile of the received packets in ns. */
    public long latencyNs(final double share) {
        return latency.getValueAtPercentile(100 * share);
    }

    /** Returns the results so far. */
    FlowReport report() {
        return new FlowReport(id(), flow(),
            new FlowReport.Counts(next, received, reordered, duplicates, stale, damaged), latency.copy());
    }
}
