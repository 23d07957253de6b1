package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;

import java.util.ArrayList;
import java.util.List;

/**
 * The send queues of a bank with everything that depends on their content: congestion control, the idle links for
 * spraying, and the maxima of the nodes. Cells join and leave queues only through this class, so that all of these are
 * notified, in the same order. Nodes are numbered within the bank, links by their position in the epoch. One thread.
 */
public final class QueueBank {
    private final SlotMath numbers;
    private final CellQueues queues;
    final ShaleRouter router;
    private final NodeMaxima maxima;
    final CongestionControl control;
    private final ArrivalRule arrivals;
    final DroppedCells drops;
    /** Queues that contain a cell. */
    private final QueueBits waiting;
    /** Queues from which nothing may leave until a notice arrives over their link, or something else joins. */
    private final QueueBits refused;
    /** Whether a queue can hold cells whose previous hop is owed nothing: only if links may fail. */
    private final boolean mayFail;
    /** Position in the epoch of the link that is currently sending. */
    private int sending;

    /**
     * Creates a bank of queues.
     *
     * @param numbers numbers of the bank.
     * @param queues  the queues, link by link.
     * @param router  has the idle links.
     * @param maxima  counts the cells that nodes hold.
     * @param control  congestion control.
     * @param arrivals decides which cells may join; {@code control} itself unless another rule takes precedence.
     * @param drops   receives the cells that congestion control drops.
     * @param mayFail whether links may fail.
     */
    public QueueBank(final SlotMath numbers, final CellQueues queues, final ShaleRouter router,
        final NodeMaxima maxima, final CongestionControl control, final ArrivalRule arrivals,
        final DroppedCells drops, final boolean mayFail) {
        this.numbers = numbers;
        this.queues = queues;
        this.router = router;
        this.maxima = maxima;
        this.control = control;
        this.arrivals = arrivals;
        this.drops = drops;
        this.mayFail = mayFail;
        this.waiting = new QueueBits(numbers.queues());
        this.refused = new QueueBits(numbers.queues());
    }

    /** Advances to the sending on a link, a position in the epoch. */
    public void turnToSending(final int link) {
        sending = link;
    }

    /** Advances to the cells that were sent in a slot. */
    public void turnTo(final long sent) {
        queues.turnTo(sent);
    }

    /** The queues, read-only: changes would not be notified. */
    public CellQueues queues() {
        return queues;
    }

    /** Bitmap of the non-empty queues. */
    public QueueBits waiting() {
        return waiting;
    }

    /**
     * Bitmap of the queues from which nothing could leave, so that they are not tried again too early. A component that
     * tries a queue, and the flows of its node, sets the bit; a cell that joins, a notice or a new flow clears it.
     */
    public QueueBits refused() {
        return refused;
    }

    /** Called when something of a node may be able to leave on any of its links. */
    public void wake(final int node) {
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            refused.clear(queue);
        }
    }

    /** Number of cells that nodes hold, and their maxima. */
    public NodeMaxima maxima() {
        return maxima;
    }

    /**
     * Adds the cells of a block that congestion control accepts to their queues; then handles the feedback.
     *
     * @param link     position in the epoch of the link towards the senders.
     * @param first    the first node of the block.
     * @param which    the nodes that received feedback, counted from the first.
     * @param some     number of these nodes.
     * @param arriving the cells, at most one per node.
     * @param feedback a feedback word for each node of the block.
     */
    public void enqueue(final int link, final int first, final int[] which, final int some, final CellBatch arriving,
        final long[] feedback) {
        final int firstQueue = numbers.queue(link, first);
        arrivals.onArrive(first, arriving, drops);
        queues.enqueue(arriving);
        waiting.onEnqueue(arriving);
        refused.clear(arriving);
        router.idle.onEnqueue(arriving);
        for (int k = 0; k < some; k++) {
            refused.clear(firstQueue + which[k]);
        }
        maxima.onEnqueue(arriving);
        control.onReceive(firstQueue, first, which, some, arriving, feedback);
    }

    /**
     * Removes the first cell that may be sent at each node of a list. This is almost always the oldest one; only if
     * that may not be sent, the queue is searched.
     *
     * @param firstQueue the queue of the block's first node.
     * @param first      the first node of the block.
     * @param paid       nodes whose oldest cell is paid for, counted from the first.
     * @param some       number of these nodes.
     * @param unpaid     other nodes with queued cells; on return, those that send nothing are at the head.
     * @param more       number of these nodes.
     * @param sent       receives the cells.
     * @return number of nodes that send nothing.
     */
    public int dequeue(final int firstQueue, final int first, final int[] paid, final int some, final int[] unpaid,
        final int more, final CellBatch sent) {
        sent.clear();
        queues.dequeueOldest(firstQueue, first, paid, some, sent);
        int refused = 0;
        for (int k = 0; k < more; k++) {
            final int i = unpaid[k];
            if (queues.dequeue(firstQueue + i, control)) {
                control.onDequeue(firstQueue + i, queues.entry());
                sent.add(first + i, firstQueue + i, queues.length(firstQueue + i), queues.entry(), queues.payload());
            } else {
                unpaid[refused++] = i;
            }
        }
        if (mayFail && owing(sent) < sent.count()) {
            for (int i = 0; i < sent.count(); i++) {
                owe(sent.node()[i], sent.word()[i]);
            }
        } else {
            control.onForward(sent);
        }
        maxima.onDequeue(sent);
        router.idle.onDequeue(sending, sent);
        waiting.onDequeue(sent);
        return refused;
    }

    /**
     * Removes the first cell of a queue of the currently sending link that may be sent, which {@link CellQueues#entry}
     * and {@link CellQueues#payload} then describe. Not if links may fail.
     *
     * @return whether a cell may be sent.
     */
    public boolean dequeue(final int node, final int queue) {
        if (!queues.dequeue(queue, control)) {
            return false;
        }
        final long entry = queues.entry();
        final boolean isEmpty = queues.length(queue) == 0;
        control.onDequeue(queue, entry);
        control.onForward(node, entry);
        maxima.onDequeue(node);
        router.idle.onEmptiness(sending, node, isEmpty);
        if (isEmpty) {
            waiting.clear(queue);
        }
        return true;
    }

    private static int owing(final CellBatch sent) {
        int owing = 0;
        for (int i = 0; i < sent.count(); i++) {
            owing += Route.owes(sent.word()[i]) ? 1 : 0;
        }
        return owing;
    }

    /** Called when a cell leaves its last queue at this node: its previous hop receives what it is owed. */
    public void owe(final int node, final long entry) {
        if (Route.owes(entry)) {
            control.onForward(node, entry);
        }
    }

    /** Adds a single cell to the queue of a link. */
    public void enqueue(final int node, final int link, final long entry, final long cell) {
        final int queue = numbers.queue(link, node);
        final int length = queues.enqueue(queue, entry, cell);
        waiting.set(queue);
        refused.clear(queue);
        router.idle.onEmptiness(link, node, length == 1);
        maxima.onEnqueue(node, queue, length);
        control.onEnqueue(node, entry);
    }

    /** Replaces the cells of a queue, oldest first; the previous hops of the removed cells receive nothing for them. */
    public void replace(final int node, final int link, final long[] entries, final long[] cells) {
        remove(node, link, (queue, entry) -> false, (entry, cell) -> { });
        for (int i = 0; i < entries.length; i++) {
            enqueue(node, link, entries[i], cells[i]);
        }
    }

    /** Removes the cells that a rule does not retain, in order; the others keep their order. */
    void remove(final int node, final int link, final Eligibility stays, final CellQueues.Visitor to) {
        final int queue = numbers.queue(link, node);
        final List<long[]> away = new ArrayList<>();
        queues.remove(queue, stays, (entry, cell) -> away.add(new long[] {entry, cell}));
        if (!away.isEmpty() && queues.length(queue) == 0) {
            router.idle.onEmptiness(link, node, true);
            waiting.clear(queue);
        }
        for (final long[] removed : away) {
            maxima.onDequeue(node);
            control.onRemove(node, removed[0]);
            to.entry(removed[0], removed[1]);
        }
    }

    /** Accounts for a cell that a node holds outside its queues. */
    void hold(final int node) {
        maxima.onEnqueue(node, 0);
    }

    /** Accounts for the end of such a cell. */
    void release(final int node) {
        maxima.onDequeue(node);
    }
}
