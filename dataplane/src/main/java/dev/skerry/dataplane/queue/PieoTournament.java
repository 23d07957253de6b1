package dev.skerry.dataplane.queue;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The fast PIEO: every operation of {@link Pieo} with the same result, without its hardware. Eligible elements play a
 * {@link MinTree} for the smallest (rank, arrival); the others wait in a {@link TimeWheel} until their send time has
 * come. The ports that name sublists and count clocks are {@link Pieo}'s alone.
 *
 * <p>An element's key is one positive long:
 *
 * <pre>
 *   bit 62        62 - rankBits                 slotBits          0
 *   +-------------+-----------------------------+-----------------+
 *   | rank        | arrival number              | its place       |
 *   +-------------+-----------------------------+-----------------+
 * </pre>
 *
 * <p>Serves any ranks of {@code rankBits} as long as the arrival number keeps more bits than the place: {@code rankBits
 * + 2 * slotBits} is at most 62 with slotBits = ⌈log2 capacity⌉. So ranks may have all 32 bits up to a capacity of
 * 32,768, and 30 bits up to 65,536. Ranks of 16 bits leave an arrival number of at least 31 bits. When the numbers run
 * out, there once in 2^31 enqueues, the elements held are renumbered in one O(n log n) step.
 *
 * <p>Cost: one cache line a level of the tree to dequeue, {@code log8(capacity)} of them; about one line to enqueue.
 * Send times may come in any order. Time may stand still, advance or jump ahead. Going back is exact too, but places
 * every element again: O(n), n the most elements ever held. Nothing allocates after construction. One thread at a time.
 */
public final class PieoTournament {
    private static final int KEY_BITS = 63;

    private final PieoLayout layout;
    private final PieoElements elements;
    private final MinTree eligible;
    private final TimeWheel waiting;
    /** Keys during {@link #renumber}. */
    private final long[] sorted;
    private final int capacity;
    private final PieoPorts ports;
    private final int slotBits;
    private final int slotMask;
    private final int rankShift;
    private final long arrivals;

    private long arrival;
    private int size;

    /**
     * An empty PIEO.
     *
     * @param arena  of the thread that uses it, or shared; outlives it.
     * @param layout capacity and widths; the memories that it describes are not used.
     * @throws IllegalArgumentException if rank and capacity do not fit a key.
     */
    public PieoTournament(final Arena arena, final PieoLayout layout) {
        this.layout = layout;
        this.capacity = layout.capacity();
        this.slotBits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(capacity - 1));
        this.slotMask = (1 << slotBits) - 1;
        this.rankShift = KEY_BITS - layout.rankBits();
        if (rankShift - slotBits <= slotBits) {
            throw new IllegalArgumentException("rank and capacity do not fit a key: rankBits=" + layout.rankBits()
                + " capacity=" + capacity);
        }
        this.arrivals = 1L << rankShift - slotBits;
        this.ports = new PieoPorts(layout);
        this.elements = new PieoElements(arena, capacity, slotBits, layout.idBits());
        this.eligible = new MinTree(arena, capacity);
        this.waiting = new TimeWheel(arena, elements, eligible);
        this.sorted = new long[capacity];
    }

    /** Drops all elements and starts at time 0. */
    public void reset() {
        eligible.clear(elements.used());
        elements.clear();
        waiting.clear(0);
        arrival = 0;
        size = 0;
        ports.clear();
    }

    /**
     * Inserts an element behind all elements of the same or a smaller rank. Equal ids may be held together.
     *
     * @param f        its id, 0 to 2^idBits - 1.
     * @param ofRank   its rank, 0 to 2^rankBits - 2.
     * @param sendsAt  the first time at which it may leave, 0 to 2^timeBits - 2.
     * @return {@link Pieo#DONE}, {@link Pieo#BAD_ID}, {@link Pieo#BAD_RANK}, {@link Pieo#BAD_TIME} or
     *     {@link Pieo#FULL}.
     */
    public int enqueue(final int f, final long ofRank, final long sendsAt) {
        ports.clear();
        final int admitted = ports.admit(f, ofRank, sendsAt);
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
        if (sendsAt <= waiting.now()) {
            eligible.insert(slot, key);
        } else {
            waiting.add(slot, sendsAt);
        }
    }

    /**
     * Extracts the first element in order of rank, oldest first among equals, whose send time has come.
     *
     * @param now the time, 0 to 2^timeBits - 2.
     * @return {@link Pieo#DONE}, {@link Pieo#NOTHING} if no element is eligible, or {@link Pieo#BAD_TIME}.
     */
    public int dequeue(final long now) {
        if (!ports.holdsTime(now)) {
            ports.clear();
            return Pieo.BAD_TIME;
        }
        if (now > waiting.now()) {
            waiting.advance(now);
        } else if (now < waiting.now()) {
            goBack(now);
        }
        final long key = eligible.least();
        if (key == MinTree.NONE) {
            ports.clear();
            return Pieo.NOTHING;
        }
        final int slot = (int) key & slotMask;
        eligible.remove(slot, key);
        extract(slot, key);
        return Pieo.DONE;
    }

    /**
     * Extracts the element with this id, whether its time has come or not; the first in order of rank if there are
     * several.
     *
     * @param f the id.
     * @return {@link Pieo#DONE}, {@link Pieo#BAD_ID} or {@link Pieo#ABSENT}.
     */
    public int dequeueF(final int f) {
        ports.clear();
        if (!ports.holdsId(f)) {
            return Pieo.BAD_ID;
        }
        final long key = elements.find(f);
        if (key == MinTree.NONE) {
            return Pieo.ABSENT;
        }
        final int slot = (int) key & slotMask;
        if (elements.time(slot) <= waiting.now()) {
            eligible.remove(slot, key);
        } else {
            waiting.remove(slot);
        }
        extract(slot, key);
        return Pieo.DONE;
    }

    private void extract(final int slot, final long key) {
        ports.show(elements.id(slot), key >>> rankShift, elements.time(slot));
        elements.remove(slot);
        size--;
    }

    /** Elements that became eligible since then must wait again, and waiting ones change their digits. */
    private void goBack(final long now) {
        final int used = elements.used();
        eligible.clear(used);
        waiting.clear(now);
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
        goBack(waiting.now());
    }

    /** The id of the element just extracted; all ones if the last operation extracted none. */
    public int id() {
        return ports.id;
    }

    /** The rank of the element just extracted; all ones if the last operation extracted none. */
    public long rank() {
        return ports.rank;
    }

    /** The send time of the element just extracted; all ones if the last operation extracted none. */
    public long sendTime() {
        return ports.sendTime;
    }

    /** Elements held. */
    public int size() {
        return size;
    }

    /** The dimensions. */
    public PieoLayout layout() {
        return layout;
    }
}
