package dev.skerry.nic;

import java.util.Arrays;

/**
 * The flows of a run in order of their start slot, as plain arrays indexed by flow: what a trace or a workload
 * generator hands to the pipeline. Endpoints are user node ids, 0 to the number of endpoints - 1; the pipeline maps
 * them to the nodes that are present. Filled by one thread, then only read.
 */
public final class FlowSet {
    /** The number of cells of a flow that never ends. */
    public static final int ENDLESS = Integer.MAX_VALUE;

    private int size;
    private long[] id = new long[16];
    private int[] source = new int[16];
    private int[] destination = new int[16];
    private long[] bytes = new long[16];
    private int[] cells = new int[16];
    private long[] startSlot = new long[16];

    /** No flows yet. */
    public FlowSet() {
    }

    /**
     * Appends a flow. Flows must come in order of their start slot.
     *
     * @param flowId   what the user calls it.
     * @param from     sending endpoint.
     * @param to       receiving endpoint, not {@code from}.
     * @param size     payload bytes, or {@link Long#MAX_VALUE} if endless.
     * @param cellsOf  cells of the flow, at least 1, or {@link #ENDLESS}.
     * @param start    first slot in which its first cell may be sent.
     */
    public void add(final long flowId, final int from, final int to, final long size, final int cellsOf,
        final long start) {
        if (this.size > 0 && start < startSlot[this.size - 1]) {
            throw new IllegalArgumentException("flows must be in order of start slot: flow=" + flowId + " start="
                + start + " previous=" + startSlot[this.size - 1]);
        }
        if (from == to || cellsOf < 1 || start < 0) {
            throw new IllegalArgumentException("not a flow: flow=" + flowId + " source=" + from + " destination=" + to
                + " cells=" + cellsOf + " start=" + start);
        }
        if (this.size == id.length) {
            grow();
        }
        final int flow = this.size++;
        id[flow] = flowId;
        source[flow] = from;
        destination[flow] = to;
        bytes[flow] = size;
        cells[flow] = cellsOf;
        startSlot[flow] = start;
    }

    private void grow() {
        final int capacity = id.length * 2;
        id = Arrays.copyOf(id, capacity);
        source = Arrays.copyOf(source, capacity);
        destination = Arrays.copyOf(destination, capacity);
        bytes = Arrays.copyOf(bytes, capacity);
        cells = Arrays.copyOf(cells, capacity);
        startSlot = Arrays.copyOf(startSlot, capacity);
    }

    /** Number of flows. */
    public int size() {
        return size;
    }

    /** What the user calls a flow. */
    public long id(final int flow) {
        return id[flow];
    }

    /** The endpoint that sends a flow. */
    public int source(final int flow) {
        return source[flow];
    }

    /** The endpoint that receives a flow. */
    public int destination(final int flow) {
        return destination[flow];
    }

    /** Payload bytes of a flow, {@link Long#MAX_VALUE} if endless. */
    public long bytes(final int flow) {
        return bytes[flow];
    }

    /** Cells of a flow, or {@link #ENDLESS}. */
    public int cells(final int flow) {
        return cells[flow];
    }

    /** The slot a flow starts in. */
    public long startSlot(final int flow) {
        return startSlot[flow];
    }
}
