package dev.skerry.dataplane.ring;

import static dev.skerry.dataplane.ring.RingLayout.BLOCK_BYTES;
import static dev.skerry.dataplane.ring.RingLayout.HEAD_OFFSET;
import static dev.skerry.dataplane.ring.RingLayout.SLOTS_OFFSET;
import static dev.skerry.dataplane.ring.RingLayout.SLOT_SHIFT;
import static dev.skerry.dataplane.ring.RingLayout.TAIL_OFFSET;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A bounded queue of longs from one thread to one other, off-heap.
 *
 * <p>Assumptions:
 * <ul>
 *   <li>At any time at most one thread uses the {@link Producer} and at most one the {@link Consumer}; they may be the
 *       same. Ring and endpoints reach their threads by an edge of their own (thread start, or another ring), and an
 *       endpoint may move to another thread over such an edge.</li>
 *   <li>The memory outlives both threads: the arena is closed after they have been joined.</li>
 * </ul>
 * Guarantees:
 * <ul>
 *   <li>Words come out in the order they went in, each once.</li>
 *   <li>What the producer's thread did before it offered a word happens-before what the consumer's thread does after it
 *       polled that word (R1, A1). So a cell may be written plainly, then its handle offered.</li>
 *   <li>What the consumer's thread did before it polled a word happens-before what the producer's thread does after it
 *       offered into the slot that became free (R2, A2).</li>
 *   <li>A bulk becomes visible as a whole, and a burst likewise: they are published by one store.</li>
 * </ul>
 * Progress: every operation is wait-free, and takes at most one read of the other thread's position. That position is
 * read again only when the cached one says full or empty. Nothing allocates after construction.
 */
public final class SpscRing {
    /** What {@link Consumer#poll} returns when the ring is empty. */
    public static final long NONE = -1L;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment segment;
    private final int capacity;
    private final Producer producer;
    private final Consumer consumer;

    /**
     * An empty ring.
     *
     * @param memory   gives the {@link RingLayout#lengthBytes} bytes, aligned to {@link RingLayout#BLOCK_BYTES}: native
     *                 memory which both threads may access (a shared arena, or a slice of one).
     * @param capacity in words; a power of two from 1 to {@link RingLayout#MAX_CAPACITY}.
     */
    public SpscRing(final SegmentAllocator memory, final int capacity) {
        this(memory, capacity, 0);
    }

    /** An empty ring whose positions start at {@code position}, so that tests reach the large ones. */
    SpscRing(final SegmentAllocator memory, final int capacity, final long position) {
        this.segment = memory.allocate(RingLayout.lengthBytes(capacity), BLOCK_BYTES);
        this.capacity = capacity;
        LONG.set(segment, TAIL_OFFSET, position);
        LONG.set(segment, HEAD_OFFSET, position);
        this.producer = new Producer(segment, capacity, position);
        this.consumer = new Consumer(segment, capacity, position);
    }

    /** The end that offers; always the same object. */
    public Producer producer() {
        return producer;
    }

    /** The end that polls; always the same object. */
    public Consumer consumer() {
        return consumer;
    }

    /** The most words the ring holds. */
    public int capacity() {
        return capacity;
    }

    /**
     * Words in the ring, 0 to {@link #capacity()}. Any thread may call; exact when neither endpoint is in use,
     * otherwise a value between the sizes during the call.
     */
    public int size() {
        final long head = (long) LONG.getAcquire(segment, HEAD_OFFSET); // A2: read first, so the tail is not behind it
        final long tail = (long) LONG.getAcquire(segment, TAIL_OFFSET); // A1
        return (int) Math.min(tail - head, capacity);
    }

    /** The end that offers. One thread at a time. */
    public static final class Producer extends EndpointPad {
        private final MemorySegment segment;
        private final long capacity;
        private long tail;
        private long limit;

        private Producer(final MemorySegment segment, final int capacity, final long position) {
            this.segment = segment;
            this.capacity = capacity;
            this.tail = position;
            this.limit = position + capacity;
        }

        /**
         * Appends a word.
         *
         * @param word anything but {@link SpscRing#NONE}, which {@link Consumer#poll} could not tell from an empty
         * ring.
         * @return false if the ring is full; nothing has changed then.
         */
        public boolean offer(final long word) {
            assert word != NONE : "NONE is reserved: word=" + word;
            final long position = tail;
            if (position == limit && room(position, 1) == 0) {
                return false;
            }
            LONG.set(segment, SLOTS_OFFSET + ((position & capacity - 1) << SLOT_SHIFT), word);
            LONG.setRelease(segment, TAIL_OFFSET, position + 1); // R1: slot written before; pairs with A1 in poll
            tail = position + 1;
            return true;
        }

        /**
         * Appends all words or none. Any word may travel, {@link SpscRing#NONE} too, if the consumer takes them with
         * {@link Consumer#pollBulk} or {@link Consumer#pollBurst}.
         *
         * @param words where the words are.
         * @param from  index of the first.
         * @param count how many, 0 to the ring's capacity; more than the capacity never fits.
         * @return false if they do not fit; nothing has changed then.
         * @throws IndexOutOfBoundsException if the array does not have them; nothing has changed then.
         */
        public boolean offerBulk(final long[] words, final int from, final int count) {
            Objects.checkFromIndexSize(from, count, words.length);
            if (room(tail, count) < count) {
                return false;
            }
            append(words, from, count);
            return true;
        }

        /**
         * Appends as many of the words as fit, the first ones. Any word may travel, as in {@link #offerBulk}.
         *
         * @param words where the words are.
         * @param from  index of the first.
         * @param count how many at most, 0 or more.
         * @return how many were appended, 0 if the ring is full.
         * @throws IndexOutOfBoundsException if the array does not have them; nothing has changed then.
         */
        public int offerBurst(final long[] words, final int from, final int count) {
            Objects.checkFromIndexSize(from, count, words.length);
            final int fits = (int) Math.min(count, room(tail, count));
            append(words, from, fits);
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

        private void append(final long[] words, final int from, final int count) {
            if (count == 0) {
                return;
            }
            final MemorySegment ring = segment;
            final long mask = capacity - 1;
            final long position = tail;
            for (int i = 0; i < count; i++) {
                LONG.set(ring, SLOTS_OFFSET + ((position + i & mask) << SLOT_SHIFT), words[from + i]);
            }
            LONG.setRelease(ring, TAIL_OFFSET, position + count); // R1: slots written; pairs with A1 in available
            tail = position + count;
        }
    }

    /** The end that polls. One thread at a time. */
    public static final class Consumer extends EndpointPad {
        private final MemorySegment segment;
        private final long capacity;
        private long head;
        private long limit;

        private Consumer(final MemorySegment segment, final int capacity, final long position) {
            this.segment = segment;
            this.capacity = capacity;
            this.head = position;
            this.limit = position;
        }

        /**
         * Takes the oldest word.
         *
         * @return the word, or {@link SpscRing#NONE} if the ring is empty.
         */
        public long poll() {
            final long position = head;
            if (position == limit && available(position, 1) == 0) {
                return NONE;
            }
            final long word = (long) LONG.get(segment, SLOTS_OFFSET + ((position & capacity - 1) << SLOT_SHIFT));
            LONG.setRelease(segment, HEAD_OFFSET, position + 1); // R2: slot read before; pairs with A2 in room
            head = position + 1;
            return word;
        }

        /**
         * Takes exactly {@code count} words or none.
         *
         * @param into  where the words go, oldest first.
         * @param from  index of the first.
         * @param count how many, 0 to the ring's capacity; more than the capacity is never there.
         * @return false if the ring has fewer; neither ring nor array has changed then.
         * @throws IndexOutOfBoundsException if the array has no room for them; nothing has changed then.
         */
        public boolean pollBulk(final long[] into, final int from, final int count) {
            Objects.checkFromIndexSize(from, count, into.length);
            if (available(head, count) < count) {
                return false;
            }
            take(into, from, count);
            return true;
        }

        /**
         * Takes what is there, {@code count} words at most.
         *
         * @param into  where the words go, oldest first.
         * @param from  index of the first.
         * @param count how many at most, 0 or more.
         * @return how many were taken, 0 if the ring is empty.
         * @throws IndexOutOfBoundsException if the array has no room for them; nothing has changed then.
         */
        public int pollBurst(final long[] into, final int from, final int count) {
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

        private void take(final long[] into, final int from, final int count) {
            if (count == 0) {
                return;
            }
            final MemorySegment ring = segment;
            final long mask = capacity - 1;
            final long position = head;
            for (int i = 0; i < count; i++) {
                into[from + i] = (long) LONG.get(ring, SLOTS_OFFSET + ((position + i & mask) << SLOT_SHIFT));
            }
            LONG.setRelease(ring, HEAD_OFFSET, position + count); // R2: slots read; pairs with A2 in room
            head = position + count;
        }
    }
}
