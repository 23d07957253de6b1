package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * Shoal's laws (docs/spec/shoal.md §4.6) where something may fail or flows have classes, over a whole fabric, after
 * every slot: I1, I6 and I9 always, and that nothing waits for a neighbour that is down or at a node that is. I2 and
 * I3, the bounds of Eq. 3 and Eq. 5, hold for the highest class as long as every turn of a queue serves it. When a cell
 * is damaged or sent once more, a connection goes down or up, or a message takes a turn, they do not, as Eq. 2 counts
 * epochs, not services; then they are counted, until 2(N + 1) epochs have gone by in which nothing of that kind
 * happened. I7, conservation, is every fabric's. One thread, not fast.
 */
public final class GuardedLaws implements FabricLaws {
    private static final Set<NicCounter> DISTURBANCES = EnumSet.of(NicCounter.CELLS_DAMAGED, NicCounter.CELLS_RESENT,
        NicCounter.NOTICES_SENT, NicCounter.NEIGHBOURS_UP, NicCounter.NEIGHBOURS_DOWN);

    private final Shoal shoal;
    private final ShoalSlotPlan turns;
    private final Bank[] banks;
    private final InFlightCells link;
    private final int links;
    /** Row of each source: the destinations for which it has cells of the highest class that are not delivered. */
    private final BitSet[] undelivered;
    private final int[] incast;
    private final BitSet sources;
    private boolean soft;
    private long disturbances;
    private long softUntil;
    private long exceeded;
    private int furthest;

    public GuardedLaws(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
        this.shoal = shoal;
        this.turns = new ShoalSlotPlan(shoal);
        this.banks = banks;
        this.link = link;
        this.links = shoal.nodes() - 1;
        this.undelivered = new BitSet[shoal.nodes()];
        Arrays.setAll(undelivered, node -> new BitSet(shoal.nodes()));
        this.incast = new int[shoal.nodes()];
        this.sources = new BitSet(shoal.nodes());
    }

    /** How often, over queues and slots, a queue was longer than I3 says or held two cells of a flow. */
    long exceeded() {
        return exceeded;
    }

    /** By how many cells a queue was longer at most. */
    int furthest() {
        return furthest;
    }

    @Override
    public void check(final long slot) {
        findUndelivered(slot);
        for (int channel = 0; channel < shoal.channels(); channel++) {
            checkSent(link.offset(slot) + (long) channel * shoal.nodes() * InFlightCells.PLACE_BYTES,
                channel * turns.epochSlots() + (int) (slot % turns.epochSlots()));
        }
        long now = 0;
        for (final Bank bank : banks) {
            for (final NicCounter disturbance : DISTURBANCES) {
                now += bank.count(disturbance);
            }
        }
        if (now != disturbances) {
            disturbances = now;
            softUntil = slot + 2L * (shoal.nodes() + 1) * turns.epochSlots();
        }
        soft = slot < softUntil;
        for (final Bank bank : banks) {
            final GuardedBank.Parts parts = ((GuardedBank) bank).parts();
            for (int node = 0; node < bank.range().size(); node++) {
                for (int towards = 0; towards < links; towards++) {
                    checkQueues(parts, node, bank.range().first() + node, towards);
                }
            }
        }
    }

    private void findUndelivered(final long slot) {
        for (final BitSet row : undelivered) {
            row.clear();
        }
        for (final Bank bank : banks) {
            final GuardedBank.Parts parts = ((GuardedBank) bank).parts();
            for (int node = 0; node < bank.range().size(); node++) {
                final BitSet row = undelivered[bank.range().first() + node];
                final int highest = node * parts.queues().length;
                for (int place = 0; place < parts.scheduler().active().size(highest); place++) {
                    row.set(ActiveFlows.destination(parts.scheduler().active().get(highest, place)));
                }
                final ShoalQueues queues = parts.queues()[0];
                for (int towards = 0; towards < links; towards++) {
                    queues.forEach(queues.queue(towards, node), (word, cell) -> mark(word));
                }
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

    private void mark(final long word) {
        if (ClassedCell.trafficClass(word) == 0) {
            undelivered[ClassedCell.source(word)].set(ShoalCell.destination(word));
        }
    }

    /** Something of every node whose turn it is, be it silence, and nothing of any other. */
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
                final int peer = (id + towards + 1) % shoal.nodes();
                require(reports == (word != InFlightCells.SILENCE), "a cell without a report (I6)", id, peer);
                require(!InFlightCells.isCell(word) || ClassedCell.source(word) == id
                    || ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
            }
        }
    }

    private void checkQueues(final GuardedBank.Parts parts, final int node, final int id, final int towards) {
        final int peer = (id + towards + 1) % shoal.nodes();
        final boolean up = parts.pairs().state(parts.pairs().line(towards, node)) == NeighbourTable.UP;
        require(up == parts.reachability().isUp(node, peer), "a node tells what it does not do", id, peer);
        require(!up || !parts.presence().isDown(node), "a node that is down has a neighbour up", id, peer);
        for (int number = 0; number < parts.queues().length; number++) {
            final ShoalQueues queues = parts.queues()[number];
            final int queue = queues.queue(towards, node);
            require(up || queues.length(queue) == 0, "cells wait for a neighbour that is down", id, peer);
            final int[] seen = new int[2];
            sources.clear();
            queues.forEach(queue, (word, cell) -> {
                final int source = ClassedCell.source(word);
                require(source == id || ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
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
            furthest = Math.max(furthest, number > 0 ? 0 : queues.length(queue) - seen[0] - incast[peer]);
        }
    }

    private static void require(final boolean holds, final String law, final int node, final int peer) {
        if (!holds) {
            throw new IllegalStateException(law + ": node=" + node + " neighbour=" + peer);
        }
    }
}
