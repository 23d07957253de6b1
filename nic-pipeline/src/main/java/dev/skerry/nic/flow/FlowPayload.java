package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Payload end to end for fabrics in which a cell may be copied, resent or given back to its flow. The place of a
 * payload follows from the flow and sequence number, which travel, so all copies of a cell name the same bytes and
 * nobody has to know which copy is the last. The source writes the payload when it takes the cell, and again after the
 * cell came back. The destination compares it when the first copy arrives; {@link DeliveredCells} rejects later copies.
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
 * A flow keeps twice as many cells as {@code DeliveredCells} can tell apart, so a place is overwritten only when its
 * cell would be refused as stale. All banks and threads share one store. The thread of a flow's source writes its
 * places and the thread of its destination reads them; the cell that travels between them orders the two accesses. The
 * source may rewrite a place while the destination reads it, but only with the same bytes.
 */
public final class FlowPayload implements PayloadStore {
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

    /** The chunk that holds a cell's payload, at {@link #offset}; null before the source has reached it. For tests. */
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
