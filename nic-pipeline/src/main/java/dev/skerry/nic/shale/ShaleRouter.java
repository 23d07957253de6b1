package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.nic.shale.TieRule.LinkChoice;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * Chooses the queue that a received cell joins: a spraying hop in the next phase while it has some left, otherwise the
 * direct hop of the first phase in which node and destination differ (Shale §3.1, docs/spec/shale.md §3). "Next" counts
 * from the phase in which the cell was sent, not from the phase of its arrival. One bank, one thread.
 */
public final class ShaleRouter {
    /** No queue: every link that the cell could take leads to an absent node or is not usable. */
    public static final int NO_LINK = -1;

    private final Phased schedule;
    private final Coordinates coordinates;
    final SlotMath numbers;
    private final int links;
    private final int nodes;
    private final long seed;
    private final Spray spray;
    final IdleLinks idle;
    /** Nodes of a block whose cell has no link. */
    private final int[] lacking;
    private long slotKey;
    private int phase;
    private int owedLink;
    private long entry;

    /**
     * Creates the router of a bank.
     *
     * @param arena   owner of the memory.
     * @param shale   the fabric.
     * @param nodes   number of nodes of the bank.
     * @param queues  the bank's send queues.
     * @param control its congestion control.
     * @param reach   knowledge of failures, null if nothing ever fails.
     */
    public ShaleRouter(final Arena arena, final Shale shale, final int nodes, final CellQueues queues,
        final CongestionControl control, final PathReachability reach) {
        this.schedule = shale.schedule();
        this.coordinates = schedule.coordinates();
        this.numbers = new SlotMath(schedule, nodes);
        this.links = schedule.linksPerPhase();
        this.nodes = nodes;
        this.lacking = new int[CellBatch.block(nodes)];
        this.seed = shale.seed();
        this.idle = new IdleLinks(arena, shale, nodes);
        this.spray = new Spray(shale, nodes, queues, control, reach, idle);
    }

    /** Memory of a bank in bytes. */
    public static long bytes(final Shale shale, final int nodes) {
        return IdleLinks.bytes(shale, nodes);
    }

    /**
     * Advances to the cells that arrive in a slot.
     *
     * @param handlingSlot the slot in which they are handled.
     * @param sentInEpoch  the position in the epoch of the slot in which they were sent.
     */
    public void turnToReceiving(final long handlingSlot, final int sentInEpoch) {
        slotKey = CounterRandom.slotKey(seed, handlingSlot);
        phase = numbers.phase(sentInEpoch);
        owedLink = numbers.position(phase, schedule.reverseLink(numbers.link(sentInEpoch)));
    }

    /** Position in the epoch of the link from the receiver of the slot's cells back to their sender. */
    public int owedLink() {
        return owedLink;
    }

    /**
     * Determines the next hop of a cell that has spraying hops left and is not at its destination; {@link #entry()} is
     * then its word in the queue.
     *
     * @param id      the node's id.
     * @param node    its number in the bank.
     * @param arrived its route word on arrival.
     * @return position in the epoch of the link that it takes, or {@link #NO_LINK}.
     */
    public int spray(final int id, final int node, final long arrived) {
        final int destination = Route.destination(arrived);
        final int sprays = Route.sprays(arrived);
        final int nextPhase = phase + 1 == schedule.phases() ? 0 : phase + 1;
        final int nextLink = spray.choose(id, node, nextPhase, destination, sprays - 1,
            CounterRandom.bits(slotKey, id, Spray.USE));
        if (nextLink == Spray.NONE) {
            entry = lackingEntry(arrived);
            return NO_LINK;
        }
        final int last = Branchless.ifEqual(schedule.peerOf(id, nextPhase, nextLink), destination);
        entry = Route.queued(arrived, sprays - 1, last, owedLink);
        return numbers.position(nextPhase, nextLink);
    }

    /** Determines the next hop of a cell without spraying hops left; see {@link #spray(int, int, long)}. */
    public int direct(final int id, final long arrived) {
        final int destination = Route.destination(arrived);
        final int nextPhase = coordinates.nextDifference(id, destination, phase);
        final int nextLink = schedule.linkTowards(id, destination, nextPhase);
        entry = Route.queued(arrived, 0, coordinates.differOnlyIn(nextPhase, id, destination), owedLink);
        return numbers.position(nextPhase, nextLink);
    }

    /**
     * Determines the next hops of cells with spraying hops left, one cell for each of several consecutive nodes.
     *
     * @param firstId   id of the first node.
     * @param firstNode its number in the bank.
     * @param which     the nodes with such a cell, counted from the first.
     * @param count     number of such nodes.
     * @param routes    route words on arrival, by node.
     * @param into      receives the cells with a link; the caller sets their second words.
     * @return number of cells without a link, see {@link #lacking(int)}; they are not in the batch.
     */
    public int spray(final int firstId, final int firstNode, final int[] which, final int count,
        final long[] routes, final CellBatch into) {
        final int[] node = into.node();
        final int[] hop = into.hop();
        final int[] queue = into.queue();
        final long[] word = into.word();
        int at = into.count();
        int none = 0;
        for (int k = 0; k < count; k++) {
            final int i = which[k];
            final int to = spray(firstId + i, firstNode + i, routes[i]);
            if (to == NO_LINK) {
                lacking[none++] = i;
            } else {
                node[at] = firstNode + i;
                hop[at] = to;
                queue[at] = to * nodes + firstNode + i;
                word[at++] = entry;
            }
        }
        into.count(at);
        return none;
    }

    /** The node of a cell without a link, counted from the first of the block. */
    public int lacking(final int n) {
        return lacking[n];
    }

    /** The word that a cell without a link would have in a queue. */
    public long lackingEntry(final long arrived) {
        return Route.queued(arrived, Route.sprays(arrived) - 1, false, owedLink);
    }

    /**
     * Determines the next hops of cells without spraying hops left.
     *
     * @param which nodes with such a cell, counted from the first.
     * @param count number of such nodes.
     */
    public void direct(final int firstId, final int firstNode, final int[] which, final int count,
        final long[] routes, final CellBatch into) {
        final int[] node = into.node();
        final int[] hop = into.hop();
        final int[] queue = into.queue();
        final long[] word = into.word();
        final int from = into.count();
        for (int k = 0; k < count; k++) {
            final int i = which[k];
            final int id = firstId + i;
            final int destination = Route.destination(routes[i]);
            final int nextPhase = coordinates.nextDifference(id, destination, phase);
            final int to = nextPhase * links + schedule.linkTowards(id, destination, nextPhase);
            node[from + k] = firstNode + i;
            hop[from + k] = to;
            queue[from + k] = to * nodes + firstNode + i;
            word[from + k] = Route.queued(routes[i], 0, coordinates.oneIfDifferOnlyIn(nextPhase, id, destination),
                owedLink);
        }
        into.count(from + count);
    }

    /**
     * Chooses the link of a spraying hop in its phase again (docs/spec/shale.md §8.3 c).
     *
     * @param sprays spraying hops left after the hop.
     * @param random 64 random bits.
     * @return position in the epoch of the link, or {@link #NO_LINK}.
     */
    int sprayAgain(final int id, final int node, final int ofPhase, final int destination, final int sprays,
        final long random) {
        final int link = spray.choose(id, node, ofPhase, destination, sprays, random);
        return link == Spray.NONE ? NO_LINK : numbers.position(ofPhase, link);
    }

    /** The choice among equally good links; null if it is random. */
    public LinkChoice ties() {
        return spray.ties;
    }

    /** The word of the cell routed last. */
    public long entry() {
        return entry;
    }
}
