package dev.skerry.dataplane.queue;

import static dev.skerry.dataplane.queue.RankedLayout.BLOCK;
import static dev.skerry.dataplane.queue.RankedLayout.FIRST;
import static dev.skerry.dataplane.queue.RankedLayout.INLINE;
import static dev.skerry.dataplane.queue.RankedLayout.LAST;
import static dev.skerry.dataplane.queue.RankedLayout.LENGTH;
import static dev.skerry.dataplane.queue.RankedLayout.PAYLOAD;
import static dev.skerry.dataplane.queue.RankedLayout.RANK;
import static dev.skerry.dataplane.queue.RankedLayout.START;
import static dev.skerry.dataplane.queue.RankedLayout.THIRD;
import static dev.skerry.dataplane.queue.RankedLayout.UNSORTED;
import static dev.skerry.dataplane.queue.RankedLayout.inRing;
import static dev.skerry.dataplane.queue.RankedLayout.line;
import static dev.skerry.dataplane.queue.RankedLayout.ranks;
import static dev.skerry.dataplane.queue.RankedLayout.slot;

import dev.skerry.dataplane.memory.Region;

/**
 * Cells of a batch join and leave the queues of {@link RankedEntries} together, at most one for each queue, in loops
 * without branches that mispredict; rare cases are listed. One thread at a time.
 */
final class RankedBatches {
    private final RankedEntries entries;
    /** Cells of a batch that a loop leaves to the next one. */
    private final int[] rest;
    /** The others. */
    private final int[] near;
    private int fetched;

    RankedBatches(final RankedEntries entries, final int count) {
        this.entries = entries;
        this.rest = new int[CellBatch.block(count) + 1];
        this.near = new int[CellBatch.block(count) + 1];
    }

    /**
     * Puts the cells of a batch behind the last entry of their queues where that is their place and lies beside the
     * fields, and writes the lengths into the batch.
     *
     * @param joiningRanks by cell of the batch.
     * @return number of cells left, which {@link #rest} lists.
     */
    int append(final CellBatch batch, final long[] joiningRanks) {
        final Region lines = entries.queues;
        final Region notes = entries.ranks;
        final int[] queue = batch.queue;
        int joining = 0;
        int left = 0;
        fetchQueues(queue, batch.count);
        for (int i = 0; i < batch.count; i++) {
            final long line = line(queue[i]);
            final int length = lines.getInt(line, LENGTH);
            final int isSorted = Branchless.ifPositive(length ^ lines.getInt(line, UNSORTED));
            final int isAfter = (int) (notes.getLong(ranks(queue[i]), LAST) - joiningRanks[i] >>> Long.SIZE - 1);
            final int isBehind = isSorted & isAfter | Branchless.ifZero(length);
            near[joining] = i;
            rest[left] = i;
            joining += isBehind & Branchless.ifPositive(INLINE - length);
            left = i + 1 - joining;
        }
        for (int k = 0; k < joining; k++) {
            final int i = near[k];
            final long line = line(queue[i]);
            final int length = lines.getInt(line, LENGTH);
            final long slot = slot(line, length);
            final long note = ranks(queue[i]);
            lines.setInt(line, LENGTH, length + 1);
            lines.setLong(slot, 0, batch.word[i]);
            lines.setLong(slot, PAYLOAD, batch.cell[i]);
            notes.setLong(note + Region.offset(length, Long.BYTES), joiningRanks[i]);
            notes.setLong(note, LAST, joiningRanks[i]);
            batch.length[i] = length + 1;
        }
        return left;
    }

    /** A cell of the last batch that did not join its queue. */
    int rest(final int k) {
        return rest[k];
    }

    /** Takes the first entry out of each queue of a batch, from one on, and completes the batch; none is empty. */
    void removeFirst(final int from, final CellBatch batch) {
        final Region lines = entries.queues;
        final Region notes = entries.ranks;
        final int[] queue = batch.queue;
        int more = 0;
        for (int k = from; k < batch.count; k++) {
            final long line = line(queue[k]);
            final long note = ranks(queue[k]);
            final int left = lines.getInt(line, LENGTH) - 1;
            batch.word[k] = lines.getLong(line, FIRST);
            batch.cell[k] = lines.getLong(line, FIRST + PAYLOAD);
            batch.length[k] = left;
            lines.setInt(line, LENGTH, left);
            lines.setInt(line, UNSORTED, Math.max(0, lines.getInt(line, UNSORTED) - 1));
            lines.setLong(line, FIRST, lines.getLong(line, FIRST + 2));
            lines.setLong(line, FIRST + 1, lines.getLong(line, FIRST + 3));
            lines.setLong(line, FIRST + 2, lines.getLong(line, THIRD));
            lines.setLong(line, FIRST + 3, lines.getLong(line, THIRD + PAYLOAD));
            notes.setLong(note, 0, notes.getLong(note, 1));
            notes.setLong(note, 1, notes.getLong(note, 2));
            rest[more] = k;
            more += Branchless.ifPositive(left - INLINE + 1);
        }
        refill(queue, more);
    }

    /** Moves the first entry of the ring of each queue listed beside its fields. */
    private void refill(final int[] queue, final int count) {
        final Region lines = entries.queues;
        fetchStarts(queue, count);
        for (int k = 0; k < count; k++) {
            final long line = line(queue[rest[k]]);
            final int block = lines.getInt(line, BLOCK);
            final int start = lines.getInt(line, START);
            final Region ring = entries.blocks.region(block);
            final long first = inRing(block, start, INLINE);
            lines.setLong(line, THIRD, ring.getLong(first, 0));
            lines.setLong(line, THIRD + PAYLOAD, ring.getLong(first, PAYLOAD));
            entries.ranks.setLong(ranks(queue[rest[k]]), INLINE - 1, ring.getLong(first, RANK));
            lines.setInt(line, START, start + 1);
            entries.giveBack(line, lines.getInt(line, LENGTH) - INLINE);
        }
    }

    /** Reads the lines of queues that a cell joins in a loop of its own, so that cache misses overlap. */
    private void fetchQueues(final int[] queue, final int count) {
        final Region lines = entries.queues;
        final Region notes = entries.ranks;
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += lines.getInt(line(queue[i]), LENGTH) + notes.getInt(ranks(queue[i]), 0);
        }
        // Stored so that the compiler keeps the reads.
        fetched += read;
    }

    /** As {@link #fetchQueues}, for the starts of rings. */
    private void fetchStarts(final int[] queue, final int count) {
        final Region lines = entries.queues;
        int read = 0;
        for (int k = 0; k < count; k++) {
            final long line = line(queue[rest[k]]);
            final int block = lines.getInt(line, BLOCK);
            read += entries.blocks.region(block).getInt(inRing(block, lines.getInt(line, START), INLINE));
        }
        fetched += read;
    }
}
