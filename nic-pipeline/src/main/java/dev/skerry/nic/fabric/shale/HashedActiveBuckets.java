package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Active buckets of a fabric with many more buckets than are ever active: only those that are, with their reasons.
 *
 * <pre>
 *   one node: an open-addressed table, linear probing, no tombstones
 *   0                      8                      16
 *   +----------+-----------+----------+-----------+-----
 *   | bucket+1 | reasons   | bucket+1 | reasons   | ...     0 in the first half: free
 *   +----------+-----------+----------+-----------+-----
 * </pre>
 *
 * All nodes have tables of one size, so an address is arithmetic; when one node fills three quarters of its table, all
 * are doubled, which happens a few times in a run.
 */
final class HashedActiveBuckets implements ActiveBuckets {
    private static final int ENTRY_BYTES = 8;

    private final Arena arena;
    private final int nodes;
    private final int[] active;
    private final int[] maxActive;
    private int capacity;
    private int limit;
    private Region table;

    HashedActiveBuckets(final Arena arena, final int nodes, final int initialCapacity) {
        this.arena = arena;
        this.nodes = nodes;
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
        this.capacity = Math.max(16, Integer.highestOneBit(Math.max(1, initialCapacity * 2 - 1)));
        this.limit = capacity / 4 * 3;
        this.table = Region.allocate(arena, bytes(nodes, capacity));
    }

    /** Memory of the tables of a number of nodes. */
    static long bytes(final int nodes, final int capacity) {
        return (long) nodes * capacity * ENTRY_BYTES;
    }

    @Override
    public void add(final int node, final int bucket) {
        long at = find(node, bucket);
        if (table.getInt(at) == 0) {
            if (active[node] == limit) {
                grow();
                at = find(node, bucket);
            }
            table.setInt(at, bucket + 1);
            final int now = ++active[node];
            if (now > maxActive[node]) {
                maxActive[node] = now;
            }
        }
        table.setInt(at + 4, table.getInt(at + 4) + 1);
    }

    @Override
    public void remove(final int node, final int bucket) {
        final long at = find(node, bucket);
        final int reasons = table.getInt(at + 4);
        assert reasons > 0 : "bucket is not active: node=" + node + " bucket=" + bucket;
        table.setInt(at + 4, reasons - 1);
        if (reasons == 1) {
            active[node]--;
            delete(node, at);
        }
    }

    @Override
    public void prefetch(final int node, final int bucket, final Prefetcher lines) {
        lines.note(table, ((long) node * capacity + home(bucket)) * ENTRY_BYTES);
    }

    @Override
    public int active(final int node) {
        return active[node];
    }

    @Override
    public int maxActive(final int node) {
        return maxActive[node];
    }

    /** The place of a bucket, or the free place where it would go. */
    private long find(final int node, final int bucket) {
        final long base = (long) node * capacity * ENTRY_BYTES;
        int i = home(bucket);
        while (true) {
            final long at = base + (long) i * ENTRY_BYTES;
            final int key = table.getInt(at);
            if (key == bucket + 1 || key == 0) {
                return at;
            }
            i = i + 1 & capacity - 1;
        }
    }

    private int home(final int bucket) {
        return (int) (bucket * 0x9E3779B97F4A7C15L >>> 40) & capacity - 1;
    }

    /** Closes the hole by moving later entries of the same run up to where a search would meet them. */
    private void delete(final int node, final long freed) {
        final long base = (long) node * capacity * ENTRY_BYTES;
        int hole = (int) ((freed - base) / ENTRY_BYTES);
        int i = hole;
        while (true) {
            i = i + 1 & capacity - 1;
            final long at = base + (long) i * ENTRY_BYTES;
            final int key = table.getInt(at);
            if (key == 0) {
                break;
            }
            if ((i - home(key - 1) & capacity - 1) >= (i - hole & capacity - 1)) {
                table.setLong(base + (long) hole * ENTRY_BYTES, table.getLong(at));
                hole = i;
            }
        }
        table.setLong(base + (long) hole * ENTRY_BYTES, 0);
    }

    private void grow() {
        final Region old = table;
        final int oldCapacity = capacity;
        capacity *= 2;
        limit = capacity / 4 * 3;
        table = Region.allocate(arena, bytes(nodes, capacity));
        for (int node = 0; node < nodes; node++) {
            for (int i = 0; i < oldCapacity; i++) {
                final long from = ((long) node * oldCapacity + i) * ENTRY_BYTES;
                final int key = old.getInt(from);
                if (key != 0) {
                    table.setLong(find(node, key - 1), old.getLong(from));
                }
            }
        }
    }
}
