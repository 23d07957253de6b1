package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * A tournament tree: finds the smallest key of its places. A line of eight keys sends its smallest to its entry in the
 * line above; the smallest of the topmost line wins.
 *
 * <pre>
 *   level 2   [  0 |  1 ]                                          padded to a line of 8
 *   level 1   [  0 |  1 |  2 | .. |  7 ] [  8 |  9 | .. ]          entry n: smallest of line n of level 0
 *   level 0   [  0 |  1 |  2 | .. |  7 ] [  8 |  9 | .. ] ...      entry n: key of place n
 * </pre>
 *
 * A key holds its place in its low bits, so only keys travel up and no search leads down. Removing the winner writes
 * one entry a level without a branch on any key: each line's minimum is taken without the changed entry, so a level
 * waits for one comparison of the level below and not for its whole minimum. One thread.
 */
final class MinTree {
    /** No key: larger than any. Keys are not negative. */
    static final long NONE = Long.MAX_VALUE;

    private static final int FAN_SHIFT = 3;
    private static final int FAN = 1 << FAN_SHIFT;
    private static final long LINE = -(long) FAN * Long.BYTES;

    private final Region region;
    /** Where each level starts, in bytes. */
    private final long[] levels;
    private long least;

    MinTree(final Arena arena, final int places) {
        this.levels = new long[levels(places)];
        long bytes = 0;
        int entries = places;
        for (int level = 0; level < levels.length; level++) {
            levels[level] = bytes;
            entries = lines(entries);
            bytes += (long) entries * FAN * Long.BYTES;
        }
        this.region = Region.allocate(arena, bytes);
        for (long at = 0; at < bytes; at += Long.BYTES) {
            region.setLong(at, NONE);
        }
        this.least = NONE;
    }

    private static int lines(final int entries) {
        return entries + FAN - 1 >>> FAN_SHIFT;
    }

    private static int levels(final int places) {
        int levels = 1;
        for (int entries = lines(places); entries > 1; entries = lines(entries)) {
            levels++;
        }
        return levels;
    }

    /** Removes all keys; only places below {@code places} may have one. */
    void clear(final int places) {
        int entries = places;
        for (final long start : levels) {
            for (int entry = 0; entry < entries; entry++) {
                region.setLong(start + ((long) entry << FAN_SHIFT), NONE);
            }
            entries = lines(entries);
        }
        least = NONE;
    }

    /** The smallest key, {@link #NONE} if there is none. */
    long least() {
        return least;
    }

    /** Puts a key on a free place. It climbs as far as it wins, which is rarely far. */
    void insert(final int place, final long key) {
        final long[] starts = levels;
        long entry = place;
        region.setLong(starts[0] + (entry << FAN_SHIFT), key);
        for (int level = 1; level < starts.length; level++) {
            entry >>>= FAN_SHIFT;
            final long at = starts[level] + (entry << FAN_SHIFT);
            if (region.getLong(at) < key) {
                return;
            }
            region.setLong(at, key);
        }
        least = Math.min(least, key);
    }

    /** Removes the key of a place. */
    void remove(final int place, final long key) {
        final long[] starts = levels;
        long entry = place;
        long next = NONE;
        for (int level = 0; level < starts.length; level++) {
            final long at = starts[level] + (entry << FAN_SHIFT);
            if (region.getLong(at) != key) {
                return;
            }
            region.setLong(at, NONE);
            final long others = smallest(at & LINE);
            region.setLong(at, next);
            next = Math.min(next, others);
            entry >>>= FAN_SHIFT;
        }
        least = next;
    }

    private long smallest(final long line) {
        return Math.min(
            Math.min(Math.min(region.getLong(line, 0), region.getLong(line, 1)),
                Math.min(region.getLong(line, 2), region.getLong(line, 3))),
            Math.min(Math.min(region.getLong(line, 4), region.getLong(line, 5)),
                Math.min(region.getLong(line, 6), region.getLong(line, 7))));
    }
}
