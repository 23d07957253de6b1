package dev.skerry.tools.port.generator;

import static dev.skerry.tools.port.generator.ProbeLayout.BEFORE_UDP_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.ETHERNET_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.FILL_STEP;
import static dev.skerry.tools.port.generator.ProbeLayout.HEAD_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.INT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.SHORT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.TOP_SHORT;
import static dev.skerry.tools.port.generator.ProbeLayout.folded;
import static dev.skerry.tools.port.generator.ProbeLayout.halves;
import static dev.skerry.tools.port.generator.ProbeLayout.wire;

import dev.skerry.dataplane.memory.Region;

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
        final Region lines = templates.lines();
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
}
