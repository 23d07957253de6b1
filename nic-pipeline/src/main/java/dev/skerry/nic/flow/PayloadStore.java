package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.dataplane.ring.FreeListReturn;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Storage of a cell's payload between its source and its destination. */
public interface PayloadStore {
    /**
     * Called at the source: stores the payload of a cell.
     *
     * @param identity flow and sequence number, see {@link Cell}.
     * @return the cell word that travels.
     */
    long inject(long identity);

    /**
     * Called at the destination: reads the payload and frees its buffer.
     *
     * @param cell the cell word that travelled.
     * @return flow and sequence number, see {@link Cell}.
     */
    long deliver(long cell);

    /**
     * Returns the identity of an in-flight cell. Any bank's store can do this; in the simplest case the word itself is
     * the identity.
     *
     * @param cell the cell word that travels.
     * @return flow and sequence number, see {@link Cell}.
     */
    default long identify(final long cell) {
        return cell;
    }

    /**
     * Copies the beginning of an in-flight cell's payload, as far as it exists and fits. Does nothing if no payload is
     * kept.
     *
     * @param cell the cell word that travels.
     */
    default void copy(final long cell, final MemorySegment into) {
    }

    /**
     * Called where a cell is lost: frees the buffer of its payload, unless it stays with the flow.
     *
     * @param cell the cell word that travelled.
     */
    default void discard(final long cell) {
    }

    /** For workloads without payload: the cell word that travels is flow and sequence number, see {@link Cell}. */
    final class NoPayload implements PayloadStore {
        /** Creates a store without state. */
        public NoPayload() {
        }

        @Override
        public long inject(final long identity) {
            return identity;
        }

        @Override
        public long deliver(final long cell) {
            return cell;
        }
    }

    /**
     * End-to-end payload for fabrics in which a cell may be copied, resent or returned to its flow. The place of a
     * payload follows from the flow and sequence number, which travel, so all copies of a cell refer to the same bytes
     * and no component has to know which copy is the last. The source writes the payload when it takes the cell, and
     * again after the cell came back. The destination compares it when the first copy arrives; {@link DeliveredCells}
     * rejects later copies.
     *
     * <pre>
     *   a flow: [sequence number mod kept cells], in chunks allocated when the source reaches them
     *   0                    8           16          24          32
     *   +--------------------+-----------+-----------+-----------+
     *   | flow and sequence, | content 1 | content 2 | content 3 |    content 1 inverted: read
     *   | inverted           |           |           |           |
     *   +--------------------+-----------+-----------+-----------+
     * </pre>
     *
     * A flow keeps twice as many cells as {@code DeliveredCells} can distinguish, so a place is overwritten only when
     * its cell would be refused as stale. All banks and threads share one store. The thread of a flow's source writes
     * its places and the thread of its destination reads them; the cell that travels between them orders the two
     * accesses. The source may rewrite a place while the destination reads it, but only with the same bytes.
     */
    final class FlowPayload implements PayloadStore {
        /** Bytes written and compared per cell. */
        static final int CELL_BYTES = 32;

        private static final int KEPT_CELLS = 2 * DeliveredCells.WINDOW_CELLS;
        private static final int CHUNK_SHIFT = 8;
        private static final int CHUNK_CELLS = 1 << CHUNK_SHIFT;
        private static final int WORDS = CELL_BYTES / Long.BYTES;
        private static final long GOLDEN = 0x9E3779B97F4A7C15L;

        private final Arena arena;
        private final FlowSet flows;
        /** By flow, then chunk; null until the source reaches the chunk. */
        private final Region[][] chunks;

        /** Creates an empty store. The threads of all banks share the arena. */
        public FlowPayload(final Arena arena, final FlowSet flows) {
            this.arena = arena;
            this.flows = flows;
            this.chunks = new Region[flows.size()][];
        }

        @Override
        public long inject(final long identity) {
            final Region chunk = chunkToWrite(Cell.flow(identity), Cell.sequence(identity));
            final long at = offset(identity);
            chunk.setLong(at, 0, ~identity);
            for (int word = 1; word < WORDS; word++) {
                chunk.setLong(at, word, content(identity, word));
            }
            return identity;
        }

        private Region chunkToWrite(final int flow, final int sequence) {
            final int kept = Math.min(flows.cells(flow), KEPT_CELLS);
            if (chunks[flow] == null) {
                chunks[flow] = new Region[(kept - 1 >>> CHUNK_SHIFT) + 1];
            }
            final int number = number(sequence);
            if (chunks[flow][number] == null) {
                final int cells = Math.min(CHUNK_CELLS, kept - (number << CHUNK_SHIFT));
                chunks[flow][number] = Region.allocate(arena, (long) cells * CELL_BYTES);
            }
            return chunks[flow][number];
        }

        @Override
        public long deliver(final long cell) {
            final Region chunk = chunk(cell);
            final long at = offset(cell);
            final boolean stored = chunk != null && chunk.getLong(at, 0) == ~cell;
            for (int word = 1; word < WORDS; word++) {
                if (!stored || chunk.getLong(at, word) != content(cell, word)) {
                    throw new IllegalStateException("payload damaged: flow=" + Cell.flow(cell) + " cell="
                        + Cell.sequence(cell) + " byte=" + (stored ? word * Long.BYTES : 0));
                }
            }
            // The destination must not accept a second copy as the first, so this content fails the next comparison.
            chunk.setLong(at, 1, ~content(cell, 1));
            return cell;
        }

        @Override
        public void copy(final long cell, final MemorySegment into) {
            final Region chunk = chunk(cell);
            for (int word = 0; chunk != null && word < WORDS; word++) {
                into.set(ValueLayout.JAVA_LONG_UNALIGNED, (long) word * Long.BYTES, chunk.getLong(offset(cell), word));
            }
        }

        /**
         * The chunk that holds a cell's payload, at {@link #offset}; null before the source has reached it. For tests.
         */
        public Region chunk(final long cell) {
            final Region[] ofFlow = chunks[Cell.flow(cell)];
            return ofFlow == null ? null : ofFlow[number(Cell.sequence(cell))];
        }

        /** Byte offset of a cell's payload in its chunk. */
        public static long offset(final long cell) {
            return (long) (Cell.sequence(cell) & CHUNK_CELLS - 1) * CELL_BYTES;
        }

        private static int number(final int sequence) {
            return (sequence & KEPT_CELLS - 1) >>> CHUNK_SHIFT;
        }

        private static long content(final long identity, final int word) {
            return CounterRandom.mix(identity + word * GOLDEN);
        }
    }

    /**
     * End-to-end payload. The source writes every cell into a slab, with words derived from its flow and sequence
     * number; the destination reads and compares them. The word that travels is the cell's handle. A cell that was
     * lost, duplicated, confused with another or overwritten fails the comparison.
     *
     * <p>All banks share one slab; each owns a part of it. The destination's bank frees a cell; a cell of another bank
     * returns over a ring. Each bank and its thread have a separate store; {@link #stores} creates all of them
     * together.
     */
    final class SlabPayload implements PayloadStore {
        private static final int FLOW_AND_SEQUENCE = 0;
        private static final int WORDS = 8;
        private static final long GOLDEN = 0x9E3779B97F4A7C15L;

        private final Slab slab;
        private final int words;
        private final int cellsOfBank;
        private final int bank;
        private final FreeList free;
        /** By bank: the ring on which this bank returns cells of that bank; null for this bank. */
        private final FreeListReturn[] returning;
        /** By bank: the ring of cells that return from that bank to this one; null for this bank. */
        private final FreeListReturn[] arriving;

        private SlabPayload(final Slab slab, final int bank, final int cellsOfBank, final FreeList free,
            final FreeListReturn[] returning, final FreeListReturn[] arriving) {
            this.slab = slab;
            this.words = slab.cellBytes() / Long.BYTES;
            this.bank = bank;
            this.cellsOfBank = cellsOfBank;
            this.free = free;
            this.returning = returning;
            this.arriving = arriving;
        }

        /**
         * Creates the stores of a run.
         *
         * @param arena       owner of the memory.
         * @param banks       number of banks.
         * @param cellsOfBank maximum number of in-flight cells per bank, a power of two.
         * @param cellBytes   bytes stored per cell, a multiple of 8, at least 16.
         */
        public static SlabPayload[] stores(final Arena arena, final int banks, final int cellsOfBank,
            final int cellBytes) {
            final Slab slab = new Slab(arena, banks * cellsOfBank, cellBytes);
            final FreeList[] lists = new FreeList[banks];
            final FreeListReturn[][] ways = new FreeListReturn[banks][banks];
            for (int to = 0; to < banks; to++) {
                lists[to] = new FreeList(arena, to * cellsOfBank, cellsOfBank);
                for (int from = 0; from < banks; from++) {
                    ways[from][to] = from == to ? null : new FreeListReturn(arena, lists[to], cellsOfBank);
                }
            }
            final SlabPayload[] stores = new SlabPayload[banks];
            Arrays.setAll(stores, bank -> new SlabPayload(slab, bank, cellsOfBank, lists[bank], ways[bank],
                Arrays.stream(ways).map(from -> from[bank]).toArray(FreeListReturn[]::new)));
            return stores;
        }

        @Override
        public long inject(final long identity) {
            int handle = free.alloc();
            if (handle == Slab.NONE) {
                for (final FreeListReturn way : arriving) {
                    if (way != null) {
                        way.collect();
                    }
                }
                handle = free.alloc();
            }
            if (handle == Slab.NONE) {
                throw new IllegalStateException("payload slab is full: cells in flight=" + free.held()
                    + " (the fabric holds more than --check has room for; lower the load or the size)");
            }
            final MemorySegment memory = slab.segment();
            final long at = slab.offset(handle);
            memory.set(ValueLayout.JAVA_LONG, at + FLOW_AND_SEQUENCE, identity);
            for (int word = 1; word < words; word++) {
                memory.set(ValueLayout.JAVA_LONG, at + (long) word * WORDS, content(identity, word));
            }
            return handle;
        }

        @Override
        public long deliver(final long cell) {
            final int handle = (int) cell;
            final MemorySegment memory = slab.segment();
            final long at = slab.offset(handle);
            final long identity = memory.get(ValueLayout.JAVA_LONG, at + FLOW_AND_SEQUENCE);
            for (int word = 1; word < words; word++) {
                if (memory.get(ValueLayout.JAVA_LONG, at + (long) word * WORDS) != content(identity, word)) {
                    throw new IllegalStateException("payload damaged: flow=" + Cell.flow(identity) + " cell="
                        + Cell.sequence(identity) + " handle=" + handle + " byte=" + word * WORDS);
                }
            }
            // A read of this place before the next write must fail the comparison.
            memory.set(ValueLayout.JAVA_LONG, at + WORDS, ~content(identity, 1));
            discard(cell);
            return identity;
        }

        @Override
        public long identify(final long cell) {
            return slab.segment().get(ValueLayout.JAVA_LONG, slab.offset((int) cell) + FLOW_AND_SEQUENCE);
        }

        @Override
        public void copy(final long cell, final MemorySegment into) {
            MemorySegment.copy(slab.segment(), slab.offset((int) cell), into, 0,
                Math.min((long) words * WORDS, into.byteSize()));
        }

        @Override
        public void discard(final long cell) {
            final int handle = (int) cell;
            final int owner = handle / cellsOfBank;
            if (owner == bank) {
                free.free(handle);
            } else if (!returning[owner].free(handle)) {
                throw new IllegalStateException("more cells are returned than exist: owner=" + owner);
            }
        }

        private static long content(final long identity, final int word) {
            return CounterRandom.mix(identity + word * GOLDEN);
        }
    }
}
