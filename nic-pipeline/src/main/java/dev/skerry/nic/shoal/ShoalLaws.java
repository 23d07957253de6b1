package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;

import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * Shoal's laws (docs/spec/shoal.md §4.6) over a whole fabric, after every slot from the first on: I1, I2, I3 with the
 * bounds of Eq. 3 and Eq. 5, I4, I5, I6, I8, I9, with the basic mechanism Eq. 3 in place of I1; I7, conservation, is
 * every fabric's. Keeps the cells of each queue after the slot before. One thread, not fast: messages are made whether
 * a law is broken or not.
 */
public sealed class ShoalLaws implements FabricLaws {
    final Shoal shoal;
    final ShoalSlotPlan plan;
    final Bank[] banks;
    final int links;
    final BitSet sources;
    final int[] incast;
    private final InFlightCells link;
    private final boolean mayFail;
    /** Queues that were served in the slot, {@code node * links + link}. */
    private final BitSet served;
    /** Cell words of each queue after the slot before, by the same number. */
    private final long[][] before;
    /** Row of each source: the destinations for which it has undelivered cells. */
    private final BitSet[] undelivered;

    public ShoalLaws(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
        this.shoal = shoal;
        this.banks = banks;
        this.links = shoal.nodes() - 1;
        this.plan = new ShoalSlotPlan(shoal);
        this.link = link;
        this.mayFail = ((ShoalBank) banks[0]).failures() != null;
        this.undelivered = new BitSet[shoal.nodes()];
        Arrays.setAll(undelivered, node -> new BitSet(shoal.nodes()));
        this.incast = new int[shoal.nodes()];
        this.served = new BitSet(shoal.nodes() * links);
        this.before = new long[shoal.nodes() * links][0];
        this.sources = new BitSet(shoal.nodes());
    }

    @Override
    public void check(final long slot) {
        findUndelivered(slot);
        checkSent(slot);
        begin(slot);
        for (final Bank bank : banks) {
            for (int node = 0; node < bank.range().size(); node++) {
                for (int towards = 0; towards < links; towards++) {
                    checkLink((ShoalBank) bank, node, bank.range().first() + node, towards);
                }
            }
        }
    }

    /** Before the links of a slot are checked. */
    void begin(final long slot) {
    }

    /** Checks a link of a node, which has a number in its bank and an id. */
    void checkLink(final ShoalBank bank, final int node, final int id, final int towards) {
        final ShoalBank.Parts parts = bank.parts();
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
        require(isBasic ? local <= undelivered[id].cardinality() : local == (flow == ShoalQueues.NONE ? 0 : 1),
            "local cells in a queue (I1, Eq. 3): " + local, id, peer);
        require(cells.length <= local + incast[peer] && cells.length < (isBasic ? 2 : 1) * shoal.nodes(),
            "queue too long (I3, Eq. 3, Eq. 5): length=" + cells.length + " incast=" + incast[peer], id,
            peer);
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

    /** Fails with the law and the place where it is broken. */
    private static void require(final boolean holds, final String law, final int node, final int peer) {
        if (!holds) {
            throw new IllegalStateException(law + ": node=" + node + " neighbour=" + peer);
        }
    }

    /** Finds the undelivered cells after a slot. */
    final void findUndelivered(final long slot) {
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
     * Checks what was sent in a slot: a cell or a dummy of every node whose turn it is, silence only where nodes
     * can fail, and nothing of others.
     */
    final void checkSent(final long slot) {
        served.clear();
        if (slot < shoal.firstSlot()) {
            return;
        }
        for (int channel = 0; channel < shoal.channels(); channel++) {
            checkRow(link.offset(slot) + (long) channel * shoal.nodes() * InFlightCells.PLACE_BYTES,
                plan.place(channel, (int) (slot % plan.epochSlots())));
        }
    }

    private void checkRow(final long linkAt, final int place) {
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
                served.set(id * links + towards);
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

    /**
     * Shoal's laws (docs/spec/shoal.md §4.6) where something may fail or flows have classes, over a whole fabric, after
     * every slot. I1, I6 and I9 hold always; nothing waits for a neighbour that is down or at a node that is. I2 and
     * I3, the bounds of Eq. 3 and Eq. 5, hold for the highest class while every turn of a queue serves it. Damage,
     * resent cells, messages, clocks that are slots late and connections that go down or up disturb them, as Eq. 2
     * counts epochs, not services; until 2(N + 1) epochs after the last disturbance, violations are counted only. I7,
     * conservation, is every fabric's. One thread, not fast.
     */
    public static final class ShoalFailureLaws extends ShoalLaws {
        private static final Set<NicCounter> DISTURBANCES = EnumSet.of(NicCounter.CELLS_DAMAGED,
            NicCounter.CELLS_RESENT,
            NicCounter.NOTICES_SENT, NicCounter.NEIGHBOURS_UP, NicCounter.NEIGHBOURS_DOWN);

        private boolean soft;
        private long disturbances;
        private long softUntil;
        private long exceeded;

        public ShoalFailureLaws(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
            super(shoal, banks, link);
        }

        /** How often, over queues and slots, a queue was longer than I3 says or held two cells of a flow. */
        long exceeded() {
            return exceeded;
        }

        @Override
        void begin(final long slot) {
            long now = 0;
            for (final Bank bank : banks) {
                for (final NicCounter disturbance : DISTURBANCES) {
                    now += bank.count(disturbance);
                }
            }
            if (now != disturbances || ((ShoalBank) banks[0]).failures().late().any()) {
                disturbances = now;
                softUntil = slot + 2L * (shoal.nodes() + 1) * plan.epochSlots();
            }
            soft = slot < softUntil;
        }

        private void checkConnection(final ShoalFailures.State state, final int node, final int id, final int towards) {
            final int peer = plan.peer(id, towards);
            final boolean up = isUp(state, node, towards);
            require(up == state.reachability().isUp(node, peer), "a node tells what it does not do", id, peer);
            require(!up || !state.presence().isDown(node), "a node that is down has a neighbour up", id, peer);
        }

        private static boolean isUp(final ShoalFailures.State state, final int node, final int towards) {
            return state.neighbours().state(state.neighbours().line(towards, node)) == NeighbourTable.UP;
        }

        @Override
        void checkLink(final ShoalBank bank, final int node, final int id, final int towards) {
            checkConnection(bank.failures().state(), node, id, towards);
            final int peer = plan.peer(id, towards);
            final boolean up = isUp(bank.failures().state(), node, towards);
            for (int number = 0; number < bank.parts().queues().length; number++) {
                final ShoalQueues queues = bank.parts().queues()[number];
                final int queue = queues.queue(towards, node);
                require(up || queues.length(queue) == 0, "cells wait for a neighbour that is down", id, peer);
                final int[] seen = new int[2];
                sources.clear();
                queues.forEach(queue, (word, cell) -> {
                    final int source = ClassedCell.source(word);
                    require(source == id || ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id,
                        peer);
                    seen[0] += source == id ? 1 : 0;
                    seen[1] += sources.get(source) ? 1 : 0;
                    sources.set(source);
                });
                require(seen[0] == (queues.local(queue) == ShoalQueues.NONE ? 0 : 1), "local cells in a queue (I1): "
                    + seen[0], id, peer);
                final boolean bounded = seen[1] == 0 && queues.length(queue) <= seen[0] + incast[peer];
                require(number > 0 || soft || bounded, "queue too long (I2, I3): length=" + queues.length(queue)
                    + " local=" + seen[0] + " incast=" + incast[peer] + " twice=" + seen[1], id, peer);
                exceeded += number == 0 && !bounded ? 1 : 0;
            }
        }
    }
}
