package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.Detours;
import dev.skerry.nic.shale.LinkFailureAdmission;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.ShaleRouter;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * What every node of a bank sends in a slot (Shale §4.1 TX path, docs/spec/shale.md §5.3): the first forwarded cell
 * that the admission lets go, else the next cell of a local flow, else nothing but what rides along. One thread.
 *
 * <p>A block of nodes goes through each step together, as in {@link ShaleReceiver} and for the same reasons.
 */
final class ShaleTransmitter {
    private final NodeRange range;
    private final SlotMath numbers;
    private final Population population;
    private final boolean complete;
    private final QueueBank queues;
    private final CongestionControl control;
    /** That of congestion control, or of failures before it. */
    private final Admission admission;
    private final ShaleFlowScheduler scheduler;
    private final ShaleRouter router;
    private final InFlightCells link;
    private final Flight flight;
    /** Number of the bank among the senders. */
    private final int sender;
    private final SendSteps steps;
    /** Takes blocks through a slot of which few nodes have something to do; null where that cannot be. */
    private final SparseSender sparse;
    private final FewNodes few;
    private final SlotCycle epoch;
    private final SlotCycle rows;
    /** Which links are up, and the cells that start anew; null where nothing ever fails. */
    private final LinkFailureAdmission failures;
    private final Detours detours;
    private final int block;
    /** 1 or 0 by node: has a peer. */
    private final int[] joined;
    /** The last slot in which a node may have sent something. All places are idle at first. */
    private long lastSent = Long.MIN_VALUE / 2;

    ShaleTransmitter(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final Flight flight,
        final FewNodes few) {
        this.range = range;
        this.numbers = new SlotMath(shale.schedule(), range.size());
        this.population = shale.population();
        this.failures = parts.hindrance();
        this.detours = failures == null ? null : parts.failures().detours();
        this.complete = population.allPresent() && failures == null;
        this.queues = parts.queues();
        this.control = parts.control();
        this.admission = failures == null ? control : failures;
        this.scheduler = parts.scheduler();
        this.router = parts.router();
        this.link = flight.link();
        this.flight = flight;
        this.sender = flight.flags().join(range.first(), range.size(), flight.packs());
        this.steps = new SendSteps(range, shale, parts, few.mayBe());
        this.sparse = few.mayBe() ? new SparseSender(range, shale, parts, steps, flight, few.single()) : null;
        this.few = few;
        this.epoch = new SlotCycle(shale.schedule().epochSlots(), shale.share());
        this.rows = new SlotCycle(flight.rows());
        this.block = CellBatch.block(range.size());
        this.joined = new int[block];
    }

    /** Sends one slot for every node of the bank. */
    void send(final long slot) {
        final int inEpoch = epoch.turnTo(slot);
        final int row = rows.turnTo(slot);
        final int nodes = range.size();
        final long linkAt = link.offset(row) + Region.offset(range.first(), InFlightCells.PLACE_BYTES);
        router.turnToSending(inEpoch);
        scheduler.activate(slot);
        int sent = ArrivalFlags.NOTHING;
        for (int first = 0; first < nodes; first += block) {
            final int count = Math.min(block, nodes - first);
            final int some = sparse == null ? count : sparse.look(inEpoch, first, count);
            lastSent = some > 0 ? slot : lastSent;
            if (sparse != null && some <= few.listed()) {
                sparse.send(slot, inEpoch, row, linkAt, first, count);
                sent |= some > 0 ? ArrivalFlags.FLAGGED : ArrivalFlags.NOTHING;
            } else {
                sendBlock(slot, inEpoch, linkAt, first, count);
                sent |= ArrivalFlags.FULL;
                if (sparse != null) {
                    sparse.onBlock(row, first, count);
                }
            }
        }
        if (flight.isTold()) {
            flight.flags().setSent(row, sender, sent);
        }
    }

    private void sendBlock(final long slot, final int inEpoch, final long linkAt, final int first, final int count) {
        join(inEpoch, first, count);
        Arrays.fill(steps.route, 0, count, InFlightCells.NO_CELL);
        if (queues.queues().held() > 0 || scheduler.isActive() || failures != null) {
            ask(inEpoch, first, count);
            control.trySpend(inEpoch, first, count, steps.oldest, steps.waiting, steps.destination, steps.local,
                steps.paid);
            sort(count);
            steps.send(slot, inEpoch, first);
        }
        admission.takeFeedback(numbers.queue(inEpoch, first), count, steps.feedback);
        link.send(linkAt + Region.offset(first, InFlightCells.PLACE_BYTES), 0, count, steps.route, steps.cell,
            steps.feedback);
    }

    /**
     * Whether nothing waits to be sent, and all places of the bank are idle before a slot is sent: each row of the link
     * has been sent since the last one with a place that is not.
     */
    boolean isIdle(final long slot) {
        return slot - lastSent > flight.rows() && queues.queues().held() == 0
            && !scheduler.isActive() && control.isAtRest();
    }

    /** Cells sent on for others. */
    long forwarded() {
        return steps.forwarded() + (sparse == null ? 0 : sparse.forwarded());
    }

    /** Which nodes of a block have a peer in this slot; the others send nothing. */
    private void join(final int inEpoch, final int first, final int count) {
        if (complete) {
            Arrays.fill(joined, 0, count, 1);
        } else if (failures == null) {
            population.joined(range.first() + first, count, numbers.phase(inEpoch), numbers.link(inEpoch), joined);
        } else {
            failures.up(inEpoch, first, count, joined);
        }
    }

    /** What each node would send: its oldest cell, or else the next one of its own. */
    private void ask(final int inEpoch, final int first, final int count) {
        final int[] isJoined = joined;
        final int[] waits = steps.waiting;
        final int[] hasNone = steps.local;
        queues.queues().oldest(numbers.queue(inEpoch, first), count, steps.oldest, waits);
        for (int i = 0; i < count; i++) {
            waits[i] &= isJoined[i];
        }
        for (int i = 0; i < count; i++) {
            hasNone[i] = isJoined[i] & ~waits[i];
        }
        Arrays.fill(steps.direct, 0, count, 0);
        if (failures != null) {
            // Cells that start anew come before local flows.
            detours.hinder(first, count, hasNone, steps.hindered);
        } else if (scheduler.isPaced()) {
            Arrays.fill(steps.hindered, 0, count, 0);
        }
        if (scheduler.isPaced()) {
            scheduler.askEach(numbers.queue(inEpoch, first), first, count, hasNone, steps.hindered);
        } else {
            askOwn(inEpoch, first, count);
        }
    }

    private void askOwn(final int inEpoch, final int first, final int count) {
        final int[] list = steps.list;
        final int[] local = steps.local;
        int asked = 0;
        for (int i = 0; i < count; i++) {
            list[asked] = i;
            asked += local[i];
        }
        steps.askOwn(inEpoch, first, list, asked);
        if (failures != null) {
            failures.hinder(inEpoch, first, count, steps.destination, local, steps.hindered);
        }
    }

    private void sort(final int count) {
        final int[] kind = steps.sorted.kind();
        final int[] waiting = steps.waiting;
        final int[] paid = steps.paid;
        final int[] direct = steps.direct;
        for (int i = 0; i < count; i++) {
            kind[i] = SendSteps.NONE - 2 * waiting[i] - (paid[i] | direct[i]);
        }
        steps.sorted.sort(0, count);
    }
}
