package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.NodeSets;
import dev.skerry.nic.shoal.Shoal;

/**
 * Sends rows in which few nodes have something to do: takes these nodes through their turns one by one and leaves all
 * others idle. A node has something to do if its queue holds a cell or had ready flows, if a flow of it is active, or
 * if it may have a queue to tell of; no other node's turn changes anything. One thread.
 */
final class SparseSends {
    private final ShoalBank.Parts parts;
    private final InFlightCells link;
    private final LinkTurns turns;
    private final ShoalBank.Density density;
    /** By channel: nodes that have something to do, how many, or -1 if the row is not sparse. */
    private final int[][] nodes;
    private final int[] count;
    /** The last slot in which a node had something to do, and may have put it on the link. */
    private long lastBusy = Long.MIN_VALUE / 2;

    SparseSends(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final InFlightCells link) {
        this.parts = parts;
        this.link = link;
        this.turns = LinkTurns.of(range, shoal, parts, link);
        this.density = parts.density();
        this.nodes = new int[shoal.channels()][range.size()];
        this.count = new int[shoal.channels()];
    }

    /**
     * Finds the nodes of a row that have something to do and samples their reports, if they are few.
     *
     * @param slot     the slot.
     * @param channel  of the row.
     * @param onLink   its link.
     * @param first    the first node with a turn.
     * @param end      one past the last.
     * @param barred   first of the nodes in between that have none.
     * @param barredTo one past the last of them.
     * @param feedback gets the reports, by node.
     * @return whether they are few.
     */
    boolean sample(final long slot, final int channel, final int onLink, final int first, final int end,
        final int barred, final int barredTo, final long[] feedback) {
        int busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            busy += Long.bitCount((work(onLink, word) | parts.joined().telling(onLink, word))
                & NodeSets.within(word, first, end) & ~NodeSets.within(word, barred, barredTo));
        }
        if (busy > 0) {
            lastBusy = slot;
        }
        count[channel] = density.isSparse(busy, end - first - barredTo + barred) ? 0 : -1;
        if (count[channel] < 0) {
            return false;
        }
        for (int word = NodeSets.wordOf(first); busy > 0 && word * NodeSets.WORD_NODES < end; word++) {
            final long telling = parts.joined().telling(onLink, word);
            long left = (work(onLink, word) | telling) & NodeSets.within(word, first, end)
                & ~NodeSets.within(word, barred, barredTo);
            for (; left != 0; left &= left - 1) {
                final int node = word * NodeSets.WORD_NODES + Long.numberOfTrailingZeros(left);
                nodes[channel][count[channel]++] = node;
                feedback[node] = (telling >>> node & 1) == 0 ? 0 : parts.reports().sample(onLink, node);
            }
        }
        return true;
    }

    private long work(final int onLink, final int word) {
        return parts.queues()[0].waiting(onLink, word) | parts.scheduler().active().some(word);
    }

    /** Whether all nodes have left the link idle for some slots before this one. */
    boolean isLinkIdle(final long slot, final int slots) {
        return slot - lastBusy > slots;
    }

    /** Whether the row of a channel is sparse, as found by {@link #sample}. */
    boolean isChosen(final int channel) {
        return count[channel] >= 0;
    }

    /**
     * Sends the row of a channel.
     *
     * @param place    of the schedule.
     * @param linkAt   place of the bank's first node on the link.
     * @param feedback the reports, by node.
     */
    void send(final int channel, final long slot, final int epoch, final int place, final int first, final int end,
        final long linkAt, final long[] feedback) {
        link.leaveIdle(linkAt + Region.offset(first, InFlightCells.PLACE_BYTES), end - first, 0);
        parts.sent().begin(epoch, parts.plan().link(place), first, end);
        turns.turnTo(slot, epoch, place, linkAt);
        final int[] busy = nodes[channel];
        for (int k = 0; k < count[channel]; k++) {
            turns.send(busy[k], feedback[busy[k]]);
        }
    }

    /** Cells of other nodes sent on. */
    long forwarded() {
        return turns.forwarded();
    }
}
