package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Bits;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.Flag;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;
import java.nio.ByteOrder;

/**
 * Active buckets of a fabric with many more buckets than are ever active: only those that are, with their reasons, in
 * sets of seven, two sets to a cache line.
 *
 * <pre>
 *   one set of a node, chosen by a hash of the bucket           one entry
 *   0          4              28           32                   31            8         0
 *   +----------+-----+--------+------------+                    +-------------+---------+
 *   | entry 0  | ... | entry 6| spill head |                    | bucket + 1  | reasons |    all 0: free
 *   +----------+-----+--------+------------+                    +-------------+---------+
 *   spill head: record plus 1, 0: none
 * </pre>
 *
 * A search compares all of a set, as in {@link TokenLedger}: no probing, nothing to move when a bucket goes. What finds
 * its set full is in the {@link SpillPool}, and so is a bucket with more reasons than an entry counts. All nodes have
 * as many sets, so an address is arithmetic; when one node has spilled one bucket for every two sets, all are given
 * twice as many, which happens a few times in a run.
 */
final class HashedActiveBuckets implements ActiveBuckets {
    private static final int SET_BYTES = 32;
    /** Entries that a set is meant to hold, so that few sets are full. */
    private static final int USUAL_ENTRIES = 4;
    private static final int ENTRIES = 7;
    private static final int SPILL_HEAD = 7;
    private static final int NOT_SPILLED = 0;
    private static final int MAX_SPILLED = 1 << 28;
    private static final int KEY_SHIFT = 8;
    private static final int MAX_REASONS = (1 << KEY_SHIFT) - 1;

    private static final long LANES = 0x0000_0001_0000_0001L;
    private static final long LOW_BITS = 0x7FFF_FFFF_7FFF_FFFFL;
    private static final long HIGH_BITS = 0x8000_0000_8000_0000L;
    /** Without that of the spill head, whichever of the last two it is in memory. */
    private static final long LAST_HIGH_BIT = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? HIGH_BITS & -1L >>> Integer.SIZE : HIGH_BITS & -1L << Integer.SIZE;
    /** The keys of two entries. */
    private static final long KEYS = LANES * (-1 << KEY_SHIFT & Integer.MAX_VALUE);

    private final Arena arena;
    private final int nodes;
    private final int[] active;
    private final int[] maxActive;
    private final int[] spilled;
    private final SpillPool pool;
    private int sets;
    private Region region;
    /** Nodes of a block in which something changes; what is added to them; the sets it is in. */
    private final int[] list = new int[CellBatch.CELLS];
    private final int[] key = new int[CellBatch.CELLS];
    private final int[] reasons = new int[CellBatch.CELLS];
    private final int[] place = new int[CellBatch.CELLS];
    private int fetched;

    HashedActiveBuckets(final Arena arena, final int nodes, final int entries) {
        this.arena = arena;
        this.nodes = nodes;
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
        this.spilled = new int[nodes];
        this.pool = new SpillPool(arena, MAX_SPILLED);
        this.sets = sets(entries);
        this.region = Region.allocate(arena, (long) nodes * sets * SET_BYTES);
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
        active[node] -= takeOne(region, at, entry(found));
    }

    @Override
    public void add(final CellBatch joined) {
        final int count = joined.count();
        final long[] word = joined.word();
        for (int i = 0; i < count; i++) {
            key[i] = Route.bucket(word[i]) + 1;
            reasons[i] = Route.tokens(word[i]);
        }
        add(count, joined.node());
    }

    @Override
    public void add(final int firstNode, final long which, final int[] buckets) {
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            key[k] = buckets[list[k]] + 1;
            reasons[k] = 1;
            list[k] += firstNode;
        }
        add(count, list);
    }

    /** Adds reasons, a column each of nodes, keys and reasons. */
    private void add(final int count, final int[] node) {
        for (int i = 0; i < count; i++) {
            place[i] = setOf(node[i], key[i]);
        }
        fetch(count);
        final Region memory = region;
        final int[] now = active;
        final int[] most = maxActive;
        final int[] keys = key;
        final int[] more = reasons;
        long left = 0;
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(place[i], SET_BYTES);
            final long found = search(at, keys[i]);
            final long to = found | search(at, 0) & Flag.ifAny(found) - 1;
            if (to == 0 || memory.getInt(at, SPILL_HEAD) != NOT_SPILLED || isFull(memory, at, entry(to))) {
                left |= 1L << i;
                continue;
            }
            final int entry = entry(to);
            final int before = memory.getInt(at, entry) & MAX_REASONS;
            memory.setInt(at, entry, word(keys[i], before + more[i]));
            now[node[i]] += Flag.ifZero(before) & more[i];
            most[node[i]] = Math.max(most[node[i]], now[node[i]]);
        }
        for (; left != 0; left &= left - 1) {
            final int i = Long.numberOfTrailingZeros(left);
            add(node[i], keys[i] - 1, more[i]);
        }
    }

    @Override
    public void remove(final int firstNode, final long which, final int[] buckets) {
        final int[] nodes = list;
        final int count = Bits.list(which, nodes);
        for (int k = 0; k < count; k++) {
            place[k] = setOf(firstNode + nodes[k], buckets[nodes[k]] + 1);
        }
        fetch(count);
        final Region memory = region;
        final int[] now = active;
        long left = 0;
        for (int k = 0; k < count; k++) {
            final int i = nodes[k];
            final long at = Region.offset(place[k], SET_BYTES);
            final long found = search(at, buckets[i] + 1);
            if (found != 0) {
                now[firstNode + i] -= takeOne(memory, at, entry(found));
            } else {
                left |= 1L << i;
            }
        }
        for (; left != 0; left &= left - 1) {
            final int i = Long.numberOfTrailingZeros(left);
            remove(firstNode + i, buckets[i]);
        }
    }

    /** Reads the first of the places in a loop that does nothing else, so that many misses are under way at once. */
    private void fetch(final int count) {
        final Region memory = region;
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += memory.getInt(Region.offset(place[i], SET_BYTES), 0);
        }
        // Kept, or the compiler would drop the reads.
        fetched += read;
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
        if (region.getInt(at, SPILL_HEAD) != NOT_SPILLED && found == 0) {
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
        final int before = region.getInt(at, entry) & MAX_REASONS;
        region.setInt(at, entry, word(key, before + more));
        if (before + more > MAX_REASONS) {
            region.setInt(at, entry, 0);
            spill(node, at, key, before + more);
        }
        return before;
    }

    /** Takes a reason from an entry; returns 1 if it was the last one, else 0. */
    private static int takeOne(final Region memory, final long at, final int entry) {
        final int word = memory.getInt(at, entry);
        final int last = Flag.ifEqual(word & MAX_REASONS, 1);
        memory.setInt(at, entry, word - 1 & last - 1);
        return last;
    }

    private static boolean isFull(final Region memory, final long at, final int entry) {
        return (memory.getInt(at, entry) & MAX_REASONS) == MAX_REASONS;
    }

    /** An entry, free without a reason. */
    private static int word(final int key, final int reasons) {
        return (key << KEY_SHIFT | reasons) & -reasons >> 31;
    }

    private long set(final int node, final int key) {
        return Region.offset(setOf(node, key), SET_BYTES);
    }

    /** The number of the set, of those of all nodes. */
    private int setOf(final int node, final int key) {
        return node * sets + ((int) (key * 0x9E3779B97F4A7C15L >>> 40) & sets - 1);
    }

    /** The entries that are a key, a bit for each; see {@link TokenLedger}. */
    private long search(final long at, final int key) {
        final long pattern = (key << KEY_SHIFT) * LANES;
        return match(region.getLong(at, 0), pattern) & HIGH_BITS
            | (match(region.getLong(at, 1), pattern) & HIGH_BITS) >>> 1
            | (match(region.getLong(at, 2), pattern) & HIGH_BITS) >>> 2
            | (match(region.getLong(at, 3), pattern) & LAST_HIGH_BIT) >>> 3;
    }

    /** The highest bit of each lane: whether its key is the one looked for. */
    private static long match(final long entries, final long pattern) {
        return ~(((entries ^ pattern) & KEYS) + LOW_BITS);
    }

    /** The number of one of the entries found. */
    private static int entry(final long found) {
        final int bit = Long.numberOfTrailingZeros(found);
        return (31 - (bit & 31)) * 2 + (bit >>> 5);
    }

    private int searchSpilled(final long at, final int key) {
        int record = region.getInt(at, SPILL_HEAD) - 1;
        while (record != SpillPool.NONE && pool.second(record) != key) {
            record = pool.next(record);
        }
        return record;
    }

    private void spill(final int node, final long at, final int key, final int reasons) {
        if (reasons > 0) {
            final int record = pool.take(reasons, key);
            pool.setNext(record, region.getInt(at, SPILL_HEAD) - 1);
            region.setInt(at, SPILL_HEAD, record + 1);
            spilled[node]++;
        }
    }

    /** Takes a reason from a spilled bucket; returns 1 if it was the last one, else 0. */
    private int removeSpilled(final int node, final long at, final int key) {
        int before = SpillPool.NONE;
        int record = region.getInt(at, SPILL_HEAD) - 1;
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
            region.setInt(at, SPILL_HEAD, pool.next(record) + 1);
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
        region = Region.allocate(arena, (long) nodes * sets * SET_BYTES);
        for (int node = 0; node < nodes; node++) {
            spilled[node] = 0;
            for (int set = 0; set < oldSets; set++) {
                move(node, old, ((long) node * oldSets + set) * SET_BYTES);
            }
        }
    }

    private void move(final int node, final Region old, final long at) {
        for (int entry = 0; entry < ENTRIES; entry++) {
            final int word = old.getInt(at, entry);
            if (word != 0) {
                increase(node, word >>> KEY_SHIFT, word & MAX_REASONS);
            }
        }
        int record = old.getInt(at, SPILL_HEAD) - 1;
        while (record != SpillPool.NONE) {
            final int next = pool.next(record);
            final int key = (int) pool.second(record);
            final int reasons = (int) pool.first(record);
            pool.release(record);
            increase(node, key, reasons);
            record = next;
        }
    }

    private static int sets(final int entries) {
        return Integer.highestOneBit(Math.max(1, (entries + USUAL_ENTRIES - 1) / USUAL_ENTRIES * 2 - 1));
    }
}
