package dev.skerry.nic;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Bits;
import dev.skerry.dataplane.queue.CellBatch;

import java.lang.foreign.Arena;

/**
 * The most each node of a bank ever held: forwarded cells in all its queues, and in one of them (spec/shale §10.1).
 * Local flows are not counted. One thread.
 *
 * <pre>
 *   one node
 *   0      4          8           12    16
 *   +------+----------+-----------+-----+
 *   | held | most held| most in a | pad |
 *   |      |          | queue     |     |
 *   +------+----------+-----------+-----+
 * </pre>
 */
final class NodeMaxima {
    private static final int HELD = 0;
    private static final int MAX_HELD = 1;
    private static final int MAX_QUEUE = 2;
    private static final int NODE_BYTES = 16;

    private final Region region;
    private final int[] list = new int[Long.SIZE];

    NodeMaxima(final Arena arena, final int nodes) {
        this.region = Region.allocate(arena, (long) nodes * NODE_BYTES);
    }

    /** A cell joined a queue that is now {@code length} long. */
    void onEnqueue(final int node, final int length) {
        final long at = Region.offset(node, NODE_BYTES);
        final int now = region.getInt(at, HELD) + 1;
        region.setInt(at, HELD, now);
        if (now > region.getInt(at, MAX_HELD)) {
            region.setInt(at, MAX_HELD, now);
        }
        if (length > region.getInt(at, MAX_QUEUE)) {
            region.setInt(at, MAX_QUEUE, length);
        }
    }

    /** Cells joined queues. */
    void onEnqueue(final CellBatch joined) {
        final Region memory = region;
        final int count = joined.count();
        final int[] node = joined.node();
        final int[] length = joined.length();
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(node[i], NODE_BYTES);
            final int now = memory.getInt(at, HELD) + 1;
            memory.setInt(at, HELD, now);
            memory.setInt(at, MAX_HELD, Math.max(now, memory.getInt(at, MAX_HELD)));
            memory.setInt(at, MAX_QUEUE, Math.max(length[i], memory.getInt(at, MAX_QUEUE)));
        }
    }

    /**
     * A cell joined a queue at each of some nodes.
     *
     * @param firstNode the node of bit 0.
     * @param which     a bit for each node.
     * @param length    of the queue of each, that of the first at {@code from}.
     */
    void onEnqueue(final int firstNode, final long which, final int[] length, final int from) {
        final Region memory = region;
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            final int i = list[k];
            final long at = Region.offset(firstNode + i, NODE_BYTES);
            final int now = memory.getInt(at, HELD) + 1;
            memory.setInt(at, HELD, now);
            memory.setInt(at, MAX_HELD, Math.max(now, memory.getInt(at, MAX_HELD)));
            memory.setInt(at, MAX_QUEUE, Math.max(length[from + i], memory.getInt(at, MAX_QUEUE)));
        }
    }

    /** Cells left their queues. */
    void onDequeue(final CellBatch sent) {
        final Region memory = region;
        final int count = sent.count();
        final int[] node = sent.node();
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(node[i], NODE_BYTES);
            memory.setInt(at, HELD, memory.getInt(at, HELD) - 1);
        }
    }

    /** A cell left a queue at each of some nodes: a bit for each, from the first one on. */
    void onDequeue(final int firstNode, final long which) {
        final Region memory = region;
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            final long at = Region.offset(firstNode + list[k], NODE_BYTES);
            memory.setInt(at, HELD, memory.getInt(at, HELD) - 1);
        }
    }

    /** A cell left its queue. */
    void onDequeue(final int node) {
        final long at = Region.offset(node, NODE_BYTES);
        region.setInt(at, HELD, region.getInt(at, HELD) - 1);
    }

    /** Cells in the queues of a node. */
    int held(final int node) {
        return region.getInt(Region.offset(node, NODE_BYTES), HELD);
    }

    /** Most cells ever in the queues of a node. */
    int maxHeld(final int node) {
        return region.getInt(Region.offset(node, NODE_BYTES), MAX_HELD);
    }

    /** Most cells ever in one queue of a node. */
    int maxQueue(final int node) {
        return region.getInt(Region.offset(node, NODE_BYTES), MAX_QUEUE);
    }
}
