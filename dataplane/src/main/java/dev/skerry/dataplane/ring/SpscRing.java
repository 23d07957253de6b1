package dev.skerry.dataplane.ring;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A bounded queue of handles, ints of 4 bytes, from one thread to one other, off-heap.
 *
 * <pre>{@code
 * try (Arena arena = Arena.ofShared()) {
 *     SpscRing ring = new SpscRing(arena, 1_024);
 *     Thread.ofPlatform().start(() -> {
 *         for (int handle = 0; handle < 100_000; handle++) {
 *             while (!ring.producer().offer(handle)) {
 *                 Thread.onSpinWait();               // the ring is full
 *             }
 *         }
 *     });
 *     int polled = 0;
 *     while (polled < 100_000) {
 *         if (ring.consumer().poll() == SpscRing.NONE) {
 *             Thread.onSpinWait();                   // the ring is empty
 *         } else {
 *             polled++;
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Assumptions:
 * <ul>
 *   <li>At any time at most one thread uses the {@link Producer} and at most one the {@link Consumer}; they may be the
 *       same. Ring and endpoints reach their threads by a safe hand-over (thread start, or another ring), and an
 *       endpoint may move to another thread in the same way.</li>
 *   <li>The memory outlives both threads: the arena is closed after they have been joined.</li>
 * </ul>
 * Guarantees:
 * <ul>
 * <li>Handles come out in the order in which they went in, each once.</li>
 * <li>Actions of the producer's thread before it offered a handle happen-before actions of the consumer's thread after
 * it polled that handle (R1, A1): write a cell plainly, then offer its handle.</li>
 * <li>Actions of the consumer's thread before it polled a handle happen-before actions of the producer's thread after
 * it offered into the slot that became free (R2, A2).</li>
 * <li>A bulk becomes visible as a whole, and so does a burst: each is published by one store.</li>
 * </ul>
 * Progress: every operation is wait-free and reads the other thread's position at most once, and only if the cached one
 * indicates full or empty. Bulks and bursts are copied in one piece, or in two if they wrap around. Nothing allocates
 * after construction.
 *
 * <p>The producer appends at the tail, the consumer removes from the head, as in every ring, bundle and list of the
 * dataplane. In the segment:
 *
 * <pre>
 *   byte
 *      0 +-----------------------------------------------+
 *        | tail, 8 bytes: handles offered since creation |  written by the producer, read by the consumer
 *        | (unused)                                      |
 *    128 +-----------------------------------------------+
 *        | head, 8 bytes: handles polled since creation  |  written by the consumer, read by the producer
 *        | (unused)                                      |
 *    256 +-----------------------------------------------+
 *        | slot 0 | slot 1 | ...   4 bytes each          |  written by the producer, read by the consumer
 *        +-----------------------------------------------+
 * </pre>
 *
 * Start and length of the segment are multiples of {@link #BLOCK_BYTES}: two lines of 64 bytes, because the hardware
 * fetches lines in pairs. Neither a position nor a slot therefore shares a pair with adjacent data. The handle of
 * position {@code p} is in slot {@code p mod capacity}; the ring is empty at {@code head == tail} and full at
 * {@code tail - head == capacity}.
 */
public final class SpscRing {
    /** Distance in bytes that keeps the writes of two threads on separate cache lines. */
    public static final int BLOCK_BYTES = 128;

    /** Byte offset of the producer's published position. */
    public static final long TAIL_OFFSET = 0;

    /** Byte offset of the consumer's published position. */
    public static final long HEAD_OFFSET = TAIL_OFFSET + BLOCK_BYTES;

    /** Byte offset of slot 0. */
    public static final long SLOTS_OFFSET = HEAD_OFFSET + BLOCK_BYTES;

    /** Maximum capacity, in handles. */
    public static final int MAX_CAPACITY = 1 << 30;

    /** Shift from a slot's number to its bytes. */
    static final int SLOT_SHIFT = 2;

    /** Returned by {@link Consumer#poll} when the ring is empty. */
    public static final int NONE = -1;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment segment;
    private final int capacity;
    private final Producer producer;
    private final Consumer consumer;

    /**
     * Creates an empty ring.
     *
     * @param memory   provides {@link #lengthBytes} bytes, aligned to {@link #BLOCK_BYTES}: native memory that both
     *                 threads may access (a shared arena, or a slice of one).
     * @param capacity capacity in handles; a power of two from 1 to {@link #MAX_CAPACITY}.
     */
    public SpscRing(final SegmentAllocator memory, final int capacity) {
        this(memory, capacity, 0);
    }

    /** Creates an empty ring whose positions start at {@code position}, so that tests can cover large positions. */
    SpscRing(final SegmentAllocator memory, final int capacity, final long position) {
        this.segment = memory.allocate(lengthBytes(capacity), BLOCK_BYTES);
        this.capacity = capacity;
        LONG.set(segment, TAIL_OFFSET, position);
        LONG.set(segment, HEAD_OFFSET, position);
        final Region slots = Region.over(segment.asSlice(SLOTS_OFFSET, segment.byteSize() - SLOTS_OFFSET));
        this.producer = new Producer(segment, slots, capacity, position);
        this.consumer = new Consumer(segment, slots, capacity, position);
    }

    /** The end that offers; always the same object. */
    public Producer producer() {
        return producer;
    }

    /** The end that polls; always the same object. */
    public Consumer consumer() {
        return consumer;
    }

    /** Maximum number of handles in the ring. */
    public int capacity() {
        return capacity;
    }

    /**
     * Number of handles in the ring, 0 to {@link #capacity()}. Any thread may call. Exact while neither endpoint is in
     * use, otherwise a size that the ring had during the call.
     */
    public int size() {
        final long head = (long) LONG.getAcquire(segment, HEAD_OFFSET); // A2: read first, so the tail is not behind it
        final long tail = (long) LONG.getAcquire(segment, TAIL_OFFSET); // A1
        return (int) Math.min(tail - head, capacity);
    }

    /** The end that offers. One thread at a time. */
    public static final class Producer extends EndpointPad {
        private final MemorySegment segment;
        private final Region slots;
        private final long capacity;
        private long tail;
        private long limit;

        private Producer(final MemorySegment segment, final Region slots, final int capacity, final long position) {
            this.segment = segment;
            this.slots = slots;
            this.capacity = capacity;
            this.tail = position;
            this.limit = position + capacity;
        }

        /**
         * Appends a handle.
         *
         * @param handle any value except {@link SpscRing#NONE}, which {@link Consumer#poll} returns for an empty ring.
         * @return false if the ring is full; nothing has changed then.
         */
        public boolean offer(final int handle) {
            assert handle != NONE : "NONE is reserved: handle=" + handle;
            final long position = tail;
            if (position == limit && room(position, 1) == 0) {
                return false;
            }
            slots.setInt((position & capacity - 1) << SLOT_SHIFT, handle);
            LONG.setRelease(segment, TAIL_OFFSET, position + 1); // R1: slot written before; pairs with A1 in poll
            tail = position + 1;
            return true;
        }

        /**
         * Appends all handles or none. Any int is allowed, including {@link SpscRing#NONE}, if the consumer uses
         * {@link Consumer#pollBulk} or {@link Consumer#pollBurst}.
         *
         * @param handles holds them in [from, from + count).
         * @param from    index of the first.
         * @param count   0 to the ring's capacity; more than the capacity never fits.
         * @return false if they do not fit; nothing has changed then.
         * @throws IndexOutOfBoundsException if the range is outside the array; nothing has changed then.
         */
        public boolean offerBulk(final int[] handles, final int from, final int count) {
            Objects.checkFromIndexSize(from, count, handles.length);
            if (room(tail, count) < count) {
                return false;
            }
            append(handles, from, count);
            return true;
        }

        /**
         * Appends as many of the first handles as fit. Any int is allowed, as in {@link #offerBulk}.
         *
         * @param handles holds them in [from, from + count).
         * @param from    index of the first.
         * @param count   maximum number to append, 0 or more.
         * @return number of handles appended, 0 if the ring is full.
         * @throws IndexOutOfBoundsException if the range is outside the array; nothing has changed then.
         */
        public int offerBurst(final int[] handles, final int from, final int count) {
            Objects.checkFromIndexSize(from, count, handles.length);
            final int fits = (int) Math.min(count, room(tail, count));
            append(handles, from, fits);
            return fits;
        }

        private long room(final long position, final int wanted) {
            long room = limit - position;
            if (room < wanted) {
                limit = (long) LONG.getAcquire(segment, HEAD_OFFSET) + capacity; // A2: pairs with R2 in poll, take
                room = limit - position;
            }
            return room;
        }

        private void append(final int[] handles, final int from, final int count) {
            if (count == 0) {
                return;
            }
            final long position = tail;
            final long slot = position & capacity - 1;
            final int ahead = (int) Math.min(count, capacity - slot);
            slots.setInts(slot << SLOT_SHIFT, handles, from, ahead);
            if (ahead < count) {
                slots.setInts(0, handles, from + ahead, count - ahead);
            }
            LONG.setRelease(segment, TAIL_OFFSET, position + count); // R1: slots written; pairs with A1 in available
            tail = position + count;
        }
    }

    /** The end that polls. One thread at a time. */
    public static final class Consumer extends EndpointPad {
        private final MemorySegment segment;
        private final Region slots;
        private final long capacity;
        private long head;
        private long limit;

        private Consumer(final MemorySegment segment, final Region slots, final int capacity, final long position) {
            this.segment = segment;
            this.slots = slots;
            this.capacity = capacity;
            this.head = position;
            this.limit = position;
        }

        /**
         * Removes the oldest handle.
         *
         * @return the handle, or {@link SpscRing#NONE} if the ring is empty.
         */
        public int poll() {
            final long position = head;
            if (position == limit && available(position, 1) == 0) {
                return NONE;
            }
            final int handle = slots.getInt((position & capacity - 1) << SLOT_SHIFT);
            LONG.setRelease(segment, HEAD_OFFSET, position + 1); // R2: slot read before; pairs with A2 in room
            head = position + 1;
            return handle;
        }

        /**
         * Removes exactly {@code count} handles or none.
         *
         * @param into  receives them in [from, from + count), oldest first.
         * @param from  index of the first.
         * @param count 0 to the ring's capacity; more than the capacity is never available.
         * @return false if the ring has fewer; neither ring nor array has changed then.
         * @throws IndexOutOfBoundsException if the range is outside the array; nothing has changed then.
         */
        public boolean pollBulk(final int[] into, final int from, final int count) {
            Objects.checkFromIndexSize(from, count, into.length);
            if (available(head, count) < count) {
                return false;
            }
            take(into, from, count);
            return true;
        }

        /**
         * Removes up to {@code count} of the oldest handles.
         *
         * @param into  receives them from {@code from} on, oldest first.
         * @param from  index of the first.
         * @param count maximum number to remove, 0 or more.
         * @return number of handles removed, 0 if the ring is empty.
         * @throws IndexOutOfBoundsException if the range is outside the array; nothing has changed then.
         */
        public int pollBurst(final int[] into, final int from, final int count) {
            Objects.checkFromIndexSize(from, count, into.length);
            final int there = (int) Math.min(count, available(head, count));
            take(into, from, there);
            return there;
        }

        private long available(final long position, final int wanted) {
            long available = limit - position;
            if (available < wanted) {
                limit = (long) LONG.getAcquire(segment, TAIL_OFFSET); // A1: pairs with R1 in offer and append
                available = limit - position;
            }
            return available;
        }

        private void take(final int[] into, final int from, final int count) {
            if (count == 0) {
                return;
            }
            final long position = head;
            final long slot = position & capacity - 1;
            final int ahead = (int) Math.min(count, capacity - slot);
            slots.getInts(slot << SLOT_SHIFT, into, from, ahead);
            if (ahead < count) {
                slots.getInts(0, into, from + ahead, count - ahead);
            }
            LONG.setRelease(segment, HEAD_OFFSET, position + count); // R2: slots read; pairs with A2 in room
            head = position + count;
        }
    }

    /**
     * Padding of 128 bytes before an endpoint's own fields. The two endpoints of a ring are small and created together,
     * so the collector might put fields written by one thread on the same cache line as fields read by the other.
     * HotSpot places superclass fields first; padding before both endpoints separates them in either order. The int
     * fills the gap after the object header, where a field of the subclass would otherwise be placed.
     */
    abstract static sealed class EndpointPad
        permits SpscRing.Producer, SpscRing.Consumer, LinkBundle.End {
        int padHeader;
        long pad0;
        long pad1;
        long pad2;
        long pad3;
        long pad4;
        long pad5;
        long pad6;
        long pad7;
        long pad8;
        long pad9;
        long pad10;
        long pad11;
        long pad12;
        long pad13;
        long pad14;
        long pad15;
    }

    /**
     * Size of a ring in bytes: a multiple of {@link #BLOCK_BYTES}.
     *
     * @param capacity capacity in handles, see {@link #checkCapacity}.
     */
    public static long lengthBytes(final int capacity) {
        checkCapacity(capacity);
        final long slots = (long) capacity << SLOT_SHIFT;
        return SLOTS_OFFSET + (slots + BLOCK_BYTES - 1 & -BLOCK_BYTES);
    }

    /**
     * Checks that a capacity is a power of two from 1 to {@link #MAX_CAPACITY}.
     *
     * @param capacity capacity in handles.
     * @throws IllegalArgumentException if it is not.
     */
    public static void checkCapacity(final int capacity) {
        Bounds.refuseIf(capacity < 1 || capacity > MAX_CAPACITY || Integer.bitCount(capacity) != 1,
            "capacity must be a power of two from 1 to ", MAX_CAPACITY, ": capacity=", capacity);
    }
}
