package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.shale.stage.FlowLists.DESTINATION;
import static dev.skerry.nic.shale.stage.FlowLists.FLOW_BYTES;
import static dev.skerry.nic.shale.stage.FlowLists.NEXT;
import static dev.skerry.nic.shale.stage.FlowLists.NONE;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.local.LocalChoice;

/**
 * Finds the local flow whose cell leaves on a link: round robin from a pointer on, or by a choice of the device's own.
 * One thread.
 */
final class LocalSearch {
    private final int firstNode;
    private final int nodes;
    private final FlowStarts starts;
    private final FlowLists lists;
    /** Says which flows may start a cell; null where all may. */
    private final EndToEnd endToEnd;
    /** Chooses among the flows of a node, which are then listed; null where the pointers do. */
    private final LocalChoice choice;
    private final ChosenFlows chosen;
    private boolean declined;

    LocalSearch(final int firstNode, final int nodes, final FlowStarts starts, final FlowLists lists,
        final EndToEnd endToEnd, final LocalChoice choice) {
        this.firstNode = firstNode;
        this.nodes = nodes;
        this.starts = starts;
        this.lists = lists;
        this.endToEnd = endToEnd;
        this.choice = choice;
        this.chosen = new ChosenFlows(lists, starts);
    }

    /** What chooses among the flows of a node; null where pointers do. */
    LocalChoice choice() {
        return choice;
    }

    /** Whether flows have to be asked one after the other, so that only {@link #find} knows what leaves. */
    boolean isPaced() {
        return endToEnd != null || choice != null;
    }

    /** Whether the last {@link #find} found nothing since the choice wanted nothing to leave. */
    boolean isDeclined() {
        return declined;
    }

    /**
     * Finds the first flow that goes to the peer or is admitted, whose turn is then over.
     *
     * @return its place in the lists, or {@link FlowLists#NONE}.
     */
    int find(final int queue, final int nodeOfBank, final int peer, final Admission admission) {
        if (choice != null) {
            return choose(queue, nodeOfBank, peer, admission);
        }
        final int head = lists.head(nodeOfBank);
        final int pointer = lists.pointerOf(queue);
        final int pointed = lists.pointer(pointer);
        final int start = pointed == NONE ? head : pointed;
        if (start == NONE) {
            return NONE;
        }
        int candidate = start;
        do {
            final long at = Region.offset(candidate, FLOW_BYTES);
            final int to = lists.flows().getInt(at, DESTINATION);
            final int next = lists.flows().getInt(at, NEXT);
            if (mayStart(candidate) && (to == peer || admission.admitLocal(queue, nodeOfBank, to))) {
                lists.point(pointer, next);
                return candidate;
            }
            candidate = next == NONE ? head : next;
        } while (candidate != start);
        return NONE;
    }

    private int choose(final int queue, final int nodeOfBank, final int peer, final Admission admission) {
        final int id = firstNode + nodeOfBank;
        final int link = queue / nodes;
        chosen.list(nodeOfBank);
        declined = false;
        while (chosen.count() > 0) {
            final int i = choice.next(id, nodeOfBank, link, chosen);
            if (i == LocalChoice.NONE) {
                declined = true;
                return NONE;
            }
            final int to = chosen.destination(i);
            if (mayStart(chosen.place(i)) && (to == peer || admission.admitLocal(queue, nodeOfBank, to))) {
                choice.onSent(id, nodeOfBank, link, to);
                return chosen.place(i);
            }
            chosen.leaveOut(i);
        }
        return NONE;
    }

    private boolean mayStart(final int place) {
        return endToEnd == null || endToEnd.mayStart(starts.flow(place));
    }
}
