package dev.skerry.dataplane.queue;

import java.lang.foreign.MemorySegment;

/**
 * Push-in extract-out scheduler: the first element in order of rank that is eligible at a given time. This is the
 * published hardware's own structure (spec/shale §6), not only its result: sublists of √capacity elements behind a
 * pointer array, so that after each operation every output port and every word of its memories can be compared with
 * RTL.
 *
 * <p>An operation returns {@link #DONE}, {@link #NOTHING} or a negative refusal, and leaves the ports readable until
 * the next call: {@link #id()}, {@link #rank()}, {@link #sendTime()} of the element extracted, {@link
 * #enqueuedInSublist()}, {@link #movedId()}, {@link #movedToSublist()}, {@link #clocks()}. A port that carries
 * nothing reads all ones of its width. A refused operation changes no state and clears the ports. Refused is exactly
 * what the hardware gets wrong: it has no full flag, hangs on an all-ones rank or send time, and loses order after
 * the dequeue of an absent id.
 *
 * <p>Cost: O(√capacity) word reads; {@link #dequeueF(int)} searches the elements for the id, since in the hardware the
 * caller keeps track of its sublist, and {@link #dequeueF(int, int)} takes it from the caller as the hardware does.
 * Nothing is allocated. Assumes one thread, which owns the segment.
 */
public final class Pieo {
    /** The operation was carried out. */
    public static final int DONE = 1;
    /** {@code dequeue(now)}: no element is eligible. */
    public static final int NOTHING = 0;
    /** Refused: as many elements as the capacity are held. */
    public static final int FULL = -1;
    /** Refused: the id is negative or wider than {@code idBits}. */
    public static final int BAD_ID = -2;
    /** Refused: the rank is negative, all ones or wider than {@code rankBits}. */
    public static final int BAD_RANK = -3;
    /** Refused: the send time, or now, is negative, all ones or wider than {@code timeBits}. */
    public static final int BAD_TIME = -4;
    /** Refused: no element with this id is held, or not in the sublist named. */
    public static final int ABSENT = -5;

    private static final int OPERATION_CLOCKS = 4;
    private static final int NULL_CLOCKS = 2;

    private final PieoLayout layout;
    private final PieoMemory memory;
    private final int capacity;
    private final int length;
    private final int maxId;
    private final long noRank;
    private final long noTime;

    private int id;
    private long rank;
    private long sendTime;
    private int enqueuedInSublist;
    private int movedId;
    private int movedToSublist;
    private int clocks;

    /**
     * An empty PIEO; the segment is overwritten.
     *
     * @param layout  the dimensions.
     * @param segment at least {@link PieoLayout#byteSize()} bytes, aligned to {@link PieoLayout#ALIGNMENT}.
     */
    public Pieo(final PieoLayout layout, final MemorySegment segment) {
        this.layout = layout;
        memory = new PieoMemory(layout, segment);
        capacity = layout.capacity();
        length = layout.sublistLength();
        maxId = layout.nullId();
        noRank = layout.noRank();
        noTime = layout.noTime();
        clearPorts(layout.resetClocks());
    }

    /** Drops all elements and puts every word where the hardware's reset puts it: sublist ids in ascending order. */
    public void reset() {
        memory.reset();
        clearPorts(layout.resetClocks());
    }

    /**
     * Inserts an element behind all elements of the same or a smaller rank. Equal ids may be held together as long as
     * {@code dequeueF} is not used on them.
     *
     * @param f        its id, 0 to 2^idBits - 1.
     * @param ofRank   its rank, 0 to 2^rankBits - 2.
     * @param eligible the first time at which it may leave, 0 to 2^timeBits - 2.
     * @return {@link #DONE}, {@link #BAD_ID}, {@link #BAD_RANK}, {@link #BAD_TIME} or {@link #FULL}.
     */
    public int enqueue(final int f, final long ofRank, final long eligible) {
        clearPorts(0);
        if (f < 0 || f > maxId) {
            return BAD_ID;
        }
        if (ofRank < 0 || ofRank >= noRank) {
            return BAD_RANK;
        }
        if (eligible < 0 || eligible >= noTime) {
            return BAD_TIME;
        }
        if (size() == capacity) {
            return FULL;
        }
        final int at = positionFor(ofRank);
        if (memory.full(at)) {
            enqueueBehindFull(at, f, ofRank, eligible);
        } else {
            // Case 0: room in the sublist, which is a free one only when nothing is held.
            memory.setUsed(Math.max(memory.used(), at + 1));
            memory.insert(at, memory.slotFor(at, ofRank), f, ofRank, eligible);
            enqueuedInSublist = memory.sublist(at);
        }
        memory.setHeld(size() + 1);
        clocks = OPERATION_CLOCKS;
        return DONE;
    }

    /** The entry in front of the first whose smallest rank is larger; free entries count as larger than any. */
    private int positionFor(final long ofRank) {
        int position = 0;
        while (memory.smallestRank(position) <= ofRank) {
            position++;
        }
        return Math.max(position - 1, 0);
    }

    /** Cases 1 and 2: the new element, or the last of the full sublist, becomes the head of the sublist behind it. */
    private void enqueueBehindFull(final int at, final int f, final long ofRank, final long eligible) {
        final int next = at + 1;
        // There is an entry next, and a free one: of two neighbours in use at least one is full, so 2M in use would
        // hold more than M² elements.
        if (memory.full(next)) {
            memory.takeFreeEntryTo(next);
        } else {
            memory.setUsed(Math.max(memory.used(), next + 1));
        }
        if (ofRank >= memory.rank(memory.sublist(at), length - 1)) {
            memory.insert(next, 0, f, ofRank, eligible);
            enqueuedInSublist = memory.sublist(next);
        } else {
            move(at, length - 1, next, 0);
            memory.insert(at, memory.slotFor(at, ofRank), f, ofRank, eligible);
            enqueuedInSublist = memory.sublist(at);
        }
    }

    /**
     * Extracts the first element in order of rank, oldest first among equals, whose send time has come.
     *
     * @param now the time, 0 to 2^timeBits - 2.
     * @return {@link #DONE}, {@link #NOTHING} if no element is eligible, or {@link #BAD_TIME}.
     */
    public int dequeue(final long now) {
        clearPorts(0);
        if (now < 0 || now >= noTime) {
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
     * Extracts the element with this id, wherever it is; the first in order of rank if there are several.
     *
     * @param f the id.
     * @return {@link #DONE}, {@link #BAD_ID} or {@link #ABSENT}.
     */
    public int dequeueF(final int f) {
        return dequeueF(f, sublistOf(f));
    }

    /**
     * Extracts the element with this id from the sublist named, as the hardware's ports {@code flow_id_in} and
     * {@code sublist_id_in} ask for it.
     *
     * @param f       the id.
     * @param sublist the sublist that holds it, as the ports told when it was enqueued or last moved.
     * @return {@link #DONE}, {@link #BAD_ID} or {@link #ABSENT}.
     */
    public int dequeueF(final int f, final int sublist) {
        clearPorts(0);
        if (f < 0 || f > maxId) {
            return BAD_ID;
        }
        for (int position = 0; position < memory.used(); position++) {
            if (memory.sublist(position) == sublist) {
                final int slot = slotOf(position, f);
                if (slot < 0) {
                    return ABSENT;
                }
                extract(position, slot);
                return DONE;
            }
        }
        return ABSENT;
    }

    /** Where {@code dequeueF} finds an id: its sublist, or {@link PieoLayout#noSublist()} if it is not held. */
    public int sublistOf(final int f) {
        for (int position = 0; position < memory.used(); position++) {
            if (slotOf(position, f) >= 0) {
                return memory.sublist(position);
            }
        }
        return layout.noSublist();
    }

    private int slotOf(final int position, final int f) {
        final int sublist = memory.sublist(position);
        for (int slot = 0; slot < memory.count(position); slot++) {
            if (memory.id(sublist, slot) == f) {
                return slot;
            }
        }
        return -1;
    }

    /** Removes an element. A full sublist is refilled by a neighbour, so that of two neighbours one stays full. */
    private void extract(final int position, final int slot) {
        final int sublist = memory.sublist(position);
        id = memory.id(sublist, slot);
        rank = memory.rank(sublist, slot);
        sendTime = memory.sendTime(sublist, slot);
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
        final int source = memory.sublist(from);
        final int moved = memory.id(source, fromSlot);
        final long movedRank = memory.rank(source, fromSlot);
        final long movedTime = memory.sendTime(source, fromSlot);
        memory.remove(from, fromSlot);
        memory.insert(to, toSlot, moved, movedRank, movedTime);
        movedId = moved;
        movedToSublist = memory.sublist(to);
    }

    private void clearPorts(final int clocksTaken) {
        id = maxId;
        rank = noRank;
        sendTime = noTime;
        enqueuedInSublist = layout.noSublist();
        movedId = layout.noId();
        movedToSublist = layout.noSublist();
        clocks = clocksTaken;
    }

    /** The id of the element just extracted ({@code deq_element_out}). */
    public int id() {
        return id;
    }

    /** The rank of the element just extracted. */
    public long rank() {
        return rank;
    }

    /** The send time of the element just extracted. */
    public long sendTime() {
        return sendTime;
    }

    /** The sublist the element just enqueued went to ({@code f_enqueued_in_sublist_out}). */
    public int enqueuedInSublist() {
        return enqueuedInSublist;
    }

    /** The element that changed its sublist on the way ({@code flow_id_moved_out}). */
    public int movedId() {
        return movedId;
    }

    /** The sublist it is in now ({@code flow_id_moved_to_sublist_out}). */
    public int movedToSublist() {
        return movedToSublist;
    }

    /** Clocks the RTL takes for what was just done: 4, 2 for a dequeue that finds nothing, 0 for a refusal. */
    public int clocks() {
        return clocks;
    }

    /** Elements held. */
    public int size() {
        return memory.held();
    }

    /** The dimensions. */
    public PieoLayout layout() {
        return layout;
    }

    /** The pointer array and the sublists, to read. */
    public PieoMemory memory() {
        return memory;
    }

    /**
     * What a return code means, for a message.
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
