package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;

import java.lang.foreign.Arena;

/**
 * Payload end to end where a cell may be under way twice, be sent once more or come back: the place of its payload
 * follows from its flow and sequence number, which is what travels, so all copies of a cell name the same bytes, and
 * nobody has to know which of them is the last. Written when the source takes the cell, also anew after it came back;
 * read and compared when the destination takes in the first copy, {@link DeliveredCells} having sorted out the others.
 *
 * <pre>
 *   a flow: [sequence number mod kept cells], in chunks taken when the source comes to them
 *   0                    8           16          24          32
 *   +--------------------+-----------+-----------+-----------+
 *   | flow and sequence, | content 1 | content 2 | content 3 |    content 1 inverted: read
 *   | inverted           |           |           |           |
 *   +--------------------+-----------+-----------+-----------+
 * </pre>
 *
 * A flow keeps twice as many cells as {@code DeliveredCells} tells apart, so a place is written over only when its cell
 * would be refused for coming too late. One store for all banks and threads: a flow's places are written by the thread
 * of its source and then read by that of its destination, and the cell in between puts the one before the other. The
 * source may write a place anew while the destination reads it, but only with the same bytes.
 */
public final class FlowPayload implements PayloadStore {
    /** Bytes of a cell that are written and compared. */
    static final int CELL_BYTES = 32;

    private static final int KEPT_CELLS = 2 * DeliveredCells.WINDOW_CELLS;
    private static final int CHUNK_SHIFT = 8;
    private static final int CHUNK_CELLS = 1 << CHUNK_SHIFT;
    private static final int WORDS = CELL_BYTES / Long.BYTES;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Arena arena;
    private final FlowSet flows;
    /** By flow, then chunk; null until the source comes to it. */
    private final Region[][] chunks;

    /** Nothing stored yet; the arena is shared by the threads of all banks. */
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
        // A second copy that is taken for the first is caught.
        chunk.setLong(at, 1, ~content(cell, 1));
        return cell;
    }

    /** Nothing is given back: a lost cell's place is its flow's all the same. */
    @Override
    public void discard(final long cell) {
    }

    /** Where a cell's payload lies, null if its source has not come near it; at {@link #offset}. For tests. */
    public Region chunk(final long cell) {
        final Region[] ofFlow = chunks[Cell.flow(cell)];
        return ofFlow == null ? null : ofFlow[number(Cell.sequence(cell))];
    }

    /** Where in its chunk a cell's payload lies. */
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
