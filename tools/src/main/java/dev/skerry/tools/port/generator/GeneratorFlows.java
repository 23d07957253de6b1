package dev.skerry.tools.port.generator;

import static dev.skerry.tools.port.generator.ProbeLayout.BEFORE_UDP_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.ETHERNET_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.ETHERTYPE_AND_VERSION;
import static dev.skerry.tools.port.generator.ProbeLayout.FILL_STEP;
import static dev.skerry.tools.port.generator.ProbeLayout.HEAD_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.INT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.MAGIC;
import static dev.skerry.tools.port.generator.ProbeLayout.SHORT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.TOP_SHORT;
import static dev.skerry.tools.port.generator.ProbeLayout.UDP;
import static dev.skerry.tools.port.generator.ProbeLayout.folded;
import static dev.skerry.tools.port.generator.ProbeLayout.halves;
import static dev.skerry.tools.port.generator.ProbeLayout.wire;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.generator.GeneratorReport.FlowReport;
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

    /** Reads and checks packets of {@link ProbeLayout} from any generator. One thread. */
    private static final class ProbeReader {
        /** The packet is a generator's and undamaged. */
        static final int GOOD = 0;

        /** The packet is no generator's, or too damaged to recognise. */
        static final int FOREIGN = 1;

        /** The packet is a generator's and damaged. */
        static final int DAMAGED = 2;

        private static final int SIGN_SHIFT = Long.SIZE - 48;
        private static final long ETHERTYPE_AND_VERSION_MASK = 0xFFFF_FF00L;

        /** Generator's id in the high half, flow in the low half, of the last packet that was not {@link #FOREIGN}. */
        private int name;
        /** Sequence number of that packet. */
        private long sequence;
        private long last;

        /**
         * Reads a packet.
         *
         * @return {@link #GOOD}, {@link #FOREIGN} or {@link #DAMAGED}.
         */
        int read(final Region source, final long at, final int length) {
            if (length < HEAD_BYTES) {
                return FOREIGN;
            }
            final long first = wire(source.getLong(at, 1));
            final long lengths = wire(source.getLong(at, 2));
            final long magic = wire(source.getLong(at, 5));
            if ((first & ETHERTYPE_AND_VERSION_MASK) != (ETHERTYPE_AND_VERSION & ETHERTYPE_AND_VERSION_MASK)
                || (lengths & 0xFF) != UDP || (magic >>> Integer.SIZE & SHORT_MASK) != MAGIC) {
                return FOREIGN;
            }
            name = (int) magic;
            sequence = wire(source.getLong(at, 6));
            last = wire(source.getLong(at, 7));
            final long key = ProbeLayout.key(magic & INT_MASK, sequence);
            if (sequence < 0 || lengths >>> TOP_SHORT != length - ETHERNET_BYTES
                || ProbeLayout.check(key, last >>> Short.SIZE, length) != (last & SHORT_MASK)) {
                return DAMAGED;
            }
            return sumsAreRight(source, at, length, first, lengths, magic) && fillIsRight(source, at, length, key)
                ? GOOD : DAMAGED;
        }

        /** Checks both checksums. Assumes correct fill, which is compared separately. */
        private boolean sumsAreRight(
            final Region source, final long at, final int length, final long first, final long lengths,
            final long magic
        ) {
            final long addresses = wire(source.getLong(at, 3));
            final long ports = wire(source.getLong(at, 4));
            final long destination = ports >>> TOP_SHORT;
            final long ip = (first & SHORT_MASK) + halves(lengths) + halves(addresses) + destination;
            if (folded(ip) != SHORT_MASK || (ports & SHORT_MASK) != length - BEFORE_UDP_BYTES) {
                return false;
            }
            if (magic >>> TOP_SHORT == 0) {
                return true;
            }
            final long pseudo = UDP + (ports & SHORT_MASK) + halves(addresses & -1L >>> Short.SIZE) + destination;
            final long head = pseudo + halves(ports & -1L >>> Short.SIZE) + halves(magic) + halves(sequence)
                + halves(last);
            return length == HEAD_BYTES ? folded(head) == SHORT_MASK
                : folded(head + ProbeLayout.turned(fillSum(source, at + HEAD_BYTES, length - HEAD_BYTES)))
                == SHORT_MASK;
        }

        private static long fillSum(final Region source, final long at, final int bytes) {
            final int whole = bytes & -Long.BYTES;
            long sum = 0;
            for (int i = 0; i < whole; i += Long.BYTES) {
                sum += halves(ProbeLayout.fill(source.getLong(at + i)));
            }
            return whole == bytes ? sum : sum
                + halves(ProbeLayout.fill(source.getLong(at + whole)) & mask(bytes - whole));
        }

        private static boolean fillIsRight(final Region source, final long at, final int length, final long key) {
            final int whole = length - HEAD_BYTES & -Long.BYTES;
            final long start = at + HEAD_BYTES;
            long value = key;
            long wrong = 0;
            for (int i = 0; i < whole; i += Long.BYTES) {
                wrong |= ProbeLayout.fill(source.getLong(start + i)) ^ value;
                value += FILL_STEP;
            }
            final int rest = length - HEAD_BYTES - whole;
            if (rest > 0) {
                wrong |= (ProbeLayout.fill(source.getLong(start + whole)) ^ value) & mask(rest);
            }
            return wrong == 0;
        }

        /** Mask of the first 1 to 7 bytes of a long; the rest of the long is not part of the packet. */
        private static long mask(final int bytes) {
            return (1L << bytes * Byte.SIZE) - 1;
        }

        /** Latency in ns of that packet at a time; at least 0, unambiguous up to 39 hours. */
        long latencyNs(final long nowNs) {
            return Math.max(0, nowNs - (last >>> Short.SIZE) << SIGN_SHIFT >> SIGN_SHIFT);
        }
    }
}
