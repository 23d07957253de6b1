package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The flows (i, k) of a bank: all traffic from node i to node k in a traffic class (docs/spec/shoal.md §1).
 *
 * <pre>
 *   one flow: [row][k]
 *   0      4      8            16        20    32
 *   +------+------+------------+---------+-----+    head, tail: of its messages, NONE: not active
 *   | head | tail | start slot | number  | pad |    number: plus 1; 0: never active
 *   +------+------+------------+---------+-----+
 * </pre>
 *
 * A row is a node and a traffic class, {@code node * classes + class}. Numbers count the flows of a node over all its
 * classes. Callers pass the offset of a flow. One thread.
 */
final class ShoalFlows {
    /** No message. */
    static final int NONE = -1;
    /** Bytes of a flow. */
    static final int FLOW_BYTES = 32;

    /** Ints of a flow. */
    private static final int HEAD = 0;
    private static final int TAIL = 1;
    private static final int NUMBER = 4;
    /** A long of it. */
    private static final int START = 1;

    private final int destinations;
    private final int classes;
    private final Region region;
    private final int[] flowsOfNode;

    /** No flow was ever active. */
    ShoalFlows(final Arena arena, final int nodes, final int classes, final int destinations) {
        this.destinations = destinations;
        this.classes = classes;
        this.region = Region.allocate(arena, bytes(nodes * classes, destinations));
        this.flowsOfNode = new int[nodes];
        for (long at = 0; at < bytes(nodes * classes, destinations); at += FLOW_BYTES) {
            region.setInt(at, HEAD, NONE);
        }
    }

    /** Memory in bytes. */
    static long bytes(final int rows, final int destinations) {
        return (long) rows * destinations * FLOW_BYTES;
    }

    /** Where a flow lies. */
    long at(final int row, final int destination) {
        return Region.offset(row * destinations + destination, FLOW_BYTES);
    }

    /** The node of a row. */
    int node(final int row) {
        return row / classes;
    }

    /** The row of a traffic class of a node. */
    int row(final int node, final int trafficClass) {
        return node * classes + trafficClass;
    }

    /** Gives a flow of a row its number, if it has none. */
    void number(final long at, final int row) {
        if (region.getInt(at, NUMBER) == 0) {
            region.setInt(at, NUMBER, ++flowsOfNode[node(row)]);
        }
    }

    /** The number of a flow, -1 if it was never active. */
    int numberOf(final long at) {
        return region.getInt(at, NUMBER) - 1;
    }

    /** Flows of a node that are or were active: their numbers are below this. */
    int flowsOf(final int node) {
        return flowsOfNode[node];
    }

    /** The first message of a flow. */
    int head(final long at) {
        return region.getInt(at, HEAD);
    }

    /** Sets the first message of a flow. */
    void setHead(final long at, final int message) {
        region.setInt(at, HEAD, message);
    }

    /** The last message of a flow that has some. */
    int tail(final long at) {
        return region.getInt(at, TAIL);
    }

    /** Sets the last message of a flow. */
    void setTail(final long at, final int message) {
        region.setInt(at, TAIL, message);
    }

    /** The slot in which an active flow became so. */
    long startSlot(final long at) {
        return region.getLong(at, START);
    }

    /** Sets the slot in which a flow becomes active. */
    void setStartSlot(final long at, final long slot) {
        region.setLong(at, START, slot);
    }
}
