package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;

import java.util.Arrays;

/**
 * Brings flows into the order of their start slots; flows of one slot keep the order they came in. Flows that come in
 * order go straight into the set, so a sorted trace costs nothing more; only late ones, which start before a flow
 * already seen, are kept apart, sorted and merged in at the end. One thread.
 */
final class StartOrder {
    // A late flow in the array: id | source, destination | bytes | cells | start slot | traffic class
    private static final int STRIDE = 6;
    private static final int START = 4;
    private static final int CLASS = 5;

    private final FlowSet inOrder = new FlowSet();
    private long latestStart;
    private long[] late = new long[0];
    private int lateFlows;

    void add(final long id, final int from, final int to, final long bytes, final int cells, final long start,
        final int trafficClass) {
        if (start >= latestStart) {
            latestStart = start;
            inOrder.add(id, from, to, bytes, cells, start);
            inOrder.setClass(trafficClass);
            return;
        }
        final int at = lateFlows++ * STRIDE;
        if (at == late.length) {
            late = Arrays.copyOf(late, Math.max(16 * STRIDE, 2 * late.length));
        }
        late[at] = id;
        late[at + 1] = (long) from << 32 | to;
        late[at + 2] = bytes;
        late[at + 3] = cells;
        late[at + START] = start;
        late[at + CLASS] = trafficClass;
    }

    /** Number of flows that came after a flow with a later start. */
    int lateFlows() {
        return lateFlows;
    }

    /** All flows in order. */
    FlowSet flows() {
        if (lateFlows == 0) {
            return inOrder;
        }
        final int[] order = sortLate();
        final FlowSet merged = new FlowSet();
        int next = 0;
        for (int flow = 0; flow < inOrder.size(); flow++) {
            // A late flow came after every flow in order of its own start slot, so on a tie it follows.
            while (next < lateFlows && startOf(order[next]) < inOrder.startSlot(flow)) {
                addLate(merged, order[next++]);
            }
            merged.add(inOrder.id(flow), inOrder.source(flow), inOrder.destination(flow), inOrder.bytes(flow),
                inOrder.cells(flow), inOrder.startSlot(flow));
            merged.setClass(inOrder.trafficClass(flow));
        }
        return merged; // the last flow in order starts after every late one, so none is left
    }

    private long startOf(final int lateFlow) {
        return late[lateFlow * STRIDE + START];
    }

    private void addLate(final FlowSet flows, final int lateFlow) {
        final int at = lateFlow * STRIDE;
        flows.add(late[at], (int) (late[at + 1] >>> 32), (int) late[at + 1], late[at + 2], (int) late[at + 3],
            late[at + START]);
        flows.setClass((int) late[at + CLASS]);
    }

    /** A stable merge sort of the late flows' numbers by start slot, runs doubling from one. */
    private int[] sortLate() {
        int[] from = new int[lateFlows];
        int[] to = new int[lateFlows];
        for (int i = 0; i < lateFlows; i++) {
            from[i] = i;
        }
        for (long run = 1; run < lateFlows; run *= 2) {
            for (long low = 0; low < lateFlows; low += 2 * run) {
                final int middle = (int) Math.min(low + run, lateFlows);
                final int high = (int) Math.min(low + 2 * run, lateFlows);
                int left = (int) low;
                int right = middle;
                for (int out = (int) low; out < high; out++) {
                    final boolean takeLeft = right == high
                        || left < middle && startOf(from[left]) <= startOf(from[right]);
                    to[out] = takeLeft ? from[left++] : from[right++];
                }
            }
            final int[] sorted = to;
            to = from;
            from = sorted;
        }
        return from;
    }
}
