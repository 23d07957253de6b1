package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.generator.GeneratorReport.FlowReport;
import dev.skerry.tools.port.generator.ProbeLayout.ProbeReader;
import org.HdrHistogram.Histogram;
import org.agrona.collections.Int2ObjectHashMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The receiving side of a generator: one {@link FlowMeter} per flow. Allocates when a flow is first seen, never after.
 * One thread.
 */
final class GeneratorFlows {
    /** Maximum number of flows measured separately. */
    static final int MAX_FLOWS = 4_096;

    private static final int PRECISE_FLOWS = 64;
    private static final int PRECISE_DIGITS = 3;
    private static final int DIGITS = 2;
    private static final int MAP_SIZE = 64;
    private static final float MAP_LOAD = 0.55f;

    private final ProbeReader reader = new ProbeReader();
    private final Int2ObjectHashMap<FlowMeter> meters = new Int2ObjectHashMap<>(MAP_SIZE, MAP_LOAD);
    private int lastName;
    private FlowMeter lastMeter;
    private long foreign;
    private long untracked;
    private long damaged;

    /** Checks a packet of a burst and counts it in its flow. */
    void accept(final PacketBurst burst, final int packet, final long nowNs) {
        final int verdict = reader.read(burst.region(), burst.offset(packet), burst.length(packet));
        if (verdict == ProbeReader.FOREIGN) {
            foreign++;
            return;
        }
        final FlowMeter meter = reader.name == lastName && lastMeter != null ? lastMeter
            : find(reader.name, verdict == ProbeReader.GOOD);
        if (verdict == ProbeReader.DAMAGED) {
            if (meter == null) {
                damaged++;
            } else {
                meter.damaged();
            }
        } else if (meter == null) {
            untracked++;
        } else {
            meter.accept(reader.sequence, reader.latencyNs(nowNs));
        }
    }

    private FlowMeter find(final int name, final boolean orMake) {
        FlowMeter meter = meters.get(name);
        if (meter == null && orMake && meters.size() < MAX_FLOWS) {
            meter = new FlowMeter(name, meters.size() < PRECISE_FLOWS ? PRECISE_DIGITS : DIGITS);
            meters.put(name, meter);
        }
        if (meter != null) {
            lastName = name;
            lastMeter = meter;
        }
        return meter;
    }

    /**
     * Results so far.
     *
     * @param sent packets that this generator sent.
     */
    GeneratorReport report(final long sent) {
        final List<FlowReport> flows = new ArrayList<>();
        meters.values().forEach(meter -> flows.add(meter.report()));
        flows.sort(Comparator.comparingInt(FlowReport::id).thenComparingInt(FlowReport::flow));
        final Histogram latency = new Histogram(PRECISE_DIGITS);
        FlowReport.Counts total = new FlowReport.Counts(0, 0, 0, 0, 0, damaged);
        for (final FlowReport flow : flows) {
            total = total.plus(flow.counts());
            latency.add(flow.latency());
        }
        return new GeneratorReport(sent, flows, total, latency, foreign, untracked);
    }

    /**
     * Measures one flow at its receiver. A window remembers the last {@link #WINDOW} sequence numbers. A new number
     * below the highest is reordered (RFC 4737), a repeated number is a duplicate, and a number older than the window
     * is counted as stale because it may be either. One thread; no allocation after construction.
     */
    static final class FlowMeter {
        /** Size of the window in sequence numbers. */
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
        }

        private void mark(final long sequence) {
            seen[(int) sequence >> WORD_SHIFT & seen.length - 1] |= 1L << sequence;
        }

        /** Clears the window's places of skipped sequence numbers. */
        private void forget(final long sequence) {
            for (long missing = Math.max(next, sequence - MASK); missing < sequence; missing++) {
                seen[(int) missing >> WORD_SHIFT & seen.length - 1] &= ~(1L << missing);
            }
        }

        /** Counts a damaged packet. */
        void damaged() {
            damaged++;
        }

        /** Results so far. */
        FlowReport report() {
            return new FlowReport(name >>> Short.SIZE, name & 0xFFFF,
                new FlowReport.Counts(next, received, reordered, duplicates, stale, damaged), latency.copy());
        }
    }
}
