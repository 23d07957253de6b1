package dev.skerry.tools.port.generator;

import static dev.skerry.tools.port.generator.ProbeLayout.ETHERTYPE_AND_VERSION;
import static dev.skerry.tools.port.generator.ProbeLayout.INT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.SHORT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.TOP_SHORT;
import static dev.skerry.tools.port.generator.ProbeLayout.UDP;
import static dev.skerry.tools.port.generator.ProbeLayout.halves;
import static dev.skerry.tools.port.generator.ProbeLayout.wire;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

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
final class FlowTemplates {
    static final int SEQUENCE = 6;
    static final int SUMS = 7;

    private static final int LINE_SHIFT = 6;
    private static final long DONT_FRAGMENT_TTL_UDP = 0x4000_4000L | UDP;

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

    /** Memory of all flows, indexed by {@link #at}. */
    Region lines() {
        return lines;
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
