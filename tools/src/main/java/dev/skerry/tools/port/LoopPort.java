package dev.skerry.tools.port;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.InputException;
import org.agrona.BitUtil;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A loopback port: packets sent to it are received from it in the same order. If its buffer is full, packets remain
 * with the caller. Not thread-safe.
 * <pre>
 *    lengths, 8 bytes per packet           bytes, each packet on whole lines, wrapping at the end
 *           head          tail                      first                       end
 *    +-----+------+------+-----+           +-----+-----------+-----------+-----+-----+
 *    |     | len  | len  |     |           |     | packet    | packet          |     |
 *    +-----+------+------+-----+           +-----+-----------+-----------------+-----+
 * </pre>
 * Head, tail, first and end increase without wrapping; their low bits are indices.
 */
public final class LoopPort implements LivePort {
    private static final int ENTRY_SHIFT = 3;

    private final PortCounts counts = new PortCounts();
    private final Arena arena = Arena.ofShared();
    private final Region lengths;
    private final MemorySegment bytes;
    private final int maxPackets;
    private final int maxBytes;
    private final int packetMask;
    private final int byteMask;
    private long head;
    private long tail;
    private long first;
    private long end;
    private boolean closed;

    private LoopPort(final LoopSettings settings) {
        this.maxPackets = settings.packets();
        this.maxBytes = settings.bytes() & -Region.ALIGNMENT;
        final int slots = BitUtil.findNextPositivePowerOfTwo(maxPackets);
        final int size = BitUtil.findNextPositivePowerOfTwo(maxBytes);
        this.packetMask = slots - 1;
        this.byteMask = size - 1;
        this.lengths = Region.allocate(arena, (long) slots << ENTRY_SHIFT);
        this.bytes = arena.allocate(size, Region.ALIGNMENT);
    }

    /** Opens an empty loopback port. */
    public static LoopPort open(final LoopSettings settings) {
        return new LoopPort(settings);
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        if (closed) {
            counts.add(PortCounter.TX_DOWN, 1);
            return 0;
        }
        final int size = from.size();
        long total = 0;
        int dropped = 0;
        int packet = first;
        for (; packet < size; packet++) {
            final int length = from.length(packet);
            final int lines = lines(length);
            if (lines > maxBytes) {
                dropped++;
            } else if (tail - head == maxPackets || end - this.first + lines > maxBytes) {
                counts.add(PortCounter.TX_FULL, 1);
                break;
            } else {
                put(from.bytes(), from.offset(packet), length);
                total += length;
            }
        }
        counts.addSent(packet - first - dropped, total);
        counts.add(PortCounter.TX_DROPPED_TOO_LONG, dropped);
        return packet - first;
    }

    private void put(final MemorySegment source, final long offset, final int length) {
        final int place = (int) end & byteMask;
        final int straight = Math.min(length, byteMask + 1 - place);
        MemorySegment.copy(source, offset, bytes, place, straight);
        MemorySegment.copy(source, offset + straight, bytes, 0, length - straight);
        lengths.setLong((tail & packetMask) << ENTRY_SHIFT, length);
        tail++;
        end += lines(length);
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        if (closed) {
            return 0;
        }
        final int before = into.size();
        while (head != tail && into.room() > 0) {
            final int length = (int) lengths.getLong((head & packetMask) << ENTRY_SHIFT);
            if (length <= into.maxBytes()) {
                take(into, length);
            } else {
                counts.addTooLong(length);
            }
            head++;
            first += lines(length);
        }
        counts.addReceived(into, before);
        return into.size() - before;
    }

    private void take(final PacketBurst into, final int length) {
        final int place = (int) first & byteMask;
        final int straight = Math.min(length, byteMask + 1 - place);
        final long target = into.place();
        MemorySegment.copy(bytes, place, into.bytes(), target, straight);
        MemorySegment.copy(bytes, 0, into.bytes(), target + straight, length - straight);
        into.add(length);
    }

    /** Returns the number of packets in the buffer. */
    public int held() {
        return (int) (tail - head);
    }

    @Override
    public boolean isUp() {
        return !closed;
    }

    @Override
    public PortCounts counts() {
        return counts;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            counts.add(PortCounter.RX_LEFT, held());
            arena.close();
        }
    }

    private static int lines(final int length) {
        return BitUtil.align(length, Region.ALIGNMENT);
    }

    /**
     * A loopback port on the command line: {@code loop[:packets=N][,bytes=N]}.
     *
     * @param packets maximum number of packets in the buffer, 1 to 2^20.
     * @param bytes   size of the buffer in bytes, 64 to 2^30; each packet occupies whole lines of 64 bytes.
     */
    public record LoopSettings(int packets, int bytes) {
        /** Kind of port on the command line. */
        public static final String KIND = "loop";

        private static final String ADVICE = "write loop or loop:packets=N,bytes=N";
        private static final int PACKETS = 1024;
        private static final int BYTES = 1 << 21;
        private static final int MAX_PACKETS = 1 << 20;
        private static final int MIN_BYTES = 64;
        private static final int MAX_BYTES = 1 << 30;

        /**
         * Checks both bounds.
         *
         * @throws IllegalArgumentException if one is out of range.
         */
        public LoopSettings {
            Bounds.require("packets", packets, 1, MAX_PACKETS);
            Bounds.require("bytes", bytes, MIN_BYTES, MAX_BYTES);
        }

        /**
         * Parses the settings.
         *
         * @throws InputException if they are invalid.
         */
        public static LoopSettings parse(final String text) {
            final PortText line = new PortText(KIND, text, ADVICE);
            return line.read(() -> new LoopSettings((int) line.number("packets", PACKETS, 1, MAX_PACKETS),
                (int) line.number("bytes", BYTES, MIN_BYTES, MAX_BYTES)));
        }
    }
}
