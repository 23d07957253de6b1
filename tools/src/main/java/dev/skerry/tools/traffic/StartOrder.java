package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Brings flows into the order of their start slots; flows of one slot keep the order they came in. Flows that come in
 * order go straight into the set, so a sorted trace costs nothing more; only late ones, which start before a flow
 * already seen, are kept apart, sorted and merged in at the end. One thread.
 */
final class StartOrder {
    private final FlowSet inOrder = new FlowSet();
    private final List<Flow> late = new ArrayList<>();
    private long latestStart;

    /** A flow as it came. */
    record Flow(long id, int from, int to, long bytes, int cells, long start, int trafficClass) {
        private void addTo(final FlowSet flows) {
            flows.add(id, from, to, bytes, cells, start);
            flows.setClass(trafficClass);
        }
    }

    void add(final Flow flow) {
        if (flow.start >= latestStart) {
            latestStart = flow.start;
            flow.addTo(inOrder);
        } else {
            late.add(flow);
        }
    }

    /** Whether a flow came after a flow with a later start. */
    boolean hasLate() {
        return !late.isEmpty();
    }

    /** All flows in order. */
    FlowSet flows() {
        if (late.isEmpty()) {
            return inOrder;
        }
        late.sort(Comparator.comparingLong(Flow::start));
        final FlowSet merged = new FlowSet();
        int next = 0;
        for (int flow = 0; flow < inOrder.size(); flow++) {
            // A late flow came after every flow in order of its own start slot, so on a tie it follows.
            while (next < late.size() && late.get(next).start < inOrder.startSlot(flow)) {
                late.get(next++).addTo(merged);
            }
            merged.add(inOrder.id(flow), inOrder.source(flow), inOrder.destination(flow), inOrder.bytes(flow),
                inOrder.cells(flow), inOrder.startSlot(flow));
            merged.setClass(inOrder.trafficClass(flow));
        }
        return merged; // the last flow in order starts after every late one, so none is left
    }
}
