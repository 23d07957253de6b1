package dev.skerry.tools.port.generator;

import static dev.skerry.tools.port.generator.ProbeLayout.BEFORE_UDP_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.ETHERNET_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.FILL_LONG;
import static dev.skerry.tools.port.generator.ProbeLayout.FILL_STEP;
import static dev.skerry.tools.port.generator.ProbeLayout.HEAD_BYTES;
import static dev.skerry.tools.port.generator.ProbeLayout.INT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.SHORT_MASK;
import static dev.skerry.tools.port.generator.ProbeLayout.TOP_SHORT;
import static dev.skerry.tools.port.generator.ProbeLayout.WIRE_LONG;
import static dev.skerry.tools.port.generator.ProbeLayout.folded;
import static dev.skerry.tools.port.generator.ProbeLayout.halves;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Writes packets of {@link ProbeLayout}: eight stores and the fill, the check sums from what changes. One thread. */
final class ProbeWriter {
    private final FlowTemplates templates;

    ProbeWriter(final FlowTemplates templates) {
        this.templates = templates;
    }

    /**
     * Writes the next packet of a flow.
     *
     * @param flow   whose.
     * @param target where the packet goes.
     * @param at     its first byte there.
     * @param length at least {@link ProbeLayout#HEAD_BYTES}.
     * @param timeNs that it carries.
     */
    void write(final int flow, final MemorySegment target, final long at, final int length, final long timeNs) {
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
        // A sum of 0 would mean that there is none.
        final long inverted = ~folded(udp) & SHORT_MASK;
        final long udpSum = inverted == 0 ? SHORT_MASK : inverted;
        target.set(WIRE_LONG, at, lines.getLong(line, 0));
        target.set(WIRE_LONG, at + 8, lines.getLong(line, 1));
        target.set(WIRE_LONG, at + 16, lines.getLong(line, 2) | ipLength << TOP_SHORT);
        target.set(WIRE_LONG, at + 24, lines.getLong(line, 3) | ipSum << TOP_SHORT);
        target.set(WIRE_LONG, at + 32, lines.getLong(line, 4) | udpLength);
        target.set(WIRE_LONG, at + 40, name | udpSum << TOP_SHORT);
        target.set(WIRE_LONG, at + 48, sequence);
        target.set(WIRE_LONG, at + 56, last);
    }

    /** Writes the fill; gives its sum in the order of its longs. */
    private static long fill(final MemorySegment target, final long at, final int bytes, final long key) {
        final int whole = bytes & -Long.BYTES;
        long value = key;
        long sum = 0;
        for (int i = 0; i < whole; i += Long.BYTES) {
            target.set(FILL_LONG, at + i, value);
            sum += halves(value);
            value += FILL_STEP;
        }
        final int rest = bytes - whole;
        for (int i = 0; i < rest; i++) {
            target.set(ValueLayout.JAVA_BYTE, at + whole + i, (byte) (value >>> i * Byte.SIZE));
        }
        return rest == 0 ? sum : sum + halves(value & (1L << rest * Byte.SIZE) - 1);
    }
}
