package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellQueues;

/**
 * What a link has of a bucket, for bucket spray (docs/spec/shale.md §3): cells queued that will be in the bucket at the
 * next node, and its tokens outstanding. Cells on their last hop are in no bucket. One bank, one thread.
 */
final class BucketLoad {
    private final CellQueues queues;
    private final CongestionControl control;
    /** Kept, so that a count allocates nothing. */
    private final CellQueues.Visitor counter = this::count;
    private int bucket;
    private int cells;

    BucketLoad(final CellQueues queues, final CongestionControl control) {
        this.queues = queues;
        this.control = control;
    }

    /** Cells and tokens of a bucket on the link of a queue. */
    int of(final int queue, final int ofBucket) {
        bucket = ofBucket;
        cells = 0;
        queues.forEach(queue, counter);
        return cells + control.outstanding(queue, ofBucket);
    }

    /**
     * Those of 64 idle links on which no token of a bucket is outstanding.
     *
     * @param idle  a bit for each link.
     * @param first the queue of the first, {@code step} from the next.
     */
    long without(final long idle, final int first, final int step, final int destination, final int sprays) {
        final int ofBucket = Route.bucket(destination, sprays);
        long without = idle;
        for (long left = idle; left != 0; left &= left - 1) {
            final int link = Long.numberOfTrailingZeros(left);
            without ^= control.outstanding(first + link * step, ofBucket) == 0 ? 0 : 1L << link;
        }
        return without;
    }

    private void count(final long entry, final long cell) {
        if (Route.bucket(entry) == bucket) {
            cells += Route.tokens(entry);
        }
    }
}
