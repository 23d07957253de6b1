package dev.skerry.dataplane.pieo;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The fast PIEO: performs every operation of {@link Pieo} with the same result, without modelling the hardware.
 * Eligible elements are in a {@link MinTree} ordered by (rank, arrival); the others are in a second one, ordered by
 * send time, until that time has come. The ports for sublists and clock cycles exist only in {@link Pieo}.
 *
 * <pre>{@code
 * try (Arena arena = Arena.ofConfined()) {
 *     PieoTournament queue = new PieoTournament(arena, new PieoLayout(1_024));
 *     queue.enqueue(7, 20, 0);                       // id 7, rank 20, eligible from time 0
 *     queue.enqueue(8, 10, 5);                       // a lower rank, eligible from time 5
 *     for (long now = 0; queue.size() > 0; now++) {
 *         while (queue.dequeue(now) == Pieo.DONE) {
 *             System.out.println("time " + now + ": id " + queue.id() + ", rank " + queue.rank());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>An element's key is one positive long:
 *
 * <pre>
 *   bit 62        62 - rankBits                 slotBits          0
 *   +-------------+-----------------------------+-----------------+
 *   | rank        | arrival number              | its slot        |
 *   +-------------+-----------------------------+-----------------+
 * </pre>
 *
 * <p>Supports any ranks of {@code rankBits} if the arrival number has more bits than the slot:
 * {@code rankBits + 2 * slotBits} is at most 62 with slotBits = ⌈log2 capacity⌉. Ranks may therefore have all 32 bits
 * up to a capacity of 32,768, and 30 bits up to 65,536. Ranks of 16 bits leave at least 31 bits for the arrival number.
 * When the arrival numbers are used up, in that case once in 2^31 enqueues, the elements held are renumbered in one O(n
 * log n) step.
 *
 * <p>Cost: dequeue touches one cache line per level of the tree, {@code log8(capacity)} of them, and as many again for
 * an element that had to wait; enqueue touches about one line. Send times may come in any order. Time may stand still,
 * advance or jump ahead. Going back is also exact, but reinserts every element: O(n), with n the maximum number of
 * elements ever held. Nothing allocates after construction. One thread at a time.
 */
public final class PieoTournament extends PieoPorts {
    private static final int KEY_BITS = 63;

    private final PieoElements elements;
    private final MinTree eligible;
    /** Tree of send times, each above its slot. */
    private final MinTree waiting;
    /** Keys during {@link #renumber}. */
    private final long[] sorted;
    private final int capacity;
    private final int slotBits;
    private final int slotMask;
    private final int rankShift;
    private final long arrivals;

    private long arrival;
    private long now;
    private int size;

    /**
     * Creates an empty PIEO.
     *
     * @param arena  arena of the thread that uses the PIEO, or a shared one; must outlive it.
     * @param layout capacity and widths; the memories that it describes are not used.
     * @throws IllegalArgumentException if rank and capacity do not fit a key.
     */
    public PieoTournament(final Arena arena, final PieoLayout layout) {
        super(layout);
        this.capacity = layout.capacity();
        this.slotBits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(capacity - 1));
        this.slotMask = (1 << slotBits) - 1;
        this.rankShift = KEY_BITS - layout.rankBits();
        Bounds.refuseIf(rankShift - slotBits <= slotBits, "rank and capacity do not fit a key: rankBits=",
            layout.rankBits(), " capacity=", capacity);
        this.arrivals = 1L << rankShift - slotBits;
        this.elements = new PieoElements(arena, capacity, slotBits, layout.idBits());
        this.eligible = new MinTree(arena, capacity);
        this.waiting = new MinTree(arena, capacity);
        this.sorted = new long[capacity];
    }

    /** Removes all elements and resets the time to 0. */
    public void reset() {
        eligible.clear(elements.used());
        waiting.clear(elements.used());
        elements.clear();
        arrival = 0;
        now = 0;
        size = 0;
        clear();
    }

    /**
     * Inserts an element after all elements of the same or a smaller rank. Equal ids may be held together.
     *
     * @param f        its id, 0 to 2^idBits - 1.
     * @param ofRank   its rank, 0 to 2^rankBits - 2.
     * @param sendsAt  the first time at which it may leave, 0 to 2^timeBits - 2.
     * @return {@link Pieo#DONE}, {@link Pieo#BAD_ID}, {@link Pieo#BAD_RANK}, {@link Pieo#BAD_TIME} or
     *     {@link Pieo#FULL}.
     */
    public int enqueue(final int f, final long ofRank, final long sendsAt) {
        clear();
        final int admitted = admit(f, ofRank, sendsAt);
        if (admitted != Pieo.DONE) {
            return admitted;
        }
        if (size == capacity) {
            return Pieo.FULL;
        }
        if (arrival == arrivals) {
            renumber();
        }
        final int slot = elements.nextFree();
        final long key = ofRank << rankShift | arrival++ << slotBits | slot;
        elements.add(key, f, sendsAt);
        size++;
        place(slot, key, sendsAt);
        return Pieo.DONE;
    }

    private void place(final int slot, final long key, final long sendsAt) {
        if (sendsAt <= now) {
            eligible.insert(slot, key);
        } else {
            waiting.insert(slot, sendsAt << slotBits | slot);
        }
    }

    /**
     * Extracts the first eligible element in rank order, oldest first among equals.
     *
     * @param time the current time, 0 to 2^timeBits - 2.
     * @return {@link Pieo#DONE}, {@link Pieo#NOTHING} if no element is eligible, or {@link Pieo#BAD_TIME}.
     */
    public int dequeue(final long time) {
        if (!holdsTime(time)) {
            clear();
            return Pieo.BAD_TIME;
        }
        final boolean back = time < now;
        now = time;
        if (back) {
            placeAll();
        }
        for (long first = waiting.least(); first >>> slotBits <= now; first = waiting.least()) {
            final int slot = (int) first & slotMask;
            waiting.remove(slot, first);
            eligible.insert(slot, elements.key(slot));
        }
        final long key = eligible.least();
        if (key == MinTree.NONE) {
            clear();
            return Pieo.NOTHING;
        }
        final int slot = (int) key & slotMask;
        eligible.remove(slot, key);
        extract(slot, key);
        return Pieo.DONE;
    }

    /**
     * Extracts the element with this id, whether its time has come or not; the first in rank order if there are
     * several.
     *
     * @param f the id.
     * @return {@link Pieo#DONE}, {@link Pieo#BAD_ID} or {@link Pieo#ABSENT}.
     */
    public int dequeueF(final int f) {
        clear();
        if (!holdsId(f)) {
            return Pieo.BAD_ID;
        }
        final long key = elements.find(f);
        if (key == MinTree.NONE) {
            return Pieo.ABSENT;
        }
        final int slot = (int) key & slotMask;
        final long time = elements.time(slot);
        if (time <= now) {
            eligible.remove(slot, key);
        } else {
            waiting.remove(slot, time << slotBits | slot);
        }
        extract(slot, key);
        return Pieo.DONE;
    }

    private void extract(final int slot, final long key) {
        show(elements.id(slot), key >>> rankShift, elements.time(slot));
        elements.remove(slot);
        size--;
    }

    /** Rebuilds both trees for the current time, from the keys of the elements. */
    private void placeAll() {
        final int used = elements.used();
        eligible.clear(used);
        waiting.clear(used);
        for (int slot = 0; slot < used; slot++) {
            final long key = elements.key(slot);
            if (key != MinTree.NONE) {
                place(slot, key, elements.time(slot));
            }
        }
    }

    /** Renumbers the elements held 0, 1, 2, ... in order of key, which keeps the order of arrival among equal ranks. */
    private void renumber() {
        int held = 0;
        for (int slot = 0; slot < elements.used(); slot++) {
            final long key = elements.key(slot);
            if (key != MinTree.NONE) {
                sorted[held++] = key;
            }
        }
        Arrays.sort(sorted, 0, held);
        for (int i = 0; i < held; i++) {
            final int slot = (int) sorted[i] & slotMask;
            elements.setKey(slot, sorted[i] >>> rankShift << rankShift | (long) i << slotBits | slot);
        }
        arrival = held;
        placeAll();
    }

    /** Number of elements held. */
    public int size() {
        return size;
    }

    /**
     * The elements of a {@link PieoTournament}, two on a cache line, and their lists by id.
     *
     * <pre>
     *   0         8         12        16        20        24        32
     *   +---------+---------+---------+---------+---------+---------+
     *   | key     | id      | time    | id prev | id next | pad     |
     *   +---------+---------+---------+---------+---------+---------+
     * </pre>
     *
     * {@code id prev} and {@code id next} link elements whose ids share a bucket of the table of ids; {@link #NONE}
     * ends a list. A free element has the key {@link MinTree#NONE}, and the next free one as {@code id next}. One
     * thread.
     */
    private static final class PieoElements {
        private static final int NONE = -1;

        private static final int SHIFT = 5;
        private static final int ID = 2;
        private static final int TIME = 3;
        private static final int ID_PREVIOUS = 4;
        private static final int ID_NEXT = 5;
        /** 2^32 divided by the golden ratio: spreads dense, strided and random ids over the table. */
        private static final int GOLDEN = 0x9E37_79B9;
        private static final long UNSIGNED = 0xFFFF_FFFFL;

        private final Region region;
        private final Region ids;
        private final int capacity;
        private final int multiplier;
        private final int shift;
        private int free;
        private int used;

        /**
         * Creates empty slots. The table of ids is indexed by as many bits as a slot number, so ids of at most this
         * width have a bucket each.
         */
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

        /** The first slot never filled; all later ones are free as well. */
        int used() {
            return used;
        }

        private static long at(final int slot) {
            return (long) slot << SHIFT;
        }

        private long bucket(final int id) {
            return (long) (id * multiplier >>> shift) << 2;
        }

        /** The slot that {@link #add} fills next; valid only while one is free. */
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

        /** The smallest key of the elements with an id, or {@link MinTree#NONE}. */
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
    }

    /**
     * A tournament tree that finds the smallest key. The smallest of a line of eight keys is repeated in its entry in
     * the line above; the smallest of the top line is the result.
     *
     * <pre>
     *   level 2   [  0 |  1 ]                                          padded to a line of 8
     *   level 1   [  0 |  1 |  2 | .. |  7 ] [  8 |  9 | .. ]          entry n: smallest of line n of level 0
     *   level 0   [  0 |  1 |  2 | .. |  7 ] [  8 |  9 | .. ] ...      entry n: key of place n
     * </pre>
     *
     * A key contains its place in its low bits, so only keys move up and no search leads down. Removing the smallest
     * key writes one entry per level without a branch on any key: each line's minimum is computed without the changed
     * entry, so a level depends on one comparison of the level below and not on its whole minimum. One thread.
     */
    private static final class MinTree {
        /** No key: larger than any. Keys are not negative. */
        static final long NONE = Long.MAX_VALUE;

        private static final int FAN_SHIFT = 3;
        private static final int FAN = 1 << FAN_SHIFT;
        private static final long LINE = -(long) FAN * Long.BYTES;

        private final Region region;
        /** Byte offset of each level. */
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

        /** The smallest key, or {@link #NONE}. */
        long least() {
            return least;
        }

        /** Puts a key on a free place. The key moves up while it is the smallest of its line, which is rarely far. */
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
}
