package dev.skerry.nic.shoal.stage;

import static dev.skerry.nic.shoal.stage.ShoalInspection.require;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.Throttles;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Shoal's laws (docs/spec/shoal.md §4.6) over a whole fabric, after every slot from the first on: I1, I2, I3 with the
 * bounds of Eq. 3 and Eq. 5, I4, I5, I6, I8, I9, with the basic mechanism Eq. 3 in place of I1; I7, conservation, is
 * every fabric's. Keeps the cells of each queue after the slot before. One thread, not fast: messages are made whether
 * a law is broken or not.
 */
public final class ShoalLaws implements FabricLaws {
    private final Shoal shoal;
    private final Bank[] banks;
    private final int links;
    private final ShoalInspection inspection;
    /** Queues that were served in the slot, {@code node * links + link}. */
    private final BitSet served;
    /** Cell words of each queue after the slot before, by the same number. */
    private final long[][] before;
    private final BitSet sources;

    public ShoalLaws(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
        this.shoal = shoal;
        this.banks = banks;
        this.links = shoal.nodes() - 1;
        this.inspection = new ShoalInspection(shoal, banks, link);
        this.served = new BitSet(shoal.nodes() * links);
        this.before = new long[shoal.nodes() * links][0];
        this.sources = new BitSet(shoal.nodes());
    }

    @Override
    public void check(final long slot) {
        inspection.findUndelivered(slot);
        inspection.checkSent(slot, served);
        for (final Bank bank : banks) {
            final ShoalBank.Parts parts = ((ShoalBank) bank).parts();
            for (int node = 0; node < bank.range().size(); node++) {
                for (int towards = 0; towards < links; towards++) {
                    checkQueue(parts, bank.range().first() + node, node, towards);
                }
            }
        }
    }

    private void checkQueue(final ShoalBank.Parts parts, final int id, final int node, final int towards) {
        final ShoalQueues queues = parts.queues()[0];
        final int queue = queues.queue(towards, node);
        final int peer = ShoalSlotPlan.peer(id, towards, shoal.nodes());
        final int flow = queues.local(queue);
        final long[] cells = new long[queues.length(queue)];
        final int[] seen = new int[2];
        sources.clear();
        queues.forEach(queue, (word, cell) -> {
            cells[seen[0]++] = cell;
            final int source = ShoalCell.source(word);
            if (source == id) {
                seen[1]++;
                final int ownFlow = parts.scheduler().numberOf(node, ShoalCell.destination(word));
                require(ownFlow < 0 || parts.throttles().freeFrom(node, ownFlow, towards) == Throttles.HELD,
                    "a flow may send while its cell waits (I5)", id, peer);
            } else {
                require(ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
                require(!sources.get(source), "two cells of one flow in a queue (I2): source=" + source, id, peer);
                sources.set(source);
            }
        });
        final int local = seen[1];
        final boolean isBasic = shoal.rule() == ReleaseRule.BASIC;
        require(isBasic ? local <= inspection.outcast(id) : local == (flow == ShoalQueues.NONE ? 0 : 1),
            "local cells in a queue (I1, Eq. 3): " + local, id, peer);
        require(cells.length <= local + inspection.incast(peer) && cells.length < (isBasic ? 2 : 1) * shoal.nodes(),
            "queue too long (I3, Eq. 3, Eq. 5): length=" + cells.length + " incast=" + inspection.incast(peer), id,
            peer);
        final int number = id * links + towards;
        // A flow counted as ready may have sent its last cell on another channel of the same slot.
        require(!served.get(number)
            || queues.ready(queue) <= inspection.outcast(id) + shoal.channels() - 1,
            "too many ready flows (I4): ready=" + queues.ready(queue) + " outcast=" + inspection.outcast(id), id,
            peer);
        checkOrder(number, cells, id, peer);
    }

    /** A queue that was served has lost its first cell, and no queue has lost or moved another (I8). */
    private void checkOrder(final int number, final long[] cells, final int id, final int peer) {
        final int gone = served.get(number) ? Math.min(1, before[number].length) : 0;
        final int left = before[number].length - gone;
        require(cells.length >= left && Arrays.equals(before[number], gone, before[number].length, cells, 0, left),
            "a queue is not served in order, once a turn (I8)", id, peer);
        before[number] = cells;
    }
}
