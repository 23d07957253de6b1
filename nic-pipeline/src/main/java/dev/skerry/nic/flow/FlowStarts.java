package dev.skerry.nic.flow;

import dev.skerry.nic.flow.Releases.ReleaseQueue;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Times at which the flows of a bank become active: in their start slots or, if a node activates at most one flow per
 * slot (docs/spec/shale.md §5.3), at least one slot after the previous flow of the same node; if schedules share the
 * slots, in a slot of the flow's schedule. The order does not depend on the run, so it is computed in advance; flows
 * appended to an {@linkplain FlowSet#open open} set are inserted where they would have been. If flows wait for others,
 * the order is that of the slots from which they may start, and is determined during the run. One thread.
 */
public final class FlowStarts {
    private static final int NONE = -1;

    private final FlowSet flows;
    private final Population population;
    private final NodeRange range;
    private final SlotShare share;
    /** Minimum distance between two flows of a node, in slots of the share. */
    private final int apart;
    private final int[] flow;
    private final int[] node;
    private final long[] slot;
    /** By node: the slot of the share in which its last flow starts. */
    private final long[] latest;
    /** By index in the {@link FlowSet}: the flow's number in the bank. Null unless flows are on demand. */
    private final int[] place;
    private int next;
    /** Number of flows of the set that were inspected, and of those that belong to the bank. */
    private int seen;
    private int known;
    /** The flows that have not started, if some wait for others; otherwise null. */
    private final ReleaseQueue queue;

    /** All flows of a bank, in their start slots. */
    public FlowStarts(final FlowTable table, final Population population, final NodeRange range) {
        this(table, population, range, SlotShare.ALL, 0);
    }

    /**
     * The flows of the traffic class that owns a share of the slots; all flows if it owns all slots. A node activates
     * at most one flow in each slot of the share.
     */
    public FlowStarts(final FlowTable table, final Population population, final NodeRange range,
        final SlotShare share) {
        this(table, population, range, share, 1);
    }

    private FlowStarts(final FlowTable table, final Population population, final NodeRange range, final SlotShare share,
        final int apart) {
        this.flows = table.flows();
        this.population = population;
        this.range = range;
        this.share = share;
        this.apart = apart;
        int count = flows.places() - flows.size();
        for (int f = 0; f < flows.size(); f++) {
            count += isOurs(f) ? 1 : 0;
        }
        this.flow = new int[count];
        this.node = new int[count];
        this.slot = new long[count];
        this.latest = new long[range.size()];
        Arrays.fill(latest, -1);
        this.queue = table.releases() == null ? null : table.releases().queue(range,
            IntStream.range(0, flows.size()).filter(this::isOurs).toArray());
        final boolean sorted = queue != null || takeIn();
        this.place = flows.isOnDemand() ? places(flows.size()) : null;
        if (place != null) {
            next = count;
        } else if (!sorted) {
            sort();
        }
    }

    private boolean isOurs(final int f) {
        return (apart == 0 || share.isAll() || flows.trafficClass(f) == share.number())
            && range.contains(population.nodeOf(flows.source(f)));
    }

    /** Adds the flows appended to the set since the last call; returns whether the starts are in order. */
    private boolean takeIn() {
        boolean sorted = true;
        for (; seen < flows.size(); seen++) {
            if (isOurs(seen)) {
                final int source = population.nodeOf(flows.source(seen));
                final int at = source - range.first();
                latest[at] = Math.max(share.before(flows.startSlot(seen)), latest[at] + apart);
                flow[known] = seen;
                node[known] = source;
                slot[known] = share.slotOf(latest[at]);
                sorted &= known == 0 || slot[known - 1] <= slot[known];
                known++;
            }
        }
        return sorted;
    }

    /** Inserts the flows appended to an open set since the last slot among the flows that have not started. */
    private void takeInLate() {
        final int before = known;
        takeIn();
        for (int from = before; from < known; from++) {
            for (int to = from; to > next && slot[to - 1] > slot[to]; to--) {
                swap(to - 1, to);
            }
        }
    }

    /** Adds flows that have just become known: appended ones, or released ones that start in this slot. */
    private void takeInMore(final long now) {
        if (queue == null) {
            takeInLate();
            return;
        }
        for (int released = queue.poll(now); released != NONE; released = queue.poll(now)) {
            final int source = population.nodeOf(flows.source(released));
            final int at = source - range.first();
            if (!queue.isDeferred(released)) {
                latest[at] = Math.max(share.before(now), latest[at] + apart);
                if (share.slotOf(latest[at]) > now) {
                    queue.defer(released, share.slotOf(latest[at]));
                    continue;
                }
            }
            flow[known] = released;
            node[known] = source;
            slot[known++] = now;
        }
    }

    private void swap(final int one, final int other) {
        final int oneFlow = flow[one];
        final int oneNode = node[one];
        final long oneSlot = slot[one];
        flow[one] = flow[other];
        node[one] = node[other];
        slot[one] = slot[other];
        flow[other] = oneFlow;
        node[other] = oneNode;
        slot[other] = oneSlot;
    }

    private int[] places(final int count) {
        final int[] places = new int[count];
        Arrays.fill(places, NONE);
        for (int i = 0; i < flow.length; i++) {
            places[flow[i]] = i;
        }
        return places;
    }

    /** Number of flows of the bank; for an open set, the maximum. */
    public int size() {
        return flow.length;
    }

    /** Whether the order of the flows is known before they are polled. */
    public boolean isKnown() {
        return queue == null && !flows.isOpen();
    }

    /**
     * The bank's i-th flow to become active, an index in the {@link FlowSet}; unless {@link #isKnown}, only if already
     * polled.
     */
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
        if (seen < flows.size()) {
            takeInMore(now);
        }
        return next < known && slot[next] <= now ? next++ : NONE;
    }

    /** Number of flows polled so far. */
    public int started() {
        return next;
    }

    /** The slot in which the next flow becomes active, or {@link Long#MAX_VALUE}. */
    public long nextSlot() {
        if (queue != null) {
            return queue.nextSlot();
        }
        if (seen < flows.size()) {
            takeInLate();
        }
        return next < known ? slot[next] : Long.MAX_VALUE;
    }

    /** Sorts by slot. The key has the index in its low bits, so flows of one slot keep the order of their starts. */
    private void sort() {
        final int count = known;
        final long[] key = new long[count];
        Arrays.setAll(key, i -> Math.addExact(Math.multiplyExact(slot[i], (long) count), i));
        Arrays.sort(key);
        final int[] oldFlow = flow.clone();
        final int[] oldNode = node.clone();
        for (int i = 0; i < count; i++) {
            final int from = (int) (key[i] % count);
            flow[i] = oldFlow[from];
            node[i] = oldNode[from];
            slot[i] = key[i] / count;
        }
    }
}
