package dev.skerry.dataplane.ring;

import static dev.skerry.dataplane.ring.SpscRing.BLOCK_BYTES;
import static dev.skerry.dataplane.ring.SpscRing.HEAD_OFFSET;
import static dev.skerry.dataplane.ring.SpscRing.TAIL_OFFSET;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.ring.SpscRing.EndpointPad;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * All fibres from one agent to another: a ring with one row per slot and one word per lane. A lane is a fibre between
 * two ports. In every slot it carries one word: the handle of a cell, or {@link #DARK}. One store publishes the slot of
 * all lanes, so crossing to another thread costs once per row and not once per port.
 *
 * <p>A row belongs to its slot, so a lane can neither run ahead of the others nor fall behind, and a missing word costs
 * one slot only. A second cell in a lane in the same slot is dropped, never queued. The row counts dropped cells, and
 * the reader reports them (docs/spec/shoal.md §7).
 *
 * <p>Assumptions: those of {@link SpscRing}; the producer puts a word into every lane in every slot, {@link #DARK} if
 * it has no cell. Guarantees:
 * <ul>
 * <li>Actions of the producer's thread before it published a slot happen-before actions of the consumer's thread once
 * {@link Consumer#readableUntil} has passed that slot (R1, A1): write a cell's words plainly, then put its handle and
 * publish.</li>
 * <li>Actions of the consumer's thread before it freed a slot happen-before actions of the producer's thread once
 * {@link Producer#writableUntil} has passed that slot by the number of rows (R2, A2).</li>
 * <li>Slots arrive in order, each once, with the words put into them. Timing affects only when they arrive. Agents that
 * are connected by bundles only form a Kahn network.</li>
 * </ul>
 * Progress: every operation is wait-free. Nothing allocates after construction.
 *
 * <p>Memory:
 *
 * <pre>
 *   positions   byte {@link SpscRing#TAIL_OFFSET}    tail: first slot not published    written by the producer
 *               byte {@link SpscRing#HEAD_OFFSET}  head: first slot not freed        written by the consumer
 *   words       row (slot mod rows), each on cache lines of its own:
 *               +--------+--------+-----+----------+--------------------+
 *               | lane 0 | lane 1 | ... | lane n-1 | up to a whole line |      8 bytes a lane
 *               +--------+--------+-----+----------+--------------------+
 *   surplus     row (slot mod rows): 8 bytes, second cells in lanes of that slot; rarely written
 *
 *   a word      63           32 31            0
 *               +--------------+--------------+
 *               | slot, low 32 | handle       |      handle -1: empty
 *               +--------------+--------------+
 * </pre>
 *
 * The stamp distinguishes a word of this slot from one that an earlier slot left in the lane.
 *
 * <p>Per slot, the row and the two positions move between caches. A ring of single words per port would also move both
 * positions of every port, and would share cache lines between consecutive slots of a port instead of between the ports
 * of a slot: for a leaf switch of 64 ports, with one link of 32 lanes each way to its nodes and eight of 4 lanes each
 * way to its spines, that would be 384 lines per slot instead of 60.
 *
 * <p>More rows than needed only cost cache. Twice the number of slots that a sender may be ahead of its receiver, and
 * at least 16, are sufficient. Shoal with 512 nodes, 4 channels and switches of 64 ports has 128 links of 32 lanes
 * between nodes and leaves and 1,024 of 4 lanes (padded to 8) between leaves and spines: 96 KiB per row, 1.5 MiB with
 * 16 rows, 6 MiB with 64, and under 1 MiB for everything else.
 */
public final class LinkBundle {
    /** Size of both positions, each in a separate block. */
    static final long POSITIONS_BYTES = 2 * SpscRing.BLOCK_BYTES;

    /** Shift from a lane, or the surplus of a row, to its bytes. */
    static final int WORD_SHIFT = 3;

    private static final int LINE_BYTES = 64;
    private static final int STAMP_SHIFT = 32;

    /** Handle that means no cell. */
    public static final int DARK = -1;

    /** Result of {@link Consumer#handle} for a lane into which the producer put no word, not even {@link #DARK}. */
    public static final int MISSING = -2;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final Producer producer;
    private final Consumer consumer;

    /**
     * Creates an empty bundle.
     *
     * @param arena     owner of the memory; both threads may access it.
     * @param lanes     number of fibres, at least 1.
     * @param rows      number of slots that it holds; a power of two, at least 1.
     * @param firstSlot the first slot that it carries, at least 0.
     */
    public LinkBundle(final Arena arena, final int lanes, final int rows, final long firstSlot) {
        Bounds.atLeast("lanes", lanes, 1);
        SpscRing.checkCapacity(rows);
        Bounds.atLeast("firstSlot", firstSlot, 0);
        final MemorySegment positions = arena.allocate(POSITIONS_BYTES, BLOCK_BYTES);
        LONG.set(positions, TAIL_OFFSET, firstSlot);
        LONG.set(positions, HEAD_OFFSET, firstSlot);
        final LinkRows memory = LinkRows.allocate(arena, lanes, rows);
        this.producer = new Producer(positions, memory, firstSlot);
        this.consumer = new Consumer(positions, memory, firstSlot);
    }

    /** The end that puts cells into slots; always the same object. */
    public Producer producer() {
        return producer;
    }

    /** The end that takes them out; always the same object. */
    public Consumer consumer() {
        return consumer;
    }

    /** Common part of both ends. */
    abstract static sealed class End extends EndpointPad permits Producer, Consumer {
        final MemorySegment positions;
        final LinkRows rows;
        final Region words;
        /** The tail for a producer, the head for a consumer. */
        long next;
        /** The first slot that is not open. */
        long limit;

        private End(final MemorySegment positions, final LinkRows rows, final long next, final long limit) {
            this.positions = positions;
            this.rows = rows;
            this.words = rows.words();
            this.next = next;
            this.limit = limit;
        }

        /** Number of fibres. */
        public final int lanes() {
            return rows.lanes();
        }

        /** The first slot that a producer has not published yet, or that a consumer has not freed yet. */
        public final long slot() {
            return next;
        }

        /** The memory of all rows, for callers that read or write whole rows: one {@link LinkBundle#word} per lane. */
        public final Region words() {
            return words;
        }

        /** Byte offset of a slot's row in {@link #words()}. */
        public final long row(final long slot) {
            assert slot >= next && slot < limit : "slot=" + slot + " open=" + next + ".." + limit;
            return rows.row(slot);
        }

        final void requireOpen(final long slot, final long end) {
            if (slot < next || slot >= end) {
                throw new IllegalStateException("slot is not open: slot=" + slot + " open=" + next + ".."
                    + (limit - 1));
            }
        }
    }

    /** The end that puts cells into slots. One thread at a time. */
    public static final class Producer extends End {
        private Producer(final MemorySegment positions, final LinkRows rows, final long firstSlot) {
            super(positions, rows, firstSlot, firstSlot + rows.rows());
        }

        /**
         * The first slot that must not be written yet, because its row still belongs to the consumer. Reads the
         * consumer's head again only if {@code slot} is not open according to the cached one.
         *
         * @param slot the slot to write next.
         */
        public long writableUntil(final long slot) {
            if (slot >= limit) {
                limit = (long) LONG.getAcquire(positions, HEAD_OFFSET) + rows.rows(); // A2: pairs with R2 in free
            }
            return limit;
        }

        /**
         * Puts a cell into a lane.
         *
         * @param slot   not published and below {@link #writableUntil}.
         * @param lane   0 to lanes - 1.
         * @param handle handle of the cell, 0 or more, or {@link LinkBundle#DARK}.
         * @return false if the lane already has a cell in this slot; that cell stays, the new one is dropped and
         *     counted.
         * @throws IllegalStateException     if the slot is not open; nothing has changed then.
         * @throws IndexOutOfBoundsException if there is no such lane; nothing has changed then.
         */
        public boolean put(final long slot, final int lane, final int handle) {
            assert handle >= DARK : "no such handle: handle=" + handle;
            requireOpen(slot, limit);
            Objects.checkIndex(lane, rows.lanes());
            final long at = rows.at(slot, lane);
            final long before = words.getLong(at);
            if ((int) before >= 0 && isOf(before, slot)) {
                if (handle != DARK) {
                    rows.countSurplus(slot);
                }
                return false;
            }
            words.setLong(at, word(slot, handle));
            return true;
        }

        /**
         * Makes all slots before {@code endSlot} available to the consumer.
         *
         * @param endSlot from {@link #slot()} to {@link #writableUntil}.
         * @throws IllegalStateException if it is out of range; nothing has changed then.
         */
        public void publish(final long endSlot) {
            requireOpen(endSlot, limit + 1);
            LONG.setRelease(positions, TAIL_OFFSET, endSlot); // R1: rows written; pairs with A1 in readableUntil
            next = endSlot;
        }
    }

    /** The end that takes cells out of slots. One thread at a time. */
    public static final class Consumer extends End {
        private Consumer(final MemorySegment positions, final LinkRows rows, final long firstSlot) {
            super(positions, rows, firstSlot, firstSlot);
        }

        /**
         * The first slot that is not published yet. Reads the producer's tail again only if {@code slot} is not
         * published according to the cached one.
         *
         * @param slot the slot to read next.
         */
        public long readableUntil(final long slot) {
            if (slot >= limit) {
                limit = (long) LONG.getAcquire(positions, TAIL_OFFSET); // A1: pairs with R1 in publish
            }
            return limit;
        }

        /**
         * The word received on a lane.
         *
         * @param slot published and not freed.
         * @param lane 0 to lanes - 1.
         * @return the cell's handle, {@link LinkBundle#DARK} for no cell, {@link LinkBundle#MISSING} for no word.
         * @throws IllegalStateException     if the slot is not open.
         * @throws IndexOutOfBoundsException if there is no such lane.
         */
        public int handle(final long slot, final int lane) {
            requireOpen(slot, limit);
            Objects.checkIndex(lane, rows.lanes());
            final long word = words.getLong(rows.at(slot, lane));
            return isOf(word, slot) ? (int) word : MISSING;
        }

        /**
         * Number of cells dropped on all lanes because their lane already had one in the same slot.
         *
         * @param slot published and not freed.
         */
        public int surplus(final long slot) {
            return rows.surplus(slot);
        }

        /**
         * Returns the rows of all slots before {@code endSlot} to the producer.
         *
         * @param endSlot from {@link #slot()} to {@link #readableUntil}.
         * @throws IllegalStateException if it is out of range; nothing has changed then.
         */
        public void free(final long endSlot) {
            requireOpen(endSlot, limit + 1);
            LONG.setRelease(positions, HEAD_OFFSET, endSlot); // R2: rows read before; pairs with A2 in writableUntil
            next = endSlot;
        }
    }

    /**
     * The rows of a {@link LinkBundle}. Both ends share this object: its fields never change, and the bytes of a row
     * belong to the end that the positions indicate.
     *
     * @param words   the rows of words.
     * @param surplus the number of second cells of each row.
     * @param lanes   words per row.
     * @param rows    a power of two.
     * @param bytes   size of a row.
     */
    private record LinkRows(Region words, Region surplus, int lanes, int rows, long bytes) {
        static LinkRows allocate(final Arena arena, final int lanes, final int rows) {
            final long bytes = rowBytes(lanes);
            final Region words = Region.allocate(arena, bytes * rows);
            words.fill((byte) -1);
            return new LinkRows(words, Region.allocate(arena, (long) rows << WORD_SHIFT), lanes, rows, bytes);
        }

        /** Byte offset in {@link #words} of a slot's row. */
        long row(final long slot) {
            return (slot & rows - 1) * bytes;
        }

        /** Byte offset in {@link #words} of a lane's word of a slot. */
        long at(final long slot, final int lane) {
            return row(slot) + ((long) lane << WORD_SHIFT);
        }

        /** Counts a second cell of a lane. */
        void countSurplus(final long slot) {
            final long before = surplus.getLong(surplusAt(slot));
            surplus.setLong(surplusAt(slot),
                isOf(before, slot) ? before + 1 : word(slot, 1));
        }

        /** Second cells of all lanes in a slot. */
        int surplus(final long slot) {
            final long word = surplus.getLong(surplusAt(slot));
            return isOf(word, slot) ? (int) word : 0;
        }

        private long surplusAt(final long slot) {
            return (slot & rows - 1) << WORD_SHIFT;
        }
    }

    /**
     * The word that carries a handle in a slot.
     *
     * @param slot   its low 32 bits are the stamp.
     * @param handle handle of the cell, 0 or more, or {@link #DARK}.
     */
    public static long word(final long slot, final int handle) {
        return slot << STAMP_SHIFT | Integer.toUnsignedLong(handle);
    }

    /** Whether a word was put in a slot, according to its stamp. */
    public static boolean isOf(final long word, final long slot) {
        return (int) (word >>> STAMP_SHIFT) == (int) slot;
    }

    /** Size of a row in bytes: whole cache lines. */
    static long rowBytes(final int lanes) {
        return ((long) lanes << WORD_SHIFT) + LINE_BYTES - 1 & -LINE_BYTES;
    }
}
