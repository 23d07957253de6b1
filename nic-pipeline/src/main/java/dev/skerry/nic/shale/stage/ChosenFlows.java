package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.shale.stage.FlowLists.DESTINATION;
import static dev.skerry.nic.shale.stage.FlowLists.FLOW_BYTES;
import static dev.skerry.nic.shale.stage.FlowLists.NEXT;
import static dev.skerry.nic.shale.stage.FlowLists.NONE;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.shale.local.LocalFlows;

import java.util.Arrays;

/**
 * The local flows of one node that a choice of the device's own has in a slot. Listing costs a step for each active
 * flow of the node. One thread.
 */
final class ChosenFlows implements LocalFlows {
    private final FlowLists lists;
    private final FlowStarts starts;
    private int[] index = new int[16];
    private int count;

    ChosenFlows(final FlowLists lists, final FlowStarts starts) {
        this.lists = lists;
        this.starts = starts;
    }

    /** Lists the active flows of a node. */
    void list(final int node) {
        count = 0;
        for (int at = lists.head(node); at != NONE; at = lists.flows().getInt(Region.offset(at, FLOW_BYTES), NEXT)) {
            if (count == index.length) {
                index = Arrays.copyOf(index, 2 * count);
            }
            index[count++] = at;
        }
    }

    /** A flow's place in the lists. */
    int place(final int i) {
        return index[i];
    }

    /** Takes a flow off the list; the others keep their order. */
    void leaveOut(final int i) {
        count--;
        System.arraycopy(index, i + 1, index, i, count - i);
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public int flow(final int i) {
        return starts.flow(index[i]);
    }

    @Override
    public int destination(final int i) {
        return lists.flows().getInt(Region.offset(index[i], FLOW_BYTES), DESTINATION);
    }
}
