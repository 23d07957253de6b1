package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.stardust.fabric.Reno;

import java.lang.foreign.Arena;

/**
 * The receiving ends of a bank's connections: which segments of the window are there.
 *
 * <pre>
 *   one receiver   0                    8
 *                  +--------------------+-------------------------------------------+
 *                  | first one missing  | a bit for each of the window, by number   |
 *                  +--------------------+-------------------------------------------+
 * </pre>
 *
 * A record is touched by the bank of its destination alone; one thread.
 */
public final class RenoReceiver {
    private final Region receivers;
    private final int words;
    private final int mask;

    /**
     * Nothing has come.
     *
     * @param receivers of all banks, see {@link #table}.
     */
    public RenoReceiver(final Region receivers, final Reno rules) {
        this.receivers = receivers;
        this.words = words(rules);
        this.mask = (words - 1 << 6) - 1;
    }

    /** The records of all receivers. */
    public static Region table(final Arena arena, final int flows, final Reno rules) {
        return Region.allocate(arena, tableBytes(flows, rules));
    }

    /** Memory in bytes. */
    public static long tableBytes(final int flows, final Reno rules) {
        return Math.max(1L, flows) * rules.congestion().subflows() * words(rules) << 3;
    }

    /** Longs of a record: the window is rounded up to a power of two, 64 or more. */
    private static int words(final Reno rules) {
        return 1 + (Math.max(64, Integer.highestOneBit(rules.windowPackets() - 1) << 1) >>> 6);
    }

    /**
     * A segment comes.
     *
     * @return the first one that is missing now.
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

    /** Segments of a flow that are there without a gap, on all its connections together. */
    public long there(final Connections connections, final int flow) {
        long sum = 0;
        for (int connection = connections.first(flow); connection < connections.first(flow + 1); connection++) {
            sum += expected(connection);
        }
        return sum;
    }

    /** Payload bytes of a flow that are there without a gap. */
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
