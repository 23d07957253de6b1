package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The newest entry of each group of {@link RankedQueues} that has any: an open-addressed table that is at most half
 * full, searched from the place of a key on. It doubles when it must, and never shrinks. One thread.
 *
 * <pre>
 *   0        8       12    16
 *   +--------+-------+-----+
 *   | key    | entry | pad |    key: queue, then group; all ones: free
 *   +--------+-------+-----+
 * </pre>
 */
final class GroupTails {
    private static final int ENTRY = 8;
    private static final int PLACE_BYTES = 16;
    private static final int FIRST_PLACES = 1 << 10;
    private static final long FREE = -1;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Arena arena;
    private Region region;
    private int mask;
    private int used;

    GroupTails(final Arena arena) {
        this.arena = arena;
        allocate(FIRST_PLACES);
    }

    /** Makes an entry the newest of its group; returns the one that was, or {@link RankedEntries#NONE}. */
    int put(final int queue, final int group, final int entry) {
        if (2 * used > mask) {
            grow();
        }
        final long key = key(queue, group);
        final long at = Region.offset(find(key), PLACE_BYTES);
        final boolean isFree = region.getLong(at) == FREE;
        final int before = isFree ? RankedEntries.NONE : region.getInt(at + ENTRY);
        region.setLong(at, key);
        region.setInt(at + ENTRY, entry);
        used += isFree ? 1 : 0;
        return before;
    }

    /** Takes out a group that has entries no more. What was pushed on from its place moves back. */
    void remove(final int queue, final int group) {
        int hole = find(key(queue, group));
        int place = hole + 1 & mask;
        for (long key = keyAt(place); key != FREE; key = keyAt(place)) {
            final int fromHome = place - home(key) & mask;
            if (fromHome >= (place - hole & mask)) {
                set(hole, key, region.getInt(Region.offset(place, PLACE_BYTES) + ENTRY));
                hole = place;
            }
            place = place + 1 & mask;
        }
        set(hole, FREE, RankedEntries.NONE);
        used--;
    }

    /** Groups that have entries. */
    int size() {
        return used;
    }

    private static long key(final int queue, final int group) {
        return (long) queue << Integer.SIZE | group;
    }

    private int home(final long key) {
        return (int) (key * GOLDEN >>> Integer.SIZE) & mask;
    }

    /** The place of a key, or the free one where it belongs. */
    private int find(final long key) {
        int place = home(key);
        for (long there = keyAt(place); there != key && there != FREE; there = keyAt(place)) {
            place = place + 1 & mask;
        }
        return place;
    }

    private long keyAt(final int place) {
        return region.getLong(Region.offset(place, PLACE_BYTES));
    }

    private void set(final int place, final long key, final int entry) {
        final long at = Region.offset(place, PLACE_BYTES);
        region.setLong(at, key);
        region.setInt(at + ENTRY, entry);
    }

    private void allocate(final int places) {
        region = Region.allocate(arena, (long) places * PLACE_BYTES);
        region.fill((byte) FREE);
        mask = places - 1;
    }

    private void grow() {
        final Region old = region;
        final int places = mask + 1;
        allocate(2 * places);
        for (int place = 0; place < places; place++) {
            final long at = Region.offset(place, PLACE_BYTES);
            final long key = old.getLong(at);
            if (key != FREE) {
                set(find(key), key, old.getInt(at + ENTRY));
            }
        }
    }
}
