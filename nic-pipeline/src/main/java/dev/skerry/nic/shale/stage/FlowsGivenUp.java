package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.shale.stage.FlowLists.CELLS;
import static dev.skerry.nic.shale.stage.FlowLists.DESTINATION;
import static dev.skerry.nic.shale.stage.FlowLists.FLOW_BYTES;
import static dev.skerry.nic.shale.stage.FlowLists.NEXT;
import static dev.skerry.nic.shale.stage.FlowLists.NONE;
import static dev.skerry.nic.shale.stage.FlowLists.SENT;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.FlowSet;

import java.util.function.IntConsumer;

/** The flows of a bank's nodes that were given up because nothing leads to their destination. One thread. */
final class FlowsGivenUp {
    private final FlowLists lists;
    private final IntConsumer told;
    private long flows;
    private long cells;

    /** Which destinations a flow is to be given up for. */
    @FunctionalInterface
    interface Hopeless {
        boolean isHopeless(int destination);
    }

    /** None; {@code told} is told of each, by its number in the lists. */
    FlowsGivenUp(final FlowLists lists, final IntConsumer told) {
        this.lists = lists;
        this.told = told;
    }

    /** Gives up the flows of a node to some destinations. */
    void add(final int nodeOfBank, final Hopeless which) {
        final Region flow = lists.flows();
        int index = lists.head(nodeOfBank);
        while (index != NONE) {
            final long at = Region.offset(index, FLOW_BYTES);
            final int next = flow.getInt(at, NEXT);
            if (which.isHopeless(flow.getInt(at, DESTINATION))) {
                final int until = flow.getInt(at, CELLS);
                // Of a flow without end, nobody can say how many cells stay behind.
                cells += until == FlowSet.ENDLESS ? 0 : until - flow.getInt(at, SENT);
                flows++;
                lists.remove(index, nodeOfBank);
                told.accept(index);
            }
            index = next;
        }
    }

    /** Flows given up so far. */
    long flows() {
        return flows;
    }

    /** Cells of these flows that were not sent. */
    long cells() {
        return cells;
    }
}
