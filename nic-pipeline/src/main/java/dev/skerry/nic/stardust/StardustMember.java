package dev.skerry.nic.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStepWorkers;
import dev.skerry.nic.engine.MemberMessages;
import dev.skerry.nic.engine.MemberMessages.RowBatch;
import dev.skerry.nic.engine.MemberWorker;
import dev.skerry.nic.engine.OutcomeParts;
import dev.skerry.nic.engine.OutcomeParts.MemberEnd;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Releases;
import dev.skerry.nic.stardust.StardustBank.StardustShared;
import dev.skerry.nic.stardust.StardustRun.RunEnd;
import dev.skerry.nic.stardust.element.StardustReach;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.Packets.FlowPackets;
import dev.skerry.nic.stardust.host.SentPackets;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntConsumer;

/**
 * Runs a Stardust fabric in lock step together with other processes, the members: each has a share of the devices of
 * every tier. Its outcome is that of {@link StardustEngine}. One thread, which also owns the exchange.
 */
public final class StardustMember extends StardustRun implements MemberEngine {
    private final LockStepWorkers workers;
    private final StardustBank bank;
    private final StardustRows rows;
    /** The end of a run without a limit; kept from one part of the run to the next. */
    private final RunEnd ending;
    private long held;

    /**
     * Creates one member's part of a fabric at slot 0.
     *
     * @param fabric   the fabric, equal at every member, like flows, faults and timing.
     * @param flows    the flows between endpoints of the whole fabric.
     * @param faults   faults as for {@link StardustEngine}.
     * @param healing  timing as for {@link StardustEngine}.
     * @param exchange the exchange with the others; closed by its opener.
     * @throws IllegalArgumentException if there are more members than adapters, or faults name devices that do not
     *                                  exist.
     */
    public StardustMember(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final RowExchange exchange) {
        super(fabric, flows, faults, healing, shares(fabric, exchange), exchange.member(), false);
        this.bank = banks[0];
        this.rows = new StardustRows(exchange, shares(fabric, exchange), healing.period(fabric.linkSlots()));
        this.ending = new RunEnd(fabric, flows, faults, healing);
        this.workers = new LockStepWorkers(arena, 1, fabric.linkSlots(), null, null);
    }

    private static DeviceRange[] shares(final Stardust fabric, final RowExchange exchange) {
        Bounds.refuseIf(exchange.members() > fabric.clos().fas(), "a member must have at least one adapter: members=",
            exchange.members(), " adapters=", fabric.clos().fas());
        return DeviceRange.of(fabric.clos(), exchange.members());
    }

    /** {@inheritDoc} If a watch asks to stop, all members stop in the same slot, one or two exchanges later. */
    @Override
    public void run(final long slotLimit, final Watch watch) {
        final BankWorker worker = new BankWorker(slotLimit == 0);
        slots = worker.run(workers, slots, slotLimit == 0 ? worker.end() : slotLimit, watch);
        worker.judge(worker.lastSlot(), worker.last());
        bank.agreeOnLinks();
        held = new MemberEnd(slots, balance(slots), 0, 0, 0).joined(rows.messages.exchange()).balance()
            .conserved();
    }

    @Override
    boolean isDone() {
        return workers.isDone();
    }

    @Override
    public MemberEngine.Exchanged cost() {
        return rows.messages.cost();
    }

    /** {@inheritDoc} All members must call it. */
    @Override
    public Outcome outcome() {
        final RowExchange exchange = rows.messages.exchange();
        shared.flowOutcomes().join(flows.size(), exchange::gather);
        return OutcomeParts.joined(outcome(held), fabric.population(), flows, exchange);
    }

    @Override
    public void close() {
        rows.messages.close();
        super.close();
    }

    /** Runs the slots of the bank. Members find the end of the run one exchange after it. */
    private final class BankWorker extends MemberWorker {
        private final boolean untilDone;

        BankWorker(final boolean untilDone) {
            super(rows.messages, fabric.linkSlots(), fabric.linkSlots());
            this.untilDone = untilDone;
        }

        @Override
        protected void go(final long from, final long to) {
            for (long slot = from; slot < to; slot++) {
                bank.step(slot);
                rows.messages.poll();
            }
        }

        /** Exchanges state with the others; no bank skips slots. */
        @Override
        public long idleUntil(final long slot) {
            final MemberMessages.Status before = synchronise(slot, new MemberMessages.Status(
                bank.tally.settled(), bank.moves(),
                bank.tally.count(NicCounter.CELLS_DELIVERED), bank.tally.count(NicCounter.FLOWS_COMPLETED), slot,
                isStopWanted()));
            judge(knownSlot(), before);
            return slot;
        }

        private void judge(final long slot, final MemberMessages.Status all) {
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

    /**
     * The messages between the banks of members: all that {@link StardustShared} has of two banks. One thread.
     *
     * <pre>
     *   head      | port, or number of a log | flag | slots before the batch's end | kind |      and by kind
     *   bits      0                         32     44                             60
     *
     *   CELL      where it comes out    | first | second
     *   PAUSE     port by which nothing is accepted
     *   REPORT    where it goes in, flag: sender considers the link faulty | first 64 adapters | other 64
     *   MESSAGE   request or credit     | the message
     *   PACKET    log                   | packet that joins it
     *   TAKEN     log, flag: odd period | packets taken off
     *   RELEASE   edge of {@link Releases} | slot in which it is known
     *   START     flow that starts and for which another one may have to wait
     * </pre>
     */
    private final class StardustRows implements MemberMessages.Rows, SentPackets.Crossing, IntConsumer {
        private static final long CELL = 0;
        private static final long PAUSE = 1L << 60;
        private static final long REPORT = 2L << 60;
        private static final long MESSAGE = 3L << 60;
        private static final long PACKET = 4L << 60;
        private static final long TAKEN = 5L << 60;
        private static final long RELEASE = 6L << 60;
        private static final long START = 7L << 60;
        private static final long KIND = 7L << 60;
        private static final long FLAG = 1L << 32;
        private static final int BACK_SHIFT = 44;

        private final MemberMessages messages;
        private final int self;
        private final int members;
        private final FoldedClos clos = fabric.clos();
        private final int[] memberOf;
        /** Tells whether elements of every member charge their links for all messages. */
        private final boolean toAll = fabric.links().carriesControl();
        private final int period;
        /** Ports of this member that send reports to other members, by phase of the period. */
        private final int[][] reporting;
        /** Null unless hosts speak TCP; and the members of source and destination, by log. */
        private final SentPackets packets = shared.packets() instanceof final SentPackets sent ? sent : null;
        private final int[] from = new int[packets == null ? 0 : packets.logs()];
        private final int[] to = new int[from.length];
        /** Queues between two adapters, in each direction. */
        private final int queues = fabric.hosts().queues();
        private final int ports = fabric.hosts().ports();
        /** Releases flows that wait for others; null if none waits, like the field after it. */
        private final Releases releases = shared.flowOutcomes().releases();
        /** Null also if hosts speak TCP. */
        private final FlowPackets starting = releases != null && shared.packets() instanceof final FlowPackets made
            ? made : null;
        private final BitSet started = new BitSet();
        /** The slot of the last cell that came from another member over the link of each port. */
        private final long[] cameIn = new long[clos.ports()];

        StardustRows(final RowExchange exchange, final DeviceRange[] shares, final int reachPeriod) {
            this.messages = new MemberMessages(exchange, this);
            this.self = exchange.member();
            this.members = exchange.members();
            this.memberOf = DeviceRange.bankOf(clos, shares);
            this.period = reachPeriod;
            this.reporting = shared.messages() == null ? null : reporting(shares[self]);
            Arrays.fill(cameIn, -1);
            if (starting != null) {
                starting.connect(this);
            }
            if (packets != null) {
                for (int stream = 0; stream < clos.fas() * clos.fas() * queues; stream++) {
                    final int log = packets.first(stream);
                    if (log != Packets.NONE) {
                        from[log] = memberOf[stream / queues % clos.fas()];
                        to[log] = memberOf[stream / queues / clos.fas()];
                    }
                }
                packets.connect(this);
            }
        }

        private int[][] reporting(final DeviceRange share) {
            final int[][] ports = new int[period][];
            Arrays.setAll(ports, phase -> share.connectedPorts()
                .filter(port -> StardustReach.phase(fabric, clos.deviceOf(port), period) == phase
                    && memberAt(clos.peer(port)) != self).toArray());
            return ports;
        }

        @Override
        public void pack(final long first, final long end) {
            for (long slot = first; slot < end; slot++) {
                final long back = end - slot << BACK_SHIFT;
                for (int member = 0; member < members; member++) {
                    if (member != self) {
                        final RowBatch into = messages.to(member);
                        shared.pipes().show(shared.pipes().row(slot), member, true, (port, word, second) -> {
                            into.add(CELL | back | port);
                            into.more(word);
                            into.more(second);
                        });
                    }
                }
                pauses(slot, back);
                messages(slot, back);
                if (shared.messages() != null) {
                    reports(slot, back);
                }
            }
            if (releases != null) {
                releases.away(this::release);
            }
        }

        /** Sends an edge to the member of the endpoint whose flow waits. */
        private void release(final int edge) {
            final RowBatch batch = messages.to(memberOf[releases.node(edge) / ports]);
            batch.add(RELEASE | edge);
            batch.more(releases.knownIn(edge));
        }

        @Override
        public void accept(final int flow) {
            final int member = memberOf[flows.destination(flow) / ports];
            if (member != self) {
                messages.to(member).add(START | flow);
            }
        }

        private void pauses(final long slot, final long back) {
            final int count = shared.pauses()[self].count(slot);
            final long[] ports = shared.pauses()[self].list(slot);
            for (int i = 0; i < count; i++) {
                final RowBatch batch = messages.to(memberAt(clos.peer((int) ports[i])));
                if (batch != null) {
                    batch.add(PAUSE | back | ports[i]);
                }
            }
        }

        private int memberAt(final int port) {
            return memberOf[clos.deviceOf(port)];
        }

        private void messages(final long slot, final long back) {
            final SlotLists control = shared.controls()[self];
            final int count = control.count(slot);
            final long[] list = control.list(slot);
            for (int i = 0; i < count; i++) {
                final int target = memberOf[Control.target(list[i])];
                for (int member = toAll ? 0 : target; member < (toAll ? members : target + 1); member++) {
                    if (member != self) {
                        messages.to(member).add(MESSAGE | back);
                        messages.to(member).more(list[i]);
                    }
                }
            }
        }

        private void reports(final long slot, final long back) {
            final long turn = slot / period;
            for (final int port : reporting[(int) (slot % period)]) {
                if (shared.messages().wasSent(slot, turn, port)) {
                    final RowBatch batch = messages.to(memberAt(clos.peer(port)));
                    batch.add(REPORT | back | port | (shared.messages().isFaulty(turn, port) ? FLAG : 0));
                    batch.more(shared.messages().low(turn, port));
                    batch.more(shared.messages().high(turn, port));
                }
            }
        }

        @Override
        public void joined(final int log, final long packet) {
            if (to[log] != self) {
                messages.to(to[log]).add(PACKET | log);
                messages.to(to[log]).more(packet);
            }
        }

        @Override
        public void taken(final int parity, final int log, final int taken) {
            if (from[log] != self) {
                messages.to(from[log]).add(TAKEN | parity * FLAG | log);
                messages.to(from[log]).more(taken);
            }
        }

        @Override
        public void take(final int member, final MemorySegment bytes, final long first, final long came) {
            // Rows are kept for fewer slots.
            for (long slot = Math.max(first, came - RowBatch.MOST_SLOTS); slot < came; slot++) {
                shared.controls()[member].begin(slot);
                shared.pauses()[member].begin(slot);
            }
            for (long at = RowBatch.HEADER_BYTES; at < bytes.byteSize();) {
                final int kind = (int) ((RowBatch.word(bytes, at) & KIND) >>> 60);
                at = kind < (int) (RELEASE >>> 60) ? take(member, bytes, at, first, came)
                    : wait(member, bytes, at, kind);
            }
        }

        /** Applies the entry at an offset of a batch; returns the offset behind it. */
        private long take(final int member, final MemorySegment batch, final long at, final long first,
            final long came) {
            final long head = RowBatch.word(batch, at);
            final int kind = (int) ((head & KIND) >>> 60);
            final long back = head >>> BACK_SHIFT & RowBatch.MOST_SLOTS - 1;
            final boolean isOfLog = kind == (int) (PACKET >>> 60) || kind == (int) (TAKEN >>> 60);
            final int port = (int) head;
            RowBatch.require(port >= 0
                && (isOfLog ? port < from.length : back >= 1 && back <= came - first && port < clos.ports()),
                "head", head);
            final long slot = came - back;
            final boolean flag = (head & FLAG) != 0;
            final long next = at + Long.BYTES;
            final long after = next + Long.BYTES;
            switch (kind) {
                case (int) (PAUSE >>> 60) -> {
                    RowBatch.require(comesFrom(member, clos.peer(port)), "pause", head);
                    shared.pauses()[member].add(slot, port);
                    return next;
                }
                case (int) (MESSAGE >>> 60) -> {
                    final long message = RowBatch.word(batch, next);
                    RowBatch.require(Control.target(message) < clos.fas() && Control.issuer(message) < clos.fas()
                        && memberOf[Control.issuer(message)] == member && Control.queue(message) < queues, "message",
                        message);
                    shared.controls()[member].add(slot, message);
                }
                case (int) (PACKET >>> 60) -> {
                    final long packet = RowBatch.word(batch, next);
                    RowBatch.require(from[port] == member && packets.has(packet)
                        && packets.first(packets.stream(packet)) == port, "packet", packet);
                    packets.put(port, packet);
                }
                case (int) (TAKEN >>> 60) -> {
                    RowBatch.require(to[port] == member, "taken", head);
                    packets.hear(flag ? 1 : 0, port, (int) RowBatch.word(batch, next));
                }
                case (int) (REPORT >>> 60) -> {
                    RowBatch.require(shared.messages() != null && comesFrom(member, clos.peer(port)), "report", head);
                    shared.messages().send(slot, slot / period, port, RowBatch.word(batch, next),
                        RowBatch.word(batch, after), flag);
                    return after + Long.BYTES;
                }
                case (int) (CELL >>> 60) -> {
                    cell(member, slot, port, RowBatch.word(batch, next), RowBatch.word(batch, after));
                    return after + Long.BYTES;
                }
                default -> throw new IllegalArgumentException("head=" + head);
            }
            return after;
        }

        /** Applies an entry between members with flows that wait; returns the offset behind it. */
        private long wait(final int member, final MemorySegment batch, final long at, final int kind) {
            final int number = (int) RowBatch.word(batch, at);
            if (kind == (int) (RELEASE >>> 60)) {
                RowBatch.require(releases != null, "edge", number);
                releases.came(number, RowBatch.word(batch, at + Long.BYTES));
                return at + 2 * Long.BYTES;
            }
            RowBatch.require(starting != null && number >= 0 && number < flows.size() && !started.get(number)
                && memberOf[flows.source(number) / ports] == member
                && memberOf[flows.destination(number) / ports] == self, "start", number);
            started.set(number);
            starting.came(number);
            return at + Long.BYTES;
        }

        /**
         * Puts a cell into the link that ends at a port: one a slot, or the rows of other links would be overwritten.
         */
        private void cell(final int member, final long slot, final int port, final long first, final long second) {
            RowBatch.require(comesFrom(member, port) && slot > cameIn[port] && StardustCell.isCell(first)
                && StardustCell.to(first) < clos.fas() && StardustCell.from(first) < clos.fas()
                && StardustCell.queue(second) < queues && hasPackets(first, second), "cell", first);
            final int row = shared.pipes().row(slot);
            RowBatch.require(shared.pipes().hasRoom(row, clos.peer(port)), "cells", slot);
            cameIn[port] = slot;
            shared.pipes().put(row, clos.peer(port), first, second);
        }

        /** Tells whether packets take the stream of a cell; a fabric that pushes does not need to know. */
        private boolean hasPackets(final long first, final long second) {
            final int pair = StardustCell.to(first) * clos.fas() + StardustCell.from(first);
            return !fabric.pull() || shared.packets().first(pair * queues + StardustCell.queue(second)) != Packets.NONE;
        }

        /** Tells whether a link leads from a device of another member to a port of this one. */
        private boolean comesFrom(final int member, final int port) {
            return port != FoldedClos.NONE && memberAt(port) == self && clos.peer(port) != FoldedClos.NONE
                && memberAt(clos.peer(port)) == member;
        }
    }
}
