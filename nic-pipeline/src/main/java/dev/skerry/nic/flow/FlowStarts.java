package dev.skerry.nic.flow;

import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * When each flow of a bank becomes active: in its start slot or, if a node activates at most one flow per slot
 * (docs/spec/shale.md §5.3), at least one slot after the flow before it at the same node; where schedules share the
 * slots, in a slot of its own schedule. The order does not depend on the run, so it is computed beforehand. One thread.
 */
public final class FlowStarts {
    private static final int NONE = -1;

    private final int[] flow;
    private final int[] node;
    private final long[] slot;
    /** By index of the {@link FlowSet}: the flow's number in the bank. Null unless flows are on demand. */
    private final int[] place;
    private int next;

    /** All flows, in their start slots. */
    public FlowStarts(final FlowSet flows, final Population population, final NodeRange range) {
        this(flows, population, range, SlotShare.ALL, 0, flow -> true);
    }

    /**
     * The flows of the traffic class that has a share of the slots; if it has all slots, all flows. A node activates at
     * most one in each slot of the share.
     */
    public FlowStarts(final FlowSet flows, final Population population, final NodeRange range, final SlotShare share) {
        this(flows, population, range, share, 1,
            flow -> share.isAll() || flows.trafficClass(flow) == share.number());
    }

    private FlowStarts(final FlowSet flows, final Population population, final NodeRange range, final SlotShare share,
        final int apart, final IntPredicate which) {
        int count = 0;
        for (int f = 0; f < flows.size(); f++) {
            if (which.test(f) && range.contains(population.nodeOf(flows.source(f)))) {
                count++;
            }
        }
        this.flow = new int[count];
        this.node = new int[count];
        this.slot = new long[count];
        final long[] latest = new long[range.size()];
        Arrays.fill(latest, -1);
        int i = 0;
        boolean sorted = true;
        for (int f = 0; f < flows.size(); f++) {
            final int source = population.nodeOf(flows.source(f));
            if (which.test(f) && range.contains(source)) {
                final int at = source - range.first();
                latest[at] = Math.max(share.before(flows.startSlot(f)), latest[at] + apart);
                flow[i] = f;
                node[i] = source;
                slot[i] = share.slotOf(latest[at]);
                sorted &= i == 0 || slot[i - 1] <= slot[i];
                i++;
            }
        }
        this.place = flows.isOnDemand() ? places(flows.size()) : null;
        if (place != null) {
            next = count;
        } else if (!sorted) {
            sort();
        }
    }

    private int[] places(final int flows) {
        final int[] places = new int[flows];
        Arrays.fill(places, NONE);
        for (int i = 0; i < flow.length; i++) {
            places[flow[i]] = i;
        }
        return places;
    }

    /** Flows of the bank. */
    public int size() {
        return flow.length;
    }

    /** The bank's i-th flow to become active, an index of the {@link FlowSet}. */
    public int flow(final int i) {
        return flow[i];
    }

    /** The bank's number of a flow of the {@link FlowSet}. Only for flows on demand. */
    public int place(final int indexOfSet) {
        return place[indexOfSet];
    }

    /** The source node of the bank's i-th flow. */
    public int node(final int i) {
        return node[i];
    }

    /**
     * Returns the bank's number of the next flow that becomes active in or before slot {@code now}, or -1 if there is
     * none.
     */
    public int poll(final long now) {
        return next < slot.length && slot[next] <= now ? next++ : NONE;
    }

    /** The slot in which the next flow becomes active, or {@link Long#MAX_VALUE}. */
    public long nextSlot() {
        return next < slot.length ? slot[next] : Long.MAX_VALUE;
    }

    /** Sorts by slot. The key has the place in its low bits, so flows of one slot keep the order of their starts. */
    private void sort() {
        final int count = slot.length;
        final long[] key = new long[count];
        for (int i = 0; i < count; i++) {
            key[i] = Math.addExact(Math.multiplyExact(slot[i], (long) count), i);
        }
        Arrays.sort(key);
        final int[] flows = flow.clone();
        final int[] nodes = node.clone();
        for (int i = 0; i < count; i++) {
            final int from = (int) (key[i] % count);
            flow[i] = flows[from];
            node[i] = nodes[from];
            slot[i] = key[i] / count;
        }
    }
}
