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
 * Congestion control of one bank, asked at four points: may a flow start a cell, may a queued cell go, what becomes of
 * a cell that arrives, and what its source or its last hop is told. An implementation is made by a {@link
 * ControlFactory} and needs no change elsewhere. Most questions come for a block of nodes at once, so that a call costs
 * little. Nodes are numbered within their bank, queues {@code slotInEpoch * nodesOfBank + node}. One thread.
 *
 * <pre>
 *   send     trySpend, else eligible + onDequeue, else admitLocal     may it go?
 *            onForward                                                what is its last hop owed?
 *            takeFeedback                                             what rides along?
 *   receive  onArrive                                                 accept, trim or drop?
 *            onReceive                                                it waits; then what rode along
 * </pre>
 *
 * The methods from {@link #canStart} to {@link #onLinkDown} are asked for single cells, and only where links fail
 * (docs/spec/shale.md §8.3, §8.5); their defaults suit a mechanism that keeps no record of its cells.
 */
public interface CongestionControl extends Eligibility, Admission, ArrivalRule {
    /**
     * What the nodes of a block ask to send on a link, columns by node.
     *
     * @param oldest       the lower halves of the words of the oldest cells.
     * @param waiting      1 for a node that asks for its oldest cell, else 0.
     * @param destinations of the cells that would start here.
     * @param local        1 for a node that asks for such a cell, else 0.
     * @param paid         gets 1 for a cell that may go, else 0; it may be eligible all the same.
     */
    record Requests(int[] oldest, int[] waiting, int[] destinations, int[] local, int[] paid) {
        /** Nothing asked for, by some nodes. */
        public Requests(final int nodes) {
            this(new int[nodes], new int[nodes], new int[nodes], new int[nodes], new int[nodes]);
        }
    }

    /**
     * Spends what nodes need to send on a link, where that is known without a search: the oldest cell of the queue, or
     * else a cell that starts here, to another destination than the peer. First call of a slot, once a block; left out
     * where no node of the bank has anything to send.
     *
     * @param firstQueue the queue of the block's first node.
     * @param which      the nodes that ask, counted from the first; the columns stay by node.
     * @param some       how many, at most {@link CellBatch#CELLS}.
     * @return whether a cell that starts here and is not paid for may not go: {@link #admitLocal} is not asked then.
     */
    default boolean trySpend(final int firstQueue, final int[] which, final int some, final Requests asks) {
        for (int k = 0; k < some; k++) {
            asks.paid[which[k]] = 0;
        }
        return false;
    }

    /**
     * Before {@link #trySpend} and the taking of feedback: which nodes will ask, so that
     * their cache lines may be read together. Changes nothing.
     *
     * @param firstQueue the queue of the first node.
     * @param asking     the nodes that may send a cell, counted from the first, {@code asked} of them.
     * @param feeding    the nodes that have feedback, {@code fed} of them.
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

    /** The cell just found eligible leaves its queue to be sent on: spend what sending costs. */
    default void onDequeue(final int queue, final long entry) {
    }

    /** Cells are sent on, see {@link #onForward(int, long)}. */
    default void onForward(final CellBatch sent) {
        for (int i = 0; i < sent.count(); i++) {
            onForward(sent.node()[i], sent.word()[i]);
        }
    }

    /** A cell is sent on, or dropped as it cannot go on: owe what its previous hop is due. */
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
     * Cells joined queues of a block; after that, what rode with the cells that arrived. Last call of a slot, once for
     * each block in which something arrived.
     *
     * @param firstQueue the first node's queue towards its sender.
     * @param first      the first node of the block.
     * @param which      the nodes that feedback came to, counted from the first.
     * @param some       how many.
     * @param joined     the cells, at most one a node.
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

    /** A single cell joined a queue of a node. */
    default void onEnqueue(final int node, final long entry) {
    }

    /**
     * Whether only those nodes may be asked that have something to do, where they are few. A node without a cell, a
     * flow and feedback is not asked then. What may not leave must stay so until a notice comes over the link: until
     * then nobody asks again.
     */
    default boolean takesSingleNodes() {
        return false;
    }

    /**
     * Which of 64 queues have feedback to send, a bit for each; asked only if {@link #takesSingleNodes}.
     *
     * @param first the first of the queues, which follow each other.
     */
    default long feedbackFrom(final int first) {
        return -1;
    }

    /**
     * Whether it has nothing to send and, without a cell or feedback that comes, changes nothing, however many slots go
     * by without a call.
     */
    default boolean isIdle() {
        return false;
    }

    /** Whether a cell to a destination that is not the peer may start on a queue; nothing is spent. */
    default boolean canStart(final int queue, final int destination) {
        return true;
    }

    /** A cell leaves its queue without being sent. */
    default void onRemove(final int node, final long entry) {
    }

    /** Takes out the oldest notice of a queue alone, or {@link #NO_NOTICE}: a failure needs the other half. */
    default int takeNotice(final int queue) {
        return NO_NOTICE;
    }

    /**
     * A notice that rode with a cell that arrived, handled alone.
     *
     * @param queue the receiver's queue towards the sender.
     */
    default void onNotice(final int queue, final int node, final int notice) {
    }

    /** A cell that went into a bucket at the next node was lost on its way. */
    default void onCellLost(final int queue, final int node, final int bucket) {
    }

    /** A notice was lost on its way: it has to leave once more. */
    default void onNoticeLost(final int queue, final int notice) {
    }

    /** A link has failed: what is outstanding and owed on it is void. */
    default void onLinkDown(final int queue, final int node) {
    }

    /** What it counts beside the cells; 0 for what it does not. */
    default long count(final NicCounter counter) {
        return 0;
    }

    /** Most buckets that were ever active at a node; 0 where there are no buckets. */
    default int maxActiveBuckets(final int node) {
        return 0;
    }

    /** Buckets that are active at a node now; 0 where there are no buckets. Slow. */
    default int activeBuckets(final int node) {
        return 0;
    }

    /** Tokens of a bucket outstanding on the link of a queue; 0 where there are no tokens. */
    default int outstanding(final int queue, final int bucket) {
        return 0;
    }

    /**
     * Notices that returned what nobody had spent, a token too many. They are ignored. None comes unless the law of
     * tokens is broken (docs/spec/shale.md §5.5 I1).
     */
    default long anomalies() {
        return 0;
    }

    /**
     * Tokens of a bucket on a link, see {@link Shale#budget}; 0 where there are no tokens. This and the following
     * methods are registers of a device, read and, where {@link ControlFactory#takesRegisters}, set between slots.
     */
    default int budget(final int bucket) {
        return 0;
    }

    /** The buckets of the tokens owed on a link, oldest first. */
    default int[] owed(final int queue) {
        return new int[0];
    }

    /** Sets the tokens of a bucket that are away on the link of a queue of a node. */
    default void setOutstanding(final int queue, final int node, final int bucket, final int tokens) {
        throw new IllegalArgumentException("this congestion control has no tokens: bucket=" + bucket);
    }

    /** Sets the tokens owed on a link, oldest first. */
    default void setOwed(final int queue, final int[] buckets) {
        throw new IllegalArgumentException("this congestion control has no tokens: owed=" + buckets.length);
    }

    /**
     * Signals of each link that it shows: by default tokens outstanding and owed, and the token that leaves next. A
     * mechanism without tokens has the same columns, so that runs can be laid side by side.
     */
    default List<Signal> probes() {
        return List.of(new Signal("outstanding", 16), new Signal("owed", 16), new Signal("next_token", 32));
    }

    /** The value of one of these signals. */
    default long probe(final int node, final int link, final int which) {
        return which == 2 ? NO_NOTICE : 0;
    }

    /**
     * Makes the congestion control of each bank, and says what it costs and which laws it obeys. As a service ({@link
     * java.util.ServiceLoader}) with a {@link #name} it can be used wherever Shale runs. Immutable; any thread.
     */
    @FunctionalInterface
    interface ControlFactory {
        /** What laws look at: the congestion control of a bank, its queues, and what it knows of failures, or null. */
        record BankState(CongestionControl control, CellQueues queues, PathReachability reach, NodeRange range) {
        }

        /** Its part of a label of mechanisms, in place of {@code hbh}; empty if it is no service. */
        default String name() {
            return "";
        }

        /**
         * The congestion control of a bank at slot 0.
         *
         * @param arena owner of the memory.
         * @param shale budgets and schedule.
         * @param nodes nodes of the bank.
         * @param pool  overflow of the bank.
         */
        CongestionControl begin(Arena arena, Shale shale, int nodes, SpillPool pool);

        /**
         * Checks that it can carry this traffic, before memory is allocated.
         *
         * @throws IllegalArgumentException if it cannot; the message says why.
         */
        default void check(final Shale shale, final Traffic traffic) {
        }

        /**
         * Whether all its state is in its registers, see {@link CongestionControl#budget}, and can be set from those of
         * a device.
         */
        default boolean takesRegisters() {
            return false;
        }

        /** Memory of a bank in bytes, pool and growth not counted. */
        default long bytes(final Shale shale, final int nodes) {
            return 0;
        }

        /** The laws that it obeys over a whole fabric. */
        default FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
            return slot -> { };
        }
    }
}
