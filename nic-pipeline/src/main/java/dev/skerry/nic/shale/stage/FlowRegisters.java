package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.shale.stage.FlowLists.CELLS;
import static dev.skerry.nic.shale.stage.FlowLists.FLOW_BYTES;
import static dev.skerry.nic.shale.stage.FlowLists.NONE;
import static dev.skerry.nic.shale.stage.FlowLists.SENT;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.shale.local.LocalChoice;

/** The local flows of a bank as registers, to be read and set between slots. One thread. */
final class FlowRegisters {
    private final ShaleFlowScheduler scheduler;
    private final FlowSet flows;
    private final FlowStarts arrivals;
    private final FlowLists lists;
    /** What chooses among the flows of a node; null where pointers do. */
    private final LocalChoice choice;
    private final int firstNode;

    FlowRegisters(final ShaleFlowScheduler scheduler, final FlowSet flows, final FlowStarts arrivals,
        final FlowLists lists, final LocalSearch search, final int firstNode) {
        this.scheduler = scheduler;
        this.flows = flows;
        this.arrivals = arrivals;
        this.lists = lists;
        this.choice = search.choice();
        this.firstNode = firstNode;
    }

    /** Before the first slot: flows that start before a slot are active. */
    void begin(final long slot) {
        if (slot > 0) {
            scheduler.activate(slot - 1);
        }
    }

    /** Cells of a flow that were sent; 0 for a flow of another bank, or one that is still to come. */
    int sent(final int index) {
        final int i = place(index);
        return i == NONE ? 0 : lists.flows().getInt(Region.offset(i, FLOW_BYTES), SENT);
    }

    /**
     * Sets how many cells of an active flow were sent; if all, it is over.
     *
     * @throws IllegalArgumentException if it is not active yet, is over, has fewer cells, or is of another node.
     */
    void setSent(final int index, final int cells) {
        final int i = place(index);
        if (i == NONE && cells == 0) {
            return;
        }
        if (i == NONE || cells < 0 || cells > flows.cells(index)) {
            throw new IllegalArgumentException("not a flow of this node that has started, or not so many cells: flow="
                + index + " cells=" + cells);
        }
        final long at = Region.offset(i, FLOW_BYTES);
        final int until = lists.flows().getInt(at, CELLS);
        if (lists.flows().getInt(at, SENT) == until) {
            if (cells < until) {
                throw new IllegalArgumentException("the flow is over: flow=" + index + " cells=" + cells);
            }
            return;
        }
        lists.flows().setInt(at, SENT, cells);
        if (cells == until) {
            lists.remove(i, arrivals.node(i) - firstNode);
        }
    }

    /** The flow at which the search for a queue begins, -1: the first. */
    int pointer(final int queue) {
        return scheduler.pointer(queue);
    }

    /**
     * Sets it.
     *
     * @throws IllegalArgumentException if the flow is not active.
     */
    void point(final int queue, final int index) {
        final int i = index == NONE ? NONE : place(index);
        if (index != NONE && (i == NONE || sent(index) == flows.cells(index))) {
            throw new IllegalArgumentException("not an active flow of this node: flow=" + index);
        }
        lists.point(lists.pointerOf(queue), i);
    }

    /** The destination at which the search of a node begins, -1 where flows have no such turn. */
    int turn(final int node) {
        return choice == null ? NONE : choice.turn(node);
    }

    /**
     * Sets it.
     *
     * @throws IllegalArgumentException if flows have no such turn.
     */
    void setTurn(final int node, final int destination) {
        if (choice == null) {
            throw new IllegalArgumentException("pointers choose among the flows, not destinations: turn="
                + destination);
        }
        choice.setTurn(node, destination);
    }

    /** The bank's number of a flow that has started, -1 for none. */
    private int place(final int index) {
        for (int i = 0; i < arrivals.started(); i++) {
            if (arrivals.flow(i) == index) {
                return i;
            }
        }
        return NONE;
    }
}
