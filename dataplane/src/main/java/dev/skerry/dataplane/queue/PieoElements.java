package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The elements of a {@link PieoTournament}, two on a cache line, and the lists through them.
 *
 * <pre>
 *   0         8         12        16        20        24        28        32
 *   +---------+---------+---------+---------+---------+---------+---------+
 *   | key     | id      | time    | id prev | id next | w. prev | w. next |
 *   +---------+---------+---------+---------+---------+---------+---------+
 * </pre>
 *
 * {@code id prev} and {@code id next} link elements whose ids share a bucket of the table of ids; {@code w.} (waiting)
 * links elements of a bucket of the {@link PieoTournament}; {@link #NONE} ends a list. The first of a bucket of the
 * wheel has the complement of the bucket's number as its predecessor. A free element has the key {@link MinTree#NONE}
 * and the next free one as {@code id next}. One thread.
 */
final class PieoElements {
    /** No element. */
    static final int NONE = -1;

    private static final int SHIFT = 5;
    private static final int ID = 2;
    private static final int TIME = 3;
    private static final int ID_PREVIOUS = 4;
    private static final int ID_NEXT = 5;
    private static final int WAIT_PREVIOUS = 6;
    private static final int WAIT_NEXT = 7;
    /** 2^32 divided by the golden ratio: dense, strided and random ids all spread over the table. */
    private static final int GOLDEN = 0x9E37_79B9;
    private static final long UNSIGNED = 0xFFFF_FFFFL;

    private final Region region;
    private final Region ids;
    private final int capacity;
    private final int multiplier;
    private final int shift;
    private int free;
    private int used;

    /** The table of ids is indexed by as many bits as a slot number, so ids no wider than that have a bucket each. */
    PieoElements(final Arena arena, final int capacity, final int bits, final int idBits) {
        this.capacity = capacity;
        this.region = Region.allocate(arena, (long) capacity << SHIFT);
        this.ids = Region.allocate(arena, (long) Integer.BYTES << bits);
        final boolean direct = idBits <= bits;
        this.multiplier = direct ? 1 : GOLDEN;
        this.shift = direct ? 0 : Integer.SIZE - bits;
        clear();
    }

    void clear() {
        ids.fill((byte) -1);
        for (int slot = 0; slot < capacity; slot++) {
            region.setLong(at(slot), 0, MinTree.NONE);
            region.setInt(at(slot), ID_NEXT, slot + 1);
        }
        free = 0;
        used = 0;
    }

    /** The first slot never filled; all later ones are free too. */
    int used() {
        return used;
    }

    private static long at(final int slot) {
        return (long) slot << SHIFT;
    }

    private long bucket(final int id) {
        return (long) (id * multiplier >>> shift) << 2;
    }

    /** The free slot that {@link #add} takes next; valid only while one is free. */
    int nextFree() {
        return free;
    }

    /** Fills the next free slot. */
    void add(final long key, final int id, final long time) {
        final int slot = free;
        final long at = at(slot);
        free = region.getInt(at, ID_NEXT);
        used = Math.max(used, slot + 1);
        final long bucket = bucket(id);
        final int next = ids.getInt(bucket);
        ids.setInt(bucket, slot);
        region.setLong(at, 0, key);
        region.setInt(at, ID, id);
        region.setInt(at, TIME, (int) time);
        region.setInt(at, ID_PREVIOUS, NONE);
        region.setInt(at, ID_NEXT, next);
        if (next != NONE) {
            region.setInt(at(next), ID_PREVIOUS, slot);
        }
    }

    /** Frees a slot. */
    void remove(final int slot) {
        final long at = at(slot);
        final int previous = region.getInt(at, ID_PREVIOUS);
        final int next = region.getInt(at, ID_NEXT);
        if (previous == NONE) {
            ids.setInt(bucket(region.getInt(at, ID)), next);
        } else {
            region.setInt(at(previous), ID_NEXT, next);
        }
        if (next != NONE) {
            region.setInt(at(next), ID_PREVIOUS, previous);
        }
        region.setLong(at, 0, MinTree.NONE);
        region.setInt(at, ID_NEXT, free);
        free = slot;
    }

    /** The smallest key of the elements with an id, {@link MinTree#NONE} if there is none. */
    long find(final int id) {
        long key = MinTree.NONE;
        for (int slot = ids.getInt(bucket(id)); slot != NONE; slot = region.getInt(at(slot), ID_NEXT)) {
            if (id(slot) == id) {
                key = Math.min(key, key(slot));
            }
        }
        return key;
    }

    long key(final int slot) {
        return region.getLong(at(slot), 0);
    }

    void setKey(final int slot, final long key) {
        region.setLong(at(slot), 0, key);
    }

    int id(final int slot) {
        return region.getInt(at(slot), ID);
    }

    long time(final int slot) {
        return region.getInt(at(slot), TIME) & UNSIGNED;
    }

    int waitPrevious(final int slot) {
        return region.getInt(at(slot), WAIT_PREVIOUS);
    }

    void setWaitPrevious(final int slot, final int previous) {
        region.setInt(at(slot), WAIT_PREVIOUS, previous);
    }

    int waitNext(final int slot) {
        return region.getInt(at(slot), WAIT_NEXT);
    }

    void setWaitNext(final int slot, final int next) {
        region.setInt(at(slot), WAIT_NEXT, next);
    }
}
