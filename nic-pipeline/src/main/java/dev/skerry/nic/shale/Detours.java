package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * What becomes of cells whose path is lost (Shale App. A, docs/spec/shale.md §8.3, §8.4): a last hop is dropped, a
 * direct hop starts anew from the node that holds it, a spraying hop moves to another link of its phase. A cell that
 * starts anew waits in its node's queue of restarts for any link it may take as a first hop, and holds no bucket
 * meanwhile: the token it owes is returned at once, so that no bucket ever waits for a restart. One bank, one thread.
 */
public final class Detours {
    private static final int USE_SPRAY_AGAIN = 2;

    private final Phased schedule;
    private final int firstNode;
    private final int links;
    private final SlotMath numbers;
    private final int firstSprays;
    private final boolean resprayLastHop;
    private final long seed;
    private final QueueBank queues;
    private final EligibilityQueues restarts;
    private final ShaleRouter router;
    private final CongestionControl control;
    private final PathReachability reach;
    private final DroppedCells drops;
    /** By node: choices made; the counter of its random numbers. */
    private final int[] choices;
    private final Eligibility mayStart = this::mayStart;
    private int phase;
    private int link;
    private long restarted;
    private long moved;

    /** What the stages of a bank share, as far as it is needed here. */
    public record Parts(QueueBank queues, ShaleRouter router, CongestionControl control, PathReachability reach,
        DroppedCells drops) {
    }

    /**
     * No cell on a detour.
     *
     * @param arena     owner of the memory.
     * @param shale     the fabric.
     * @param firstNode id of the bank's first node.
     * @param nodes     nodes of the bank.
     * @param pool      overflow of the bank.
     * @param parts     where its cells are.
     */
    public Detours(final Arena arena, final Shale shale, final int firstNode, final int nodes, final SpillPool pool,
        final Parts parts) {
        this.schedule = shale.schedule();
        this.firstNode = firstNode;
        this.links = schedule.epochSlots();
        this.numbers = new SlotMath(schedule, nodes);
        this.firstSprays = schedule.phases() - 1;
        this.resprayLastHop = shale.failures().resprayLastHop();
        this.seed = shale.seed();
        this.queues = parts.queues;
        this.restarts = new EligibilityQueues(arena, nodes, pool);
        this.router = parts.router;
        this.control = parts.control;
        this.reach = parts.reach;
        this.drops = parts.drops;
        this.choices = new int[nodes];
    }

    /** Cells of a node that wait for a restart. */
    public int waiting(final int node) {
        return restarts.length(node);
    }

    /**
     * Marks the nodes of a block that hold such cells.
     *
     * @param asking   1 for a node that may start a cell, else 0; gets 0 for a node with a restart.
     * @param hindered gets 1 for a node with a restart, else 0.
     */
    public void hinder(final int first, final int count, final int[] asking, final int[] hindered) {
        for (int i = 0; i < count; i++) {
            hindered[i] = asking[i] & Branchless.ifPositive(restarts.length(first + i));
        }
        for (int i = 0; i < count; i++) {
            asking[i] ^= hindered[i];
        }
    }

    /**
     * Takes out the first restart that may leave over a link; {@link #route()} and {@link #cell()} then describe it,
     * and its cost is spent.
     */
    public boolean poll(final int node, final int slotInEpoch) {
        if (restarts.length(node) == 0) {
            return false;
        }
        phase = numbers.phase(slotInEpoch);
        link = numbers.link(slotInEpoch);
        if (!restarts.dequeue(node, mayStart)) {
            return false;
        }
        final int destination = Route.destination(restarts.entry());
        if (destination != schedule.peerOf(firstNode + node, phase, link)) {
            final boolean admitted = control.admitLocal(numbers.queue(slotInEpoch, node), node, destination);
            assert admitted : "node=" + node + " slotInEpoch=" + slotInEpoch;
        }
        queues.release(node);
        return true;
    }

    /** The word in flight of the cell polled last. */
    public long route() {
        return restarts.entry();
    }

    /** Which cell it is. */
    public long cell() {
        return restarts.payload();
    }

    /** Cells that started anew. */
    public long restarted() {
        return restarted;
    }

    /** Cells that moved to another link of their phase. */
    public long moved() {
        return moved;
    }

    /**
     * Takes in a whole cell, not at its destination, that came over a link that is given up. Nobody is owed a token for
     * it.
     */
    void takeIn(final int node, final long route, final long cell) {
        final int id = firstNode + node;
        final int next = Route.sprays(route) > 0 ? router.spray(id, node, route) : router.direct(id, route);
        final long entry = Route.owingNothing(router.entry());
        if (next == ShaleRouter.NO_LINK) {
            drops.onDrop(node, cell, DroppedCells.Loss.NO_LINK);
        } else if (isUsable(node, next, entry)) {
            queues.enqueue(node, next, entry, cell);
        } else {
            divert(node, next, entry, cell);
        }
    }

    /**
     * Takes in a cell with only direct hops to go if the link it must take next is not usable.
     *
     * @return false if it is; nothing is done then.
     */
    boolean takeInBlocked(final int node, final long route, final long cell) {
        final int next = router.direct(firstNode + node, route);
        final long entry = router.entry();
        if (isUsable(node, next, entry)) {
            return false;
        }
        divert(node, next, entry, cell);
        return true;
    }

    /** Moves every cell away from a link that it may take no more, and drops restarts that lead nowhere now. */
    void review(final int node, final int slotInEpoch) {
        queues.remove(node, slotInEpoch, (queue, entry) -> isUsable(node, slotInEpoch, entry), (entry, cell) -> {
            if (Route.came(entry) > 0 && (resprayLastHop || !Route.isFinal(entry))) {
                sprayAgain(node, numbers.phase(slotInEpoch), entry, cell);
            } else {
                divert(node, slotInEpoch, entry, cell);
            }
        });
        dropUnreachable(node);
    }

    /** Cells of a node owe no token over a link that has failed. */
    void forget(final int node, final int slotInEpoch) {
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            queues.rewrite(queue, entry -> Route.owedLink(entry) == slotInEpoch ? Route.owingNothing(entry) : entry);
        }
    }

    /** Drops all that a node holds. */
    void loseAll(final int node) {
        for (int slotInEpoch = 0; slotInEpoch < links; slotInEpoch++) {
            queues.remove(node, slotInEpoch, (queue, entry) -> false,
                (entry, cell) -> drops.onDrop(node, cell, DroppedCells.Loss.NODE_DOWN));
        }
        while (restarts.dequeue(node, Eligibility.ALWAYS)) {
            queues.release(node);
            drops.onDrop(node, restarts.payload(), DroppedCells.Loss.NODE_DOWN);
        }
    }

    private boolean mayStart(final int node, final long entry) {
        final int destination = Route.destination(entry);
        return destination == schedule.peerOf(firstNode + node, phase, link)
            || reach.usable(node, phase, link, destination, firstSprays)
            && control.canStart(numbers.queue(phase, link, node), destination);
    }

    private boolean isUsable(final int node, final int slotInEpoch, final long entry) {
        return reach.usable(node, numbers.phase(slotInEpoch), numbers.link(slotInEpoch), Route.destination(entry),
            Route.sprays(entry));
    }

    /** A cell that cannot take its direct hop, and is in no queue: it starts anew, or it is lost. */
    private void divert(final int node, final int slotInEpoch, final long entry, final long cell) {
        queues.owe(node, entry);
        final int destination = Route.destination(entry);
        final boolean lastHop = Route.isFinal(entry) || reach.states.isUp(numbers.queue(slotInEpoch, node))
            && reach.lastHopFailed(node, numbers.phase(slotInEpoch), numbers.link(slotInEpoch), destination);
        if (lastHop && !resprayLastHop) {
            drops.onDrop(node, cell, DroppedCells.Loss.LAST_HOP);
        } else if (reach.isUnreachable(node, destination)) {
            drops.onDrop(node, cell, DroppedCells.Loss.UNREACHABLE);
        } else {
            restarts.enqueue(node, Route.restarted(entry, firstSprays), cell);
            queues.hold(node);
            restarted++;
        }
    }

    private void sprayAgain(final int node, final int ofPhase, final long entry, final long cell) {
        final int id = firstNode + node;
        final int destination = Route.destination(entry);
        final int next = router.sprayAgain(id, node, ofPhase, destination, Route.sprays(entry),
            CounterRandom.bits(seed, id, choices[node]++, USE_SPRAY_AGAIN));
        if (next == ShaleRouter.NO_LINK) {
            queues.owe(node, entry);
            drops.onDrop(node, cell, DroppedCells.Loss.NO_LINK);
        } else {
            final boolean last = schedule.peerOf(id, next) == destination;
            queues.enqueue(node, next, Route.moved(entry, last), cell);
            moved++;
        }
    }

    private void dropUnreachable(final int node) {
        for (int left = restarts.length(node); left > 0; left--) {
            restarts.dequeue(node, Eligibility.ALWAYS);
            if (reach.isUnreachable(node, Route.destination(restarts.entry()))) {
                queues.release(node);
                drops.onDrop(node, restarts.payload(), DroppedCells.Loss.UNREACHABLE);
            } else {
                restarts.enqueue(node, restarts.entry(), restarts.payload());
            }
        }
    }
}
