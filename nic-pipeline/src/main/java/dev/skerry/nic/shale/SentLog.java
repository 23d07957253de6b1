package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.SlotShare;

import java.lang.foreign.Arena;

/**
 * The cells sent lately on every link, in case the other end reports one as missing: the token a cell cost and the
 * notices that rode along. Kept where a link may miss cells without going down.
 *
 * <pre>
 *   one link: a record for each of the last epochs, round robin
 *   0          8           12    16
 *   +----------+-----------+-----+
 *   | feedback | bucket + 1| pad |    bucket of the token spent; 0: none
 *   +----------+-----------+-----+
 * </pre>
 *
 * A notice of a missing cell leaves with the next cell of its sender. So the missing cell is the last one that could
 * have been handled before: at most two propagation delays and two epochs back. One thread at a time.
 */
final class SentLog {
    private static final int BUCKET = 8;
    private static final int RECORD_BYTES = 16;

    private final int epochSlots;
    private final int epochs;
    private final int propagationSlots;
    private final SlotShare share;
    private final Region region;

    SentLog(final Arena arena, final Shale shale, final int nodes) {
        this.epochSlots = shale.schedule().epochSlots();
        this.propagationSlots = shale.propagationSlots();
        this.share = shale.share();
        this.epochs = epochs(shale);
        this.region = Region.allocate(arena, bytes(shale, nodes));
    }

    /** Memory of a bank in bytes, none if no cell may be missed. */
    static long bytes(final Shale shale, final int nodes) {
        return shale.failures().missLimit() == 1 ? 0
            : (long) shale.schedule().epochSlots() * nodes * epochs(shale) * RECORD_BYTES;
    }

    private static int epochs(final Shale shale) {
        return 2 * shale.propagationSlots() / shale.schedule().epochSlots() + 3;
    }

    /** Notes what a link sent in its slot. */
    void record(final int queue, final long slot, final int bucketPlusOne, final long feedback) {
        final long at = at(queue, share.before(slot));
        region.setLong(at, feedback);
        region.setInt(at + BUCKET, bucketPlusOne);
    }

    /**
     * The slot in which the missing cell was sent, numbered among the own slots of the schedule.
     *
     * @param heardIn     the slot in which the notice was received.
     * @param slotInEpoch position of the link in the epoch.
     */
    long missing(final long heardIn, final int slotInEpoch) {
        final long last = share.before(heardIn - 2L * propagationSlots) - 1;
        return last - Math.floorMod(last - slotInEpoch, epochSlots);
    }

    /** The bucket of the token that a cell cost plus 1, 0 if it cost none. */
    int bucketPlusOne(final int queue, final long own) {
        return region.getInt(at(queue, own) + BUCKET);
    }

    /** The feedback word that rode along. */
    long feedback(final int queue, final long own) {
        return region.getLong(at(queue, own));
    }

    private long at(final int queue, final long own) {
        return ((long) queue * epochs + own / epochSlots % epochs) * RECORD_BYTES;
    }
}
