package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.Flag;

import java.lang.foreign.Arena;

/**
 * Active buckets of a fabric with few buckets: the number of reasons of every one of them.
 *
 * <pre>
 *   one node: [destination][sprays], two bytes each; sprays rounded up to a power of two
 * </pre>
 *
 * A bucket has at most as many reasons as the node may have cells and tokens of it, E (T_F + (h-1) T) by spec/shale
 * §5.5 I6; passing 65,535 stops the run.
 */
final class CountedActiveBuckets implements ActiveBuckets {
    private static final int MAX_REASONS = 0xFFFF;

    private final int nodeBytes;
    private final int spraysShift;
    private final int[] active;
    private final int[] maxActive;
    private final Region reasons;

    CountedActiveBuckets(final Arena arena, final Shale shale, final int nodes) {
        this.nodeBytes = bytesOfNode(shale);
        this.spraysShift = spraysShift(shale);
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
        this.reasons = Region.allocate(arena, (long) nodes * nodeBytes);
    }

    /** Memory of a node in bytes. */
    static int bytesOfNode(final Shale shale) {
        return (int) Math.min((long) shale.nodes() << spraysShift(shale) + 1, Integer.MAX_VALUE);
    }

    @Override
    public void add(final int node, final int bucket, final int more) {
        final long at = at(node, bucket);
        final int before = reasons.getShort(at);
        if (before == MAX_REASONS) {
            throw new IllegalStateException("bucket has too many cells and tokens: node of bank=" + node + " bucket="
                + bucket);
        }
        reasons.setShort(at, before + more);
        final int now = active[node] + (before == 0 ? more : 0);
        active[node] = now;
        maxActive[node] = Math.max(maxActive[node], now);
    }

    @Override
    public void remove(final int node, final int bucket) {
        final long at = at(node, bucket);
        final int before = reasons.getShort(at);
        assert before > 0 : "bucket is not active: node=" + node + " bucket=" + bucket;
        reasons.setShort(at, before - 1);
        active[node] -= before == 1 ? 1 : 0;
    }

    @Override
    public void add(final CellBatch joined) {
        final Region memory = reasons;
        final int count = joined.count();
        final int[] node = joined.node();
        final long[] word = joined.word();
        final int[] now = active;
        final int[] most = maxActive;
        int highest = 0;
        for (int i = 0; i < count; i++) {
            final int at = node[i];
            final int more = Route.tokens(word[i]);
            final long place = at(at, Route.bucket(word[i]));
            final int before = memory.getShort(place);
            memory.setShort(place, before + more);
            highest = Math.max(highest, before);
            now[at] += Flag.ifZero(before) & more;
            most[at] = Math.max(most[at], now[at]);
        }
        if (highest == MAX_REASONS) {
            throw new IllegalStateException("bucket has too many cells and tokens: first node of batch=" + node[0]);
        }
    }

    @Override
    public void remove(final int firstNode, final long which, final int[] buckets) {
        final Region memory = reasons;
        final int[] now = active;
        for (long rest = which; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            final long place = at(firstNode + i, buckets[i]);
            final int before = memory.getShort(place);
            assert before > 0 : "bucket is not active: node=" + (firstNode + i) + " bucket=" + buckets[i];
            memory.setShort(place, before - 1);
            now[firstNode + i] -= Flag.ifEqual(before, 1);
        }
    }

    @Override
    public int active(final int node) {
        return active[node];
    }

    @Override
    public int maxActive(final int node) {
        return maxActive[node];
    }

    private long at(final int node, final int bucket) {
        final int index = Route.bucketDestination(bucket) << spraysShift | bucket & Route.MAX_SPRAYS;
        return (long) node * nodeBytes + index * 2L;
    }

    private static int spraysShift(final Shale shale) {
        return 32 - Integer.numberOfLeadingZeros(shale.schedule().phases() - 1);
    }
}
