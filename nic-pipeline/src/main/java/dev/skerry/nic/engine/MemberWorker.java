package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;

/**
 * Takes the banks of one member through their slots, and meets the others. A stride has two parts. What others send in
 * one is not needed before the part after the next, so cells are under way while this member goes on.
 *
 * <p>Members do not wait for each other at a meeting either: it decides by what all said at the meeting before, so all
 * decide alike. Only where the run could end here do they wait for what all say now, so that it ends in the slot in
 * which it ends in one process.
 */
final class MemberWorker implements WorkerCrew.Worker {
    private final Assembly assembly;
    private final MemberRows rows;
    private final Strides strides;
    private final int propagationSlots;
    private final long part;
    private final long cellsOfFlows;
    /** The last slot in which a flow starts; until then a run does not end. Past the last slot of all: nobody knows. */
    private final long lastStart;
    /** Most cells whose fate can become known in a slot; 0 if it is not bounded. */
    private final long mostInSlot;
    /** Number of the next meeting. */
    private long meeting;
    /** All that is known of the meeting before, and its slot. */
    private MemberNews known = MemberNews.NONE;
    private long knownSlot;
    /** Cells that all members have settled at this meeting; -1 where the run cannot end yet, so that nobody waits. */
    private long settled;
    private boolean isStopWanted;
    private boolean isStopAgreed;

    MemberWorker(final Assembly assembly, final MemberRows rows, final FabricParts parts, final Traffic traffic) {
        this.assembly = assembly;
        this.rows = rows;
        this.strides = Strides.of(parts, traffic, false);
        this.propagationSlots = parts.fabric().propagationSlots();
        this.part = Math.min(Math.ceilDiv(strides.slots(), 2), RowBatch.MOST_SLOTS - 1);
        this.cellsOfFlows = assembly.cellsOfFlows();
        final boolean isBounded = !traffic.mayFail() && !parts.resends(traffic);
        final FlowSet flows = traffic.flows();
        this.lastStart = isBounded && flows.size() > 0 ? flows.startSlot(flows.size() - 1) : -1;
        this.mostInSlot = isBounded ? parts.fabric().cellsInSlot() : 0;
    }

    @Override
    public boolean step(final long from, final long to) {
        if (!strides.apart()) {
            for (long slot = from; slot < to; slot++) {
                slot(slot);
            }
            return true;
        }
        final long base = from / strides.slots() * strides.slots();
        for (long slot = from; slot < to;) {
            final long end = Math.min(to, base + ((slot - base) / part + 1) * part);
            part(slot, end);
            if (end < to) {
                rows.send(end);
            }
            slot = end;
        }
        return true;
    }

    /** Takes each bank through a part of a stride, as it sees nothing that is sent in it. */
    private void part(final long from, final long to) {
        rows.await(to - propagationSlots);
        for (int index = 0; index < assembly.banks(); index++) {
            final Bank bank = assembly.bank(index);
            for (long slot = from; slot < to; slot++) {
                bank.send(slot);
                assembly.receive(index, slot);
            }
            rows.poll();
        }
        rows.pack(from, to);
    }

    private void slot(final long slot) {
        for (int index = 0; index < assembly.banks(); index++) {
            assembly.bank(index).send(slot);
        }
        rows.pack(slot, slot + 1);
        rows.send(slot + 1);
        rows.await(slot + 1 - propagationSlots);
        for (int index = 0; index < assembly.banks(); index++) {
            assembly.receive(index, slot);
        }
    }

    /** What the watch is told: what all said at the meeting before. */
    @Override
    public void report(final WorkerSums into, final int parity) {
        into.set(parity, 0, WorkerSums.COMPLETED, known.completed());
        into.set(parity, 0, WorkerSums.DELIVERED, known.delivered());
    }

    /** Meets the others; the slot until which all banks rest, as far as all knew at the meeting before. */
    @Override
    public long restsUntil(final long slot) {
        rows.meet(slot, meeting, news(slot));
        final boolean isFirst = meeting == 0;
        final MemberNews before = isFirst ? MemberNews.NONE : rows.newsOf(meeting - 1);
        settled = isFirst || mayEnd(slot, before.settled()) ? rows.newsOf(meeting).settled() : -1;
        isStopAgreed = before.stops();
        known = before;
        knownSlot = slot;
        meeting++;
        return isFirst ? slot : Math.max(slot, before.rests());
    }

    private MemberNews news(final long slot) {
        long sum = 0;
        long rests = Long.MAX_VALUE;
        for (int index = 0; index < assembly.banks(); index++) {
            final Bank bank = assembly.bank(index);
            sum += bank.settled();
            rests = rests > slot ? Math.min(rests, bank.restsUntil(slot)) : rests;
        }
        return new MemberNews(sum, assembly.count(NicCounter.CELLS_DELIVERED),
            assembly.count(NicCounter.FLOWS_COMPLETED), rests, isStopWanted);
    }

    /** Whether the fate of all cells can be known before a slot, from how many it was at the meeting before. */
    private boolean mayEnd(final long slot, final long settledBefore) {
        return mostInSlot == 0 || lastStart < slot
            && cellsOfFlows - settledBefore <= (slot - knownSlot) * mostInSlot;
    }

    @Override
    public long end(final long slot, final long settledOfSums, final long moves) {
        return settled == cellsOfFlows ? slot : Long.MAX_VALUE;
    }

    /** This member's watch asks to stop: all will, at the same meeting. */
    void wantStop() {
        isStopWanted = true;
    }

    /** Whether all stop at this meeting. */
    boolean isStopAgreed() {
        return isStopAgreed;
    }

    /** Waits for all that others have sent. The run is over or stopped. */
    void finish(final long slot) {
        rows.await(slot);
        if (meeting > 0) {
            rows.newsOf(meeting - 1);
        }
    }
}
