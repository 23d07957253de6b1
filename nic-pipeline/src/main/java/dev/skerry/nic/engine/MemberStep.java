package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.MemberMessages.RowBatch;
import dev.skerry.nic.engine.OutcomeParts.MemberEnd;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.PlaceMessages;
import dev.skerry.nic.fabric.FabricParts.SlotNotifications;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.Releases;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Runs a circuit fabric in lock step together with other processes, the members. Each member has a range of nodes, and
 * cells between members cross a {@link RowExchange}. All members call the same methods in the same order, and all
 * obtain the outcome, which is that of {@link LockStep}. Not thread-safe; the thread also owns the exchange.
 */
public final class MemberStep extends CircuitEngine implements MemberEngine {
    private final LockStepWorkers threads;
    private final MemberRows rows;
    private final FabricParts parts;
    private final FlowSet flows;
    private final LockStep.Strides strides;
    /**
     * Whether the number of settled cells increases by a bounded number per slot, because nothing fails, is
     * retransmitted or waits for another flow.
     */
    private final boolean isBounded;

    /**
     * Creates one member's part of a fabric at slot 0.
     *
     * @param parts    parts of the fabric; the same for every member, like flows and faults.
     * @param flows    flows of the whole fabric.
     * @param faults   scheduled faults.
     * @param exchange connection to the other members, which the caller closes.
     * @throws IllegalArgumentException if the fabric does not support the flows or faults, or if there are more members
     *     than nodes.
     */
    public MemberStep(final FabricParts parts, final FlowSet flows, final Faults faults, final RowExchange exchange) {
        this(parts, new Traffic(flows, faults), exchange);
    }

    private MemberStep(final FabricParts parts, final Traffic traffic, final RowExchange exchange) {
        super(parts.fabric(), assembled(parts, traffic, exchange));
        this.parts = parts;
        this.flows = traffic.flows();
        this.strides = LockStep.Strides.of(parts, traffic, false);
        this.isBounded = !traffic.mayFail() && !assembly.resends && assembly.releases() == null;
        this.threads = new LockStepWorkers(assembly.arena, 1, strides.slots(), null, null);
        this.rows = new MemberRows(exchange);
    }

    private static Assembly assembled(final FabricParts parts, final Traffic traffic, final RowExchange exchange) {
        Assembly.check(parts, traffic);
        Bounds.refuseIf(exchange.members() > Math.min(parts.fabric().nodes(), Short.MAX_VALUE),
            "a member must have at least one node: members=", exchange.members(), " nodes=", parts.fabric().nodes());
        return new Assembly(new CountedArena(), parts, traffic, banks(parts.fabric(), exchange),
            LockStep.window(parts.fabric()), (bank, link) -> parts.scheduled(link), false);
    }

    /** Returns the nodes of this member, split into banks. */
    private static NodeRange[] banks(final CircuitFabric fabric, final RowExchange exchange) {
        final NodeRange own = NodeRange.share(fabric.nodes(), exchange.member(), exchange.members());
        final NodeRange[] ranges = new NodeRange[Math.ceilDiv(own.size(), LockStep.BANK_NODES)];
        Arrays.setAll(ranges, bank -> {
            final NodeRange within = NodeRange.share(own.size(), bank, ranges.length);
            return new NodeRange(own.first() + within.first(), own.first() + within.end());
        });
        return ranges;
    }

    /** {@inheritDoc} A watch that requests to stop stops all members in the same slot, one or two barriers later. */
    @Override
    public void run(final long slotLimit, final Watch watch) {
        rows.begin();
        stepped = new CircuitWorker(slotLimit == 0).run(threads, stepped, end(slotLimit), watch);
        final MemberEnd end = MemberEnd.of(assembly, stepped).joined(rows.messages.exchange());
        settle(slotLimit, isDone(), end.lastCompletion(flows.size()), stepped, end.balance().conserved());
    }

    /** Fills a log. Call this before a run. */
    public MemberStep log(final RunLog log) {
        assembly.log(log);
        return this;
    }

    @Override
    boolean isDone() {
        return threads.isDone();
    }

    /** {@inheritDoc} All members must call this. */
    @Override
    public Outcome outcome() {
        return OutcomeParts.joined(super.outcome(), fabric.population(), flows, rows.messages.exchange());
    }

    @Override
    public MemberEngine.Exchanged cost() {
        return rows.messages.cost();
    }

    @Override
    public void close() {
        rows.messages.close();
        super.close();
    }

    /**
     * The rows of the link that cross between members. What this member's nodes sent to nodes of another member is
     * packed and sent to that member. What another member sent is stored on the link of this process, as if that
     * member's banks were in this process. Not thread-safe.
     */
    private final class MemberRows implements MemberMessages.Rows {
        /** Number of nodes that are read together. */
        private static final int BLOCK = 256;
        /**
         * Upper half of a word after the places that denotes an edge; the lower half is the edge, and a slot follows.
         */
        private static final long RELEASE = 1L << 62;
        private static final int RELEASE_BITS = Integer.SIZE;

        private final MemberMessages messages;
        private final int self;
        private final InFlightCells link = assembly.link();
        /** Messages that accompany the cells; null if there are none. */
        private final PlaceMessages beside = assembly.maker.messages();
        /**
         * Notifications that all members need within a slot; null if there are none. With notifications, a batch covers
         * one slot.
         */
        private final SlotNotifications notes = assembly.maker.notes();
        /** Releases of flows that wait for others; null if there are none. */
        private final Releases releases = assembly.releases();
        private final Schedule schedule = fabric.schedule();
        private final int nodes = fabric.nodes();
        private final int channels = fabric.channels();
        /** Nodes of each member. */
        private final NodeRange[] ranges;
        /** Member of each node. */
        private final short[] memberOf = new short[nodes];
        /** For each member and row of the link, whether the row contains anything from the member's nodes. */
        private final boolean[][] filled;
        /** The batch that is being received. */
        private MemorySegment received;
        private final long[] route = new long[BLOCK];
        private final long[] cell = new long[BLOCK];
        private final long[] feedback = new long[BLOCK];

        MemberRows(final RowExchange exchange) {
            this.messages = new MemberMessages(exchange, this);
            this.self = exchange.member();
            final int members = exchange.members();
            this.ranges = IntStream.range(0, members).mapToObj(member -> NodeRange.share(nodes, member, members))
                .toArray(NodeRange[]::new);
            for (int member = 0; member < members; member++) {
                Arrays.fill(memberOf, ranges[member].first(), ranges[member].end(), (short) member);
            }
            this.filled = new boolean[members][link.window()];
        }

        /** Marks all rows as possibly filled. */
        void begin() {
            for (final boolean[] rows : filled) {
                Arrays.fill(rows, true);
            }
        }

        @Override
        public void pack(final long from, final long end) {
            final NodeRange own = ranges[self];
            for (long slot = from; slot < end; slot++) {
                final int inEpoch = schedule.slotInEpoch(slot);
                final long back = end - slot << RowBatch.BACK_SHIFT;
                for (int channel = 0; channel < channels; channel++) {
                    for (int first = own.first(); first < own.end(); first += BLOCK) {
                        pack(slot, inEpoch, back, channel, first, Math.min(BLOCK, own.end() - first));
                    }
                }
                if (notes != null) {
                    notes.show(slot, this::tail);
                }
            }
            if (releases != null) {
                releases.away(this::release);
            }
        }

        /** Sends an edge to the member of the node whose flow is waiting. */
        private void release(final int edge) {
            final RowBatch batch = messages.to(memberOf[releases.node(edge)]);
            batch.tail(RELEASE | edge);
            batch.tail(releases.knownIn(edge));
        }

        private void tail(final int note) {
            for (int member = 0; member < ranges.length; member++) {
                if (member != self) {
                    messages.to(member).tail(note);
                }
            }
        }

        private void pack(final long slot, final int inEpoch, final long back, final int channel, final int first,
            final int count) {
            final int firstPlace = channel * nodes + first;
            final long firstAt = link.offset(slot) + Region.offset(firstPlace, InFlightCells.PLACE_BYTES);
            link.read(firstAt, 0, count, route, cell, feedback);
            for (int i = 0; i < count; i++) {
                final long at = firstAt + Region.offset(i, InFlightCells.PLACE_BYTES);
                final long word = beside == null ? PlaceMessages.NONE : beside.word(at);
                if ((route[i] & feedback[i] & word) == InFlightCells.NO_CELL) {
                    continue;
                }
                final int receiver = schedule.peerAt(first + i, channel, inEpoch);
                final RowBatch to = receiver == Schedule.IDLE ? null : messages.to(memberOf[receiver]);
                if (to != null) {
                    final MemorySegment message = route[i] == InFlightCells.CONTROL
                        ? assembly.bank(0).message(at) : null;
                    to.add(back | (long) receiver << RowBatch.PLACE_BITS | firstPlace + i, route[i], cell[i],
                        feedback[i], message);
                    if (word != PlaceMessages.NONE) {
                        to.addMessage(word, beside.cell(at));
                    }
                }
            }
        }

        @Override
        public void take(final int member, final MemorySegment bytes, final long from, final long came) {
            received = bytes;
            final NodeRange of = ranges[member];
            // A member that was idle has sent nothing in the skipped slots.
            for (long slot = Math.max(from, came - link.window()); slot < came; slot++) {
                leaveIdle(member, of, slot);
            }
            final long most = Math.min(came - from, Math.min(link.window(), RowBatch.MOST_SLOTS - 1));
            final long places = RowBatch.number(Region.over(bytes), RowBatch.PLACES);
            long at = RowBatch.HEADER_BYTES;
            for (long place = 0; place < places; place++) {
                at = put(member, at, came, most);
            }
            for (; at < bytes.byteSize(); at += Long.BYTES) {
                final long word = RowBatch.word(received, at);
                if (word >>> RELEASE_BITS == RELEASE >>> RELEASE_BITS) {
                    RowBatch.require(releases != null, "release", word);
                    at += Long.BYTES;
                    releases.came((int) word, RowBatch.word(received, at));
                    continue;
                }
                final int note = (int) word;
                RowBatch.require(notes != null && (note < 0 ? ~note : note) < nodes, "note", note);
                notes.add(came - 1, note);
            }
        }

        private void leaveIdle(final int member, final NodeRange of, final long slot) {
            final int row = (int) (slot % link.window());
            if (!filled[member][row]) {
                return;
            }
            filled[member][row] = false;
            for (int channel = 0; channel < channels; channel++) {
                final long at = link.offset(slot)
                    + Region.offset(channel * nodes + of.first(), InFlightCells.PLACE_BYTES);
                link.leaveIdle(at, of.size(), InFlightCells.NO_FEEDBACK);
                if (beside != null) {
                    beside.clear(at, of.size());
                }
            }
        }

        /**
         * Stores a place of a batch on the link. All indices are checked first, because another process has sent them.
         *
         * @param most maximum number of slots that the batch may cover.
         * @return offset after the place.
         */
        private long put(final int member, final long from, final long came, final long most) {
            final long head = RowBatch.word(received, from);
            final long back = head >>> RowBatch.BACK_SHIFT & RowBatch.BACK_MASK;
            final int place = (int) head & RowBatch.PLACE_MASK;
            final int receiver = (int) (head >>> RowBatch.PLACE_BITS) & RowBatch.RECEIVER_MASK;
            RowBatch.require(back >= 1 && back <= most && place < channels * nodes
                && memberOf[place % nodes] == member && receiver < nodes && memberOf[receiver] == self, "place", head);
            final long slot = came - back;
            final long to = link.offset(slot) + Region.offset(place, InFlightCells.PLACE_BYTES);
            long at = from + Long.BYTES;
            long ofRoute = InFlightCells.NO_CELL;
            long ofCell = InFlightCells.NO_CELL;
            long rides = InFlightCells.NO_FEEDBACK;
            if ((head & RowBatch.HAS_ROUTE) != 0) {
                ofRoute = RowBatch.word(received, at);
                ofCell = RowBatch.word(received, at + Long.BYTES);
                at += 2 * Long.BYTES;
                RowBatch.require(InFlightCells.isCell(ofRoute)
                    ? assembly.maker.isRoute(slot, ofRoute) && isCell(ofCell) : ofRoute >= InFlightCells.CONTROL,
                    "cell", ofRoute);
            }
            if ((head & RowBatch.HAS_FEEDBACK) != 0) {
                rides = RowBatch.word(received, at);
                at += Long.BYTES;
                RowBatch.require(rides == InFlightCells.NO_FEEDBACK || assembly.maker.isFeedback(slot, rides),
                    "feedback", rides);
            }
            MemorySegment message = null;
            if ((head & RowBatch.HAS_MESSAGE) != 0) {
                message = assembly.bank(0).message(to);
                RowBatch.require(message != null && message.byteSize() <= received.byteSize() - at, "message", head);
                MemorySegment.copy(received, at, message, 0, message.byteSize());
                at += RowBatch.padded(message.byteSize());
            }
            RowBatch.require(ofRoute != InFlightCells.CONTROL || message != null
                || assembly.bank(0).message(to) == null, "message", head);
            link.send(to, ofRoute, ofCell, rides);
            if ((head & RowBatch.HAS_BESIDE) != 0) {
                final long word = RowBatch.word(received, at);
                final long aside = RowBatch.word(received, at + Long.BYTES);
                RowBatch.require(beside != null && beside.isMessage(word) && isCell(aside), "beside", head);
                beside.send(to, word, aside);
                at += 2 * Long.BYTES;
            }
            filled[member][(int) (slot % link.window())] = true;
            assembly.maker.arrived(slot, receiver);
            return at;
        }

        private boolean isCell(final long cell) {
            final int flow = Cell.flow(cell);
            return flow >= 0 && flow < flows.size() && Cell.sequence(cell) >= 0
                && Cell.sequence(cell) < flows.cells(flow);
        }
    }

    /**
     * Runs the banks of one member of a circuit fabric and synchronises with the other members. Members wait for the
     * status of all at a barrier only if the run could end there, so that it ends in the same slot as in a single
     * process.
     */
    private final class CircuitWorker extends MemberWorker {
        /** Whether the run ends with its last flow. */
        private final boolean untilDone;
        private final long cellsOfFlows = assembly.cellsOfFlows();
        /** Slot in which the last flow starts, before which the run cannot end; -1 if this is unknown. */
        private final long lastStart = isBounded && flows.size() > 0 ? flows.startSlot(flows.size() - 1) : -1;
        /**
         * Settled cells at this barrier, plus one for each member that allows the run to end; -1 if the run cannot end
         * here.
         */
        private long settled;

        CircuitWorker(final boolean untilDone) {
            super(rows.messages, strides.slots(), fabric.propagationSlots());
            this.untilDone = untilDone;
        }

        @Override
        public boolean step(final long from, final long to) {
            if (strides.apart()) {
                return super.step(from, to);
            }
            for (long slot = from; slot < to; slot++) {
                slot(slot);
            }
            return true;
        }

        /** Runs each bank through part of a stride, in which it receives nothing that is sent in this part. */
        @Override
        protected void go(final long from, final long to) {
            for (int index = 0; index < assembly.banks(); index++) {
                for (long slot = from; slot < to; slot++) {
                    assembly.send(index, slot);
                    assembly.receive(index, slot);
                }
                rows.messages.poll();
            }
        }

        private void slot(final long slot) {
            for (int index = 0; index < assembly.banks(); index++) {
                assembly.send(index, slot);
            }
            rows.messages.pack(slot, slot + 1);
            rows.messages.send(slot + 1);
            // If members need notifications within the slot, wait for all of them.
            rows.messages.await(parts.meetsInEverySlot() ? slot + 1 : slot + 1 - fabric.propagationSlots());
            for (int index = 0; index < assembly.banks(); index++) {
                assembly.receive(index, slot);
            }
        }

        /**
         * Synchronises with the other members; returns the slot until which all banks are idle, according to the status
         * at the previous barrier.
         */
        @Override
        public long idleUntil(final long slot) {
            final MemberMessages.Status before = synchronise(slot, status(slot));
            settled = before == null || mayEnd(slot, before.settled()) ? last().settled() : -1;
            return before == null ? slot : Math.max(slot, before.idleUntil());
        }

        private MemberMessages.Status status(final long slot) {
            long sum = 0;
            boolean mayEnd = true;
            long idleUntil = Long.MAX_VALUE;
            for (int index = 0; index < assembly.banks(); index++) {
                final Bank bank = assembly.bank(index);
                sum += assembly.settled(index, slot);
                mayEnd &= strides.mayEnd(bank, slot);
                idleUntil = idleUntil > slot ? Math.min(idleUntil, assembly.idleUntil(index, slot)) : idleUntil;
            }
            return new MemberMessages.Status(sum + (mayEnd ? 1 : 0), 0, assembly.count(NicCounter.CELLS_DELIVERED),
                assembly.count(NicCounter.FLOWS_COMPLETED), idleUntil, isStopWanted());
        }

        /**
         * Tells whether the fate of all cells can be known before a slot, given the number settled at the previous
         * barrier.
         */
        private boolean mayEnd(final long slot, final long settledBefore) {
            return untilDone && (!isBounded || lastStart < slot
                && cellsOfFlows - settledBefore <= (slot - knownSlot()) * fabric.cellsInSlot());
        }

        @Override
        public long end(final long slot, final long settledOfSums, final long moves) {
            return untilDone && settled == cellsOfFlows + rows.ranges.length ? slot : Long.MAX_VALUE;
        }
    }
}
