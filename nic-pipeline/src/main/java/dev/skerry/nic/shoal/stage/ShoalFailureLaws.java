package dev.skerry.nic.shoal.stage;

import static dev.skerry.nic.shoal.stage.ShoalInspection.require;

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

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * Shoal's laws (docs/spec/shoal.md §4.6) where something may fail or flows have classes, over a whole fabric, after
 * every slot. I1, I6 and I9 hold always; nothing waits for a neighbour that is down or at a node that is. I2 and I3,
 * the bounds of Eq. 3 and Eq. 5, hold for the highest class while every turn of a queue serves it. Damage, resent
 * cells, messages, clocks that are slots late and connections that go down or up disturb them, as Eq. 2 counts epochs,
 * not services; until 2(N + 1) epochs after the last disturbance, violations are counted only. I7, conservation, is
 * every fabric's. One thread, not fast.
 */
public final class ShoalFailureLaws implements FabricLaws {
    private static final Set<NicCounter> DISTURBANCES = EnumSet.of(NicCounter.CELLS_DAMAGED, NicCounter.CELLS_RESENT,
        NicCounter.NOTICES_SENT, NicCounter.NEIGHBOURS_UP, NicCounter.NEIGHBOURS_DOWN);

    private final Shoal shoal;
    private final ShoalSlotPlan plan;
    private final Bank[] banks;
    private final int links;
    private final ShoalInspection inspection;
    private final BitSet served;
    private final BitSet sources;
    private boolean soft;
    private long disturbances;
    private long softUntil;
    private long exceeded;
    private int furthest;

    public ShoalFailureLaws(final Shoal shoal, final Bank[] banks, final InFlightCells link) {
        this.shoal = shoal;
        this.plan = new ShoalSlotPlan(shoal);
        this.banks = banks;
        this.links = shoal.nodes() - 1;
        this.inspection = new ShoalInspection(shoal, banks, link);
        this.served = new BitSet(shoal.nodes() * links);
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
        inspection.findUndelivered(slot);
        inspection.checkSent(slot, served);
        noteDisturbances(slot);
        for (final Bank bank : banks) {
            final ShoalBank nics = (ShoalBank) bank;
            for (int node = 0; node < bank.range().size(); node++) {
                for (int towards = 0; towards < links; towards++) {
                    checkConnection(nics.failures().state(), node, bank.range().first() + node, towards);
                    checkQueues(nics, node, bank.range().first() + node, towards);
                }
            }
        }
    }

    private void noteDisturbances(final long slot) {
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

    private void checkQueues(final ShoalBank bank, final int node, final int id, final int towards) {
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
                require(source == id || ShoalCell.destination(word) == peer, "a cell takes a third hop (I9)", id, peer);
                seen[0] += source == id ? 1 : 0;
                seen[1] += sources.get(source) ? 1 : 0;
                sources.set(source);
            });
            require(seen[0] == (queues.local(queue) == ShoalQueues.NONE ? 0 : 1), "local cells in a queue (I1): "
                + seen[0], id, peer);
            final boolean bounded = seen[1] == 0 && queues.length(queue) <= seen[0] + inspection.incast(peer);
            require(number > 0 || soft || bounded, "queue too long (I2, I3): length=" + queues.length(queue)
                + " local=" + seen[0] + " incast=" + inspection.incast(peer) + " twice=" + seen[1], id, peer);
            exceeded += number == 0 && !bounded ? 1 : 0;
            furthest = Math.max(furthest, number > 0 ? 0 : queues.length(queue) - seen[0] - inspection.incast(peer));
        }
    }
}
