package dev.skerry.dataplane.pieo;

import java.lang.foreign.MemorySegment;

/**
 * Push-in extract-out scheduler: extracts the first element in rank order that is eligible at a given time. It has the
 * structure of the published hardware (docs/spec/shale.md §6): sublists of √capacity elements behind a pointer array.
 * Every output port and every word of its memories can therefore be compared with RTL after each operation.
 *
 * <pre>{@code
 * try (Arena arena = Arena.ofConfined()) {
 *     PieoLayout layout = new PieoLayout(64);
 *     Pieo queue = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
 *     int code = queue.enqueue(7, 20, 0);            // id 7, rank 20, eligible from time 0
 *     System.out.println(Pieo.meaning(code) + ", in sublist " + queue.enqueuedInSublist());
 *     code = queue.dequeue(0);
 *     System.out.println(Pieo.meaning(code) + ", id " + queue.id() + ", " + queue.clocks() + " clocks");
 * }
 * }</pre>
 *
 * <p>An operation returns {@link #DONE}, {@link #NOTHING} or a negative refusal, and leaves the ports readable until
 * the next call: {@link #id()}, {@link #rank()}, {@link #sendTime()} of the extracted element,
 * {@link #enqueuedInSublist()}, {@link #movedId()}, {@link #movedToSublist()}, {@link #clocks()}. A port that carries
 * no value reads as all ones. A refused operation changes no state and clears the ports. The inputs refused are exactly
 * those that the hardware mishandles: the hardware has no full flag, hangs on an all-ones rank or send time, and loses
 * order after the dequeue of an absent id.
 *
 * <p>The pointer array lists the non-empty sublists first, in rank order. {@code enqueue} selects the last sublist
 * whose smallest rank is at most that of the new element. If this sublist is full, the new element or the last one of
 * the sublist moves into the right neighbour, or into a free sublist if the neighbour is full too. {@code dequeue}
 * selects the first sublist with an eligible element. A sublist that was full is refilled from its right neighbour,
 * else from its left one, unless that neighbour is full, and an empty sublist becomes free. Of two neighbours in use,
 * at least one is therefore full.
 *
 * <p>Cost: O(√capacity) word reads. {@link #dequeueF(int)} searches all elements for the id;
 * {@link #dequeueF(int, int)} receives the sublist from the caller, as the hardware does. Nothing allocates after
 * construction. One thread, which owns the segment.
 */
public final class Pieo extends PieoPorts {
    /** The operation was carried out. */
    public static final int DONE = 1;
    /** {@code dequeue(now)}: no element is eligible. */
    public static final int NOTHING = 0;
    /** Refused: the capacity is reached. */
    public static final int FULL = -1;
    /** Refused: the id is negative or wider than {@code idBits}. */
    public static final int BAD_ID = -2;
    /** Refused: the rank is negative, all ones or wider than {@code rankBits}. */
    public static final int BAD_RANK = -3;
    /** Refused: the send time, or now, is negative, all ones or wider than {@code timeBits}. */
    public static final int BAD_TIME = -4;
    /** Refused: no element with this id is held, or it is not in the given sublist. */
    public static final int ABSENT = -5;

    private static final int OPERATION_CLOCKS = 4;
    private static final int NULL_CLOCKS = 2;

    private final PieoMemory memory;
    private final int capacity;
    private final int length;
    private final boolean newestFirst;

    private int enqueuedInSublist;
    private int movedId;
    private int movedToSublist;
    private int clocks;

    /**
     * Creates an empty PIEO; the segment is overwritten.
     *
     * @param layout  the dimensions.
     * @param segment at least {@link PieoLayout#byteSize()} bytes, aligned to {@link PieoLayout#ALIGNMENT}.
     */
    public Pieo(final PieoLayout layout, final MemorySegment segment) {
        this(layout, segment, false);
    }

    /**
     * Creates an empty PIEO; the segment is overwritten.
     *
     * @param layout      the dimensions.
     * @param segment     at least {@link PieoLayout#byteSize()} bytes, aligned to {@link PieoLayout#ALIGNMENT}.
     * @param newestFirst whether the newest of equally ranked elements leaves first, unlike in the published hardware.
     */
    public Pieo(final PieoLayout layout, final MemorySegment segment, final boolean newestFirst) {
        super(layout);
        this.newestFirst = newestFirst;
        memory = new PieoMemory(layout, segment);
        capacity = layout.capacity();
        length = layout.sublistLength();
        clearPorts(layout.resetClocks());
    }

    /** Removes all elements and gives every word its value after a hardware reset: sublist ids in ascending order. */
    public void reset() {
        memory.reset();
        clearPorts(layout.resetClocks());
    }

    /**
     * Inserts an element after all elements of the same or a smaller rank. Equal ids may be held together as long as
     * {@code dequeueF} is not used on them.
     *
     * @param f        its id, 0 to 2^idBits - 1.
     * @param ofRank   its rank, 0 to 2^rankBits - 2.
     * @param eligible the first time at which it may leave, 0 to 2^timeBits - 2.
     * @return {@link #DONE}, {@link #BAD_ID}, {@link #BAD_RANK}, {@link #BAD_TIME} or {@link #FULL}.
     */
    public int enqueue(final int f, final long ofRank, final long eligible) {
        clearPorts(0);
        final int admitted = admit(f, ofRank, eligible);
        if (admitted != DONE) {
            return admitted;
        }
        if (size() == capacity) {
            return FULL;
        }
        final int at = memory.positionFor(behind(ofRank));
        if (memory.full(at)) {
            enqueueBehindFull(at, f, ofRank, eligible);
        } else {
            // Case 0: room in the sublist. This is a free sublist only if nothing is held.
            memory.setUsed(Math.max(memory.used(), at + 1));
            memory.insert(at, memory.slotFor(at, behind(ofRank)), f, ofRank, eligible);
            enqueuedInSublist = memory.sublist(at);
        }
        memory.setHeld(size() + 1);
        clocks = OPERATION_CLOCKS;
        return DONE;
    }

    /** The maximum rank of the elements after which an element is inserted. */
    private long behind(final long rank) {
        return newestFirst ? rank - 1 : rank;
    }

    /** Cases 1 and 2: the new element, or the last of the full sublist, becomes the head of the following sublist. */
    private void enqueueBehindFull(final int at, final int f, final long ofRank, final long eligible) {
        final int next = at + 1;
        // The next entry exists, and so does a free one: of two neighbouring entries in use at least one is full, so
        // 2M // entries in use would hold more than M² elements.
        if (memory.full(next)) {
            memory.takeFreeEntryTo(next);
        } else {
            memory.setUsed(Math.max(memory.used(), next + 1));
        }
        if (behind(ofRank) >= memory.rank(memory.sublist(at), length - 1)) {
            memory.insert(next, 0, f, ofRank, eligible);
            enqueuedInSublist = memory.sublist(next);
        } else {
            move(at, length - 1, next, 0);
            memory.insert(at, memory.slotFor(at, behind(ofRank)), f, ofRank, eligible);
            enqueuedInSublist = memory.sublist(at);
        }
    }

    /**
     * Extracts the first eligible element in rank order, oldest first among equals.
     *
     * @param now the time, 0 to 2^timeBits - 2.
     * @return {@link #DONE}, {@link #NOTHING} if no element is eligible, or {@link #BAD_TIME}.
     */
    public int dequeue(final long now) {
        clearPorts(0);
        if (!holdsTime(now)) {
            return BAD_TIME;
        }
        final int used = memory.used();
        int position = 0;
        while (position < used && memory.smallestSendTime(position) > now) {
            position++;
        }
        if (position == used) {
            clocks = NULL_CLOCKS;
            return NOTHING;
        }
        final int sublist = memory.sublist(position);
        int slot = 0;
        while (memory.sendTime(sublist, slot) > now) {
            slot++;
        }
        extract(position, slot);
        return DONE;
    }

    /**
     * Extracts the element with this id, wherever it is; the first in rank order if there are several.
     *
     * @param f the id.
     * @return {@link #DONE}, {@link #BAD_ID} or {@link #ABSENT}.
     */
    public int dequeueF(final int f) {
        return dequeueF(f, sublistOf(f));
    }

    /**
     * Extracts the element with this id from the given sublist, as with the hardware's ports {@code flow_id_in} and
     * {@code sublist_id_in}.
     *
     * @param f       the id.
     * @param sublist the sublist that holds it, as shown by the ports when it was enqueued or last moved.
     * @return {@link #DONE}, {@link #BAD_ID} or {@link #ABSENT}.
     */
    public int dequeueF(final int f, final int sublist) {
        clearPorts(0);
        if (!holdsId(f)) {
            return BAD_ID;
        }
        final int position = memory.positionOf(sublist);
        final int slot = position < 0 ? -1 : memory.slotOf(position, f);
        if (slot < 0) {
            return ABSENT;
        }
        extract(position, slot);
        return DONE;
    }

    /** The sublist that holds an id, or {@link PieoLayout#noSublist()}. */
    public int sublistOf(final int f) {
        for (int position = 0; position < memory.used(); position++) {
            if (memory.slotOf(position, f) >= 0) {
                return memory.sublist(position);
            }
        }
        return layout.noSublist();
    }

    /** Removes an element. A full sublist is refilled from a neighbour, so that of two neighbours one stays full. */
    private void extract(final int position, final int slot) {
        final int sublist = memory.sublist(position);
        show(memory.id(sublist, slot), memory.rank(sublist, slot), memory.sendTime(sublist, slot));
        final boolean wasFull = memory.full(position);
        memory.remove(position, slot);
        int donor = position;
        if (wasFull && position + 1 < memory.used() && !memory.full(position + 1)) {
            donor = position + 1;
            move(donor, 0, position, length - 1);
        } else if (wasFull && position > 0 && !memory.full(position - 1)) {
            donor = position - 1;
            move(donor, memory.count(donor) - 1, position, 0);
        }
        if (memory.count(donor) == 0) {
            memory.freeEntry(donor);
        }
        memory.setHeld(size() - 1);
        clocks = OPERATION_CLOCKS;
    }

    /** Moves one element between neighbouring sublists and shows it on the ports. */
    private void move(final int from, final int fromSlot, final int to, final int toSlot) {
        movedId = memory.move(from, fromSlot, to, toSlot);
        movedToSublist = memory.sublist(to);
    }

    private void clearPorts(final int clocksTaken) {
        clear();
        enqueuedInSublist = layout.noSublist();
        movedId = layout.noId();
        movedToSublist = layout.noSublist();
        clocks = clocksTaken;
    }

    /** The sublist of the element enqueued last ({@code f_enqueued_in_sublist_out}). */
    public int enqueuedInSublist() {
        return enqueuedInSublist;
    }

    /** The element that changed its sublist during the operation ({@code flow_id_moved_out}). */
    public int movedId() {
        return movedId;
    }

    /** The new sublist of that element ({@code flow_id_moved_to_sublist_out}). */
    public int movedToSublist() {
        return movedToSublist;
    }

    /**
     * Clock cycles that the RTL takes for the last operation: 4, 2 for a dequeue that finds nothing, 0 for a refusal.
     */
    public int clocks() {
        return clocks;
    }

    /** Number of elements held. */
    public int size() {
        return memory.held();
    }

    /** The pointer array and the sublists, read-only. */
    public PieoMemory memory() {
        return memory;
    }

    /**
     * Describes a return code in messages.
     *
     * @param code a value returned by an operation.
     * @return a few words.
     */
    public static String meaning(final int code) {
        return switch (code) {
            case DONE -> "done";
            case NOTHING -> "no element is eligible";
            case FULL -> "full";
            case BAD_ID -> "the id does not fit its bits";
            case BAD_RANK -> "the rank does not fit its bits or is all ones";
            case BAD_TIME -> "the time does not fit its bits or is all ones";
            case ABSENT -> "no element with this id is held";
            default -> throw new IllegalArgumentException("not a return code: code=" + code);
        };
    }
}
