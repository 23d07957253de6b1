package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * Tokens waiting to ride back to the neighbour at the other end of a link, for every link of every node: the return
 * FIFO of spec/shale §5.1. Two leave with every cell (Shale §3.3.2).
 *
 * <pre>
 *   one link, half a cache line
 *   0       4            8            12    16       20       24       28       32
 *   +-------+------------+------------+-----+--------+--------+--------+--------+
 *   | length| spill head | spill tail | pad | token 0| token 1| token 2| token 3|    token: bucket, -1: none
 *   +-------+------------+------------+-----+--------+--------+--------+--------+
 * </pre>
 *
 * The oldest tokens are inline, so that the two that leave are one long, right as it is to ride along; the fifth and
 * later ones are in the {@link SpillPool}. One thread at a time.
 */
final class OwedTokens {
    static final int LINK_BYTES = 32;
    /** The half of a feedback word without a token. */
    static final int NO_TOKEN = -1;

    private static final int LENGTH = 0;
    private static final int SPILL_HEAD = 4;
    private static final int SPILL_TAIL = 8;
    private static final int TOKENS = 16;
    private static final int INLINE = 4;

    private final Region region;
    private final SpillPool pool;

    OwedTokens(final Arena arena, final int links, final SpillPool pool) {
        this.region = Region.allocate(arena, (long) links * LINK_BYTES);
        for (long at = 0; at < region.bytes(); at += LINK_BYTES) {
            region.setLong(at + TOKENS, CellLink.NO_FEEDBACK);
            region.setLong(at + TOKENS + Long.BYTES, CellLink.NO_FEEDBACK);
        }
        this.pool = pool;
    }

    /** Notes the line that {@link #owe} will need. */
    void prefetch(final int link, final Prefetcher lines) {
        lines.note(region, (long) link * LINK_BYTES);
    }

    /** Appends a token. */
    void owe(final int link, final int bucket) {
        final long at = (long) link * LINK_BYTES;
        final int length = region.getInt(at + LENGTH);
        if (length < INLINE) {
            region.setInt(at + TOKENS + (long) length * Integer.BYTES, bucket);
        } else {
            final int record = pool.take(bucket, 0);
            if (length == INLINE) {
                region.setInt(at + SPILL_HEAD, record);
            } else {
                pool.setNext(region.getInt(at + SPILL_TAIL), record);
            }
            region.setInt(at + SPILL_TAIL, record);
        }
        region.setInt(at + LENGTH, length + 1);
    }

    /**
     * Takes out the oldest two.
     *
     * @return the first token in the low half, the second in the high half, {@link #NO_TOKEN} where there is none;
     *     {@code CellLink.NO_FEEDBACK} if nothing is owed.
     */
    long takeTwo(final int link) {
        final long at = (long) link * LINK_BYTES;
        final int length = region.getInt(at + LENGTH);
        final long two = region.getLong(at + TOKENS);
        region.setLong(at + TOKENS, region.getLong(at + TOKENS + Long.BYTES));
        region.setLong(at + TOKENS + Long.BYTES, CellLink.NO_FEEDBACK);
        region.setInt(at + LENGTH, Math.max(length - 2, 0));
        if (length > INLINE) {
            refill(at, Math.min(length - INLINE, 2));
        }
        return two;
    }

    private void refill(final long at, final int tokens) {
        for (int i = 0; i < tokens; i++) {
            final int record = region.getInt(at + SPILL_HEAD);
            region.setInt(at + TOKENS + (long) (INLINE - 2 + i) * Integer.BYTES, (int) pool.first(record));
            region.setInt(at + SPILL_HEAD, pool.next(record));
            pool.release(record);
        }
    }

    /** Tokens waiting on a link. */
    int length(final int link) {
        return region.getInt((long) link * LINK_BYTES + LENGTH);
    }

    /** Shows the waiting tokens of a link in order, for audits. */
    void forEach(final int link, final TokenLedger.Visitor visitor) {
        final long at = (long) link * LINK_BYTES;
        final int length = region.getInt(at + LENGTH);
        for (int i = 0; i < Math.min(length, INLINE); i++) {
            visitor.outstanding(region.getInt(at + TOKENS + (long) i * Integer.BYTES), 1);
        }
        int record = length > INLINE ? region.getInt(at + SPILL_HEAD) : SpillPool.NONE;
        while (record != SpillPool.NONE) {
            visitor.outstanding((int) pool.first(record), 1);
            record = pool.next(record);
        }
    }
}
