package dev.skerry.nic.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;

import java.lang.foreign.Arena;

/**
 * Receivers of a bank's connections: they record which segments of the window have arrived.
 *
 * <pre>
 *   one receiver   0                    8
 *                  +--------------------+-------------------------------------------+- - - - - - - - - - - - - - - +
 *                  | first missing one  | a bit for each of the window, by number   | DCQCN: next notification not |
 *                  +--------------------+-------------------------------------------+- - before this slot - - - - -+
 * </pre>
 *
 * A record is accessed only by the bank of its destination; one thread.
 */
public final class RenoReceiver {
    private final Region receivers;
    private final int words;
    private final int mask;
    /** Minimum interval between two congestion notifications of DCQCN, in slots; 0 if each mark is echoed. */
    private final int cnpSlots;

    /**
     * Creates receivers before the first arrival.
     *
     * @param receivers records of all banks, see {@link #table}.
     */
    public RenoReceiver(final Region receivers, final Reno rules) {
        this.receivers = receivers;
        this.words = words(rules);
        this.mask = (bits(rules) << 6) - 1;
        this.cnpSlots = rules.congestion() instanceof final Congestion.Dcqcn dcqcn ? dcqcn.cnpSlots() : 0;
    }

    /** The records of all receivers. */
    public static Region table(final Arena arena, final int flows, final Reno rules) {
        return Region.allocate(arena, tableBytes(flows, rules));
    }

    /** Memory in bytes. */
    public static long tableBytes(final int flows, final Reno rules) {
        return Math.max(1L, flows) * rules.congestion().subflows() * words(rules) << 3;
    }

    private static int words(final Reno rules) {
        return 1 + bits(rules) + (rules.congestion() instanceof Congestion.Dcqcn ? 1 : 0);
    }

    /** Longs of bits: the window is rounded up to a power of two, at least 64. */
    private static int bits(final Reno rules) {
        return Math.max(64, Integer.highestOneBit(rules.windowPackets() - 1) << 1) >>> 6;
    }

    /**
     * The answer to a segment that arrived.
     *
     * @param expected the first segment that is missing now.
     */
    public long answer(final long slot, final long segment, final int expected) {
        if (cnpSlots == 0) {
            return TcpPacket.answer(segment, expected);
        }
        final long at = ((long) TcpPacket.flow(segment) * words + words - 1) << 3;
        final boolean notifies = TcpPacket.isMarked(segment) && slot >= receivers.getLong(at);
        if (notifies) {
            receivers.setLong(at, slot + cnpSlots);
        }
        return TcpPacket.answer(segment, expected, notifies);
    }

    /**
     * Handles the arrival of a segment.
     *
     * @return the first segment that is missing now.
     */
    public int onSegment(final int flow, final int number) {
        final long at = (long) flow * words << 3;
        int expected = (int) receivers.getLong(at);
        if (number == expected) {
            expected++;
            while (take(at, expected & mask)) {
                expected++;
            }
            receivers.setLong(at, expected);
        } else if (number > expected) {
            if (number - expected > mask) {
                throw new IllegalStateException("segment " + number + " of flow " + flow + " is beyond the window at "
                    + expected);
            }
            final long word = word(at, number & mask);
            receivers.setLong(word, receivers.getLong(word) | 1L << number);
        }
        return expected;
    }

    /** Whether a segment has arrived before. */
    public boolean has(final int flow, final int number) {
        final long at = (long) flow * words << 3;
        final int expected = (int) receivers.getLong(at);
        return number < expected
            || number > expected && (receivers.getLong(word(at, number & mask)) >>> number & 1) != 0;
    }

    /** Number of segments of a flow that have arrived without a gap, over all its connections. */
    public long there(final Connections connections, final int flow) {
        long sum = 0;
        for (int connection = connections.first(flow); connection < connections.first(flow + 1); connection++) {
            sum += expected(connection);
        }
        return sum;
    }

    /** Payload bytes of a flow that have arrived without a gap. */
    public long received(final Connections connections, final int flow) {
        return connections.received(flow, there(connections, flow), expected(connections.first(flow)) > 0);
    }

    /** The first segment of a connection that is missing. */
    public int expected(final int flow) {
        return (int) receivers.getLong((long) flow * words << 3);
    }

    private boolean take(final long at, final int bit) {
        final long word = word(at, bit);
        final long bits = receivers.getLong(word);
        receivers.setLong(word, bits & ~(1L << bit));
        return (bits >>> bit & 1) != 0;
    }

    private static long word(final long at, final int bit) {
        return at + (1 + (bit >>> 6) << 3);
    }
}
