package dev.skerry.nic.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.Sender.WindowRule;
import dev.skerry.nic.host.Sender.WindowRule.LiaWindow;

import java.util.Arrays;

/**
 * Senders of a bank's connections: recovery of New Reno (RFC 5681, RFC 6582) with the timer of RFC 6298, in whole
 * segments, and a window controlled by a {@link WindowRule}.
 *
 * <pre>
 *   one sender   0     4      8      12      16       20         24      28          32
 *                +-----+------+------+-------+--------+----------+-------+-----------+
 *                | una | next | most | recov | window | ssthresh | phase | timed     |
 *                +-----+------+------+-------+--------+----------+-------+-----------+
 *                | timed at   | timer ends   | rtt x8 | var x4   | doubl | in bucket |    64 bytes
 *                +------------+--------------+--------+----------+-------+-----------+
 *
 *   una: first segment not acknowledged         next: next to send         most: first never sent
 *   recov: last segment sent when the last one was lost; -1 at first       window: cwnd in 1/65536
 *   phase: duplicate acknowledgements, or -1 in recovery, -2 there after a partial one
 *   timed: segment whose round trip is measured, -1 for none               doubl: how often the timer doubled
 * </pre>
 *
 * A record is accessed only by the bank of its source; one thread.
 */
public final class RenoSender extends Sender implements LiaWindow.Siblings {
    private static final int UNA = 0;
    private static final int NEXT = 1;
    private static final int MOST = 2;
    private static final int RECOVER = 3;
    private static final int WINDOW = 4;
    private static final int THRESHOLD = 5;
    private static final int PHASE = 6;
    private static final int TIMED = 7;
    private static final int TIMED_AT = 4;
    private static final int DEADLINE = 5;
    private static final int RTT = 12;
    private static final int VARIANCE = 13;
    private static final int BACKOFF = 14;
    private static final int BUCKET = 15;

    private static final int ONE_BITS = 16;
    private static final int ONE = 1 << ONE_BITS;
    private static final int DUPLICATES = 3;
    private static final int RECOVERY = -1;
    private static final int PARTIAL = -2;
    private static final int NONE = -1;

    /** Deadline of a timer that is off. */
    private static final long OFF = 0;
    /** Value used instead of the next sender of a bucket: the sender is in no bucket. */
    private static final int NOWHERE = -2;
    private static final int MOST_BUCKETS = 4096;

    /** Number of segments that each flow's connections have taken; null if flows have one connection. */
    private final int[] taken;
    /**
     * The retransmission timers: a wheel with one bucket per slot, whose lists run through the senders' records. A
     * postponed timer stays in its bucket and moves on when the bucket is processed, so an acknowledgement costs one
     * store. This is exact because no timer runs for less than one turn of the wheel.
     */
    private final int[] timers;
    private final WindowRule window;

    /**
     * Creates senders before the first start.
     *
     * @param senders records of all banks, see {@link #table}.
     */
    public RenoSender(final Region senders, final Connections connections, final Reno rules, final Line line) {
        super(senders, connections, rules, line);
        this.taken = connections.each() == 1 ? null : new int[connections.flows().size()];
        this.window = WindowRule.of(rules, connections.count(), this);
        this.timers = new int[Math.min(MOST_BUCKETS, Integer.highestOneBit(rules.minRtoSlots()))];
        Arrays.fill(timers, NONE);
    }

    @Override
    public double window(final int flow) {
        return (double) get(at(flow), WINDOW) / ONE;
    }

    @Override
    public double roundTrip(final int flow) {
        return get(at(flow), RTT) / 8.0;
    }

    @Override
    public double markedShare(final int flow) {
        return window.markedShare(flow);
    }

    @Override
    public void start(final long slot, final int of) {
        for (int flow = connections.first(of); flow < connections.first(of + 1); flow++) {
            begin(slot, flow, at(flow));
        }
    }

    private void begin(final long slot, final int flow, final long at) {
        set(at, RECOVER, NONE);
        set(at, TIMED, NONE);
        set(at, WINDOW, rules.initialPackets() << ONE_BITS);
        set(at, THRESHOLD, rules.windowPackets());
        set(at, BUCKET, NOWHERE);
        push(slot, flow, at);
    }

    @Override
    public void turn(final long slot) {
        final int bucket = (int) slot & timers.length - 1;
        int flow = timers[bucket];
        timers[bucket] = NONE;
        while (flow != NONE) {
            final long at = at(flow);
            final int after = get(at, BUCKET);
            final long end = senders.getLong(at, DEADLINE);
            set(at, BUCKET, NOWHERE);
            waiting--;
            if (end > slot) {
                enter(slot, flow, end);
            } else if (end != OFF) {
                senders.setLong(at, DEADLINE, OFF);
                timeOut(slot, flow);
            }
            flow = after;
        }
    }

    @Override
    public void onAck(final long slot, final int flow, final long packet) {
        onAck(slot, flow, TcpPacket.number(packet), TcpPacket.isMarked(packet));
    }

    /**
     * Handles an acknowledgement: the receiver has all segments before {@code expected}.
     *
     * @param echo whether it echoes a mark.
     */
    void onAck(final long slot, final int flow, final int expected, final boolean echo) {
        final long at = at(flow);
        final int una = get(at, UNA);
        final int newly = Math.max(0, expected - una);
        final int cut = window.onAck(flow, una + newly, newly, Math.max(get(at, NEXT), expected), echo);
        if (cut > 0 && get(at, PHASE) >= 0) {
            set(at, WINDOW, Math.max(2 * ONE, get(at, WINDOW) - (int) ((long) get(at, WINDOW) * cut >> ONE_BITS)));
            set(at, THRESHOLD, get(at, WINDOW) >>> ONE_BITS);
        }
        if (newly > 0) {
            advance(slot, flow, at, newly, echo);
        } else if (expected == una && get(at, NEXT) > una) {
            duplicate(slot, flow, at);
        }
    }

    private void timeOut(final long slot, final int flow) {
        final long at = at(flow);
        timeouts++;
        if (get(at, BACKOFF) == 0) {
            set(at, THRESHOLD, half(at));
        }
        set(at, BACKOFF, Math.min(get(at, BACKOFF) + 1, Reno.MAX_BACKOFF));
        set(at, RECOVER, get(at, MOST) - 1);
        set(at, PHASE, 0);
        set(at, WINDOW, ONE);
        set(at, NEXT, get(at, UNA));
        push(slot, flow, at);
    }

    private void advance(final long slot, final int flow, final long at, final int newly,
        final boolean echo) {
        final int una = get(at, UNA) + newly;
        set(at, UNA, una);
        set(at, NEXT, Math.max(get(at, NEXT), una));
        set(at, BACKOFF, 0);
        if (get(at, TIMED) != NONE && una > get(at, TIMED)) {
            measure(at, (int) (slot - senders.getLong(at, TIMED_AT)));
            set(at, TIMED, NONE);
        }
        final int phase = get(at, PHASE);
        if (phase >= 0) {
            set(at, PHASE, 0);
            if (!echo) {
                grow(flow, at);
            }
        } else if (una > get(at, RECOVER)) {
            final int flight = get(at, NEXT) - una;
            set(at, WINDOW, Math.min(get(at, THRESHOLD), Math.max(flight, 1) + 1) << ONE_BITS);
            set(at, PHASE, 0);
        } else {
            set(at, WINDOW, Math.max(ONE, get(at, WINDOW) - (newly - 1 << ONE_BITS)));
            set(at, PHASE, PARTIAL);
            resend(slot, flow, at);
        }
        if (una == get(at, NEXT)) {
            senders.setLong(at, DEADLINE, OFF);
        } else if (phase != PARTIAL || get(at, PHASE) == 0) {
            restart(slot, flow, at);
        }
        push(slot, flow, at);
    }

    private void duplicate(final long slot, final int flow, final long at) {
        final int phase = get(at, PHASE);
        if (phase < 0) {
            set(at, WINDOW, Math.min(get(at, WINDOW) + ONE, 2 * Reno.MAX_WINDOW << ONE_BITS - 1));
            push(slot, flow, at);
        } else {
            set(at, PHASE, Math.min(phase + 1, DUPLICATES));
            if (phase == DUPLICATES - 1 && get(at, UNA) > get(at, RECOVER)) {
                set(at, THRESHOLD, half(at));
                set(at, RECOVER, get(at, MOST) - 1);
                set(at, WINDOW, get(at, THRESHOLD) + DUPLICATES << ONE_BITS);
                set(at, PHASE, RECOVERY);
                resend(slot, flow, at);
                restart(slot, flow, at);
                push(slot, flow, at);
            }
        }
    }

    private void resend(final long slot, final int flow, final long at) {
        resent++;
        set(at, TIMED, NONE);
        line.segment(slot, flow, get(at, UNA));
    }

    /** Sends the segments that the window allows. */
    private void push(final long slot, final int flow, final long at) {
        final int most = Math.min(get(at, WINDOW) >>> ONE_BITS, rules.windowPackets());
        final int end = (int) Math.min((long) get(at, UNA) + most, end(flow, at));
        int next = get(at, NEXT);
        if (next < end && senders.getLong(at, DEADLINE) == OFF) {
            restart(slot, flow, at);
        }
        for (; next < end; next++) {
            if (next < get(at, MOST)) {
                resent++;
                set(at, TIMED, NONE);
            } else {
                set(at, MOST, next + 1);
                if (taken != null) {
                    taken[connections.flow(flow)]++;
                }
                if (get(at, TIMED) == NONE) {
                    set(at, TIMED, next);
                    senders.setLong(at, TIMED_AT, slot);
                }
            }
            line.segment(slot, flow, next);
        }
        set(at, NEXT, next);
    }

    /** End of the segments that a connection has, or may still take from its flow. */
    private long end(final int flow, final long at) {
        final int of = connections.flow(flow);
        return taken == null ? connections.segments(of) : (long) get(at, MOST) + connections.segments(of) - taken[of];
    }

    private void grow(final int flow, final long at) {
        final int before = get(at, WINDOW);
        set(at, WINDOW, Math.min(before + window.growth(flow, before, get(at, THRESHOLD)),
            rules.windowPackets() << ONE_BITS));
    }

    /** Half of the in-flight segments, at least two. */
    private int half(final long at) {
        return Math.max(2, get(at, NEXT) - get(at, UNA) >>> 1);
    }

    private void restart(final long slot, final int flow, final long at) {
        final long timer = Math.max(rules.minRtoSlots(), (get(at, RTT) >> 3) + Math.max(1, get(at, VARIANCE)));
        final long end = slot + (timer << get(at, BACKOFF));
        senders.setLong(at, DEADLINE, end);
        if (get(at, BUCKET) == NOWHERE) {
            enter(slot, flow, end);
        }
    }

    /** Puts a timer into the bucket of its deadline, or into the last bucket before it. */
    private void enter(final long slot, final int flow, final long end) {
        final int bucket = (int) Math.min(end, slot + timers.length) & timers.length - 1;
        set(at(flow), BUCKET, timers[bucket]);
        timers[bucket] = flow;
        waiting++;
    }

    /** Measures the round trip of an acknowledged segment: the mean is stored times 8, the variance times 4. */
    private void measure(final long at, final int slots) {
        final int before = get(at, RTT);
        if (before == 0) {
            set(at, RTT, Math.max(1, slots << 3));
            set(at, VARIANCE, slots << 1);
        } else {
            final int error = slots - (before >> 3);
            final int spread = get(at, VARIANCE);
            set(at, RTT, Math.max(1, before + error));
            set(at, VARIANCE, spread + Math.abs(error) - (spread >> 2));
        }
    }

    private static long at(final int flow) {
        return (long) flow << WINDOW_SHIFT;
    }
}
