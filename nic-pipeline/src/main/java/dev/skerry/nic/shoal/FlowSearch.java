package dev.skerry.nic.shoal;

/**
 * Searches the active flows of a row for the one whose next cell joins a queue: in round-robin order the first that
 * Eq. 2 releases and that is old enough. The others that Eq. 2 releases are ready (docs/spec/shoal.md §4.4 SEND 2, 3).
 * Every node that is not in the columns of {@link ShoalTransmitter} is searched here: one by one where there are few
 * flows, else by the index of the {@link Throttles}. One thread.
 */
final class FlowSearch {
    /** No flow. */
    static final int NONE = -1;

    private final int firstId;
    private final int nodes;
    private final Throttles throttles;
    private final ShoalFlowScheduler scheduler;
    /** Null where every relay reaches every node. */
    private final RelayReachability reachability;
    /** Slots that a flow must have been active for before it may join a queue of this length. */
    private final long[] ageNeeded;
    /** Flows of a row above which the index of the throttles is searched, which knows nothing of failures. */
    private final int few;
    /** Flows of a row that Eq. 2 releases, bits as of {@link ActiveFlows#bits}. */
    private final long[] released;
    /** Of the row being served. */
    private long slot;
    private int epoch;
    private int link;
    /** Of the search made last. */
    private int ready;
    private int turn;

    /**
     * A search.
     *
     * @param firstId      id of the bank's first node.
     * @param reachability destinations that relays reach; null where nothing can fail.
     */
    FlowSearch(final Shoal shoal, final int firstId, final Throttles throttles, final ShoalFlowScheduler scheduler,
        final RelayReachability reachability) {
        this.firstId = firstId;
        this.nodes = shoal.nodes();
        this.throttles = throttles;
        this.scheduler = scheduler;
        this.reachability = reachability;
        this.ageNeeded = ageNeeded(shoal);
        this.few = reachability == null ? Throttles.FEW : Integer.MAX_VALUE;
        this.released = new long[Throttles.words(shoal.nodes())];
    }

    /** By length of the queue: none up to 1, then epochs until 2^epochs reaches it. */
    private static long[] ageNeeded(final Shoal shoal) {
        final long[] slots = new long[shoal.nodes() + 1];
        for (int length = 2; length < slots.length && shoal.ageRule(); length++) {
            final int epochs = Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
            slots[length] = (long) epochs * shoal.schedule().epochSlots();
        }
        return slots;
    }

    /** Turns to a link of all nodes in a slot. */
    void turnTo(final long ofSlot, final int ofEpoch, final int onLink) {
        slot = ofSlot;
        epoch = ofEpoch;
        link = onLink;
    }

    /** Whether a flow has been active for as long as the 2^age rule wants it for a queue of this length. */
    boolean isOld(final int row, final int flow, final int length) {
        final long needed = ageNeeded[Math.min(length, nodes)];
        return needed == 0 || scheduler.startSlot(row, flow) <= slot - needed;
    }

    /** Whether the relay of the row's link reaches the destination of a flow of a node. */
    boolean isUsable(final int node, final int flow) {
        final int destination = ActiveFlows.destination(flow);
        return destination == (firstId + node + link + 1) % nodes || reachability.reaches(link, node, destination);
    }

    /**
     * Searches.
     *
     * @param node   number in the bank.
     * @param row    the node and traffic class whose flows are searched.
     * @param length cells that a new cell would wait for.
     * @param isOpen whether a cell may join the queue: no local one is in it.
     * @param from   place in the row where the search begins.
     * @return the flow, {@link #NONE} if none may go; {@link #ready} and {@link #turn} then tell the rest.
     */
    int choose(final int node, final int row, final int length, final boolean isOpen, final int from) {
        final int count = scheduler.active.size(row);
        if (count > few) {
            return chooseOfMany(node, length, isOpen, from);
        }
        int chosen = NONE;
        int free = 0;
        boolean open = isOpen;
        int next = from;
        int at = from < count ? from : 0;
        for (int i = 0; i < count; i++) {
            final int flow = scheduler.active.get(row, at);
            at = at + 1 < count ? at + 1 : 0;
            if (throttles.freeFrom(node, ActiveFlows.number(flow), link) <= length + epoch
                && (reachability == null || isUsable(node, flow))) {
                if (open && isOld(row, flow, length)) {
                    chosen = flow;
                    open = false;
                    next = at;
                } else {
                    free++;
                }
            }
        }
        ready = free;
        turn = next;
        return chosen;
    }

    /**
     * The same by the index of the throttles: flows that Eq. 2 releases are counted, and tried until one is old enough.
     */
    private int chooseOfMany(final int node, final int length, final boolean isOpen, final int from) {
        throttles.index(node, scheduler.flowsOf(node));
        ready = 0;
        turn = from;
        final int count = scheduler.active.size(node);
        final long[] active = scheduler.active.bits(node);
        for (int word = Throttles.words(scheduler.flowsOf(node)) - 1; word >= 0; word--) {
            released[word] = throttles.free(node, link, word, length + epoch) & active[word];
            ready += Long.bitCount(released[word]);
        }
        int left = isOpen ? ready : 0;
        for (int at = turn < count ? turn : 0; left > 0;) {
            final int flow = scheduler.active.get(node, at);
            at = at + 1 < count ? at + 1 : 0;
            if (ActiveFlows.isIn(released, flow)) {
                left--;
                if (isOld(node, flow, length)) {
                    ready--;
                    turn = at;
                    return flow;
                }
            }
        }
        return NONE;
    }

    /** Flows that Eq. 2 releases and that were not chosen. */
    int ready() {
        return ready;
    }

    /** Place in the row where the next search begins. */
    int turn() {
        return turn;
    }
}
