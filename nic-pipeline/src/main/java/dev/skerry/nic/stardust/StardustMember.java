package dev.skerry.nic.stardust;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.EngineState;
import dev.skerry.nic.engine.MemberEnd;
import dev.skerry.nic.engine.MemberEngine;
import dev.skerry.nic.engine.MemberMail;
import dev.skerry.nic.engine.MemberMeetings;
import dev.skerry.nic.engine.OutcomeParts;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.WorkerCrew;
import dev.skerry.nic.engine.WorkerSums;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;

/**
 * Runs a Stardust fabric in lock step together with other processes, the members: each has a share of the devices of
 * every tier. Its outcome is that of {@link StardustEngine}. One thread, which also owns the exchange.
 */
public final class StardustMember implements MemberEngine {
    private final Stardust fabric;
    private final FlowSet flows;
    private final CountedArena arena;
    private final WorkerCrew crew;
    private final StardustAssembly books;
    private final StardustBank bank;
    private final StardustRows rows;
    /** What ends a run without a limit; kept from part to part of it. */
    private final RunEnd ending;
    private long slots;
    /** The slot before which a run without a limit was over; a few more follow, see {@link RunEnd}. */
    private long over = RunEnd.NOT_YET;
    private long held;

    /**
     * One member's part of a fabric at slot 0.
     *
     * @param fabric   the same at every member, as are flows, faults and timing.
     * @param flows    what is sent across the whole fabric, between its endpoints.
     * @param faults   as {@link StardustEngine} takes them.
     * @param healing  as {@link StardustEngine} takes it.
     * @param exchange the way to the others; closed by whoever opened it.
     * @throws IllegalArgumentException if there are more members than adapters, or faults name devices that do not
     *                                  exist.
     */
    public StardustMember(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final RowExchange exchange) {
        if (exchange.members() > fabric.clos().fas()) {
            throw new IllegalArgumentException("a member has an adapter at least: members=" + exchange.members()
                + " adapters=" + fabric.clos().fas());
        }
        this.fabric = fabric;
        this.flows = flows;
        this.arena = new CountedArena();
        final DeviceRange[] shares = DeviceRange.of(fabric.clos(), exchange.members());
        this.books = StardustAssembly.of(arena, fabric, flows, faults, healing, shares, exchange.member());
        this.bank = books.banks()[0];
        this.rows = new StardustRows(exchange, fabric, books.shared(), shares,
            healing.period(fabric.linkSlots()));
        this.ending = new RunEnd(fabric, flows, faults, healing);
        this.crew = new WorkerCrew(arena, 1, fabric.linkSlots(), null, null);
    }

    /** {@inheritDoc} A watch that asks to stop stops all members, a meeting or two later and all in the same slot. */
    @Override
    public void run(final long slotLimit, final Watch watch) {
        final MemberMeetings meetings = new MemberMeetings(rows.mail(), fabric.linkSlots(), fabric.linkSlots());
        final BankWorker worker = new BankWorker(meetings, slotLimit == 0);
        slots = meetings.run(crew, slots, slotLimit == 0 ? worker.end() : slotLimit, watch, worker);
        worker.judge(meetings.lastSlot(), meetings.last());
        bank.agreeOnLinks();
        held = new MemberEnd(slots, books.balance(slots), 0, 0, 0).joined(rows.mail().exchange()).balance()
            .conserved();
    }

    @Override
    public EngineState state() {
        return new EngineState(this, arena, crew::isDone, () -> slots);
    }

    /** Of this member's devices. */
    @Override
    public long count(final NicCounter counter) {
        return books.count(counter);
    }

    @Override
    public MemberEngine.Exchanged cost() {
        return rows.mail().cost();
    }

    /** {@inheritDoc} All members ask for it. */
    @Override
    public Outcome outcome() {
        final RowExchange exchange = rows.mail().exchange();
        books.shared().flowOutcomes().join(flows.size(), exchange::gather);
        return OutcomeParts.joined(StardustOutcome.of(fabric, flows, books.banks(), books.shared().flowOutcomes(),
            over == RunEnd.NOT_YET ? slots : over, held), fabric.population(), flows, exchange);
    }

    @Override
    public void close() {
        rows.mail().close();
        arena.close();
    }

    /** Takes the bank through its slots. Members find the end of the run one meeting after it. */
    private final class BankWorker implements WorkerCrew.Worker {
        private final MemberMeetings meetings;
        private final boolean untilDone;

        BankWorker(final MemberMeetings meetings, final boolean untilDone) {
            this.meetings = meetings;
            this.untilDone = untilDone;
        }

        @Override
        public boolean step(final long first, final long end) {
            meetings.step(first, end, this::go);
            return true;
        }

        private void go(final long from, final long to) {
            for (long slot = from; slot < to; slot++) {
                bank.step(slot);
                rows.mail().poll();
            }
        }

        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
            meetings.report(into, parity);
        }

        /** Meets the others; no bank rests. */
        @Override
        public long restsUntil(final long slot) {
            final MemberMail.News before = meetings.meet(slot, new MemberMail.News(bank.tally().settled(), bank.moves(),
                bank.count(NicCounter.CELLS_DELIVERED), bank.count(NicCounter.FLOWS_COMPLETED), slot,
                meetings.isStopWanted()));
            judge(meetings.knownSlot(), before);
            return slot;
        }

        private void judge(final long slot, final MemberMail.News all) {
            if (all != null && untilDone && over == RunEnd.NOT_YET
                && ending.isOver(slot, all.settled(), all.moves())) {
                over = slot;
            }
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            return untilDone ? end() : Long.MAX_VALUE;
        }

        long end() {
            return over == RunEnd.NOT_YET ? Long.MAX_VALUE : over + RunEnd.lagSlots(fabric);
        }
    }
}
