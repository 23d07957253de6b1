package dev.skerry.nic.fattree;

import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.host.SlotWheel;
import org.agrona.collections.IntArrayList;

/**
 * The receiving ends of the NDP connections to a range of hosts, with a pull queue per host (docs/spec/ndp.md §5). A
 * connection has a record from its first arrival until all its segments have arrived.
 *
 * <pre>
 *   one record    segments that have arrived | first that has not | pulls sent | pulls in the queue |
 *                 packets sent | a bit per segment, by number modulo the window: has arrived
 * </pre>
 *
 * One thread.
 */
final class NdpReceiver {
    /** Pulls are timed in units of 2^-16 slots. */
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
    /** Interval between two pulls, in 1/65536 slot. */
    private final long interval;
    /**
     * By host: its pull queue, a round-robin list of connections that may contain ended ones; the number of pulls in
     * the queue; the earliest time of the next pull, in 1/65536 slot.
     */
    private final LongFifo[] queues;
    private final int[] inQueue;
    private final long[] dueAt;
    private final boolean[] inWheel;
    private final SlotWheel wheel = new SlotWheel(BUCKETS);
    /** Number of hosts with queued pulls. */
    private int waiting;
    private int maxAhead;
    private long nacks;
    private long pulls;

    /** Sends the packets of receivers. */
    @FunctionalInterface
    interface Line {
        /**
         * Sends a control packet.
         *
         * @param kind   ACK, NACK or PULL of {@link PacketWord}.
         * @param number number of the segment that arrived; 0 for a pull.
         * @param pulls  number of pulls sent for the connection so far.
         * @param order  number of packets that this end has sent before, which selects the path.
         */
        void send(int kind, long slot, int connection, int number, int pulls, int order);
    }

    /**
     * Creates receivers before the first arrival.
     *
     * @param interval  interval between two pulls, in 1/65536 slot.
     * @param firstHost first host.
     * @param hosts     number of hosts.
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
     * Handles the arrival of a segment or its header.
     *
     * @return whether this completes the flow.
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

    /** Sends the pulls that are due. Called for each slot in order. */
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

    /** Number of segments of a connection that have arrived. */
    int arrived(final int connection) {
        return records.hasEnded(connection) ? connections.segments(connections.flow(connection))
            : records.of(connection) == NdpRecords.NONE ? 0 : records.get(records.of(connection), ARRIVED);
    }

    /** Whether no pull is queued. */
    boolean isIdle() {
        return waiting == 0;
    }

    /** Maximum distance of an arriving segment ahead of the first missing one. */
    int maxAhead() {
        return maxAhead;
    }

    /** Number of NACKs sent. */
    long nacks() {
        return nacks;
    }

    /** Number of pulls sent, alone or in ACKs and NACKs. */
    long pulls() {
        return pulls;
    }

    /** Records the arrival of a segment; false for a duplicate. */
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

    /** Accounts for a pull; the next one may follow after an interval. A host does not accumulate unused pulls. */
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
