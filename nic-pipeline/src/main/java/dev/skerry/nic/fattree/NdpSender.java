package dev.skerry.nic.fattree;

import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.SlotWheel;
import org.agrona.collections.IntArrayList;

/**
 * The sending ends of the NDP connections of some hosts (docs/spec/ndp.md §4, §6). A connection has a record from its
 * start until all its segments have arrived; the records of finished connections are used again.
 *
 * <pre>
 *   one record     una | next | pulls | credit | awaited | in flight | sent | heard | backoff | is in the wheel
 *   then, by number modulo the window:   a bit, has arrived | a bit, waits to be sent again | slot in which it left
 *
 *   una: first segment that has not arrived    next: first one never sent    pulls: the counter that came last
 *   credit: pulls that the window did not let be used    awaited: ACKs and NACKs less pulls    sent: packets in all
 *   heard: slot of the last pull, or of the last segment that was not pulled; slots are the lower 32 bits
 * </pre>
 *
 * A segment from una to next that has not arrived and does not wait is in flight. One thread.
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
    /** A packet has the lower bits of the counter of pulls. */
    private static final int UNUSED_BITS = Integer.SIZE - PacketWord.SLOT_BITS;

    private final Reno rules;
    private final Connections connections;
    private final Line line;
    private final NdpRecords records;
    private final int mask;
    /** Where the bits of segments that wait to be sent again are in a record, and the slots of all. */
    private final int again;
    private final int slots;
    private final SlotWheel wheel = new SlotWheel(BUCKETS);
    private long resent;
    private long timeouts;

    /** Takes the segments that senders send. */
    @FunctionalInterface
    interface Line {
        /**
         * A segment is sent.
         *
         * @param order segments that the connection has sent before it, to choose the path by.
         * @return the slot in which it leaves the port of its host.
         */
        long segment(long slot, int connection, int number, int order);
    }

    /** No connection has started. */
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

    /** A flow starts: its first window is sent. */
    void start(final long slot, final int connection) {
        final int at = records.take(connection);
        records.set(at, HEARD, (int) slot);
        final int first = Math.min(rules.initialPackets(), connections.segments(connection));
        while (records.get(at, NEXT) < first) {
            sendNew(slot, connection, at);
        }
        await(slot, connection, at, slot + rules.minRtoSlots());
    }

    /** A segment has arrived, or was trimmed; some pulls have been sent in all. */
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

    /** A pull came; some have been sent in all. */
    void onPull(final long slot, final int connection, final int pulls) {
        final int at = records.of(connection);
        if (at != NdpRecords.NONE) {
            onPulls(slot, connection, at, pulls);
        }
    }

    /** The header of a segment came back: it is sent at once only if nothing else will bring a pull. */
    void onReturn(final long slot, final int connection, final int number) {
        final int at = records.of(connection);
        if (at != NdpRecords.NONE && lose(at, number) && records.get(at, IN_FLIGHT) == 0
            && records.get(at, AWAITED) <= 0) {
            sendAny(slot, connection, at);
        }
    }

    /** Timers end; slots come one after the other. */
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

    /** Segments that were sent again. */
    long resent() {
        return resent;
    }

    /** Timers that ended. */
    long timeouts() {
        return timeouts;
    }

    /** Whether a segment that is sent is known neither to have arrived nor to wait to be sent again. */
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

    /** A segment waits to be sent again; false if it does already, or has arrived. */
    private boolean lose(final int at, final int number) {
        if (!isInFlight(at, number)) {
            return false;
        }
        records.put(at + again, number & mask);
        records.add(at, IN_FLIGHT, -1);
        return true;
    }

    /** Uses the pulls that are new, and those that the window did not let be used before. */
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
        // A pull that finds nothing to send is void, unless it overtook the NACK of what it was sent for.
        records.set(at, CREDIT, records.get(at, NEXT) < connections.segments(connection) ? credit
            : Math.min(credit, Math.max(0, -records.get(at, AWAITED))));
    }

    /** Sends the first segment that waits, or a new one; false if the window does not allow it or there is none. */
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

    /** Sends again what has been in flight for too long; returns when the next segment will have been. */
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

    /** Nothing is in flight: if no pull came for too long, sends a segment; returns when to look again. */
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

    /** Into the bucket of a later slot, or the last one that comes before it. */
    private void await(final long slot, final int connection, final int at, final long time) {
        if (records.get(at, IN_WHEEL) == 0) {
            records.set(at, IN_WHEEL, 1);
            wheel.add(Math.min(Math.max(time, slot + 1), slot + BUCKETS - 1), connection);
        }
    }
}
