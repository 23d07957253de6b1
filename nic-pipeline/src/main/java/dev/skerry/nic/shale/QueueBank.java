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
 * The send queues of a bank with all that counts what they hold: congestion control, the idle links that spraying
 * looks for, and the maxima of the nodes. A cell joins or leaves a queue only through here, so that each of them is
 * told, in one order. Nodes are numbered within the bank, links by their position in the epoch. One thread.
 */
public final class QueueBank {
    private final SlotMath numbers;
    private final CellQueues queues;
    final ShaleRouter router;
    private final NodeMaxima maxima;
    final CongestionControl control;
    private final ArrivalRule arrivals;
    final DroppedCells drops;
    /** By queue: set while a cell waits there. */
    private final QueueBits waiting;
    /** By queue: set where nothing may leave until a notice comes over its link, or something else joins. */
    private final QueueBits refused;
    /** Whether a queue can hold cells whose previous hop is owed nothing: only where links fail. */
    private final boolean mayFail;
    /** Position in the epoch of the link that is being sent on. */
    private int sending;

    /**
     * A bank of queues.
     *
     * @param numbers of the bank.
     * @param queues  the queues, a link's after the other's.
     * @param router  has the idle links.
     * @param maxima  counts what nodes hold.
     * @param control  congestion control.
     * @param arrivals says which cells may join; {@code control} itself unless something stands before it.
     * @param drops   takes the cells that congestion control drops.
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

    /** Turns to the sending on a link, a position in the epoch. */
    public void turnToSending(final int link) {
        sending = link;
    }

    /** Turns to the cells that were sent in a slot. */
    public void turnTo(final long sent) {
        queues.turnTo(sent);
    }

    /** The queues, to look at: whoever changes them tells nobody. */
    public CellQueues queues() {
        return queues;
    }

    /** The queues in which cells wait: a bit for each. */
    public QueueBits waiting() {
        return waiting;
    }

    /**
     * The queues from which nothing could leave, a bit for each, so that nobody asks again too early. Whoever asks a
     * queue, and the flows of its node, sets the bit; a cell that joins, a notice or a new flow clears it.
     */
    public QueueBits refused() {
        return refused;
    }

    /** Something of a node may leave on any of its links that could not before. */
    public void wake(final int node) {
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            refused.clear(queue);
        }
    }

    /** What nodes hold, and held at most. */
    public NodeMaxima maxima() {
        return maxima;
    }

    /**
     * Cells of a block that congestion control accepts join their queues; then it takes in what rode along.
     *
     * @param link     position in the epoch of the link towards the senders.
     * @param first    the first node of the block.
     * @param which    the nodes that feedback came to, counted from the first.
     * @param some     how many.
     * @param arriving the cells, at most one a node.
     * @param feedback what rode along, a word for each node of the block.
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
     * Takes out the first cell that may go at each node of a list. That nearly always is the oldest one; only where it
     * may not go the queue is searched.
     *
     * @param firstQueue the queue of the block's first node.
     * @param first      the first node of the block.
     * @param which      nodes with cells waiting, counted from the first.
     * @param paid       number of nodes at the head of the list whose oldest cell is paid for.
     * @param end        number of nodes of the list.
     * @param sent       gets the cells.
     * @param without    gets the nodes of which no cell may go.
     * @return number of those nodes.
     */
    public int dequeue(final int firstQueue, final int first, final int[] which, final int paid, final int end,
        final CellBatch sent, final int[] without) {
        sent.clear();
        queues.dequeueOldest(firstQueue, first, which, paid, sent);
        int refused = 0;
        for (int k = paid; k < end; k++) {
            final int i = which[k];
            if (queues.dequeue(firstQueue + i, control)) {
                control.onDequeue(firstQueue + i, queues.entry());
                sent.add(first + i, firstQueue + i, queues.length(firstQueue + i), queues.entry(), queues.payload());
            } else {
                without[refused++] = i;
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
     * Takes out the first cell of a queue that may go, which {@link CellQueues#entry} and {@link CellQueues#payload}
     * then describe; of the link that is being sent on. Not where links may fail.
     *
     * @return whether one may go.
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

    /** A cell goes no further in any queue: its previous hop is owed what it is due. */
    public void owe(final int node, final long entry) {
        if (Route.owes(entry)) {
            control.onForward(node, entry);
        }
    }

    /** A single cell joins the queue of a link. */
    public void enqueue(final int node, final int link, final long entry, final long cell) {
        final int queue = numbers.queue(link, node);
        final int length = queues.enqueue(queue, entry, cell);
        waiting.set(queue);
        refused.clear(queue);
        router.idle.onEmptiness(link, node, length == 1);
        maxima.onEnqueue(node, queue, length);
        control.onEnqueue(node, entry);
    }

    /** Replaces the cells of a queue, oldest first, whose previous hops are owed nothing for those taken out. */
    public void replace(final int node, final int link, final long[] entries, final long[] cells) {
        remove(node, link, (queue, entry) -> false, (entry, cell) -> { });
        for (int i = 0; i < entries.length; i++) {
            enqueue(node, link, entries[i], cells[i]);
        }
    }

    /** Takes out the cells that a rule does not let stay, in order; the others keep theirs. */
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

    /** A node holds a cell outside of its queues. */
    void hold(final int node) {
        maxima.onEnqueue(node, 0);
    }

    /** A node holds such a cell no more. */
    void release(final int node) {
        maxima.onDequeue(node);
    }
}
