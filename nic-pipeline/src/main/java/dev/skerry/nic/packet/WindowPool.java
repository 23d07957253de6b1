package dev.skerry.nic.packet;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The memory of the windows' rings: a buddy system over one region, with blocks of 64 words times a power of two. Two
 * free buddies merge at once, so no later compaction is needed and every free aligned block can be allocated.
 *
 * <pre>
 *   block of order k: words 64 * unit to 64 * (unit + 2^k) - 1, unit a multiple of 2^k
 *   its buddy: unit ^ 2^k
 *
 *   one unit          0      4          8            12
 *                     +------+----------+------------+----+
 *                     | next | previous | free order |    |  free order: 1 + k where a free block of order k
 *                     +------+----------+------------+----+  starts, else 0; next, previous: its list, unit + 1
 * </pre>
 *
 * {@link #alloc} and {@link #free} take at most a number of steps logarithmic in the size. One thread.
 */
final class WindowPool {
    static final int UNIT_CELLS = 64;

    static final int NONE = -1;

    private static final int UNIT_SHIFT = 6;
    private static final int NEXT = 0;
    private static final int PREVIOUS = 4;
    private static final int FREE_ORDER = 8;
    private static final int LINK_SHIFT = 4;

    private final Region words;
    private final Region links;
    private final int lastOrder;
    /** By order: first free block as unit + 1; 0 if none. */
    private final int[] heads;
    /** Bit k is set if a block of order k is free. */
    private int orders;
    private int freeUnits;

    /**
     * Creates a pool that is all free.
     *
     * @param cells words in all, a power of two, at least 64.
     */
    WindowPool(final Arena arena, final int cells) {
        assert cells >= UNIT_CELLS && Integer.bitCount(cells) == 1 : "cells=" + cells;
        final int units = cells >> UNIT_SHIFT;
        this.words = Region.allocate(arena, (long) cells * Long.BYTES);
        this.links = Region.allocate(arena, (long) units << LINK_SHIFT);
        this.lastOrder = Integer.numberOfTrailingZeros(units);
        this.heads = new int[lastOrder + 1];
        this.freeUnits = units;
        push(0, lastOrder);
    }

    /** Off-heap bytes of a pool. */
    static long bytes(final int cells) {
        return (long) cells * Long.BYTES + ((long) cells >> UNIT_SHIFT << LINK_SHIFT);
    }

    /** Order of the smallest block with room for this many words. */
    static int orderFor(final int cells) {
        return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(cells - 1) - UNIT_SHIFT);
    }

    static int cells(final int order) {
        return UNIT_CELLS << order;
    }

    /**
     * The words of all blocks; a block starts at word 64 * unit. A block keeps its old content when it is allocated.
     */
    Region words() {
        return words;
    }

    /** Allocates a block; returns its first unit, or {@link #NONE} if no block of this order is free. */
    int alloc(final int order) {
        final int fitting = order > lastOrder ? 0 : orders >>> order << order;
        if (fitting == 0) {
            return NONE;
        }
        int found = Integer.numberOfTrailingZeros(fitting);
        final int unit = heads[found] - 1;
        remove(unit, found);
        while (found > order) {
            found--;
            push(unit + (1 << found), found);
        }
        freeUnits -= 1 << order;
        return unit;
    }

    void free(final int unit, final int order) {
        assert (unit & (1 << order) - 1) == 0 && at(unit, FREE_ORDER) == 0 : "unit=" + unit + " order=" + order;
        int first = unit;
        int merged = order;
        while (merged < lastOrder && at(first ^ 1 << merged, FREE_ORDER) == merged + 1) {
            remove(first ^ 1 << merged, merged);
            first &= ~(1 << merged);
            merged++;
        }
        push(first, merged);
        freeUnits += 1 << order;
    }

    /** Words of free blocks. */
    long freeCells() {
        return (long) freeUnits << UNIT_SHIFT;
    }

    private void push(final int unit, final int order) {
        final int next = heads[order];
        set(unit, NEXT, next);
        set(unit, PREVIOUS, 0);
        set(unit, FREE_ORDER, order + 1);
        if (next != 0) {
            set(next - 1, PREVIOUS, unit + 1);
        }
        heads[order] = unit + 1;
        orders |= 1 << order;
    }

    private void remove(final int unit, final int order) {
        final int next = at(unit, NEXT);
        final int previous = at(unit, PREVIOUS);
        if (next != 0) {
            set(next - 1, PREVIOUS, previous);
        }
        if (previous != 0) {
            set(previous - 1, NEXT, next);
        } else {
            heads[order] = next;
            orders &= next == 0 ? ~(1 << order) : -1;
        }
        set(unit, FREE_ORDER, 0);
    }

    private int at(final int unit, final int field) {
        return links.getInt(((long) unit << LINK_SHIFT) + field);
    }

    private void set(final int unit, final int field, final int value) {
        links.setInt(((long) unit << LINK_SHIFT) + field, value);
    }
}
