package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.Throttles;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Shoal's laws (docs/spec/shoal.md §4.6) over a whole fabric, after every slot from the first on: I1, I2, I3 with the
 * bounds of Eq. 3 and Eq. 5, I4, I5, I6, I8, I9; I7, conservation, is every fabric's. Keeps what each queue held after
 * the slot before. One thread, not fast: messages are made whether a law is broken or not.
 */
public final class ShoalLaws implements FabricLaws {
    private final Shoal shoal;
    private final ShoalSlotPlan turns;
    private final Bank[] banks;
    private final InFlightCells link;
    private final int links;
    /** Row of each source: the destinations for which it has cells that are not delivered. */
    private final BitSet[] undelivered;
    private final int[] incast;
    /** Queues that were served in the slot, {@code node * links + link}. */
    private final BitSet served;
    /** Cell words of each queue after the slot before, by the same number. */
    private final long[][] before;
    private final BitSet sources;

    public ShoalLaws(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
        this.shoal = shoal;
        this.turns = new ShoalSlotPlan(shoal);
        this.banks = banks;
        this.link = link;
        final int nodes = shoal.nodes();
        this.links = nodes - 1;
        this.undelivered = new BitSet[nodes];
        Arrays.setAll(undelivered, node -> new BitSet(nodes));
        this.incast = new int[nodes];
        this.served = new BitSet(nodes * links);
        this.before = new long[nodes * links][0];
        this.sources = new BitSet(nodes);
    }

    @Override
    public void check(final long slot) {
        findUndelivered(slot);
        served.clear();
        for (int channel = 0; channel < shoal.channels(); channel++) {
            checkSent(link.offset(slot) + (long) channel * shoal.nodes() * InFlightCells.PLACE_BYTES,
                channel * turns.epochSlots() + (int) (slot % turns.epochSlots()));
        }
        for (final Bank bank : banks) {
            final ShoalBank.Parts parts = ((ShoalBank) bank).parts();
            for (int node = 0; node < bank.range().size(); node++) {
                for (int towards = 0; towards < links; towards++) {
                    checkQueue(parts, bank.range().first() + node, node, towards);
                }
            }
        }
    }

    private void findUndelivered(final long slot) {
        for (final BitSet row : undelivered) {
            row.clear();
        }
        for (final Bank bank : banks) {
            final ShoalBank.Parts parts = ((ShoalBank) bank).parts();
            for (int node = 0; node < bank.range().size(); node++) {
                final BitSet row = undelivered[bank.range().first() + node];
                for (int place = 0; place < parts.scheduler().active().size(node); place++) {
                    row.set(ActiveFlows.destination(parts.scheduler().active().get(node, place)));
                }
                for (int towards = 0; towards < links; towards++) {
                    parts.queues().forEach(parts.queues().queue(towards, node), (word, cell) -> mark(word));
                }
            }
        }
        for (long sent = Math.max(0, slot - shoal.propagationSlots() + 1); sent <= slot; sent++) {
            for (int place = 0; place < shoal.nodes() * shoal.channels(); place++) {
                mark(link.route(link.offset(sent) + (long) place * InFlightCells.PLACE_BYTES));
            }
        }
        Arrays.fill(incast, 0);
        for (final BitSet row : undelivered) {
            row.stream().forEach(destination -> incast[destination]++);
        }
    }

    private void mark(final long word) {
        if (word != InFlightCells.NO_CELL) {
            undelivered[ShoalCell.source(word)].set(ShoalCell.destination(word));
        }
    }

    /** A cell or a dummy of every node whose turn it is, and nothing of any other. */
    private void checkSent(final long linkAt, final int place) {
        final int towards = turns.link(place);
        for (int id = 0; id < shoal.nodes(); id++) {
            final boolean turn = towards != ShoalSlotPlan.IDLE && id >= turns.firstSender(place)
                && id < turns.endSender(place);
            final long word = link.route(linkAt + (long) id * InFlightCells.PLACE_BYTES);
            final boolean reports = link.feedback(linkAt
                + (long) id * InFlightCells.PLACE_BYTES) != InFlightCells.NO_FEEDBACK;
            if (!turn) {
                require(word == InFlightCells.NO_CELL && !reports, "a node sent out of turn (I6)", id, id);
            } else {
                final int peer = peer(id, towards);
                require(reports, "a node sent nothing (I6)", id, peer);
                require(word == InFlightCells.NO_CELL || ShoalCell.source(word) == id
                    || ShoalCell.destination(word) == peer,
                    "a cell takes a third hop (I9)", id, peer);
                served.set(id * links + towards);
            }
        }
    }

    private void checkQueue(final ShoalBank.Parts parts, final int id, final int node, final int towards) {
        final ShoalQueues queues = parts.queues();
        final int queue = queues.queue(towards, node);
        final int peer = peer(id, towards);
        final int flow = queues.local(queue);
        final long[] cells = new long[queues.length(queue)];
        final int[] seen = new int[2];
        sources.clear();
        queues.forEach(queue, (word, cell) -> {
            cells[seen[0]++] = cell;
            final int source = ShoalCell.source(word);
            if (source == id) {
                seen[1]++;
            } else {
                require(ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
                require(!sources.get(source), "two cells of one flow in a queue (I2): source=" + source, id, peer);
                sources.set(source);
            }
        });
        final int local = seen[1];
        require(local == (flow == ShoalQueues.NONE ? 0 : 1), "local cells in a queue (I1): " + local, id, peer);
        require(local == 0 || parts.throttles().freeFrom(node, flow, towards) == Throttles.HELD,
            "a flow may send while its cell waits (I5)", id, peer);
        require(cells.length <= local + incast[peer] && cells.length < shoal.nodes(),
            "queue too long (I3, Eq. 3, Eq. 5): length=" + cells.length + " incast=" + incast[peer], id, peer);
        final int number = id * links + towards;
        // A flow counted as ready may have sent its last cell on another channel of the same slot.
        require(!served.get(number)
            || queues.ready(queue) <= undelivered[id].cardinality() + shoal.channels() - 1,
            "too many ready flows (I4): ready=" + queues.ready(queue) + " outcast=" + undelivered[id].cardinality(), id,
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

    private int peer(final int id, final int towards) {
        return (id + towards + 1) % shoal.nodes();
    }

    private static void require(final boolean holds, final String law, final int node, final int peer) {
        if (!holds) {
            throw new IllegalStateException(law + ": node=" + node + " neighbour=" + peer);
        }
    }
}
