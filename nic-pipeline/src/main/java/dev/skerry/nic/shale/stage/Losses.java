package dev.skerry.nic.shale.stage;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;

/**
 * The cells that a bank loses, by name, and where it lost the first; whoever drops a cell says so here, and its payload
 * is given back. One thread.
 */
final class Losses implements DroppedCells {
    private static final long NEVER = -1;

    private final int firstId;
    private final PayloadStore store;
    private final long[] counts = new long[NicCounter.values().length];
    private long slot;
    private long firstSlot = NEVER;
    private long lastSlot = NEVER;
    private int firstNode;

    Losses(final NodeRange range, final PayloadStore store) {
        this.firstId = range.first();
        this.store = store;
    }

    /** Turns to a slot. */
    void turnTo(final long to) {
        slot = to;
    }

    /** A node of the bank lost a cell that it does not hold, or holds no more. */
    void drop(final int node, final long cell, final NicCounter name) {
        counts[name.ordinal()]++;
        store.discard(cell);
        lastSlot = slot;
        final int id = firstId + node;
        if (firstSlot == NEVER || firstSlot == slot && id < firstNode) {
            firstSlot = slot;
            firstNode = id;
        }
    }

    /** Cells lost under a name. */
    long count(final NicCounter name) {
        return counts[name.ordinal()];
    }

    /** The slot in which the last was lost, -1 if none was. */
    long lastSlot() {
        return lastSlot;
    }

    /** Where the first was lost, the lowest node of that slot; null if none was. */
    Outcome.Drop first() {
        return firstSlot == NEVER ? null : new Outcome.Drop(firstSlot, firstNode);
    }

    @Override
    public void onDrop(final int node, final long cell, final Loss loss) {
        drop(node, cell, switch (loss) {
            case LAST_HOP -> NicCounter.DROPPED_LAST_HOP;
            case NO_LINK -> NicCounter.DROPPED_NO_LINK;
            case UNREACHABLE -> NicCounter.DROPPED_UNREACHABLE;
            case NODE_DOWN -> NicCounter.DROPPED_NODE_DOWN;
        });
    }
}
