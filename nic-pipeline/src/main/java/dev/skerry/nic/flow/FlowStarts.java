package dev.skerry.nic.flow;

import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * When each flow of a bank becomes active: in its start slot, or where a node activates at most one flow in a slot
 * (docs/spec/shale.md §5.3), at least one slot after the flow before it at the same node. The order depends on nothing
 * that happens in the run, so it is worked out beforehand. One thread.
 */
public final class FlowStarts {
    private static final int NONE = -1;

    private final int[] flow;
    private final int[] node;
    private final long[] slot;
    /** By index of the {@link FlowSet}, where flows come on demand; else null. */
    private final int[] place;
    private int next;

    /** At most one flow of a node in a slot. */
    public FlowStarts(final FlowSet flows, final Population population, final NodeRange range) {
        this(flows, population, range, 1);
    }

    /** Flows of a node come this many slots apart at least; 0: in their start slots, however many there are. */
    public FlowStarts(final FlowSet flows, final Population population, final NodeRange range, final int slotsApart) {
        int count = 0;
        for (int f = 0; f < flows.size(); f++) {
            final int source = population.nodeOf(flows.source(f));
            if (source >= range.first() && source < range.end()) {
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
            if (source >= range.first() && source < range.end()) {
                final int at = source - range.first();
                latest[at] = Math.max(flows.startSlot(f), latest[at] + slotsApart);
                flow[i] = f;
                node[i] = source;
                slot[i] = latest[at];
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

    /** The flow, an index of the {@link FlowSet}, that is the bank's i-th to become active. */
    public int flow(final int i) {
        return flow[i];
    }

    /** Which of the bank's flows one of the {@link FlowSet} is, where they come on demand. */
    public int place(final int indexOfSet) {
        return place[indexOfSet];
    }

    /** The node whose flow the bank's i-th is. */
    public int node(final int i) {
        return node[i];
    }

    /** The next flow of the bank that becomes active in or before a slot, or -1 if none does any more. */
    public int poll(final long now) {
        return next < slot.length && slot[next] <= now ? next++ : NONE;
    }

    /** Stable order by slot: place and slot make one key, so equal slots stay in the order of their start. */
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
