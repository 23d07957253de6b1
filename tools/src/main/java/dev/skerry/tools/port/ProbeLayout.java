package dev.skerry.tools.port;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders;
import org.HdrHistogram.Histogram;
import org.agrona.collections.Int2ObjectHashMap;

import java.lang.foreign.Arena;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Layout of a generated packet: eight longs in network byte order, then fill.
 * <pre>
 *    byte   +0                    +2          +4                    +6
 *      0    destination MAC                                         source MAC
 *      8    (source MAC)                      0x0800                version 4, header 5, service 0
 *     16    IP length             id 0        don't fragment        time to live 64, protocol 17
 *     24    IP checksum           source address                    destination address
 *     32    (destination)         source port destination port      UDP length
 *     40    UDP checksum          magic       generator's id        flow
 *     48    sequence number of the flow, from 0
 *     56    time in ns, its low 48 bits                             check
 *     64    fill: little-endian longs, the last one cut: key, key + step, key + 2 * step, ...
 * </pre>
 * The key is a hash of id, flow and sequence number, so the fill reveals cells of another packet. The check is a hash
 * of the key, the time and the length. The UDP checksum covers the whole packet.
 */
final class ProbeLayout {
    /** Bytes before the fill. */
    static final int HEAD_BYTES = 64;

    static final int ETHERNET_BYTES = 14;
    static final int BEFORE_UDP_BYTES = 34;
    static final int ETHERTYPE_AND_VERSION = 0x0800_4500;
    static final int UDP = 17;
    static final long MAGIC = 0x534B;
    static final long SHORT_MASK = 0xFFFF;
    static final long INT_MASK = 0xFFFF_FFFFL;
    static final int TOP_SHORT = 48;
    static final long FILL_STEP = 0x9E3779B97F4A7C15L;

    private static final boolean IS_LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final long TIME_STEP = 0xD1B54A32D192ED03L;

    private ProbeLayout() {
    }

    /** Converts a long of the header between value and memory order. */
    static long wire(final long value) {
        return IS_LITTLE ? Long.reverseBytes(value) : value;
    }

    /** Converts a long of the fill between value and memory order. */
    static long fill(final long value) {
        return IS_LITTLE ? value : Long.reverseBytes(value);
    }

    /** Returns the first long of the fill. */
    static long key(final long flow, final long sequence) {
        return CounterRandom.mix(sequence + flow * FILL_STEP);
    }

    /** Returns the 16-bit check. Only the low 48 bits of the time count. */
    static long check(final long key, final long timeNs, final int length) {
        return CounterRandom.mix(key ^ ((timeNs << Short.SIZE) + length) * TIME_STEP) >>> TOP_SHORT;
    }

    /** Returns the sum of the two halves of a long, as a term in a one's complement sum of up to 2^31 terms. */
    static long halves(final long value) {
        return (value >>> Integer.SIZE) + (value & INT_MASK);
    }

    /** Folds a one's complement sum to 16 bits. */
    static long folded(final long sum) {
        long folded = halves(sum);
        folded = (folded >>> Short.SIZE) + (folded & SHORT_MASK);
        folded = (folded >>> Short.SIZE) + (folded & SHORT_MASK);
        return (folded >>> Short.SIZE) + (folded & SHORT_MASK);
    }

    /** Swaps the bytes of a 16-bit one's complement sum, which yields the sum in the other byte order. */
    static long turned(final long sum) {
        return Short.reverseBytes((short) folded(sum)) & SHORT_MASK;
    }

    /**
     * Writes packets in {@link ProbeLayout} as eight stores and the fill. Checksums are updated from the fields that
     * change. The constant data of each flow occupies one cache line: the first six longs of {@link ProbeLayout} with
     * zero lengths and checksums, of which the first two are in memory order; the next sequence number; and the sums of
     * the constant fields.
     * <pre>
     *    long   0 .. 5                 6                     7
     *           header of the packets  next sequence number  sum of IP (high half), sum of UDP (low half)
     * </pre>
     * Not thread-safe.
     */
    static final class ProbeWriter {
        static final int SEQUENCE = 6;
        static final int SUMS = 7;

        private static final int LINE_SHIFT = 6;
        private static final long DONT_FRAGMENT_TTL_UDP = 0x4000_4000L | UDP;

        private final Region lines;

        ProbeWriter(final Arena arena, final FlowHeaders headers, final int id, final long magic) {
            this.lines = Region.allocate(arena, (long) headers.flows() << LINE_SHIFT);
            for (int flow = 0; flow < headers.flows(); flow++) {
                fill(at(flow), headers, flow, magic << Integer.SIZE | (long) id << Short.SIZE | flow);
            }
        }

        private void fill(final long line, final FlowHeaders headers, final int flow, final long name) {
            final long sourceMac = headers.sourceMac().at(flow);
            final long sourceIp = headers.sourceIp().at(flow);
            final long destinationIp = headers.destinationIp().at(flow);
            final long ports = headers.sourcePort().at(flow) << Short.SIZE | headers.destinationPort().at(flow);
            lines.setLong(line, 0, wire(headers.destinationMac().at(flow) << Short.SIZE | sourceMac >>> Integer.SIZE));
            lines.setLong(line, 1, wire(sourceMac << Integer.SIZE | ETHERTYPE_AND_VERSION));
            lines.setLong(line, 2, DONT_FRAGMENT_TTL_UDP);
            lines.setLong(line, 3, sourceIp << Short.SIZE | destinationIp >>> Short.SIZE);
            lines.setLong(line, 4, (destinationIp & SHORT_MASK) << TOP_SHORT | ports << Short.SIZE);
            lines.setLong(line, 5, name);
            lines.setLong(line, SEQUENCE, 0);
            final long addresses = halves(sourceIp << Integer.SIZE | destinationIp);
            final long ip = (ETHERTYPE_AND_VERSION & SHORT_MASK) + DONT_FRAGMENT_TTL_UDP + addresses;
            final long udp = UDP + addresses + ports + halves(name);
            lines.setLong(line, SUMS, small(ip) << Integer.SIZE | small(udp));
        }

        /** Returns an equal one's complement sum below 2^32. */
        private static long small(final long sum) {
            return halves(halves(sum)) & INT_MASK;
        }

        /** Returns the byte offset of a flow's line. */
        static long at(final int flow) {
            return (long) flow << LINE_SHIFT;
        }

        /** Counts a packet of a flow. */
        void count(final int flow) {
            start(flow, sent(flow) + 1);
        }

        /** Sets the sequence number of the next packet of a flow. */
        void start(final int flow, final long sequence) {
            lines.setLong(at(flow), SEQUENCE, sequence);
        }

        /** Returns the packets of a flow so far. */
        long sent(final int flow) {
            return lines.getLong(at(flow), SEQUENCE);
        }

        /**
         * Writes the next packet of a flow.
         *
         * @param flow   flow, from 0.
         * @param target memory that receives the packet.
         * @param at     byte offset of the packet.
         * @param length length in bytes, at least {@link ProbeLayout#HEAD_BYTES}.
         * @param timeNs time stamp.
         */
        void write(final int flow, final Region target, final long at, final int length, final long timeNs) {
            final long line = at(flow);
            final long sums = lines.getLong(line, SUMS);
            final long sequence = lines.getLong(line, SEQUENCE);
            final long name = lines.getLong(line, 5);
            lines.setLong(line, SEQUENCE, sequence + 1);
            final long key = ProbeLayout.key(name & INT_MASK, sequence);
            final long last = timeNs << Short.SIZE | ProbeLayout.check(key, timeNs, length);
            final long ipLength = length - ETHERNET_BYTES;
            final long udpLength = length - BEFORE_UDP_BYTES;
            final long ipSum = ~folded((sums >>> Integer.SIZE) + ipLength) & SHORT_MASK;
            long udp = (sums & INT_MASK) + 2 * udpLength + halves(sequence) + halves(last);
            if (length > HEAD_BYTES) {
                udp += ProbeLayout.turned(fill(target, at + HEAD_BYTES, length - HEAD_BYTES, key));
            }
            // In UDP, a checksum of 0 means no checksum.
            final long inverted = ~folded(udp) & SHORT_MASK;
            final long udpSum = inverted == 0 ? SHORT_MASK : inverted;
            target.setLong(at, 0, lines.getLong(line, 0));
            target.setLong(at, 1, lines.getLong(line, 1));
            target.setLong(at, 2, wire(lines.getLong(line, 2) | ipLength << TOP_SHORT));
            target.setLong(at, 3, wire(lines.getLong(line, 3) | ipSum << TOP_SHORT));
            target.setLong(at, 4, wire(lines.getLong(line, 4) | udpLength));
            target.setLong(at, 5, wire(name | udpSum << TOP_SHORT));
            target.setLong(at, 6, wire(sequence));
            target.setLong(at, 7, wire(last));
        }

        /** Writes the fill. Returns its sum in the byte order of the fill. */
        private static long fill(final Region target, final long at, final int bytes, final long key) {
            final int whole = bytes & -Long.BYTES;
            long value = key;
            long sum = 0;
            for (int i = 0; i < whole; i += Long.BYTES) {
                target.setLong(at + i, ProbeLayout.fill(value));
                sum += halves(value);
                value += FILL_STEP;
            }
            final int rest = bytes - whole;
            if (rest == 0) {
                return sum;
            }
            // The packet ends within this long. The rest of its cache line is unused.
            target.setLong(at + whole, ProbeLayout.fill(value));
            return sum + halves(value & (1L << rest * Byte.SIZE) - 1);
        }
    }

    /** Reads and checks packets in {@link ProbeLayout} from any generator. Not thread-safe. */
    static final class ProbeReader {
        /** A generator sent the packet, and it is undamaged. */
        static final int GOOD = 0;

        /** No generator sent the packet, or it is too damaged to be recognised. */
        static final int FOREIGN = 1;

        /** A generator sent the packet, and it is damaged. */
        static final int DAMAGED = 2;

        private static final int SIGN_SHIFT = Long.SIZE - 48;
        private static final long ETHERTYPE_AND_VERSION_MASK = 0xFFFF_FF00L;

        /**
         * Id of the generator in the high half, and flow in the low half, of the last packet that was not {@link
         * #FOREIGN}.
         */
        int name;
        /** Sequence number of that packet. */
        long sequence;
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
            final boolean isPlain = isPlain(source, at);
            if (isPlain && readPlain(source, at, length) == GOOD) {
                return GOOD;
            }
            // The payload of a template's packet may begin with the magic of one without a template.
            final int verdict = readTrailer(source, at, length);
            return isPlain && verdict != GOOD ? readPlain(source, at, length) : verdict;
        }

        /** Tells whether a packet looks like one without a template. */
        private static boolean isPlain(final Region source, final long at) {
            return (wire(source.getLong(at, 1)) & ETHERTYPE_AND_VERSION_MASK)
                == (ETHERTYPE_AND_VERSION & ETHERTYPE_AND_VERSION_MASK)
                && (wire(source.getLong(at, 2)) & 0xFF) == UDP
                && (wire(source.getLong(at, 5)) >>> Integer.SIZE & SHORT_MASK) == MAGIC;
        }

        private int readPlain(final Region source, final long at, final int length) {
            final long first = wire(source.getLong(at, 1));
            final long lengths = wire(source.getLong(at, 2));
            final long magic = wire(source.getLong(at, 5));
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

        /**
         * Reads a packet from a template, which ends with a {@linkplain PacketTemplate trailer} and up to three bytes
         * of padding. Its headers may have changed in transit.
         */
        private int readTrailer(final Region source, final long at, final int length) {
            for (int end = length; end > length - PacketTemplate.ALIGNMENT; end--) {
                final long trailer = at + end - PacketTemplate.TRAILER_BYTES;
                final long first = PacketTemplate.getLong(source, trailer);
                final int payload = (int) (first & SHORT_MASK);
                final int before = end - PacketTemplate.TRAILER_BYTES - payload;
                if (first >>> TOP_SHORT == PacketTemplate.MAGIC && before >= ETHERNET_BYTES
                    && before <= PacketTemplate.MAX_HEADER_BYTES) {
                    name = (int) (first >>> Short.SIZE);
                    sequence = PacketTemplate.getLong(source, trailer + Long.BYTES);
                    last = PacketTemplate.getLong(source, trailer + 2 * Long.BYTES);
                    final long key = ProbeLayout.key(name & INT_MASK, sequence);
                    return sequence >= 0 && ProbeLayout.check(key, last >>> Short.SIZE, payload) == (last & SHORT_MASK)
                        && PacketTemplate.isFill(source, trailer - payload, payload, key) ? GOOD : DAMAGED;
                }
            }
            return FOREIGN;
        }

        /** Checks both checksums. Assumes that the fill is correct, which is checked separately. */
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

        /** Returns a mask of the first 1 to 7 bytes of a long; the rest of the long is not part of the packet. */
        private static long mask(final int bytes) {
            return (1L << bytes * Byte.SIZE) - 1;
        }

        /** Returns the latency in ns of the last packet at a time; at least 0, unambiguous up to 39 hours. */
        long latencyNs(final long nowNs) {
            return Math.max(0, nowNs - (last >>> Short.SIZE) << SIGN_SHIFT >> SIGN_SHIFT);
        }
    }

    /**
     * The receiving side of a generator, with a {@link FlowMeter} per flow. Allocates only when a flow is first seen.
     * Not thread-safe.
     */
    static final class GeneratorFlows {
        /** Maximum number of flows measured separately. */
        static final int MAX_FLOWS = 4_096;

        private static final int PRECISE_FLOWS = 64;
        static final int PRECISE_DIGITS = 3;
        private static final int DIGITS = 2;
        private static final int MAP_SIZE = 64;
        private static final float MAP_LOAD = 0.55f;

        private final ProbeReader reader = new ProbeReader();
        private final Int2ObjectHashMap<FlowMeter> meters = new Int2ObjectHashMap<>(MAP_SIZE, MAP_LOAD);
        /** Meters in the order in which flows were first seen. */
        final List<FlowMeter> seen = new ArrayList<>();
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
                seen.add(meter);
            }
            if (meter != null) {
                lastName = name;
                lastMeter = meter;
            }
            return meter;
        }

        /**
         * Returns the results so far.
         *
         * @param sent packets that this generator sent.
         */
        GeneratorReport report(final long sent) {
            final List<FlowReport> flows = new ArrayList<>();
            seen.forEach(meter -> flows.add(meter.report()));
            flows.sort(Comparator.comparingInt(FlowReport::id).thenComparingInt(FlowReport::flow));
            final Histogram latency = new Histogram(PRECISE_DIGITS);
            FlowReport.Counts total = new FlowReport.Counts(0, 0, 0, 0, 0, damaged);
            for (final FlowReport flow : flows) {
                total = total.plus(flow.counts());
                latency.add(flow.latency());
            }
            return new GeneratorReport(sent, flows, total, latency, foreign, untracked);
        }
    }
}
