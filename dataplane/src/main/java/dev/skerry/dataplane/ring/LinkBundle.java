package dev.skerry.dataplane.ring;

import static dev.skerry.dataplane.ring.RingLayout.BLOCK_BYTES;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * All the fibres from one agent to one other: a ring of rows, a row for each slot, in it a word for each lane. A lane
 * is a fibre between two ports and carries one word a slot: the handle of a cell, or {@link #DARK}. One store publishes
 * the slot of all lanes, so the price of crossing to another thread is paid once a row and not once a port.
 *
 * <pre>
 *   positions   byte 0    first slot not published    written by the producer, read by the consumer
 *               byte 128  first slot not freed        written by the consumer, read by the producer
 *   words       row (slot mod rows), each on cache lines of its own:
 *               +--------+--------+-----+----------+--------------------+
 *               | lane 0 | lane 1 | ... | lane n-1 | up to a whole line |      8 bytes a lane
 *               +--------+--------+-----+----------+--------------------+
 *   surplus     row (slot mod rows): 8 bytes, how many second cells were put into lanes in that slot; rarely written
 *
 *   a word      63           32 31            0
 *               +--------------+--------------+
 *               | slot, low 32 | handle       |      handle -1: dark
 *               +--------------+--------------+
 * </pre>
 *
 * A row is the slot's own, so a lane can neither run ahead of its neighbours nor fall behind, and a word that is
 * missing costs the one slot it is missing in. The stamp tells a word of this slot from what an earlier one left in the
 * lane. Whatever is put into a lane after a cell in the same slot is dropped, never queued; dropped cells are counted
 * in the row, for the reader to report (spec/shoal §7).
 *
 * <p>Assumptions: those of {@link SpscRing}; the producer puts a word into every lane in every slot, {@link #DARK}
 * where it has no cell. Guarantees:
 * <ul>
 *   <li>What the producer's thread did before it published a slot happens-before what the consumer's thread does once
 *       {@link Consumer#readableUntil} has passed that slot (R1, A1): write a cell's words plainly, then put its handle
 *       and publish.</li>
 *   <li>What the consumer's thread did before it freed a slot happens-before what the producer's does once
 *       {@link Producer#writableUntil} has passed that slot by the number of rows (R2, A2).</li>
 *   <li>Slots come in order, each once, with what was put into them: timing decides only when. Agents joined by bundles
 *       alone form a Kahn network.</li>
 * </ul>
 * Progress: every operation is wait-free. Nothing allocates after construction.
 *
 * <p>What travels between caches in a slot is the row and the two positions. A ring of single words for each port would
 * move both positions of every port as well, and put neighbouring slots of a port on a line rather than neighbouring
 * ports of a slot: for a leaf switch of 64 ports, with one link of 32 lanes each way to its nodes and eight of 4 lanes
 * each way to its spines, that is 60 lines a slot in place of 384.
 *
 * <p>Memory is {@link #bytes}. More rows than the agents run apart only cost cache; twice the slots that a sender may
 * be ahead of its receiver, 16 at least, are plenty. Shoal with 512 nodes, 4 channels and switches of 64 ports has 128
 * links of 32 lanes between nodes and leaves and 1,024 of 4 lanes (padded to 8) between leaves and spines: 96 KiB a
 * row, 1.5 MiB with 16 rows, 6 MiB with 64, and under 1 MiB for the rest.
 */
public final class LinkBundle {
    /** The handle of no cell. */
    public static final int DARK = -1;

    /** What {@link Consumer#handle} says of a lane that the producer put nothing into, not even {@link #DARK}. */
    public static final int MISSING = -2;

    private static final long PUBLISHED_OFFSET = 0;
    private static final long FREED_OFFSET = PUBLISHED_OFFSET + BLOCK_BYTES;
    private static final int LINE_BYTES = 64;
    private static final int WORD_SHIFT = 3;
    private static final int STAMP_SHIFT = 32;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final int lanes;
    private final int rows;
    private final Producer producer;
    private final Consumer consumer;

    /**
     * A bundle that has not carried anything yet.
     *
     * @param arena     owner of the memory, one both threads may access.
     * @param lanes     fibres, at least 1.
     * @param rows      slots it holds; a power of two from 1.
     * @param firstSlot the first slot it carries, at least 0.
     */
    public LinkBundle(final Arena arena, final int lanes, final int rows, final long firstSlot) {
        check(lanes, rows);
        if (firstSlot < 0) {
            throw new IllegalArgumentException("firstSlot must not be negative: firstSlot=" + firstSlot);
        }
        this.lanes = lanes;
        this.rows = rows;
        final MemorySegment positions = arena.allocate(2 * BLOCK_BYTES, BLOCK_BYTES);
        LONG.set(positions, PUBLISHED_OFFSET, firstSlot);
        LONG.set(positions, FREED_OFFSET, firstSlot);
        final Region words = Region.allocate(arena, rowBytes(lanes) * rows);
        words.fill((byte) -1);
        final Region surplus = Region.allocate(arena, (long) rows << WORD_SHIFT);
        final Rows shape = new Rows(words, surplus, lanes, rows, rowBytes(lanes));
        this.producer = new Producer(positions, shape, firstSlot);
        this.consumer = new Consumer(positions, shape, firstSlot);
    }

    /** Bytes of memory a bundle takes. */
    public static long bytes(final int lanes, final int rows) {
        check(lanes, rows);
        return 2 * BLOCK_BYTES + (rowBytes(lanes) + Long.BYTES) * rows;
    }

    /** The word of a cell, or of no cell, in a slot. */
    public static long word(final long slot, final int handle) {
        return slot << STAMP_SHIFT | Integer.toUnsignedLong(handle);
    }

    /** Whether a word was put in a slot. */
    public static boolean isOf(final long word, final long slot) {
        return (int) (word >>> STAMP_SHIFT) == (int) slot;
    }

    /** The end that puts cells into slots; always the same object. */
    public Producer producer() {
        return producer;
    }

    /** The end that takes them out; always the same object. */
    public Consumer consumer() {
        return consumer;
    }

    /** Fibres. */
    public int lanes() {
        return lanes;
    }

    /** Slots it holds. */
    public int rows() {
        return rows;
    }

    private static long rowBytes(final int lanes) {
        return ((long) lanes << WORD_SHIFT) + LINE_BYTES - 1 & -LINE_BYTES;
    }

    private static void check(final int lanes, final int rows) {
        if (lanes < 1) {
            throw new IllegalArgumentException("lanes must be at least 1: lanes=" + lanes);
        }
        RingLayout.checkCapacity(rows);
    }

    /** Where words lie; read-only, so both ends may share it. */
    private record Rows(Region words, Region surplus, int lanes, int rows, long bytes) {
        long row(final long slot) {
            return (slot & rows - 1) * bytes;
        }

        long surplusAt(final long slot) {
            return (slot & rows - 1) << WORD_SHIFT;
        }

        IllegalStateException outside(final long slot, final long first, final long end) {
            return new IllegalStateException("slot is not open: slot=" + slot + " open=" + first + ".." + (end - 1));
        }
    }

    /** The end that puts cells into slots. One thread at a time. */
    public static final class Producer extends EndpointPad {
        private final MemorySegment positions;
        private final Rows rows;
        private final Region words;
        private long published;
        private long limit;

        private Producer(final MemorySegment positions, final Rows rows, final long firstSlot) {
            this.positions = positions;
            this.rows = rows;
            this.words = rows.words;
            this.published = firstSlot;
            this.limit = firstSlot + rows.rows;
        }

        /** Fibres. */
        public int lanes() {
            return rows.lanes;
        }

        /** The first slot not published yet. */
        public long slot() {
            return published;
        }

        /**
         * The first slot that must not be written yet, since its row is still the consumer's. The consumer's position
         * is read again only if by the last one seen {@code slot} was such.
         *
         * @param slot the slot to be written next.
         */
        public long writableUntil(final long slot) {
            if (slot >= limit) {
                limit = (long) LONG.getAcquire(positions, FREED_OFFSET) + rows.rows; // A2: pairs with R2 in free
            }
            return limit;
        }

        /**
         * Puts a cell into a lane.
         *
         * @param slot   one not published and below {@link #writableUntil}.
         * @param lane   0 to lanes - 1.
         * @param handle which cell, 0 or more, or {@link LinkBundle#DARK}.
         * @return false if the lane has a cell in this slot already; that one stays, the new one is dropped and
         * counted.
         * @throws IllegalStateException     if the slot is not open; nothing has changed then.
         * @throws IndexOutOfBoundsException if there is no such lane; nothing has changed then.
         */
        public boolean put(final long slot, final int lane, final int handle) {
            assert handle >= DARK : "no such handle: handle=" + handle;
            if (slot < published || slot >= limit) {
                throw rows.outside(slot, published, limit);
            }
            Objects.checkIndex(lane, rows.lanes);
            final long at = rows.row(slot) + ((long) lane << WORD_SHIFT);
            final long before = words.getLong(at);
            if ((int) before >= 0 && isOf(before, slot)) {
                refuse(slot, handle);
                return false;
            }
            words.setLong(at, word(slot, handle));
            return true;
        }

        /**
         * Lets the consumer have all slots before {@code endSlot}.
         *
         * @param endSlot from {@link #slot()} to {@link #writableUntil}.
         * @throws IllegalStateException if it is not; nothing has changed then.
         */
        public void publish(final long endSlot) {
            if (endSlot < published || endSlot > limit) {
                throw rows.outside(endSlot, published, limit);
            }
            LONG.setRelease(positions, PUBLISHED_OFFSET, endSlot); // R1: rows written; pairs with A1 in readableUntil
            published = endSlot;
        }

        /** The memory of all rows, for who writes whole rows of {@link LinkBundle#word}s, one to a lane. */
        public Region words() {
            return words;
        }

        /** Where in {@link #words()} the row of a slot begins. */
        public long row(final long slot) {
            assert slot >= published && slot < limit : "slot=" + slot + " open=" + published + ".." + limit;
            return rows.row(slot);
        }

        private void refuse(final long slot, final int handle) {
            if (handle == DARK) {
                return;
            }
            final long at = rows.surplusAt(slot);
            final long before = rows.surplus.getLong(at);
            rows.surplus.setLong(at, isOf(before, slot) ? before + 1 : word(slot, 1));
        }
    }

    /** The end that takes cells out of slots. One thread at a time. */
    public static final class Consumer extends EndpointPad {
        private final MemorySegment positions;
        private final Rows rows;
        private final Region words;
        private long freed;
        private long end;

        private Consumer(final MemorySegment positions, final Rows rows, final long firstSlot) {
            this.positions = positions;
            this.rows = rows;
            this.words = rows.words;
            this.freed = firstSlot;
            this.end = firstSlot;
        }

        /** Fibres. */
        public int lanes() {
            return rows.lanes;
        }

        /** The first slot not freed yet. */
        public long slot() {
            return freed;
        }

        /**
         * The first slot that has not come yet. The producer's position is read again only if by the last one seen
         * {@code slot} had not.
         *
         * @param slot the slot to be read next.
         */
        public long readableUntil(final long slot) {
            if (slot >= end) {
                end = (long) LONG.getAcquire(positions, PUBLISHED_OFFSET); // A1: pairs with R1 in publish
            }
            return end;
        }

        /**
         * What came in on a lane.
         *
         * @param slot one that has come and is not freed.
         * @param lane 0 to lanes - 1.
         * @return the cell's handle; {@link LinkBundle#DARK} for none; {@link LinkBundle#MISSING} if the producer said
         * nothing.
         * @throws IllegalStateException     if the slot is not open.
         * @throws IndexOutOfBoundsException if there is no such lane.
         */
        public int handle(final long slot, final int lane) {
            if (slot < freed || slot >= end) {
                throw rows.outside(slot, freed, end);
            }
            Objects.checkIndex(lane, rows.lanes);
            final long word = words.getLong(rows.row(slot) + ((long) lane << WORD_SHIFT));
            return isOf(word, slot) ? (int) word : MISSING;
        }

        /**
         * Cells dropped on all lanes because their lane had one in the same slot already.
         *
         * @param slot one that has come and is not freed.
         */
        public int surplus(final long slot) {
            final long word = rows.surplus.getLong(rows.surplusAt(slot));
            return isOf(word, slot) ? (int) word : 0;
        }

        /**
         * Gives the rows of all slots before {@code endSlot} back to the producer.
         *
         * @param endSlot from {@link #slot()} to {@link #readableUntil}.
         * @throws IllegalStateException if it is not; nothing has changed then.
         */
        public void free(final long endSlot) {
            if (endSlot < freed || endSlot > end) {
                throw rows.outside(endSlot, freed, end);
            }
            LONG.setRelease(positions, FREED_OFFSET, endSlot); // R2: rows read before; pairs with A2 in writableUntil
            freed = endSlot;
        }

        /** The memory of all rows, for who reads whole rows of {@link LinkBundle#word}s, one to a lane. */
        public Region words() {
            return words;
        }

        /** Where in {@link #words()} the row of a slot begins. */
        public long row(final long slot) {
            assert slot >= freed && slot < end : "slot=" + slot + " open=" + freed + ".." + end;
            return rows.row(slot);
        }
    }
}
