package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;

/**
 * Takes the banks of one member of a circuit fabric through their slots, and meets the others. Only where the run could
 * end at a meeting do members wait for what all say there, so that it ends in the slot in which it ends in one process.
 */
final class MemberWorker implements WorkerCrew.Worker {
    private final Assembly assembly;
    private final MemberMail mail;
    private final MemberMeetings meetings;
    /** Whether the run ends with its last flow. */
    private final boolean untilDone;
    private final Strides strides;
    /** Whether members must know within a slot what others note in it. */
    private final boolean instant;
    private final int propagationSlots;
    private final long cellsOfFlows;
    private final int members;
    /** The last slot in which a flow starts; until then a run does not end. Past the last slot of all: nobody knows. */
    private final long lastStart;
    /** Most cells whose fate can become known in a slot; 0 if it is not bounded. */
    private final long mostInSlot;
    /** Cells settled at this meeting, and a one for each member that lets the run end; -1 where it cannot end yet. */
    private long settled;

    MemberWorker(final Assembly assembly, final MemberMail mail, final MemberMeetings meetings,
        final FabricParts parts, final Traffic traffic, final boolean untilDone) {
        this.assembly = assembly;
        this.mail = mail;
        this.meetings = meetings;
        this.untilDone = untilDone;
        this.strides = Strides.of(parts, traffic, false);
        this.instant = parts.meetsInEverySlot();
        this.propagationSlots = parts.fabric().propagationSlots();
        this.members = mail.exchange().members();
        this.cellsOfFlows = assembly.cellsOfFlows();
        final boolean isBounded = !traffic.mayFail() && !parts.resends(traffic);
        final FlowSet flows = traffic.flows();
        this.lastStart = isBounded && flows.size() > 0 ? flows.startSlot(flows.size() - 1) : -1;
        this.mostInSlot = isBounded ? parts.fabric().cellsInSlot() : 0;
    }

    @Override
    public boolean step(final long from, final long to) {
        if (strides.apart()) {
            meetings.step(from, to, this::go);
            return true;
        }
        for (long slot = from; slot < to; slot++) {
            slot(slot);
        }
        return true;
    }

    /** Takes each bank through a part of a stride, as it sees nothing that is sent in it. */
    private void go(final long from, final long to) {
        for (int index = 0; index < assembly.banks(); index++) {
            final Bank bank = assembly.bank(index);
            for (long slot = from; slot < to; slot++) {
                bank.send(slot);
                assembly.receive(index, slot);
            }
            mail.poll();
        }
    }

    private void slot(final long slot) {
        for (int index = 0; index < assembly.banks(); index++) {
            assembly.bank(index).send(slot);
        }
        mail.pack(slot, slot + 1);
        mail.send(slot + 1);
        mail.await(instant ? slot + 1 : slot + 1 - propagationSlots);
        for (int index = 0; index < assembly.banks(); index++) {
            assembly.receive(index, slot);
        }
    }

    @Override
    public void report(final WorkerSums into, final int parity, final long slot) {
        meetings.report(into, parity);
    }

    /** Meets the others; the slot until which all banks rest, as far as all knew at the meeting before. */
    @Override
    public long restsUntil(final long slot) {
        final MemberMail.News before = meetings.meet(slot, news(slot));
        settled = before == null || mayEnd(slot, before.settled()) ? meetings.last().settled() : -1;
        return before == null ? slot : Math.max(slot, before.rests());
    }

    private MemberMail.News news(final long slot) {
        long sum = 0;
        boolean mayEnd = true;
        long rests = Long.MAX_VALUE;
        for (int index = 0; index < assembly.banks(); index++) {
            final Bank bank = assembly.bank(index);
            sum += bank.settled();
            mayEnd &= strides.mayEnd(bank, slot);
            rests = rests > slot ? Math.min(rests, bank.restsUntil(slot)) : rests;
        }
        return new MemberMail.News(sum + (mayEnd ? 1 : 0), 0, assembly.count(NicCounter.CELLS_DELIVERED),
            assembly.count(NicCounter.FLOWS_COMPLETED), rests, meetings.isStopWanted());
    }

    /** Whether the fate of all cells can be known before a slot, from how many it was at the meeting before. */
    private boolean mayEnd(final long slot, final long settledBefore) {
        return untilDone && (mostInSlot == 0 || lastStart < slot
            && cellsOfFlows - settledBefore <= (slot - meetings.knownSlot()) * mostInSlot);
    }

    @Override
    public long end(final long slot, final long settledOfSums, final long moves) {
        return untilDone && settled == cellsOfFlows + members ? slot : Long.MAX_VALUE;
    }
}
