package dev.skerry.nic.stardust.adapter;

import dev.skerry.nic.stardust.fabric.ClassRules;
import dev.skerry.nic.stardust.fabric.Stardust;

import java.util.Arrays;

/**
 * What the low-latency class of a bank's adapters may send (docs/spec/stardust.md §3.7): token buckets, one of each
 * adapter and one for each port that it sends to.
 *
 * <pre>
 *   a bucket    tokens in 1/65536 bytes | slot in which they were counted
 * </pre>
 *
 * One thread.
 */
final class LowLatencyBuckets {
    private static final int FRACTION_BITS = 16;

    private final int perAdapter;
    private final int perPort;
    private final int adapters;
    /** Of the adapters first, then of the ports that each of them sends to. */
    private final long[] tokens;
    private final long[] countedIn;
    private final long perSlot;
    private final long perPortSlot;
    private final long depth;

    /** Full buckets. */
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

    /** Bytes that both buckets of a queue allow. */
    long allowed(final long slot, final int queue) {
        return Math.min(fill(slot, queue / perAdapter, perSlot), fill(slot, portBucket(queue), perPortSlot))
            >> FRACTION_BITS;
    }

    /** A queue takes in bytes that are allowed. */
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
