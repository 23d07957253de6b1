package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.util.Arrays;
import java.util.BitSet;

/**
 * What {@link ShoalLaws} and {@link ShoalFailureLaws} both look at between two slots: undelivered cells of the highest
 * class, and I6 and I9 on the link (docs/spec/shoal.md §4.6). One thread, not fast.
 */
final class ShoalInspection {
    private final Shoal shoal;
    private final ShoalSlotPlan plan;
    private final Bank[] banks;
    private final InFlightCells link;
    private final boolean mayFail;
    /** Row of each source: the destinations for which it has undelivered cells. */
    private final BitSet[] undelivered;
    private final int[] incast;

    ShoalInspection(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
        this.shoal = shoal;
        this.plan = new ShoalSlotPlan(shoal);
        this.banks = banks;
        this.link = link;
        this.mayFail = ((ShoalBank) banks[0]).failures() != null;
        this.undelivered = new BitSet[shoal.nodes()];
        Arrays.setAll(undelivered, node -> new BitSet(shoal.nodes()));
        this.incast = new int[shoal.nodes()];
    }

    /** Sources with undelivered cells for a node. */
    int incast(final int id) {
        return incast[id];
    }

    /** Destinations for which a node has undelivered cells. */
    int outcast(final int id) {
        return undelivered[id].cardinality();
    }

    /** Finds the undelivered cells after a slot. */
    void findUndelivered(final long slot) {
        for (final BitSet row : undelivered) {
            row.clear();
        }
        for (final Bank bank : banks) {
            final ShoalBank.Parts parts = ((ShoalBank) bank).parts();
            for (int node = 0; node < bank.range().size(); node++) {
                findHeld(parts, node, undelivered[bank.range().first() + node]);
            }
        }
        for (long sent = Math.max(0, slot - shoal.propagationSlots() + 1); sent <= slot; sent++) {
            for (int place = 0; place < shoal.nodes() * shoal.channels(); place++) {
                final long word = link.route(link.offset(sent) + (long) place * InFlightCells.PLACE_BYTES);
                if (InFlightCells.isCell(word)) {
                    mark(word);
                }
            }
        }
        Arrays.fill(incast, 0);
        for (final BitSet row : undelivered) {
            row.stream().forEach(destination -> incast[destination]++);
        }
    }

    private void findHeld(final ShoalBank.Parts parts, final int node, final BitSet row) {
        final int highest = node * parts.queues().length;
        for (int place = 0; place < parts.scheduler().active().size(highest); place++) {
            row.set(ActiveFlows.destination(parts.scheduler().active().get(highest, place)));
        }
        final ShoalQueues queues = parts.queues()[0];
        for (int towards = 0; towards < shoal.nodes() - 1; towards++) {
            queues.forEach(queues.queue(towards, node), (word, cell) -> mark(word));
        }
    }

    private void mark(final long word) {
        if (ClassedCell.trafficClass(word) == 0) {
            undelivered[ClassedCell.source(word)].set(ShoalCell.destination(word));
        }
    }

    /**
     * Checks what was sent in a slot: a cell or a dummy of every node whose turn it is, silence only where nodes can
     * fail, and nothing of others.
     *
     * @param served gets the queues whose turn it was, {@code id * links + link}.
     */
    void checkSent(final long slot, final BitSet served) {
        served.clear();
        if (slot < shoal.firstSlot()) {
            return;
        }
        for (int channel = 0; channel < shoal.channels(); channel++) {
            checkRow(link.offset(slot) + (long) channel * shoal.nodes() * InFlightCells.PLACE_BYTES,
                plan.place(channel, (int) (slot % plan.epochSlots())), served);
        }
    }

    private void checkRow(final long linkAt, final int place, final BitSet served) {
        final int towards = plan.link(place);
        for (int id = 0; id < shoal.nodes(); id++) {
            final long at = linkAt + (long) id * InFlightCells.PLACE_BYTES;
            final long word = link.route(at);
            final boolean reports = link.feedback(at) != InFlightCells.NO_FEEDBACK;
            if (!hasTurn(place, id)) {
                require(word == InFlightCells.NO_CELL && !reports, "a node sent out of turn (I6)", id, id);
            } else {
                final int peer = plan.peer(id, towards);
                final boolean isSilent = word == InFlightCells.SILENCE;
                require(reports || mayFail && isSilent, "a node sent nothing (I6)", id, peer);
                require(!reports || !isSilent, "silence with a report (I6)", id, peer);
                require(!InFlightCells.isCell(word) || isLate(id) || ClassedCell.source(word) == id
                    || ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
                served.set(id * (shoal.nodes() - 1) + towards);
            }
        }
    }

    /** Whether a node's clock is late, so that what it sent to others comes out here. */
    private boolean isLate(final int id) {
        return mayFail && ((ShoalBank) banks[0]).failures().late().isLate(id);
    }

    private boolean hasTurn(final int place, final int id) {
        return plan.link(place) != ShoalSlotPlan.IDLE && plan.firstSender(place) <= id && id < plan.endSender(place)
            && Math.min(id, plan.peer(id, plan.link(place))) >= shoal.failedNodes();
    }

    /** Fails with the law and the place where it is broken. */
    static void require(final boolean holds, final String law, final int node, final int peer) {
        if (!holds) {
            throw new IllegalStateException(law + ": node=" + node + " neighbour=" + peer);
        }
    }
}
