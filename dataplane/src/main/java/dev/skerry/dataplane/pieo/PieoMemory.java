package dev.skerry.dataplane.pieo;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;

/**
 * The memories of a {@link Pieo}, word for word as in the hardware: pointer array, rank sublists, eligibility sublists.
 * Read them between operations, on the thread of the PIEO; only the PIEO writes. A <em>position</em> is an index of the
 * pointer array, 0 to 2M - 1; a <em>slot</em> is an index in a sublist, 0 to M - 1. Arguments out of range read other
 * words or throw {@link IndexOutOfBoundsException}.
 */
public final class PieoMemory {
    private static final long HELD = 0;
    private static final long USED = HELD + Integer.BYTES;
    private static final long POINTERS = 16;

    private static final long POINTER_SUBLIST = 0;
    private static final long POINTER_COUNT = POINTER_SUBLIST + Integer.BYTES;
    private static final long POINTER_RANK = POINTER_COUNT + Integer.BYTES;
    private static final long POINTER_TIME = POINTER_RANK + Integer.BYTES;
    private static final long POINTER_BYTES = POINTER_TIME + Integer.BYTES;

    private static final long ELEMENT_ID = 0;
    private static final long ELEMENT_RANK = ELEMENT_ID + Integer.BYTES;
    private static final long ELEMENT_TIME = ELEMENT_RANK + Integer.BYTES;
    private static final long ELEMENT_BYTES = ELEMENT_TIME + Integer.BYTES;

    static final long TIME_BYTES = Integer.BYTES;

    private static final long UNSIGNED = 0xFFFF_FFFFL;

    private final MemorySegment state;
    private final int length;
    private final int sublists;
    private final long elements;
    private final long times;
    private final long noRank;
    private final long noTime;

    PieoMemory(final PieoLayout layout, final MemorySegment segment) {
        Bounds.refuseIf(segment.byteSize() < layout.byteSize(), "segment too small: bytes=", segment.byteSize(),
            " needed=", layout.byteSize());
        Bounds.refuseIf(segment.maxByteAlignment() < PieoLayout.ALIGNMENT, "segment must be aligned to ",
            PieoLayout.ALIGNMENT, " bytes: alignment=", segment.maxByteAlignment());
        state = segment.asSlice(0, layout.byteSize());
        length = layout.sublistLength();
        sublists = layout.sublists();
        elements = elements(layout);
        times = times(layout);
        noRank = layout.noRank();
        noTime = layout.noTime();
        reset();
    }

    void reset() {
        setHeld(0);
        setUsed(0);
        for (int position = 0; position < sublists; position++) {
            put(pointer(position) + POINTER_SUBLIST, position);
            put(pointer(position) + POINTER_COUNT, 0);
            for (int slot = 0; slot < length; slot++) {
                putElement(element(position, slot), 0, noRank, noTime);
                put(time(position, slot), noTime);
            }
            refreshPointer(position);
        }
    }

    /** Number of elements held. */
    public int held() {
        return state.get(JAVA_INT, HELD);
    }

    /** Entries of the pointer array in use, the RTL's {@code free_list_head_reg}; the following entries are free. */
    public int used() {
        return state.get(JAVA_INT, USED);
    }

    /** Pointer array: the sublist of an entry. */
    public int sublist(final int position) {
        return state.get(JAVA_INT, pointer(position) + POINTER_SUBLIST);
    }

    /** Number of elements in the sublist of an entry, 0 to M. */
    public int count(final int position) {
        return state.get(JAVA_INT, pointer(position) + POINTER_COUNT);
    }

    /** Pointer array: whether the sublist holds M elements. */
    public boolean full(final int position) {
        return count(position) == length;
    }

    /** Pointer array: the rank of the sublist's first element; all ones if free. */
    public long smallestRank(final int position) {
        return get(pointer(position) + POINTER_RANK);
    }

    /** Pointer array: the smallest send time in the sublist; all ones if free. */
    public long smallestSendTime(final int position) {
        return get(pointer(position) + POINTER_TIME);
    }

    /** Rank sublist: the id in a slot; 0 if vacant. */
    public int id(final int sublist, final int slot) {
        return state.get(JAVA_INT, element(sublist, slot) + ELEMENT_ID);
    }

    /** Rank sublist: the rank in a slot; all ones if vacant. */
    public long rank(final int sublist, final int slot) {
        return get(element(sublist, slot) + ELEMENT_RANK);
    }

    /** Rank sublist: the send time in a slot; all ones if vacant. */
    public long sendTime(final int sublist, final int slot) {
        return get(element(sublist, slot) + ELEMENT_TIME);
    }

    /** Eligibility sublist: the send times of a sublist in ascending order, then all ones. */
    public long sortedSendTime(final int sublist, final int slot) {
        return get(time(sublist, slot));
    }

    void setHeld(final int held) {
        put(HELD, held);
    }

    void setUsed(final int used) {
        put(USED, used);
    }

    /** The entry before the first one whose smallest rank is larger; free entries count as larger than any rank. */
    int positionFor(final long rank) {
        int position = 0;
        while (smallestRank(position) <= rank) {
            position++;
        }
        return Math.max(position - 1, 0);
    }

    /** The entry in use for a sublist, or -1. */
    int positionOf(final int sublist) {
        for (int position = 0; position < used(); position++) {
            if (sublist(position) == sublist) {
                return position;
            }
        }
        return -1;
    }

    /** The first slot of an entry's sublist that holds an id, or -1. */
    int slotOf(final int position, final int id) {
        final int sublist = sublist(position);
        for (int slot = 0; slot < count(position); slot++) {
            if (id(sublist, slot) == id) {
                return slot;
            }
        }
        return -1;
    }

    /** First slot of a sublist with a larger rank, after all equal ranks. A sublist that is not full always has one. */
    int slotFor(final int position, final long rank) {
        final int sublist = sublist(position);
        int slot = 0;
        while (slot < length && rank(sublist, slot) <= rank) {
            slot++;
        }
        return slot;
    }

    /** Inserts an element into a sublist that is not full; elements from this slot on move up. */
    void insert(final int position, final int slot, final int id, final long rank, final long sendTime) {
        final int sublist = sublist(position);
        final int count = count(position);
        assert count < length : "sublist full: sublist=" + sublist;
        final long at = element(sublist, slot);
        shift(at, at + ELEMENT_BYTES, (count - slot) * ELEMENT_BYTES);
        putElement(at, id, rank, sendTime);
        int timeSlot = count;
        while (timeSlot > 0 && sortedSendTime(sublist, timeSlot - 1) > sendTime) {
            timeSlot--;
        }
        final long timeAt = time(sublist, timeSlot);
        shift(timeAt, timeAt + TIME_BYTES, (count - timeSlot) * TIME_BYTES);
        put(timeAt, sendTime);
        put(pointer(position) + POINTER_COUNT, count + 1);
        refreshPointer(position);
    }

    /** Removes an element; the following elements move down and the last slot becomes vacant. */
    void remove(final int position, final int slot) {
        final int sublist = sublist(position);
        final int last = count(position) - 1;
        final long sendTime = sendTime(sublist, slot);
        int timeSlot = 0;
        while (sortedSendTime(sublist, timeSlot) != sendTime) {
            timeSlot++;
        }
        final long at = element(sublist, slot);
        shift(at + ELEMENT_BYTES, at, (last - slot) * ELEMENT_BYTES);
        putElement(element(sublist, last), 0, noRank, noTime);
        final long timeAt = time(sublist, timeSlot);
        shift(timeAt + TIME_BYTES, timeAt, (last - timeSlot) * TIME_BYTES);
        put(time(sublist, last), noTime);
        put(pointer(position) + POINTER_COUNT, last);
        refreshPointer(position);
    }

    /** Moves an element between sublists; returns its id. */
    int move(final int from, final int fromSlot, final int to, final int toSlot) {
        final int source = sublist(from);
        final int moved = id(source, fromSlot);
        final long rank = rank(source, fromSlot);
        final long sendTime = sendTime(source, fromSlot);
        remove(from, fromSlot);
        insert(to, toSlot, moved, rank, sendTime);
        return moved;
    }

    /** Moves the first free entry, at F, to an earlier position; the entries in between move up. */
    void takeFreeEntryTo(final int position) {
        final int free = sublist(used());
        final long at = pointer(position);
        shift(at, at + POINTER_BYTES, (used() - position) * POINTER_BYTES);
        putFreeEntry(at, free);
        setUsed(used() + 1);
    }

    /** Makes the entry of an empty sublist the first free one; the following entries move down. */
    void freeEntry(final int position) {
        final int sublist = sublist(position);
        final int last = used() - 1;
        final long at = pointer(position);
        shift(at + POINTER_BYTES, at, (last - position) * POINTER_BYTES);
        putFreeEntry(pointer(last), sublist);
        setUsed(last);
    }

    private void putFreeEntry(final long at, final int sublist) {
        put(at + POINTER_SUBLIST, sublist);
        put(at + POINTER_COUNT, 0);
        put(at + POINTER_RANK, noRank);
        put(at + POINTER_TIME, noTime);
    }

    /**
     * Updates the smallest rank and time. Vacant slots hold all ones, so the entry of an empty sublist becomes "none".
     */
    private void refreshPointer(final int position) {
        final int sublist = sublist(position);
        put(pointer(position) + POINTER_RANK, rank(sublist, 0));
        put(pointer(position) + POINTER_TIME, sortedSendTime(sublist, 0));
    }

    private void putElement(final long at, final int id, final long rank, final long sendTime) {
        put(at + ELEMENT_ID, id);
        put(at + ELEMENT_RANK, rank);
        put(at + ELEMENT_TIME, sendTime);
    }

    private void shift(final long from, final long to, final long bytes) {
        MemorySegment.copy(state, from, state, to, bytes);
    }

    private long get(final long offset) {
        return state.get(JAVA_INT, offset) & UNSIGNED;
    }

    private void put(final long offset, final long value) {
        state.set(JAVA_INT, offset, (int) value);
    }

    private static long pointer(final int position) {
        return POINTERS + position * POINTER_BYTES;
    }

    private long element(final int sublist, final int slot) {
        return elements + ((long) sublist * length + slot) * ELEMENT_BYTES;
    }

    private long time(final int sublist, final int slot) {
        return times + ((long) sublist * length + slot) * TIME_BYTES;
    }

    /** Byte offset of the rank sublists. */
    private static long elements(final PieoLayout layout) {
        return POINTERS + layout.sublists() * POINTER_BYTES;
    }

    /** Byte offset of the eligibility sublists. */
    static long times(final PieoLayout layout) {
        return elements(layout) + (long) layout.sublists() * layout.sublistLength() * ELEMENT_BYTES;
    }
}
