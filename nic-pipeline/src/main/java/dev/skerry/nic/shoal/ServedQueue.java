package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

/**
 * A queue of {@link ShoalQueues} while its node has its turn on its link: looked at once, worked on, and written back
 * once. One thread.
 */
public final class ServedQueue {
    private final Region loads;
    private final Region searches;
    private final Region firsts;
    private final QueueTails tails;
    private final NodeSets waiting;
    private final int nodes;
    private int link;
    private int node;
    private int queue;
    private int length;
    private int search;
    private long word;
    private long cell;

    ServedQueue(final Region loads, final Region searches, final Region firsts, final QueueTails tails,
        final NodeSets waiting, final int nodes) {
        this.loads = loads;
        this.searches = searches;
        this.firsts = firsts;
        this.tails = tails;
        this.waiting = waiting;
        this.nodes = nodes;
    }

    /** Turns to the queue of a link of a node. */
    public void turnTo(final int toLink, final int toNode) {
        link = toLink;
        node = toNode;
        queue = QueueNumbers.entry(toLink, toNode, nodes);
        length = ShoalQueueLayout.lengthOf(loads.getInt(Region.offset(queue, Integer.BYTES)));
        search = searches.getInt(Region.offset(queue, Integer.BYTES));
    }

    /** Cells in the queue. */
    public int length() {
        return length;
    }

    /** The flow of the local cell that was in the queue at the turn, {@link ShoalQueues#NONE} without one. */
    public int local() {
        return ShoalQueueLayout.localOf(search);
    }

    /** Where in the node's list of active flows the search begins. */
    public int turn() {
        return ShoalQueueLayout.turnOf(search);
    }

    /** Appends a cell. */
    public void append(final long routeWord, final long cellWord) {
        tails.put(queue, length, routeWord, cellWord);
        length++;
    }

    /** Takes out the first cell; {@link #word()} and {@link #cell()} then give its words. */
    public void pop() {
        final long first = Region.offset(queue, ShoalQueueLayout.FIRST_BYTES);
        word = firsts.getLong(first, 0);
        cell = firsts.getLong(first, 1);
        if (length > 1) {
            tails.moveUp(queue, length);
        }
        length--;
    }

    /** The route word of the cell taken out. */
    public long word() {
        return word;
    }

    /** The cell word of the cell taken out. */
    public long cell() {
        return cell;
    }

    /**
     * Ends the turn.
     *
     * @param ready flows that are ready.
     * @param turn  where the next search begins.
     * @param local the flow of the local cell that is in the queue, {@link ShoalQueues#NONE} without one.
     */
    public void settle(final int ready, final int turn, final int local) {
        final int load = ShoalQueueLayout.load(length, ready);
        loads.setInt(Region.offset(queue, Integer.BYTES), load);
        searches.setInt(Region.offset(queue, Integer.BYTES), ShoalQueueLayout.search(turn, local + 1));
        waiting.put(link, node, load != 0);
    }
}
