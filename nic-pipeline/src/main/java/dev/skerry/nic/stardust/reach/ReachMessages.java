package dev.skerry.nic.stardust.reach;

import java.util.Arrays;

/**
 * The last two reachability messages that were sent into each port, by turns of the period; a message is the sender's
 * to write in its slot and the receiver's to read the delay later.
 *
 * <pre>
 *   port and turn:   slot sent | first 64 adapters of the block | the other 64 | whether the sender takes the link for
 *                                                                                faulty
 * </pre>
 */
public final class ReachMessages {
    private final long[] sentIn;
    private final long[] low;
    private final long[] high;
    private final boolean[] faulty;

    public ReachMessages(final int ports) {
        this.sentIn = new long[2 * ports];
        this.low = new long[2 * ports];
        this.high = new long[2 * ports];
        this.faulty = new boolean[2 * ports];
        Arrays.fill(sentIn, -1);
    }

    /** A message into a port, by the slot and the turn that it is sent in. */
    public void send(final long slot, final long turn, final int port, final long first, final long second,
        final boolean isFaulty) {
        final int at = at(turn, port);
        sentIn[at] = slot;
        low[at] = first;
        high[at] = second;
        faulty[at] = isFaulty;
    }

    /** Whether a message was sent into a port in a slot, which is of a turn. */
    public boolean wasSent(final long slot, final long turn, final int port) {
        return sentIn[at(turn, port)] == slot;
    }

    /** The first 64 adapters of the block. */
    public long low(final long turn, final int port) {
        return low[at(turn, port)];
    }

    /** The other 64. */
    public long high(final long turn, final int port) {
        return high[at(turn, port)];
    }

    /** Whether the sender takes the link for faulty. */
    public boolean isFaulty(final long turn, final int port) {
        return faulty[at(turn, port)];
    }

    private static int at(final long turn, final int port) {
        return 2 * port + (int) (turn & 1);
    }
}
