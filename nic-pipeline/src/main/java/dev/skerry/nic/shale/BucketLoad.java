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

    private void count(final long entry, final long cell) {
        if (Route.bucket(entry) == bucket) {
            cells += Route.tokens(entry);
        }
    }
}
