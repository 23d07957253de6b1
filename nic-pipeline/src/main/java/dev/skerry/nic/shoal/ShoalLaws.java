package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.shoal.ShoalSlotPlan.Place;

import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * Checks Shoal's laws (docs/spec/shoal.md §4.6) over a whole fabric, after every slot from the first on: I1, I2, I3
 * with the bounds of Eq. 3 and Eq. 5, I4, I5, I6, I8, I9; with the basic mechanism, Eq. 3 in place of I1. Conservation,
 * I7, is checked for every fabric elsewhere. Keeps the cells of each queue after the previous slot. One thread. Checks
 * are slow, as messages are built even if no law is broken.
 *
 * <p>Where something may fail or flows have classes, I1, I6 and I9 always hold, and nothing waits for a neighbour that
 * is down or at a node that is down. I2 and I3 hold for the highest class while every turn of a queue serves it.
 * Damage, resent cells, messages, clocks that are slots late and connections that go down or up disturb them, as Eq. 2
 * counts epochs, not services; until 2(N + 1) epochs after the last disturbance, violations are only counted.
 */
public final class ShoalLaws implements FabricLaws {
    private static final Set<NicCounter> DISTURBANCES = EnumSet.of(NicCounter.CELLS_DAMAGED, NicCounter.CELLS_RESENT,
        NicCounter.NOTICES_SENT, NicCounter.NEIGHBOURS_UP, NicCounter.NEIGHBOURS_DOWN);

    private final Shoal shoal;
    private final ShoalSlotPlan plan;
    private final Bank[] banks;
    private final int links;
    private final InFlightCells link;
    private final ShoalFailures failures;
    private final BitSet sources;
    private final int[] incast;
    /** Queues that were served in the slot, {@code node * links + link}. */
    private final BitSet served;
    /** Cell words of each queue after the previous slot, by the same number. */
    private final long[][] before;
    /** Destinations for which each source has undelivered cells. */
    private final BitSet[] undelivered;
    private long disturbances;
    private long softUntil;
    private boolean soft;
    private long exceeded;

    public ShoalLaws(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
        this.shoal = shoal;
        this.banks = banks;
        this.links = shoal.nodes() - 1;
        this.plan = new ShoalSlotPlan(shoal);
        this.link = link;
        this.failures = ((ShoalBank) banks[0]).failures();
        this.undelivered = new BitSet[shoal.nodes()];
        Arrays.setAll(undelivered, node -> new BitSet(shoal.nodes()));
        this.incast = new int[shoal.nodes()];
        this.served = new BitSet(shoal.nodes() * links);
        this.before = new long[shoal.nodes() * links][0];
        this.sources = new BitSet(shoal.nodes());
    }

    /** Returns how often, over queues and slots, a queue was longer than I3 allows or held two cells of a flow. */
    long exceeded() {
        return exceeded;
    }

    @Override
    public void check(final long slot) {
        findUndelivered(slot);
        checkSent(slot);
        if (failures != null) {
            disturb(slot);
        }
        for (final Bank bank : banks) {
            for (int node = 0; node < bank.range().size(); node++) {
                for (int towards = 0; towards < links; towards++) {
                    checkLink(((ShoalBank) bank).parts(), node, bank.range().first() + node, towards);
                }
            }
        }
    }

    /** Determines whether something has disturbed the bounds of queues recently. */
    private void disturb(final long slot) {
        long now = 0;
        for (final Bank bank : banks) {
            for (final NicCounter disturbance : DISTURBANCES) {
                now += bank.count(disturbance);
            }
        }
        if (now != disturbances || failures.late.any()) {
            disturbances = now;
            softUntil = slot + 2L * (shoal.nodes() + 1) * plan.epochSlots();
        }
        soft = slot < softUntil;
    }

    /** Checks a link of a node, given by its number in its bank and its id. */
    private void checkLink(final ShoalBank.Parts parts, final int node, final int id, final int towards) {
        final int peer = plan.peer(id, towards);
        final ShoalFailures.State state = parts.state();
        final boolean up = state == null
            || state.neighbours().state(state.neighbours().line(towards, node)) == NeighbourTable.UP;
        require(state == null || up == state.reachability().isUp(node, peer), "a node reports what it does not do", id,
            peer);
        require(state == null || !up || !state.presence().isDown(node), "a node that is down has a neighbour up", id,
            peer);
        for (int number = 0; number < parts.queues().length; number++) {
            require(up || parts.queues()[number].length(parts.queues()[number].queue(towards, node)) == 0,
                "cells wait for a neighbour that is down", id, peer);
            checkQueue(parts, number, node, id, towards);
        }
    }

    private void checkQueue(final ShoalBank.Parts parts, final int number, final int node, final int id,
        final int towards) {
        final ShoalQueues queues = parts.queues()[number];
        final int queue = queues.queue(towards, node);
        final int peer = plan.peer(id, towards);
        final long[] cells = new long[queues.length(queue)];
        // Cells seen, local ones, and second cells of a flow.
        final int[] seen = new int[3];
        sources.clear();
        queues.forEach(queue, (word, cell) -> {
            final int source = ClassedCell.source(word);
            cells[seen[0]++] = cell;
            if (source != id) {
                require(ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
                require(failures != null || !sources.get(source), "two cells of one flow in a queue (I2): source="
                    + source, id, peer);
                seen[2] += sources.get(source) ? 1 : 0;
                sources.set(source);
                return;
            }
            seen[1]++;
            final int flow = failures != null ? -1 : parts.scheduler().numberOf(node, ShoalCell.destination(word));
            require(flow < 0 || parts.throttles().freeFrom(node, flow, towards) == Throttles.HELD,
                "a flow may send while its cell waits (I5)", id, peer);
        });
        final int local = seen[1];
        final boolean isBasic = shoal.rule() == ReleaseRule.BASIC;
        require(isBasic ? local <= undelivered[id].cardinality()
            : local == (queues.local(queue) == ShoalQueues.NONE ? 0 : 1),
            "local cells in a queue (I1, Eq. 3): " + local, id, peer);
        final boolean bounded = seen[2] == 0 && cells.length <= local + incast[peer];
        if (failures != null) {
            require(number > 0 || soft || bounded, "queue too long (I2, I3): length=" + cells.length + " local="
                + local + " incast=" + incast[peer] + " twice=" + seen[2], id, peer);
            exceeded += number == 0 && !bounded ? 1 : 0;
            return;
        }
        require(bounded && cells.length < (isBasic ? 2 : 1) * shoal.nodes(),
            "queue too long (I3, Eq. 3, Eq. 5): length=" + cells.length + " incast=" + incast[peer], id, peer);
        // A flow counted as ready may have sent its last cell on another channel of the same slot.
        require(!served.get(id * links + towards)
            || queues.ready(queue) <= undelivered[id].cardinality() + shoal.channels() - 1,
            "too many ready flows (I4): ready=" + queues.ready(queue) + " outcast=" + undelivered[id].cardinality(), id,
            peer);
        checkOrder(id * links + towards, cells, id, peer);
    }

    /** Checks that a served queue lost its first cell, and that no queue lost or moved another (I8). */
    private void checkOrder(final int number, final long[] cells, final int id, final int peer) {
        final int gone = served.get(number) ? Math.min(1, before[number].length) : 0;
        final int left = before[number].length - gone;
        require(cells.length >= left && Arrays.equals(before[number], gone, before[number].length, cells, 0, left),
            "a queue is not served in order, once a turn (I8)", id, peer);
        before[number] = cells;
    }

    /** Throws with the law and the place where it is broken, unless it holds. */
    private static void require(final boolean holds, final String law, final int node, final int peer) {
        if (!holds) {
            throw new IllegalStateException(law + ": node=" + node + " neighbour=" + peer);
        }
    }

    /** Finds the undelivered cells after a slot. */
    private void findUndelivered(final long slot) {
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
        for (int place = 0; place < parts.scheduler().active.size(highest); place++) {
            row.set(ActiveFlows.destination(parts.scheduler().active.get(highest, place)));
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
     * Checks what was sent in a slot: a cell or a dummy of every node that has a turn, silence only where nodes can
     * fail, and nothing of others.
     */
    private void checkSent(final long slot) {
        served.clear();
        if (slot < shoal.firstSlot()) {
            return;
        }
        for (int channel = 0; channel < shoal.channels(); channel++) {
            checkRow(link.offset(slot) + (long) channel * shoal.nodes() * InFlightCells.PLACE_BYTES,
                plan.place(channel, (int) (slot % plan.epochSlots())));
        }
    }

    private void checkRow(final long linkAt, final Place place) {
        final int towards = place.link;
        for (int id = 0; id < shoal.nodes(); id++) {
            final long at = linkAt + (long) id * InFlightCells.PLACE_BYTES;
            final long word = link.route(at);
            final boolean reports = link.feedback(at) != InFlightCells.NO_FEEDBACK;
            if (!hasTurn(place, id)) {
                require(word == InFlightCells.NO_CELL && !reports, "a node sent out of turn (I6)", id, id);
            } else {
                final int peer = plan.peer(id, towards);
                final boolean isSilent = word == InFlightCells.SILENCE;
                require(reports || failures != null && isSilent, "a node sent nothing (I6)", id, peer);
                require(!reports || !isSilent, "silence with a report (I6)", id, peer);
                require(!InFlightCells.isCell(word) || isLate(id) || ClassedCell.source(word) == id
                    || ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
                served.set(id * links + towards);
            }
        }
    }

    /** Tells whether a node's clock is late, so that its cells for other nodes pass here. */
    private boolean isLate(final int id) {
        return failures != null && failures.late.isLate(id);
    }

    private boolean hasTurn(final Place place, final int id) {
        return place.sends(id) && Math.min(id, plan.peer(id, place.link)) >= shoal.failedNodes();
    }
}
