package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Bits;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.Flag;

import java.lang.foreign.Arena;

/**
 * Active buckets of a fabric with few buckets: the number of reasons of every one of them.
 *
 * <pre>
 *   one node: [destination][sprays], a byte each, later two; sprays rounded up to a power of two
 * </pre>
 *
 * A bucket has at most as many reasons as the node may have cells and tokens of it, E (T_F + (h-1) T) by spec/shale
 * §5.5 I6, but hardly ever more than a few dozen: all counts take two bytes from the moment one reaches 255, since half
 * the memory stays in nearer caches. Passing 65,535 stops the run.
 */
final class CountedActiveBuckets implements ActiveBuckets {
    /** The first count that is kept in two bytes, so that none passes it in one. */
    private static final int WIDE = 0xFF;
    private static final int MAX_REASONS = 0xFFFF;

    private final Arena arena;
    private final int bucketsOfNode;
    private final int spraysShift;
    private final int[] active;
    private final int[] maxActive;
    private Region reasons;
    /** Logarithm of the bytes of a count: 0 or 1. */
    private int width;
    /** Nodes of a block in which something changes, counted from its first. */
    private final int[] list = new int[CellBatch.CELLS];

    CountedActiveBuckets(final Arena arena, final Shale shale, final int nodes) {
        this.arena = arena;
        this.bucketsOfNode = bytesOfNode(shale);
        this.spraysShift = spraysShift(shale);
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
        this.reasons = Region.allocate(arena, (long) nodes * bucketsOfNode);
    }

    /** Memory of a node in bytes, as long as no bucket has many reasons. */
    static int bytesOfNode(final Shale shale) {
        return (int) Math.min((long) shale.nodes() << spraysShift(shale), Integer.MAX_VALUE);
    }

    @Override
    public void add(final int node, final int bucket, final int more) {
        final long at = at(node, bucket);
        final int before = get(reasons, width, at);
        set(reasons, width, at, before + more);
        final int now = active[node] + (before == 0 ? more : 0);
        active[node] = now;
        maxActive[node] = Math.max(maxActive[node], now);
        makeRoom(before, node);
    }

    @Override
    public void remove(final int node, final int bucket) {
        final long at = at(node, bucket);
        final int before = get(reasons, width, at);
        assert before > 0 : "bucket is not active: node=" + node + " bucket=" + bucket;
        set(reasons, width, at, before - 1);
        active[node] -= before == 1 ? 1 : 0;
    }

    @Override
    public void add(final CellBatch joined) {
        final Region memory = reasons;
        final int bytes = width;
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
            final int before = get(memory, bytes, place);
            set(memory, bytes, place, before + more);
            highest = Math.max(highest, before);
            now[at] += Flag.ifZero(before) & more;
            most[at] = Math.max(most[at], now[at]);
        }
        makeRoom(highest, node[0]);
    }

    @Override
    public void add(final int firstNode, final long which, final int[] buckets) {
        final Region memory = reasons;
        final int bytes = width;
        final int[] now = active;
        final int[] most = maxActive;
        final int[] nodes = list;
        final int count = Bits.list(which, nodes);
        int highest = 0;
        for (int k = 0; k < count; k++) {
            final int at = firstNode + nodes[k];
            final long place = at(at, buckets[nodes[k]]);
            final int before = get(memory, bytes, place);
            set(memory, bytes, place, before + 1);
            highest = Math.max(highest, before);
            now[at] += Flag.ifZero(before);
            most[at] = Math.max(most[at], now[at]);
        }
        makeRoom(highest, firstNode);
    }

    @Override
    public void remove(final int firstNode, final long which, final int[] buckets) {
        final Region memory = reasons;
        final int bytes = width;
        final int[] now = active;
        final int[] nodes = list;
        final int count = Bits.list(which, nodes);
        for (int k = 0; k < count; k++) {
            final int i = nodes[k];
            final long place = at(firstNode + i, buckets[i]);
            final int before = get(memory, bytes, place);
            assert before > 0 : "bucket is not active: node=" + (firstNode + i) + " bucket=" + buckets[i];
            set(memory, bytes, place, before - 1);
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

    /** The number of a bucket, of those of all nodes. */
    private long at(final int node, final int bucket) {
        final int index = Route.bucketDestination(bucket) << spraysShift | bucket & Route.MAX_SPRAYS;
        return Region.offset(node, bucketsOfNode) + Region.offset(index, Byte.BYTES);
    }

    private static int get(final Region memory, final int width, final long at) {
        return width == 0 ? memory.getByte(at) : memory.getShort(at << 1);
    }

    private static void set(final Region memory, final int width, final long at, final int reasons) {
        if (width == 0) {
            memory.setByte(at, reasons);
        } else {
            memory.setShort(at << 1, reasons);
        }
    }

    /** After counts were raised, by one each, of which {@code highest} was the highest before. */
    private void makeRoom(final int highest, final int node) {
        if (highest == MAX_REASONS) {
            throw new IllegalStateException("bucket has too many cells and tokens: first node of batch=" + node);
        }
        if (width == 0 && highest >= WIDE - 1) {
            final Region narrow = reasons;
            final long counts = narrow.bytes();
            reasons = Region.allocate(arena, counts * Short.BYTES);
            width = 1;
            for (long at = 0; at < counts; at++) {
                set(reasons, width, at, narrow.getByte(at));
            }
        }
    }

    private static int spraysShift(final Shale shale) {
        return 32 - Integer.numberOfLeadingZeros(shale.schedule().phases() - 1);
    }
}
