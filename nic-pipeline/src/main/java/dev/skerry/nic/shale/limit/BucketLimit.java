package dev.skerry.nic.shale.limit;

/**
 * Active buckets of every node where their table is limited (docs/spec/shale.md §9.4). A node's own flows may make
 * another bucket active while fewer than A are; an arriving cell always may. What it makes active beyond A and the
 * reserve stands in the overflow map until another bucket leaves the table. One thread.
 */
final class BucketLimit {
    private final int ofOwn;
    private final int table;
    /** By bucket: cells queued and tokens outstanding. */
    private final NodeCounts reasons;
    private int most;
    private long heldBack;
    private long overflowed;
    private long returned;

    BucketLimit(final HostLimits limits, final int nodes) {
        this.ofOwn = limits.activeBuckets();
        this.table = limits.tableBuckets();
        this.reasons = new NodeCounts(nodes);
    }

    /** Whether a flow of a node may start a cell in a bucket. */
    boolean admits(final int node, final int bucket) {
        return reasons.size(node) < ofOwn || reasons.get(node, bucket) > 0;
    }

    /** A flow was passed over, as its bucket may not become active. */
    void holdBack() {
        heldBack++;
    }

    /**
     * One more reason for a bucket to be active.
     *
     * @return whether it found the table full.
     */
    boolean add(final int node, final int bucket) {
        final boolean overflows = reasons.add(node, bucket) == 1 && reasons.size(node) > table;
        most = Math.max(most, reasons.size(node));
        overflowed += overflows ? 1 : 0;
        return overflows;
    }

    /**
     * One reason less.
     *
     * @return whether another bucket came into the table.
     */
    boolean remove(final int node, final int bucket) {
        final boolean returns = reasons.remove(node, bucket) == 0 && reasons.size(node) >= table;
        returned += returns ? 1 : 0;
        return returns;
    }

    /** Buckets active at a node. */
    int active(final int node) {
        return reasons.size(node);
    }

    /** Active buckets of a node that are not in its table. */
    int outside(final int node) {
        return Math.max(0, reasons.size(node) - table);
    }

    /** Most buckets active at a node. */
    int most() {
        return most;
    }

    /** Times a flow was passed over. */
    long heldBack() {
        return heldBack;
    }

    /** Buckets that found the table full. */
    long overflowed() {
        return overflowed;
    }

    /** Such buckets that came in since, or ended. */
    long returned() {
        return returned;
    }
}
