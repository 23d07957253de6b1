package dev.skerry.nic.fattree;

import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.host.SlotWheel;
import org.agrona.collections.IntArrayList;

/**
 * The receiving ends of the NDP connections to some hosts, and a pull queue for each host (docs/spec/ndp.md §5). A
 * connection has a record from its first arrival until all its segments have arrived.
 *
 * <pre>
 *   one record    segments that have arrived | the first that has not | pulls sent | pulls in the queue |
 *                 packets sent | by number modulo the window, a bit: has arrived
 * </pre>
 *
 * One thread.
 */
final class NdpReceiver {
    /** Times of pulls are in parts of a slot. */
    static final int DUE_BITS = 16;

    private static final int ARRIVED = 0;
    private static final int EXPECTED = 1;
    private static final int PULLS = 2;
    private static final int WAITING = 3;
    private static final int SENT = 4;
    private static final int BITS = 5;

    private static final int BUCKETS = 4096;

    private final Connections connections;
    private final Line line;
    private final NdpRecords records;
    private final int mask;
    private final int firstHost;
    /** Slots between two pulls, in 1/65536. */
    private final long interval;
    /**
     * By host: connections with pulls in its queue, in turn, those that have ended since included; pulls in its queue;
     * when the next one may leave, in 1/65536 slots.
     */
    private final LongFifo[] queues;
    private final int[] inQueue;
    private final long[] dueAt;
    private final boolean[] inWheel;
    private final SlotWheel wheel = new SlotWheel(BUCKETS);
    /** Hosts with pulls that wait. */
    private int waiting;
    private int maxAhead;
    private long nacks;
    private long pulls;

    /** Takes what receivers send. */
    @FunctionalInterface
    interface Line {
        /**
         * A control packet is sent.
         *
         * @param kind   ACK, NACK or PULL of {@link PacketWord}.
         * @param number the segment that came, of a pull 0.
         * @param pulls  that have been sent for the connection in all.
         * @param order  packets that this end has sent before, to choose the path by.
         */
        void send(int kind, long slot, int connection, int number, int pulls, int order);
    }

    /**
     * Nothing has come.
     *
     * @param interval  slots between two pulls, in 1/65536.
     * @param firstHost the first host.
     * @param hosts     how many.
     */
    NdpReceiver(final Reno rules, final Connections connections, final Line line, final long interval,
        final int firstHost, final int hosts) {
        this.connections = connections;
        this.line = line;
        final int window = NdpRecords.window(rules);
        this.mask = window - 1;
        this.interval = interval;
        this.firstHost = firstHost;
        this.records = new NdpRecords(connections.count(), BITS + window / Integer.SIZE);
        this.queues = LongFifo.of(hosts);
        this.inQueue = new int[hosts];
        this.dueAt = new long[hosts];
        this.inWheel = new boolean[hosts];
    }

    /**
     * A segment comes, or its header.
     *
     * @return whether it is the last one that was missing.
     */
    boolean onSegment(final long slot, final int connection, final int number, final boolean trimmed) {
        nacks += trimmed ? 1 : 0;
        final int kind = trimmed ? PacketWord.NACK : PacketWord.ACK;
        if (records.hasEnded(connection)) {
            line.send(kind, slot, connection, number, 0, number);
            return false;
        }
        int at = records.of(connection);
        if (at == NdpRecords.NONE) {
            at = records.take(connection);
        }
        final boolean isLast = !trimmed && arrive(at, number)
            && records.get(at, ARRIVED) == connections.segments(connection);
        final int host = connections.flows().destination(connections.flow(connection)) - firstHost;
        if (isLast) {
            inQueue[host] -= records.get(at, WAITING);
        } else if (inQueue[host] == 0 && isDue(slot, host)) {
            spend(slot, at, host);
        } else {
            inQueue[host]++;
            records.add(at, WAITING, 1);
            if (records.get(at, WAITING) == 1) {
                queues[host].add(connection);
                await(slot, host);
            }
        }
        line.send(kind, slot, connection, number, records.get(at, PULLS), order(at));
        if (isLast) {
            records.free(connection);
        }
        return isLast;
    }

    /** Pulls leave; slots come one after the other. */
    void turn(final long slot) {
        final IntArrayList due = wheel.due(slot);
        for (int i = 0; i < due.size(); i++) {
            final int host = due.getInt(i);
            inWheel[host] = false;
            waiting--;
            final LongFifo queue = queues[host];
            while (!queue.isEmpty() && isDue(slot, host)) {
                final int connection = (int) queue.poll();
                final int at = records.of(connection);
                if (at != NdpRecords.NONE) {
                    spend(slot, at, host);
                    inQueue[host]--;
                    records.add(at, WAITING, -1);
                    if (records.get(at, WAITING) > 0) {
                        queue.add(connection);
                    }
                    line.send(PacketWord.PULL, slot, connection, 0, records.get(at, PULLS), order(at));
                }
            }
            if (!queue.isEmpty()) {
                await(slot, host);
            }
        }
        due.clear();
    }

    /** Segments of a connection that have arrived. */
    int arrived(final int connection) {
        return records.hasEnded(connection) ? connections.segments(connections.flow(connection))
            : records.of(connection) == NdpRecords.NONE ? 0 : records.get(records.of(connection), ARRIVED);
    }

    /** Whether no pull waits. */
    boolean isIdle() {
        return waiting == 0;
    }

    /** Farthest that a segment came ahead of the first one that was missing. */
    int maxAhead() {
        return maxAhead;
    }

    /** NACKs sent. */
    long nacks() {
        return nacks;
    }

    /** Pulls sent, with ACKs and NACKs or alone. */
    long pulls() {
        return pulls;
    }

    /** A segment arrives; false if it has before. */
    private boolean arrive(final int at, final int number) {
        int expected = records.get(at, EXPECTED);
        if (number - expected > mask) {
            throw new IllegalStateException("segment " + number + " is beyond the window at " + expected);
        }
        if (number < expected || records.has(at + BITS, number & mask)) {
            return false;
        }
        maxAhead = Math.max(maxAhead, number - expected);
        records.add(at, ARRIVED, 1);
        records.put(at + BITS, number & mask);
        while (records.has(at + BITS, expected & mask)) {
            records.clear(at + BITS, expected++ & mask);
        }
        records.set(at, EXPECTED, expected);
        return true;
    }

    private boolean isDue(final long slot, final int host) {
        return dueAt[host] < slot + 1 << DUE_BITS;
    }

    /** A pull leaves: the next one may an interval later. A host that had none to send saves nothing up. */
    private void spend(final long slot, final int at, final int host) {
        pulls++;
        records.add(at, PULLS, 1);
        dueAt[host] = Math.max(dueAt[host], slot << DUE_BITS) + interval;
    }

    private int order(final int at) {
        final int order = records.get(at, SENT);
        records.set(at, SENT, order + 1 & Integer.MAX_VALUE);
        return order;
    }

    private void await(final long slot, final int host) {
        if (!inWheel[host]) {
            inWheel[host] = true;
            waiting++;
            wheel.add(Math.clamp(dueAt[host] >> DUE_BITS, slot + 1, slot + BUCKETS - 1), host);
        }
    }
}
