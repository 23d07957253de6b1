package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * Congestion control of one bank. It is consulted at four points: whether a flow may start a cell, whether a queued
 * cell may be sent, what happens to an arriving cell, and what to report to its source or last hop. An implementation
 * is created by a {@link ControlFactory} and needs no change elsewhere. Most calls cover a block of nodes, so that a
 * call costs little. Nodes are numbered within their bank, queues {@code slotInEpoch * nodesOfBank + node}. One thread.
 *
 * <pre>
 *   send     trySpend, else eligible + onDequeue, else admitLocal     may the cell be sent?
 *            onForward                                                what is owed to its last hop?
 *            takeFeedback                                             which feedback accompanies it?
 *   receive  onArrive                                                 accept, trim or drop?
 *            onReceive                                                the cell is queued; then its feedback
 * </pre>
 *
 * The methods from {@link #canStart} to {@link #onLinkDown} concern single cells, and are called only if links may fail
 * (docs/spec/shale.md §8.3, §8.5); their defaults suit a mechanism that keeps no record of its cells.
 */
public interface CongestionControl extends Eligibility, Admission, ArrivalRule {
    /**
     * Requests of the nodes of a block to send on a link, columns by node.
     *
     * @param oldest       the lower halves of the words of the oldest cells.
     * @param waiting      1 for a node that requests to send its oldest cell, else 0.
     * @param destinations destinations of the cells that would start here.
     * @param local        1 for a node that requests to send such a cell, else 0.
     * @param paid         receives 1 for a cell that may be sent, else 0; it may still be eligible.
     */
    record Requests(int[] oldest, int[] waiting, int[] destinations, int[] local, int[] paid) {
        /** Creates empty requests for a number of nodes. */
        public Requests(final int nodes) {
            this(new int[nodes], new int[nodes], new int[nodes], new int[nodes], new int[nodes]);
        }
    }

    /**
     * Spends what nodes need to send on a link, if this is known without a search: for the oldest cell of the queue, or
     * else for a cell that starts here, to a destination other than the peer. First call of a slot, once per block;
     * omitted if no node of the bank has anything to send.
     *
     * @param firstQueue the queue of the block's first node.
     * @param which      the requesting nodes, counted from the first; the columns stay by node.
     * @param some       number of these nodes, at most {@link CellBatch#CELLS}.
     * @return whether a cell that starts here and is not paid for must not be sent, in which case {@link #admitLocal}
     *     is not called.
     */
    default boolean trySpend(final int firstQueue, final int[] which, final int some, final Requests asks) {
        for (int k = 0; k < some; k++) {
            asks.paid[which[k]] = 0;
        }
        return false;
    }

    /**
     * Announces, before {@link #trySpend} and the removal of feedback, which nodes will make requests, so that their
     * cache lines can be read together. Changes nothing.
     *
     * @param firstQueue the queue of the first node.
     * @param asking     the nodes that may send a cell, counted from the first; the first {@code asked} entries.
     * @param feeding    the nodes that have feedback; the first {@code fed} entries.
     */
    default void fetch(final int firstQueue, final int[] asking, final int asked, final int[] feeding, final int fed) {
    }

    @Override
    default boolean eligible(final int queue, final long entry) {
        return true;
    }

    @Override
    default boolean admitLocal(final int queue, final int node, final int destination) {
        return true;
    }

    /** Called when the cell just found eligible leaves its queue to be sent on: spends the cost of sending. */
    default void onDequeue(final int queue, final long entry) {
    }

    /** Called when cells are sent on, see {@link #onForward(int, long)}. */
    default void onForward(final CellBatch sent) {
        for (int i = 0; i < sent.count(); i++) {
            onForward(sent.node()[i], sent.word()[i]);
        }
    }

    /**
     * Called when a cell is sent on, or dropped because it cannot proceed: records what is owed to its previous hop.
     */
    default void onForward(final int node, final long entry) {
    }

    @Override
    default long takeFeedback(final int queue) {
        return InFlightCells.NO_FEEDBACK;
    }

    @Override
    default void onArrive(final int first, final CellBatch arriving, final DroppedCells drops) {
    }

    /**
     * Called after cells have joined queues of a block; handles the feedback of the arrived cells. Last call of a slot,
     * once for each block in which something arrived.
     *
     * @param firstQueue the first node's queue towards its sender.
     * @param first      the first node of the block.
     * @param which      the nodes that received feedback, counted from the first.
     * @param some       number of these nodes.
     * @param joined     the cells, at most one per node.
     * @param feedback   a word for each node of the block, see {@link #takeFeedback(int)}.
     */
    default void onReceive(final int firstQueue, final int first, final int[] which, final int some,
        final CellBatch joined, final long[] feedback) {
        for (int k = 0; k < joined.count(); k++) {
            onEnqueue(joined.node()[k], joined.word()[k]);
        }
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            final int second = (int) (feedback[i] >>> Integer.SIZE);
            if ((int) feedback[i] != NO_NOTICE) {
                onNotice(firstQueue + i, first + i, (int) feedback[i]);
            }
            if (second != NO_NOTICE) {
                onNotice(firstQueue + i, first + i, second);
            }
        }
    }

    /** Called when a single cell joins a queue of a node. */
    default void onEnqueue(final int node, final long entry) {
    }

    /**
     * Whether, if few nodes are active, only those need to be considered. A node without a cell, a flow and feedback is
     * then skipped. A cell that may not be sent must remain so until a notice arrives over the link, because it is not
     * considered again before.
     */
    default boolean takesSingleNodes() {
        return false;
    }

    /**
     * Bitmap of those of 64 queues that have feedback to send; called only if {@link #takesSingleNodes}.
     *
     * @param first the first of the consecutive queues.
     */
    default long feedbackFrom(final int first) {
        return -1;
    }

    /**
     * Whether it has nothing to send and does not change, unless a cell or feedback arrives, however many slots are
     * skipped.
     */
    default boolean isIdle() {
        return false;
    }

    /** Whether a cell to a destination other than the peer may start on a queue; nothing is spent. */
    default boolean canStart(final int queue, final int destination) {
        return true;
    }

    /** Called when a cell leaves its queue without being sent. */
    default void onRemove(final int node, final long entry) {
    }

    /**
     * Removes the oldest notice of a queue alone, or returns {@link #NO_NOTICE}: a failure uses the other half of the
     * word.
     */
    default int takeNotice(final int queue) {
        return NO_NOTICE;
    }

    /**
     * Handles a single notice that accompanied an arrived cell.
     *
     * @param queue the receiver's queue towards the sender.
     */
    default void onNotice(final int queue, final int node, final int notice) {
    }

    /** Called when a cell of a bucket at the next node was lost on its way. */
    default void onCellLost(final int queue, final int node, final int bucket) {
    }

    /** Called when a notice was lost on its way and must be sent again. */
    default void onNoticeLost(final int queue, final int notice) {
    }

    /** Called when a link has failed: what is outstanding and owed on it becomes void. */
    default void onLinkDown(final int queue, final int node) {
    }

    /** Value of a counter other than those of cells; 0 if it is not counted. */
    default long count(final NicCounter counter) {
        return 0;
    }

    /** Maximum number of active buckets at a node; 0 if there are no buckets. */
    default int maxActiveBuckets(final int node) {
        return 0;
    }

    /** Number of currently active buckets at a node; 0 if there are no buckets. Slow. */
    default int activeBuckets(final int node) {
        return 0;
    }

    /** Outstanding tokens of a bucket on the link of a queue; 0 if there are no tokens. */
    default int outstanding(final int queue, final int bucket) {
        return 0;
    }

    /**
     * Number of notices that returned a token that had not been spent. They are ignored. There are none unless the
     * token invariant is broken (docs/spec/shale.md §5.5 I1).
     */
    default long anomalies() {
        return 0;
    }

    /**
     * Tokens of a bucket on a link, see {@link Shale#budget}; 0 if there are no tokens. This and the following methods
     * are registers of a device, read and, if {@link ControlFactory#takesRegisters}, set between slots.
     */
    default int budget(final int bucket) {
        return 0;
    }

    /** The buckets of the tokens owed on a link, oldest first. */
    default int[] owed(final int queue) {
        return new int[0];
    }

    /** Sets the outstanding tokens of a bucket on the link of a queue of a node. */
    default void setOutstanding(final int queue, final int node, final int bucket, final int tokens) {
        throw new IllegalArgumentException("this congestion control has no tokens: bucket=" + bucket);
    }

    /** Sets the tokens owed on a link, oldest first. */
    default void setOwed(final int queue, final int[] buckets) {
        throw new IllegalArgumentException("this congestion control has no tokens: owed=" + buckets.length);
    }

    /**
     * Signals of each link: by default the numbers of tokens outstanding and owed, and the token that leaves next. A
     * mechanism without tokens has the same columns, so that runs can be compared.
     */
    default List<Signal> probes() {
        return List.of(new Signal("outstanding", 16), new Signal("owed", 16), new Signal("next_token", 32));
    }

    /** The value of one of these signals. */
    default long probe(final int node, final int link, final int which) {
        return which == 2 ? NO_NOTICE : 0;
    }

    /**
     * Creates the congestion control of each bank, and defines its memory and invariants. As a service
     * ({@link java.util.ServiceLoader}) with a {@link #name} it can be used wherever Shale runs. Immutable; any thread
     * may call.
     */
    @FunctionalInterface
    interface ControlFactory {
        /**
         * State that invariants inspect: the congestion control of a bank, its queues, and its knowledge of failures,
         * or null.
         */
        record BankState(CongestionControl control, CellQueues queues, PathReachability reach, NodeRange range) {
        }

        /** The part of a mechanism label that selects it instead of {@code hbh}; empty if it is not a service. */
        default String name() {
            return "";
        }

        /**
         * Creates the congestion control of a bank at slot 0.
         *
         * @param arena owner of the memory.
         * @param shale budgets and schedule.
         * @param nodes number of nodes of the bank.
         * @param pool  overflow of the bank.
         */
        CongestionControl begin(Arena arena, Shale shale, int nodes, SpillPool pool);

        /**
         * Checks that it supports this traffic, before memory is allocated.
         *
         * @throws IllegalArgumentException if it does not; the message says why.
         */
        default void check(final Shale shale, final Traffic traffic) {
        }

        /**
         * Whether its registers contain all its state, see {@link CongestionControl#budget}, and can be set from those
         * of a device.
         */
        default boolean takesRegisters() {
            return false;
        }

        /** Memory of a bank in bytes, without the pool and growth. */
        default long bytes(final Shale shale, final int nodes) {
            return 0;
        }

        /** Its invariants over a whole fabric. */
        default FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
            return slot -> { };
        }
    }
}
