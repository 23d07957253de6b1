package dev.skerry.nic.fattree;

import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.SlotWheel;
import org.agrona.collections.IntArrayList;

/**
 * The sending ends of the NDP connections of some hosts (docs/spec/ndp.md §4, §6). A connection has a record from its
 * start until all its segments have arrived.
 *
 * <pre>
 *   one record     una | next | pulls | credit | awaited | in flight | sent | heard | backoff | is in the wheel
 *   then, by number modulo the window:   a bit: has arrived | a bit: to be sent again | slot in which it left
 *
 *   una: first segment that has not arrived    next: first one never sent    pulls: highest pull counter received
 *   credit: pulls that the window did not allow to use    awaited: ACKs and NACKs less pulls    sent: packets in all
 *   heard: slot of the last pull, or of the last segment sent by the timer; slots are the lower 32 bits
 * </pre>
 *
 * A segment from una to next that has not arrived and is not to be sent again is in flight. One thread.
 */
final class NdpSender {
    private static final int UNA = 0;
    private static final int NEXT = 1;
    private static final int PULLS = 2;
    private static final int CREDIT = 3;
    private static final int AWAITED = 4;
    private static final int IN_FLIGHT = 5;
    private static final int SENT = 6;
    private static final int HEARD = 7;
    private static final int BACKOFF = 8;
    private static final int IN_WHEEL = 9;
    private static final int BITS = 10;

    private static final int BUCKETS = 4096;
    private static final int MOST_BACKOFF = 6;
    /** Packets carry the lower bits of the pull counter. */
    private static final int UNUSED_BITS = Integer.SIZE - PacketWord.SLOT_BITS;

    private final Reno rules;
    private final Connections connections;
    private final Line line;
    private final NdpRecords records;
    private final int mask;
    /** Offsets in a record: bits of segments to be sent again, and slots. */
    private final int again;
    private final int slots;
    private final SlotWheel wheel = new SlotWheel(BUCKETS);
    private long resent;
    private long timeouts;

    /** Sends the segments of senders. */
    @FunctionalInterface
    interface Line {
        /**
         * Sends a segment.
         *
         * @param order number of segments that the connection has sent before, which selects the path.
         * @return the slot in which it leaves the port of its host.
         */
        long segment(long slot, int connection, int number, int order);
    }

    /** Creates senders before the first start. */
    NdpSender(final Reno rules, final Connections connections, final Line line) {
        this.rules = rules;
        this.connections = connections;
        this.line = line;
        final int window = NdpRecords.window(rules);
        this.mask = window - 1;
        this.again = BITS + window / Integer.SIZE;
        this.slots = again + window / Integer.SIZE;
        this.records = new NdpRecords(connections.count(), slots + window);
    }

    /** Starts a flow by sending its first window. */
    void start(final long slot, final int connection) {
        final int at = records.take(connection);
        records.set(at, HEARD, (int) slot);
        final int first = Math.min(rules.initialPackets(), connections.segments(connection));
        while (records.get(at, NEXT) < first) {
            sendNew(slot, connection, at);
        }
        await(slot, connection, at, slot + rules.minRtoSlots());
    }

    /** Handles an ACK or NACK with its pull counter. */
    void onAnswer(final long slot, final int connection, final int number, final boolean trimmed, final int pulls) {
        final int at = records.of(connection);
        if (at == NdpRecords.NONE) {
            return;
        }
        records.add(at, AWAITED, 1);
        if (trimmed) {
            lose(at, number);
        } else {
            arrive(at, number);
            if (records.get(at, UNA) == connections.segments(connection)) {
                records.free(connection);
                return;
            }
        }
        onPulls(slot, connection, at, pulls);
    }

    /** Handles a PULL with its pull counter. */
    void onPull(final long slot, final int connection, final int pulls) {
        final int at = records.of(connection);
        if (at != NdpRecords.NONE) {
            onPulls(slot, connection, at, pulls);
        }
    }

    /** Handles a returned header: its segment is sent immediately only if no other pull will arrive. */
    void onReturn(final long slot, final int connection, final int number) {
        final int at = records.of(connection);
        if (at != NdpRecords.NONE && lose(at, number) && records.get(at, IN_FLIGHT) == 0
            && records.get(at, AWAITED) <= 0) {
            sendAny(slot, connection, at);
        }
    }

    /** Handles timers that expire. Called for each slot in order. */
    void turn(final long slot) {
        final IntArrayList due = wheel.due(slot);
        for (int i = 0; i < due.size(); i++) {
            final int connection = due.getInt(i);
            final int at = records.of(connection);
            if (at != NdpRecords.NONE) {
                records.set(at, IN_WHEEL, 0);
                await(slot, connection, at, records.get(at, IN_FLIGHT) > 0 ? resend(slot, connection, at)
                    : wake(slot, connection, at));
            }
        }
        due.clear();
    }

    /** Whether no connection is open. */
    boolean isIdle() {
        return records.open() == 0;
    }

    /** Number of segments sent again. */
    long resent() {
        return resent;
    }

    /** Number of expired timers. */
    long timeouts() {
        return timeouts;
    }

    /** Whether a sent segment has neither arrived nor been queued to be sent again, as far as the sender knows. */
    private boolean isInFlight(final int at, final int number) {
        return number - records.get(at, UNA) >= 0 && !records.has(at + BITS, number & mask)
            && !records.has(at + again, number & mask);
    }

    private void arrive(final int at, final int number) {
        int una = records.get(at, UNA);
        if (number < una || records.has(at + BITS, number & mask)) {
            return;
        }
        if (isInFlight(at, number)) {
            records.add(at, IN_FLIGHT, -1);
        }
        records.clear(at + again, number & mask);
        records.put(at + BITS, number & mask);
        while (records.has(at + BITS, una & mask)) {
            records.clear(at + BITS, una++ & mask);
        }
        records.set(at, UNA, una);
    }

    /** Queues a segment to be sent again; false if it is queued already or has arrived. */
    private boolean lose(final int at, final int number) {
        if (!isInFlight(at, number)) {
            return false;
        }
        records.put(at + again, number & mask);
        records.add(at, IN_FLIGHT, -1);
        return true;
    }

    /** Uses new pulls, and earlier ones that the window did not allow to use. */
    private void onPulls(final long slot, final int connection, final int at, final int pulls) {
        final int more = Math.max(0, pulls - records.get(at, PULLS) << UNUSED_BITS >> UNUSED_BITS);
        if (more > 0) {
            records.add(at, PULLS, more);
            records.add(at, AWAITED, -more);
            records.set(at, HEARD, (int) slot);
            records.set(at, BACKOFF, 0);
        }
        int credit = records.get(at, CREDIT) + more;
        while (credit > 0 && sendAny(slot, connection, at)) {
            credit--;
        }
        // A pull expires if there is nothing to send, unless it arrived before its NACK.
        records.set(at, CREDIT, records.get(at, NEXT) < connections.segments(connection) ? credit
            : Math.min(credit, Math.max(0, -records.get(at, AWAITED))));
    }

    /** Sends the first segment to be sent again, or else a new one; false if there is none or the window forbids it. */
    private boolean sendAny(final long slot, final int connection, final int at) {
        final int una = records.get(at, UNA);
        final int next = records.get(at, NEXT);
        final int number = una + records.first(at + again, una & mask, mask, next - una);
        if (number < next) {
            records.clear(at + again, number & mask);
            records.add(at, IN_FLIGHT, 1);
            resent++;
            send(slot, connection, at, number);
            return true;
        }
        return next < connections.segments(connection) && next - una <= mask && sendNew(slot, connection, at);
    }

    private boolean sendNew(final long slot, final int connection, final int at) {
        records.add(at, IN_FLIGHT, 1);
        send(slot, connection, at, records.get(at, NEXT));
        records.add(at, NEXT, 1);
        return true;
    }

    private void send(final long slot, final int connection, final int at, final int number) {
        final int order = records.get(at, SENT);
        records.set(at, SENT, order + 1 & Integer.MAX_VALUE);
        records.set(at, slots + (number & mask), (int) line.segment(slot, connection, number, order));
    }

    /** Sends segments again whose timer has expired; returns when the next timer expires. */
    private long resend(final long slot, final int connection, final int at) {
        final int next = records.get(at, NEXT);
        long end = Long.MAX_VALUE;
        boolean ended = false;
        for (int number = records.get(at, UNA); number < next; number++) {
            if (!isInFlight(at, number)) {
                continue;
            }
            long left = records.get(at, slots + (number & mask)) - (int) slot + rules.minRtoSlots();
            if (left <= 0) {
                ended = true;
                resent++;
                send(slot, connection, at, number);
                left = records.get(at, slots + (number & mask)) - (int) slot + rules.minRtoSlots();
            }
            end = Math.min(end, slot + left);
        }
        timeouts += ended ? 1 : 0;
        return end;
    }

    /**
     * Called when nothing is in flight: sends a segment if no pull arrived within the timer; returns when to check
     * again.
     */
    private long wake(final long slot, final int connection, final int at) {
        final long left = records.get(at, HEARD) - (int) slot
            + ((long) rules.minRtoSlots() << records.get(at, BACKOFF));
        if (left > 0) {
            return slot + Math.min(left, rules.minRtoSlots());
        }
        timeouts++;
        records.set(at, HEARD, (int) slot);
        records.set(at, BACKOFF, Math.min(MOST_BACKOFF, records.get(at, BACKOFF) + 1));
        sendAny(slot, connection, at);
        return slot + rules.minRtoSlots();
    }

    /** Adds a connection to the bucket of a later slot, or to the last one before that slot. */
    private void await(final long slot, final int connection, final int at, final long time) {
        if (records.get(at, IN_WHEEL) == 0) {
            records.set(at, IN_WHEEL, 1);
            wheel.add(Math.min(Math.max(time, slot + 1), slot + BUCKETS - 1), connection);
        }
    }
}
