package dev.skerry.tools.port.generator;

import static dev.skerry.tools.port.generator.ProbeLayout.BEFORE_UDP_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.ETHERNET_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.ETHERTYPE_AND_VERSION;
import static dev.skerry.tools.port.generator.ProbeLayout.FILL_STEP;
import static dev.skerry.tools.port.generator.ProbeLayout.HEAD_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.INT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.SHORT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.TOP_SHORT;
import static dev.skerry.tools.port.generator.ProbeLayout.UDP;
import static dev.skerry.tools.port.generator.ProbeLayout.folded;
import static dev.skerry.tools.port.generator.ProbeLayout.halves;
import static dev.skerry.tools.port.generator.ProbeLayout.wire;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Writes packets of {@link ProbeLayout} as eight stores and the fill. Checksums are updated from the fields that
 * change. One thread.
 */
final class ProbeWriter {
    private final FlowTemplates templates;

    ProbeWriter(final FlowTemplates templates) {
        this.templates = templates;
    }

    /**
     * Writes the next packet of a flow.
     *
     * @param flow   flow, from 0.
     * @param target memory that gets the packet.
     * @param at     byte offset of the packet.
     * @param length length in bytes, at least {@link ProbeLayout#HEAD_BYTES}.
     * @param timeNs time stamp.
     */
    void write(final int flow, final Region target, final long at, final int length, final long timeNs) {
        final Region lines = templates.lines;
        final long line = FlowTemplates.at(flow);
        final long sums = lines.getLong(line, FlowTemplates.SUMS);
        final long sequence = lines.getLong(line, FlowTemplates.SEQUENCE);
        final long name = lines.getLong(line, 5);
        lines.setLong(line, FlowTemplates.SEQUENCE, sequence + 1);
        final long key = ProbeLayout.key(name & INT_MASK, sequence);
        final long last = timeNs << Short.SIZE | ProbeLayout.check(key, timeNs, length);
        final long ipLength = length - ETHERNET_BYTES;
        final long udpLength = length - BEFORE_UDP_BYTES;
        final long ipSum = ~folded((sums >>> Integer.SIZE) + ipLength) & SHORT_MASK;
        long udp = (sums & INT_MASK) + 2 * udpLength + halves(sequence) + halves(last);
        if (length > HEAD_BYTES) {
            udp += ProbeLayout.turned(fill(target, at + HEAD_BYTES, length - HEAD_BYTES, key));
        }
        // In UDP a checksum of 0 means no checksum.
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
        // The packet ends within this long. The rest of its line is unused.
        target.setLong(at + whole, ProbeLayout.fill(value));
        return sum + halves(value & (1L << rest * Byte.SIZE) - 1);
    }

    /**
     * Constant parts of the packets of each flow, one cache line per flow. A line holds the first six longs of {@link
     * ProbeLayout} with zero lengths and checksums, the first two in memory order; the next sequence number; and the
     * checksums of the constant fields.
     * <pre>
     *    long   0 .. 5                 6                     7
     *           header of the packets  next sequence number  sum of IP (high half), sum of UDP (low half)
     * </pre>
     * One thread.
     */
    static final class FlowTemplates {
        static final int SEQUENCE = 6;
        static final int SUMS = 7;

        private static final int LINE_SHIFT = 6;
        private static final long DONT_FRAGMENT_TTL_UDP = 0x4000_4000L | UDP;

        /** Memory of all flows, indexed by {@link #at}. */
        private final Region lines;

        FlowTemplates(final Arena arena, final FlowHeaders headers, final int id, final long magic) {
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

        /** An equal one's complement sum below 2^32. */
        private static long small(final long sum) {
            return halves(halves(sum)) & INT_MASK;
        }

        /** Byte offset of a flow's line. */
        static long at(final int flow) {
            return (long) flow << LINE_SHIFT;
        }

        /** Counts one more packet of a flow. */
        void count(final int flow) {
            lines.setLong(at(flow), SEQUENCE, sent(flow) + 1);
        }

        /** Packets of a flow so far. */
        long sent(final int flow) {
            return lines.getLong(at(flow), SEQUENCE);
        }
    }
}
