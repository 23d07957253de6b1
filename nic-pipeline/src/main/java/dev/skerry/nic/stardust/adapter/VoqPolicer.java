package dev.skerry.nic.stardust.adapter;

import static dev.skerry.nic.stardust.adapter.Requests.HEAD;
import static dev.skerry.nic.stardust.adapter.Requests.PLACE;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.Packets;

import java.util.Arrays;

/**
 * Decides which packets of hosts an adapter accepts (docs/spec/stardust.md §3.1 and §3.7): as many as its queues have
 * room for, and of the low-latency class no more than two token buckets allow, one of the adapter and one for each
 * destination port. Packets that come together are accepted from the front; a packet that is not accepted is dropped as
 * a whole. Created only if packets can be dropped. If hosts hand over whole flows, none of them is endless.
 *
 * <p>One thread.
 */
final class VoqPolicer {
    /**
     * Largest number of consecutive bytes that may be missing; beyond it a packet is accepted even without room, as
     * places in a stream are modulo 2^32.
     */
    static final long LONGEST_GAP = 1L << 30;

    private final Packets packets;
    private final BankCounters tally;
    final Gaps gaps;
    private final VoqRules rules;
    private final int packetBytes;
    private final int prefix;
    private final int classes;
    private final int policed;
    /** The next packet that comes, by queue. */
    private final long[] packet;
    private final LowLatencyBuckets buckets;

    /**
     * Creates empty queues and full buckets.
     *
     * @param first the first packet of each queue of the bank.
     */
    VoqPolicer(final Stardust fabric, final Packets packets, final BankCounters tally, final int adapters,
        final long[] first) {
        this.packets = packets;
        this.tally = tally;
        this.gaps = new Gaps(first.length);
        this.rules = fabric.credits().voqs();
        this.packetBytes = fabric.cut().packetBytes();
        this.prefix = fabric.cut().prefixBytes();
        this.classes = fabric.hosts().classes();
        this.policed = fabric.credits().classes().withoutCredit();
        this.packet = first.clone();
        this.buckets = policed == 0 ? null : new LowLatencyBuckets(fabric, adapters);
    }

    /** Tells whether anything is ever dropped here. Packets of ports for which there is no room never join a stream. */
    static boolean isNeeded(final Stardust fabric, final FlowSet flows) {
        return fabric.pull() && !flows.isOnDemand()
            && (fabric.credits().voqs().isCapped() || fabric.credits().classes().lowLatency());
    }

    /**
     * Accepts as many of some bytes of one flow as there is room for.
     *
     * @param bytes whole packets, in the order of their flow.
     * @param held  bytes that the queue holds.
     * @param all   bytes that the adapter holds.
     * @return the bytes that join the queue.
     */
    long admit(final long slot, final int queue, final long bytes, final long held, final long all) {
        final boolean isPoliced = queue % classes < policed;
        final long free = Math.min(rules.queueBytes() - held, rules.adapterBytes() - all);
        final long allowed = isPoliced ? buckets.allowed(slot, queue) : Long.MAX_VALUE;
        final long room = Math.max(0, Math.min(free, allowed));
        // Only the last packet of a flow is shorter than the others.
        long taken = bytes <= room ? bytes : room / packetBytes * packetBytes;
        if (taken == 0 && gaps.open(queue, packet[queue]) > LONGEST_GAP) {
            taken = Math.min(bytes, packetBytes);
        }
        if (taken > 0) {
            step(queue, taken);
            if (isPoliced) {
                buckets.take(queue, taken);
            }
        }
        if (taken < bytes) {
            final long missing = packet[queue];
            final long number = step(queue, bytes - taken);
            gaps.add(queue, missing, packet[queue], bytes - taken + number * prefix);
            tally.add(free < allowed ? NicCounter.PACKETS_REFUSED : NicCounter.PACKETS_POLICED, number);
        }
        return taken;
    }

    /** Skips some bytes of the newest flow of a queue; returns the number of their packets. */
    private long step(final int queue, final long bytes) {
        final long number = Math.ceilDiv(bytes, packetBytes);
        final int last = (int) (Packets.number(packet[queue]) + number - 1 & Integer.MAX_VALUE);
        packet[queue] = packets.after(Packets.word(Packets.flow(packet[queue]), last));
        return number;
    }

    /**
     * Limits of the low-latency class of a bank's adapters (docs/spec/stardust.md §3.7): token buckets, one of each
     * adapter and one for each port to which it sends.
     *
     * <pre>
     *   a bucket    tokens in 1/65536 bytes | slot in which they were counted
     * </pre>
     *
     * <p>One thread.
     */
    static final class LowLatencyBuckets {
        private static final int FRACTION_BITS = 16;

        private final int perAdapter;
        private final int perPort;
        private final int adapters;
        /** Tokens of the adapters first, then of the ports to which each of them sends. */
        private final long[] tokens;
        private final long[] countedIn;
        private final long perSlot;
        private final long perPortSlot;
        private final long depth;

        /** Creates full buckets. */
        LowLatencyBuckets(final Stardust fabric, final int adapters) {
            final ClassRules classes = fabric.credits().classes();
            this.perPort = fabric.hosts().queuesPerPort() * fabric.hosts().classes();
            this.perAdapter = fabric.clos().fas() * fabric.hosts().queues();
            this.adapters = adapters;
            this.depth = (long) classes.burstBytes() << FRACTION_BITS;
            this.perSlot = rate(classes.adapterShare() * fabric.clos().ports(0) * fabric.cut().cellBytes());
            this.perPortSlot = rate(classes.portShare() * fabric.hosts().bytesPerSlot());
            this.tokens = new long[adapters + adapters * perAdapter / perPort];
            this.countedIn = new long[tokens.length];
            Arrays.fill(tokens, depth);
        }

        private static long rate(final double bytesPerSlot) {
            return Math.max(1, Math.round(bytesPerSlot * (1 << FRACTION_BITS)));
        }

        /** Returns the bytes that both buckets of a queue allow. */
        long allowed(final long slot, final int queue) {
            return Math.min(fill(slot, queue / perAdapter, perSlot), fill(slot, portBucket(queue), perPortSlot))
                >> FRACTION_BITS;
        }

        /** Takes tokens for bytes of a queue that are allowed. */
        void take(final int queue, final long bytes) {
            tokens[queue / perAdapter] -= bytes << FRACTION_BITS;
            tokens[portBucket(queue)] -= bytes << FRACTION_BITS;
        }

        private long fill(final long slot, final int bucket, final long rate) {
            final long slots = Math.min(slot - countedIn[bucket], depth / rate + 1);
            tokens[bucket] = Math.min(depth, tokens[bucket] + slots * rate);
            countedIn[bucket] = slot;
            return tokens[bucket];
        }

        private int portBucket(final int queue) {
            return adapters + queue / perPort;
        }
    }

    /**
     * Packets that never joined their queue because it was full, by queue of a bank, oldest first. Packets of a queue
     * are computed, so missing ones must be remembered; taking packets out skips them.
     *
     * <pre>
     *   one gap     first packet missing | packet that follows | bytes between | next gap
     * </pre>
     *
     * <p>A queue without missing packets has no gap and costs two numbers. The memory grows when needed and never
     * shrinks. One thread.
     */
    static final class Gaps {
        private static final int NONE = -1;

        private final int[] head;
        private final int[] tail;
        private long[] from = new long[16];
        private long[] after = new long[16];
        private long[] bytes = new long[16];
        private int[] next = new int[16];
        private int free = NONE;
        private int used;

        /** Creates the gaps of queues without missing packets. */
        Gaps(final int queues) {
            this.head = new int[queues];
            this.tail = new int[queues];
            Arrays.fill(head, NONE);
        }

        /**
         * Records that the newest packets of a queue are missing. Packets missing at the same place form one gap.
         *
         * @param stream bytes that they would have taken in the stream.
         */
        void add(final int queue, final long packet, final long follows, final long stream) {
            int gap = tail[queue];
            if (head[queue] == NONE || after[gap] != packet) {
                gap = take();
                from[gap] = packet;
                bytes[gap] = 0;
                if (head[queue] == NONE) {
                    head[queue] = gap;
                } else {
                    next[tail[queue]] = gap;
                }
                next[gap] = NONE;
                tail[queue] = gap;
            }
            after[gap] = follows;
            bytes[gap] += stream;
        }

        /** Returns the bytes that are missing just before the next packet that joins a queue. */
        long open(final int queue, final long packet) {
            final int gap = tail[queue];
            return head[queue] == NONE || after[gap] != packet ? 0 : bytes[gap];
        }

        /** Tells whether a packet of a queue is the first of the next missing ones. */
        boolean startsAt(final int queue, final long packet) {
            final int gap = head[queue];
            return gap != NONE && from[gap] == packet;
        }

        /** Returns the packet behind the oldest gap of a queue. */
        long packetAfter(final int queue) {
            return after[head[queue]];
        }

        /** Removes the oldest gap of a queue; returns the bytes of the stream for which it stands. */
        long remove(final int queue) {
            final int gap = head[queue];
            head[queue] = next[gap];
            next[gap] = free;
            free = gap;
            return bytes[gap];
        }

        /**
         * Skips packets that never joined a queue; receivers detect by the places that they are missing.
         *
         * @param queues records of the queues.
         * @param at     offset of the record of the queue.
         */
        void stepOver(final int queue, final Region queues, final long at) {
            while (startsAt(queue, queues.getLong(at, HEAD))) {
                queues.setLong(at, HEAD, packetAfter(queue));
                queues.setInt(at, PLACE, (int) (queues.getInt(at, PLACE) + remove(queue)));
            }
        }

        private int take() {
            if (free != NONE) {
                final int gap = free;
                free = next[gap];
                return gap;
            }
            if (used == bytes.length) {
                from = Arrays.copyOf(from, 2 * used);
                after = Arrays.copyOf(after, 2 * used);
                bytes = Arrays.copyOf(bytes, 2 * used);
                next = Arrays.copyOf(next, 2 * used);
            }
            return used++;
        }
    }
}
