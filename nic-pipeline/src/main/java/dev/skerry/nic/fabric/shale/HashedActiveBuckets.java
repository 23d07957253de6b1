package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * Active buckets of a fabric with many more buckets than are ever active: only those that are, with their reasons, in
 * sets of seven that share a cache line.
 *
 * <pre>
 *   one set of a node, chosen by a hash of the bucket
 *   0          4              28       32         36             60           64
 *   +----------+-----+--------+--------+----------+-----+--------+------------+
 *   | bucket 0 | ... | buck. 6| closed | reasons 0| ... | reas. 6| spill head |    bucket: plus 1, 0: free
 *   +----------+-----+--------+--------+----------+-----+--------+------------+
 * </pre>
 *
 * A search compares all of a set, as in {@link TokenLedger}: no probing, nothing to move when a bucket goes. What finds
 * its set full is in the {@link SpillPool}. All nodes have as many sets, so an address is arithmetic; when one node has
 * spilled one bucket for every two sets, all are given twice as many, which happens a few times in a run.
 */
final class HashedActiveBuckets implements ActiveBuckets {
    private static final int SET_BYTES = 64;
    /** Entries that a set is meant to hold, so that few sets are full. */
    private static final int USUAL_ENTRIES = 4;
    private static final int CLOSED_LANE = 7;
    private static final int CLOSED = Integer.MAX_VALUE;
    private static final int REASONS = 8;
    private static final int SPILL_HEAD = 15;
    private static final int MAX_SPILLED = 1 << 28;

    private static final long LANES = 0x0000_0001_0000_0001L;
    private static final long LOW_BITS = 0x7FFF_FFFF_7FFF_FFFFL;
    private static final long HIGH_BITS = 0x8000_0000_8000_0000L;

    private final Arena arena;
    private final int nodes;
    private final int[] active;
    private final int[] maxActive;
    private final int[] spilled;
    private final SpillPool pool;
    private int sets;
    private Region region;

    HashedActiveBuckets(final Arena arena, final int nodes, final int entries) {
        this.arena = arena;
        this.nodes = nodes;
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
        this.spilled = new int[nodes];
        this.pool = new SpillPool(arena, MAX_SPILLED);
        this.sets = sets(entries);
        this.region = empty();
    }

    /** Memory of a number of nodes that have about this many active buckets each. */
    static long bytes(final int nodes, final int entries) {
        return (long) nodes * sets(entries) * SET_BYTES;
    }

    @Override
    public void add(final int node, final int bucket, final int more) {
        final int before = increase(node, bucket + 1, more);
        final int now = active[node] + (before == 0 ? more : 0);
        active[node] = now;
        if (now > maxActive[node]) {
            maxActive[node] = now;
        }
        if (spilled[node] > sets / 2) {
            grow();
        }
    }

    @Override
    public void remove(final int node, final int bucket) {
        final long at = set(node, bucket + 1);
        final long found = search(at, bucket + 1);
        if (found == 0) {
            active[node] -= removeSpilled(node, at, bucket + 1);
            return;
        }
        final int entry = entry(found);
        final int before = region.getInt(at, REASONS + entry);
        region.setInt(at, REASONS + entry, before - 1);
        region.setInt(at, entry, before == 1 ? 0 : bucket + 1);
        active[node] -= before == 1 ? 1 : 0;
    }

    @Override
    public void prefetch(final int node, final int bucket, final Prefetcher lines) {
        lines.note(region, set(node, bucket + 1));
    }

    @Override
    public int active(final int node) {
        return active[node];
    }

    @Override
    public int maxActive(final int node) {
        return maxActive[node];
    }

    /** Adds reasons to a bucket, perhaps none, without a branch on how many; returns how many it had. */
    private int increase(final int node, final int key, final int more) {
        final long at = set(node, key);
        final long found = search(at, key);
        if (region.getInt(at, SPILL_HEAD) != SpillPool.NONE && found == 0) {
            final int record = searchSpilled(at, key);
            if (record != SpillPool.NONE) {
                pool.setFirst(record, pool.first(record) + more);
                return (int) pool.first(record) - more;
            }
        }
        final long place = found != 0 ? found : search(at, 0);
        if (place == 0) {
            spill(node, at, key, more);
            return 0;
        }
        final int entry = entry(place);
        final int before = region.getInt(at, REASONS + entry);
        region.setInt(at, REASONS + entry, before + more);
        region.setInt(at, entry, before + more == 0 ? 0 : key);
        return before;
    }

    private long set(final int node, final int key) {
        final int set = (int) (key * 0x9E3779B97F4A7C15L >>> 40) & sets - 1;
        return ((long) node * sets + set) * SET_BYTES;
    }

    /** The entries that are a key, a bit for each; see {@link TokenLedger}. */
    private long search(final long at, final int key) {
        final long pattern = key * LANES;
        return match(region.getLong(at, 0), pattern) | match(region.getLong(at, 1), pattern) >>> 1
            | match(region.getLong(at, 2), pattern) >>> 2 | match(region.getLong(at, 3), pattern) >>> 3;
    }

    private static long match(final long keys, final long pattern) {
        return ~((keys ^ pattern) + LOW_BITS) & HIGH_BITS;
    }

    /** The number of one of the entries found. */
    private static int entry(final long found) {
        final int bit = Long.numberOfTrailingZeros(found);
        return (31 - (bit & 31)) * 2 + (bit >>> 5);
    }

    private int searchSpilled(final long at, final int key) {
        int record = region.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE && pool.second(record) != key) {
            record = pool.next(record);
        }
        return record;
    }

    private void spill(final int node, final long at, final int key, final int reasons) {
        if (reasons > 0) {
            final int record = pool.take(reasons, key);
            pool.setNext(record, region.getInt(at, SPILL_HEAD));
            region.setInt(at, SPILL_HEAD, record);
            spilled[node]++;
        }
    }

    /** Takes a reason from a spilled bucket; returns 1 if it was the last one, else 0. */
    private int removeSpilled(final int node, final long at, final int key) {
        int before = SpillPool.NONE;
        int record = region.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE && pool.second(record) != key) {
            before = record;
            record = pool.next(record);
        }
        assert record != SpillPool.NONE : "bucket is not active: node=" + node + " bucket=" + (key - 1);
        pool.setFirst(record, pool.first(record) - 1);
        if (pool.first(record) > 0) {
            return 0;
        }
        if (before == SpillPool.NONE) {
            region.setInt(at, SPILL_HEAD, pool.next(record));
        } else {
            pool.setNext(before, pool.next(record));
        }
        pool.release(record);
        spilled[node]--;
        return 1;
    }

    private void grow() {
        final Region old = region;
        final int oldSets = sets;
        sets *= 2;
        region = empty();
        for (int node = 0; node < nodes; node++) {
            spilled[node] = 0;
            for (int set = 0; set < oldSets; set++) {
                move(node, old, ((long) node * oldSets + set) * SET_BYTES);
            }
        }
    }

    private void move(final int node, final Region old, final long at) {
        for (int entry = 0; entry < CLOSED_LANE; entry++) {
            if (old.getInt(at, entry) != 0) {
                increase(node, old.getInt(at, entry), old.getInt(at, REASONS + entry));
            }
        }
        int record = old.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE) {
            final int next = pool.next(record);
            final int key = (int) pool.second(record);
            final int reasons = (int) pool.first(record);
            pool.release(record);
            increase(node, key, reasons);
            record = next;
        }
    }

    private Region empty() {
        final Region fresh = Region.allocate(arena, (long) nodes * sets * SET_BYTES);
        for (long at = 0; at < fresh.bytes(); at += SET_BYTES) {
            fresh.setInt(at, CLOSED_LANE, CLOSED);
            fresh.setInt(at, SPILL_HEAD, SpillPool.NONE);
        }
        return fresh;
    }

    private static int sets(final int entries) {
        return Integer.highestOneBit(Math.max(1, (entries + USUAL_ENTRIES - 1) / USUAL_ENTRIES * 2 - 1));
    }
}
