package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueueLayout;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

/**
 * Chooses the flow whose next cell joins a queue when it is served (docs/spec/shoal.md §4.4 SEND 2, 3): in the node's
 * order, from the link's turn on, the first that Eq. 2 releases and that is old enough, unless a local cell is in the
 * queue already. A row of nodes at a time: in columns where a node has one flow, else by {@link FlowSearch}. One
 * thread.
 */
final class ShoalAdmission {
    /** No flow. */
    static final int NONE = FlowSearch.NONE;

    private final boolean ageRule;
    private final ShoalQueues queues;
    private final Throttles throttles;
    private final ShoalFlowScheduler scheduler;
    private final FlowSearch flowSearch;
    /** By node: load and search of its queue on the link, the throttle of its first flow. */
    private final int[] load;
    private final int[] search;
    private final int[] freeFrom;
    /** All ones where the only flow is too young, and where Eq. 2 releases it. */
    private final int[] young;
    private final int[] lets;
    /** By node: the flow whose cell joins the queue, all ones where one does, and the load of the queue then. */
    private final int[] chosen;
    private final int[] goes;
    private final int[] loadAfter;
    /** Of the row being served. */
    private int epoch;
    private int onLink;

    ShoalAdmission(final Shoal shoal, final int bankNodes, final ShoalQueues queues, final Throttles throttles,
        final ShoalFlowScheduler scheduler, final FlowSearch flowSearch) {
        this.ageRule = shoal.ageRule();
        this.queues = queues;
        this.throttles = throttles;
        this.scheduler = scheduler;
        this.flowSearch = flowSearch;
        this.load = new int[bankNodes];
        this.search = new int[bankNodes];
        this.freeFrom = new int[bankNodes];
        this.young = new int[bankNodes];
        this.lets = new int[bankNodes];
        this.chosen = new int[bankNodes];
        this.goes = new int[bankNodes];
        this.loadAfter = new int[bankNodes];
    }

    /** The load of the queue of each node, before. */
    int[] load() {
        return load;
    }

    /** The search of each node, after the choice. */
    int[] search() {
        return search;
    }

    /** The flow of each node whose cell joins its queue. */
    int[] chosen() {
        return chosen;
    }

    /** All ones for each node of which a cell joins its queue, else 0. */
    int[] goes() {
        return goes;
    }

    /**
     * Chooses for nodes that follow each other.
     *
     * @param ofSlot  the slot.
     * @param ofEpoch its epoch.
     * @param link    the link that is served.
     * @param first   the first node.
     * @param end     one past the last.
     */
    void choose(final long ofSlot, final int ofEpoch, final int link, final int first, final int end) {
        epoch = ofEpoch;
        onLink = link;
        flowSearch.turnTo(ofSlot, ofEpoch, link);
        queues.getLoads(link, first, end, load);
        queues.getSearches(link, first, end, search);
        throttles.getFirst(first, end - first, link, freeFrom, first);
        scheduler.active().only(first, end, chosen);
        if (ageRule) {
            noteYoung(first, end);
        }
        final boolean others = chooseOnly(first, end);
        holdOnly(first, end);
        for (int node = first; others && node < end; node++) {
            if (chosen[node] == NONE) {
                chooseAmong(node);
            }
        }
    }

    /**
     * The local cells of the queues of some nodes leave.
     *
     * @param which  the nodes, from 0 to {@code count}.
     * @param count  of them.
     * @param number gets the number of the flow of each, by node.
     */
    void takeLocal(final int[] which, final int count, final int[] number) {
        int others = 0;
        for (int k = 0; k < count; k++) {
            final int node = which[k];
            number[node] = ShoalQueueLayout.localOf(search[node]);
            search[node] = ShoalQueueLayout.search(ShoalQueueLayout.turnOf(search[node]), 0);
            others |= number[node];
        }
        if (others == 0 && !throttles.indexed()) {
            for (int k = 0; k < count; k++) {
                freeFrom[which[k]] = Throttles.AWAIT;
            }
        } else {
            for (int k = 0; k < count; k++) {
                setThrottle(which[k], number[which[k]], Throttles.AWAIT);
            }
        }
    }

    /** Writes back loads, one cell less where a queue was served, searches and throttles. */
    void settle(final int first, final int end) {
        queues.setLoads(onLink, first, end, loadAfter);
        queues.setSearches(onLink, first, end, search);
        throttles.setFirst(first, end - first, onLink, freeFrom, first);
    }

    /** Finds the only flows that the 2^age rule holds back. */
    private void noteYoung(final int first, final int end) {
        for (int i = first; i < end; i++) {
            young[i] = chosen[i] == NONE || flowSearch.isOld(i, chosen[i], ShoalQueueLayout.lengthOf(load[i])) ? 0 : -1;
        }
    }

    /**
     * The choice where a node has one flow, its first; returns whether there are other nodes. In small loops, which
     * become vectors; all ones stand for yes.
     */
    private boolean chooseOnly(final int first, final int end) {
        int anyOther = 0;
        for (int i = first; i < end; i++) {
            final int other = chosen[i] >> Integer.SIZE - 1;
            lets[i] = ~(ShoalQueueLayout.lengthOf(load[i]) + epoch - freeFrom[i] >> Integer.SIZE - 1 | other);
            anyOther |= other;
        }
        for (int i = first; i < end; i++) {
            // No local cell is in the queue and the flow is old enough.
            final int may = ShoalQueueLayout.localOf(search[i]) >> Integer.SIZE - 1 & ~young[i];
            goes[i] = lets[i] & may;
            lets[i] &= ~may;
        }
        for (int i = first; i < end; i++) {
            final int length = ShoalQueueLayout.lengthOf(load[i]);
            final int waits = -length >> Integer.SIZE - 1;
            loadAfter[i] = ShoalQueueLayout.load(length + (waits & ~goes[i]), lets[i] & 1);
            // The next search begins at the first place again.
            search[i] = ShoalQueueLayout.search(ShoalQueueLayout.turnOf(search[i]) & ~goes[i],
                ShoalQueueLayout.localOf(search[i]) + 1 + (waits & goes[i] & 1));
        }
        return anyOther != 0;
    }

    /** Throttles flows that {@link #chooseOnly} has chosen: their cells wait behind others or leave. */
    private void holdOnly(final int first, final int end) {
        for (int i = first; i < end; i++) {
            final int waits = -ShoalQueueLayout.lengthOf(load[i]) >> Integer.SIZE - 1;
            freeFrom[i] = Throttles.AWAIT - waits & goes[i] | freeFrom[i] & ~goes[i];
        }
        for (int i = first; throttles.indexed() && i < end; i++) {
            if (goes[i] != 0) {
                setThrottle(i, 0, freeFrom[i]);
            }
        }
    }

    private void setThrottle(final int node, final int number, final int value) {
        if (number == 0) {
            freeFrom[node] = value;
        }
        if (number != 0 || throttles.indexed()) {
            throttles.set(node, number, onLink, value);
        }
    }

    /** The choice where a node has no flow, or several. */
    private void chooseAmong(final int i) {
        final int length = ShoalQueueLayout.lengthOf(load[i]);
        final int local = ShoalQueueLayout.localOf(search[i]);
        final boolean isOpen = local == ShoalQueues.NONE;
        chosen[i] = flowSearch.choose(i, i, length, isOpen, ShoalQueueLayout.turnOf(search[i]));
        final int ready = flowSearch.ready();
        final boolean isChosen = chosen[i] != NONE;
        if (isChosen) {
            setThrottle(i, ActiveFlows.number(chosen[i]), length > 0 ? Throttles.HELD : Throttles.AWAIT);
        }
        final int number = isChosen && length > 0 ? ActiveFlows.number(chosen[i]) : local;
        goes[i] = isChosen ? -1 : 0;
        loadAfter[i] = ShoalQueueLayout.load(length > 0 && !isChosen ? length - 1 : length, ready);
        search[i] = ShoalQueueLayout.search(flowSearch.turn(), number + 1);
    }
}
