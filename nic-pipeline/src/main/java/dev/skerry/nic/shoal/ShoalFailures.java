package dev.skerry.nic.shoal;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.ControlFault;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.ByteDamage;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.LinkFaults.LinkFaultInjector;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shoal.SentCells.AcceptedCells;
import dev.skerry.nic.shoal.SentCells.SentCopies;
import dev.skerry.nic.shoal.ShoalFlowScheduler.MessageGate;
import dev.skerry.schedule.Schedule;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Handles failures and traffic classes of a bank (docs/spec/shoal.md §5, §6). It lists the nodes of a row that a
 * failure or a class hinders and serves them one by one; all others go through the stages of the bank in blocks, as in
 * a bank without failures. One thread.
 *
 * <p>Cells carry flow and sequence number: two copies of a cell may be in flight, so no handle can name its payload.
 */
final class ShoalFailures {
    /** Slots whose dummies are counted separately: more than an engine runs between two checks of completion. */
    private static final int KEPT = 1 << 18;

    private final NodeRange range;
    private final Schedule schedule;
    private final InFlightCells link;
    private final ShoalBank.Parts parts;
    /** State for failures; also read by audits. */
    final State state;
    private final FaultState faults;
    /** Takes connections down and up. */
    final NeighbourProtocol protocol;
    private final ShoalFrame frame;
    private final LinkFaultInjector injector;
    /** Nodes whose clocks are whole slots late. */
    final LateSenders late;
    private final long cellsOfFlows;
    /** Dummies of each of the newest slots: an engine may run past the last slot that it reports. */
    private final int[] dummies = new int[KEPT];
    private long dummiesSent;
    private long dummySlots;
    private long fates;
    private long lastFate = -1;

    /**
     * The state that the banks of a run share, besides the link.
     *
     * @param faults    the plan of faults.
     * @param bootstrap connections that work at the start.
     * @param control   the messages between NICs.
     */
    record Shared(Faults faults, Bootstrap bootstrap, ControlCells control) {
    }

    /** State of a bank that only failures, damage and refusals need. */
    record State(
        SentCopies copies,
        AcceptedCells accepted,
        NeighbourTable neighbours,
        RelayReachability reachability,
        Presence presence,
        DeliveredCells delivered,
        ControlCells control,
        BankCounters tally) {

        static State of(final Arena arena, final NodeRange range, final Shoal shoal, final int flows,
            final ControlCells control, final SpillPool pool) {
            final int nodes = range.size();
            final int links = shoal.nodes() - 1;
            final int kept = new ShoalSlotPlan(shoal).sentEpochs();
            final RelayReachability reachability = new RelayReachability(arena, nodes, shoal.nodes());
            return new State(
                new SentCopies(arena, nodes, links, kept),
                new AcceptedCells(arena, nodes, links, kept),
                new NeighbourTable(arena, nodes, links, pool),
                reachability,
                new Presence(nodes, reachability, 2 * shoal.resilience().probeEpochs()),
                new DeliveredCells(arena, flows), control, new BankCounters());
        }
    }

    ShoalFailures(final ShoalBank.Parts parts, final Shared shared) {
        this.parts = parts;
        this.state = parts.state();
        this.range = parts.range();
        this.schedule = parts.shoal().schedule();
        this.link = parts.ends().link();
        this.faults = shared.faults().state(parts.shoal().nodes());
        this.protocol = new NeighbourProtocol(parts, faults);
        this.frame = new ShoalFrame(parts.shoal().nodes(), parts.ends(), state.control());
        this.injector = new LinkFaultInjector(range, schedule, faults, link, ReportWord.HEADER_BITS, frame);
        this.late = new LateSenders();
        this.cellsOfFlows = cellsFrom(range, parts.shoal(), parts.ends().flows());
        shared.bootstrap().apply(range, state);
    }

    private static long cellsFrom(final NodeRange range, final Shoal shoal, final FlowSet flows) {
        return IntStream.range(0, flows.size())
            .filter(flow -> range.contains(shoal.population().nodeOf(flows.source(flow))))
            .mapToLong(flows::sendableCells).sum();
    }

    /** Returns the memory in bytes that a bank of all nodes needs for failures and classes, without spill. */
    static long bytes(final Shoal shoal, final FlowSet flows, final int places) {
        final int nodes = shoal.nodes();
        final int kept = new ShoalSlotPlan(shoal).sentEpochs();
        return (flows.classes() - 1) * ShoalQueues.bytes(nodes, nodes - 1)
            + SentCopies.bytes(nodes, nodes - 1, kept) + AcceptedCells.bytes(nodes, nodes - 1, kept)
            + NeighbourTable.bytes(nodes, nodes - 1) + RelayReachability.bytes(nodes, nodes)
            + DeliveredCells.bytes(flows.size()) + ControlCells.bytes(places);
    }

    /** Begins and ends faults before a slot is sent; connections come up at the start of an epoch. */
    void begin(final long slot) {
        final long epoch = slot / parts.plan().epochSlots();
        if (epoch >= Shoal.MAX_EPOCHS) {
            throw new IllegalStateException("a run of Shoal ends after " + Shoal.MAX_EPOCHS + " epochs: slot=" + slot);
        }
        protocol.turnTo(slot, (int) epoch, slot % parts.plan().epochSlots() == 0);
    }

    /** Applies faults after a slot was sent: late clocks shift cells, and links lose and damage them. */
    void afflict(final long slot) {
        countDummies(slot);
        late.shift(slot);
        injector.afflict(slot);
    }

    /** Counts the dummies of a slot, before faults are applied to them. */
    private void countDummies(final long slot) {
        int now = 0;
        for (int channel = 0; channel < schedule.channels(); channel++) {
            long at = link.offset(slot)
                + ((long) channel * schedule.nodes() + range.first()) * InFlightCells.PLACE_BYTES;
            for (int node = 0; node < range.size(); node++) {
                now += link.route(at) == InFlightCells.NO_CELL && link.feedback(at) != InFlightCells.NO_FEEDBACK
                    ? 1 : 0;
                at += InFlightCells.PLACE_BYTES;
            }
        }
        dummies[(int) slot & KEPT - 1] = now;
        dummiesSent += now;
        dummySlots = slot + 1;
    }

    /** Returns the turns of the first slots in which nodes sent a header only; -1 if the number is not available. */
    long dummies(final long firstSlots) {
        long of = dummiesSent;
        for (long slot = firstSlots; slot < dummySlots && dummySlots - firstSlots <= KEPT; slot++) {
            of -= dummies[(int) slot & KEPT - 1];
        }
        return dummySlots - firstSlots <= KEPT ? of : -1;
    }

    /** Records whether cells were delivered or lost in a slot. */
    void noteFates(final long slot, final long delivered, final long dropped) {
        final long now = delivered + dropped + parts.scheduler().notSent;
        if (now != fates) {
            fates = now;
            lastFate = slot;
        }
    }

    /** Implements {@link Bank#settled}. */
    long settled(final long delivered, final long dropped) {
        // Cells put on links by their sources, including resent ones.
        final long created = parts.scheduler().injected + count(NicCounter.CELLS_RESENT);
        final long under = created - delivered - dropped - count(NicCounter.CELLS_RETURNED);
        return cellsOfFlows - under - parts.scheduler().open() - state.copies().open() - state.neighbours().waiting();
    }

    /** Implements {@link Bank#lastFate}. */
    long lastFate() {
        return lastFate;
    }

    /** Returns the value of a counter of failures, 0 for any other. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_DAMAGED -> injector.damaged();
            case HEADERS_DAMAGED -> frame.found;
            case DROPPED_DAMAGED -> injector.damagedCells();
            case DROPPED_ON_WAY -> injector.lost();
            case GUARD_VIOLATION -> injector.outOfWindow() + late.lost;
            default -> state.tally().count(counter);
        };
    }

    /**
     * The connections of a Shoal fabric at its start. Nodes have found each other before the first slot
     * (docs/spec/shoal.md §7): a connection that works then is up, any other is down, and both ends know it. One that
     * is down can come up later like any other.
     *
     * @param reached row of each node: a bit for every node with which it is connected.
     */
    record Bootstrap(long[][] reached) {
        /** Returns the start of a fabric with the faults of its first slot. */
        static Bootstrap of(final Faults faults, final int nodes, final long slot) {
            final FaultState state = faults.state(nodes);
            state.turnTo(slot);
            final long[][] reached = new long[nodes][nodes + Long.SIZE - 1 >>> 6];
            for (int id = 0; id < nodes; id++) {
                for (int other = 0; other < nodes; other++) {
                    if (id != other && !state.isLost(id, other) && !state.isLost(other, id)) {
                        reached[id][other >>> 6] |= 1L << other;
                    }
                }
            }
            return new Bootstrap(reached);
        }

        /** Sets the state of the nodes of a bank. */
        void apply(final NodeRange range, final ShoalFailures.State state) {
            final int nodes = reached.length;
            for (int node = 0; node < range.size(); node++) {
                final int id = range.first() + node;
                for (int link = 0; link < nodes - 1; link++) {
                    final int peer = ShoalSlotPlan.peer(id, link, nodes);
                    if ((reached[id][peer >>> 6] >>> peer & 1) != 0) {
                        state.reachability().report(node, link, reached[peer]);
                        state.reachability().up(node, link, peer);
                    } else {
                        state.neighbours().reset(state.neighbours().line(link, node), NeighbourTable.DOWN);
                    }
                }
            }
        }
    }

    /**
     * The payloads of Shoal's control cells, messages of {@link ShoalControl}, one place for each place of
     * {@link InFlightCells}. The sender's thread writes a message with its cell, the receiver's thread reads it with
     * the cell. All banks share it.
     */
    static final class ControlCells {
        private final Slab slab;
        private final InFlightCells link;
        private final ShoalControl control;

        /**
         * Creates the places without messages.
         *
         * @param arena  owner of the memory.
         * @param nodes  nodes of the fabric.
         * @param places places of the link.
         * @param link   the link.
         */
        ControlCells(final Arena arena, final int nodes, final int places, final InFlightCells link) {
            this.slab = new Slab(arena, places, ShoalControl.BYTES);
            this.link = link;
            this.control = new ShoalControl(nodes);
        }

        /** Returns the memory in bytes. */
        static long bytes(final int places) {
            return Slab.slabBytes(places, ShoalControl.BYTES);
        }

        /** Returns the bytes of all messages. */
        MemorySegment bytes() {
            return slab.segment();
        }

        /** Returns the offset of the message of the cell at a place of the link. */
        long offset(final long at) {
            return slab.offset(link.handle(at));
        }

        /** Returns the message of the cell at a place of the link. */
        MemorySegment message(final long at) {
            return slab.segment().asSlice(offset(at), ShoalControl.BYTES);
        }

        /** Tells whether the message of a cell that arrived is valid. */
        boolean isValid(final long at) {
            return control.check(slab.segment(), offset(at), ShoalControl.BYTES) == ControlFault.NONE;
        }

        /** Writes a probe. */
        void probe(final long at, final boolean hears, final int incarnation) {
            control.encodeProbe(slab.segment(), offset(at), hears, incarnation);
        }
    }

    /**
     * The nodes of a bank that run, and the destinations to which no message can be sent (docs/spec/shoal.md §5.2 step
     * 6): any destination from a node that is down; a node that every up neighbour reports unreachable; and any
     * destination from a node that has been without a neighbour for long, as no neighbour could report then. One
     * thread.
     */
    static final class Presence implements MessageGate {
        private final RelayReachability reachability;
        private final int patienceEpochs;
        private final boolean[] down;
        private final int[] incarnation;
        private final int[] aloneSince;
        /** The epoch of the slot that is sent. */
        int epoch;

        /**
         * Creates a state in which all nodes run.
         *
         * @param nodes          nodes of the bank.
         * @param reachability   connections that they know to be up.
         * @param patienceEpochs epochs for which a node waits for a neighbour.
         */
        Presence(final int nodes, final RelayReachability reachability, final int patienceEpochs) {
            this.reachability = reachability;
            this.patienceEpochs = patienceEpochs;
            this.down = new boolean[nodes];
            this.incarnation = new int[nodes];
            this.aloneSince = new int[nodes];
        }

        /** Sets the epoch of a slot that is sent. */
        void turnTo(final int now) {
            epoch = now;
        }

        /** Tells whether a node is down. */
        boolean isDown(final int node) {
            return down[node];
        }

        /** Stops a node. */
        void stop(final int node) {
            down[node] = true;
        }

        /** Starts a node again, without a neighbour. */
        void start(final int node) {
            down[node] = false;
            incarnation[node]++;
            aloneSince[node] = epoch;
        }

        /** Records that a node lost a neighbour. */
        void lose(final int node) {
            if (reachability.live(node) == 0) {
                aloneSince[node] = epoch;
            }
        }

        /** Returns the number of starts of a node, not counting the first. */
        int incarnation(final int node) {
            return incarnation[node];
        }

        /** Tells whether a node has no neighbour that is up. */
        boolean isAlone(final int node) {
            return reachability.live(node) == 0;
        }

        @Override
        public boolean refuses(final int node, final int destination) {
            return down[node] || reachability.isCutOff(node, destination)
                || isAlone(node) && epoch - aloneSince[node] >= patienceEpochs;
        }
    }

    /**
     * The transmissions of nodes whose clocks are whole slots late (docs/spec/shoal.md §7). Such a transmission passes
     * the switches in the window of a later slot and arrives at the node to which circuits lead then; that node expects
     * another cell of the same sender. A transmission that passes while the sender's slot is empty is lost, and so is
     * what is in flight when its clock changes. One bank, one thread.
     */
    final class LateSenders {
        /** Transmissions of the last slots, by node, the oldest first, with a place for each channel in turn. */
        private final Map<Integer, Deque<Sent>> underWay = new TreeMap<>();
        /** Cells of flows that arrived nowhere. */
        private long lost;

        /** A transmission; {@code message} is that of a control cell, else null. */
        private record Sent(long route, long cell, long feedback, byte[] message) {
            static final Sent NOTHING = new Sent(InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK, null);

            int cells() {
                return InFlightCells.isCell(route) ? 1 : 0;
            }
        }

        /**
         * Replaces the cells sent in a slot by those that pass the switches in it, after the state of faults was set to
         * it.
         */
        void shift(final long slot) {
            if (!underWay.isEmpty()) {
                forgetChanged();
            }
            for (int id = faults.nextLate(range.first()); id >= 0 && id < range.end(); id = faults.nextLate(id + 1)) {
                final int late = faults.lateSlots(id);
                final Deque<Sent> sent = underWay.computeIfAbsent(id, of -> nothing(late * schedule.channels()));
                final int now = schedule.slotInEpoch(slot);
                final int then = slot < late ? now : schedule.slotInEpoch(slot - late);
                for (int channel = 0; channel < schedule.channels(); channel++) {
                    final long at = link.offset(slot)
                        + ((long) channel * schedule.nodes() + id) * InFlightCells.PLACE_BYTES;
                    shift(at, sent, schedule.peerAt(id, channel, now), schedule.peerAt(id, channel, then));
                }
            }
        }

        /** Drops what is in flight from senders whose clock has changed. */
        private void forgetChanged() {
            underWay.entrySet().removeIf(sender -> {
                final boolean changed = sender.getValue().size() != faults.lateSlots(sender.getKey())
                    * schedule.channels();
                lost += changed ? cells(sender.getValue()) : 0;
                return changed;
            });
        }

        /**
         * Shifts the transmissions of a sender on a channel: circuits lead to {@code peer} now, and led to
         * {@code meant} when it sent what passes now.
         */
        private void shift(final long at, final Deque<Sent> sent, final int peer, final int meant) {
            final Sent out = sent.removeFirst();
            if (peer == Schedule.IDLE) {
                sent.addLast(Sent.NOTHING);
                lost += out.cells();
                return;
            }
            sent.addLast(read(at));
            state.tally().add(NicCounter.CELLS_ASTRAY, peer == meant ? 0 : out.cells());
            if (out.route == InFlightCells.SILENCE) {
                link.silence(at);
                return;
            }
            link.send(at, out.route, out.cell, out.feedback);
            if (out.message != null) {
                MemorySegment.copy(out.message, 0, state.control().bytes(), ValueLayout.JAVA_BYTE,
                    state.control().offset(at), out.message.length);
            }
        }

        private Sent read(final long at) {
            final long route = link.route(at);
            final byte[] message = route != InFlightCells.CONTROL ? null
                : state.control().message(at).toArray(ValueLayout.JAVA_BYTE);
            return new Sent(route, link.cell(at), link.feedback(at), message);
        }

        private static Deque<Sent> nothing(final int places) {
            final Deque<Sent> sent = new ArrayDeque<>(places);
            for (int i = 0; i < places; i++) {
                sent.add(Sent.NOTHING);
            }
            return sent;
        }

        private static long cells(final Deque<Sent> sent) {
            return sent.stream().mapToLong(Sent::cells).sum();
        }

        /** Tells whether some node of the fabric is late now. */
        boolean any() {
            return faults.nextLate(0) >= 0;
        }

        /** Tells whether a node of the fabric is late now. */
        boolean isLate(final int id) {
            return faults.lateSlots(id) > 0;
        }

        /** Returns the cells of flows that have been sent and have not arrived. */
        long inFlight() {
            return underWay.values().stream().mapToLong(LateSenders::cells).sum();
        }
    }

    /**
     * Transmissions of Shoal as bytes that links damage (docs/spec/shoal.md §6.2): the header is written by its codec,
     * and the payload is that of the cell if the run keeps payloads, or the message of a control cell. Wrong bits of a
     * damaged report are changed in the header's bytes; other damage is a burst in the CRC or the payload. One bank,
     * one thread.
     */
    static final class ShoalFrame implements ByteDamage.Frame, LinkFaultInjector.Bytes {
        private final ShoalHeader header;
        private final InFlightCells link;
        private final PayloadStore store;
        private final ControlCells control;
        private final ByteDamage damage;
        private int id;
        private long at;
        /** Damaged transmissions that the CRC of the cell detects; only the frame around it detects the others. */
        long found;

        ShoalFrame(final int nodes, final Bank.Ends ends, final ControlCells control) {
            this.header = new ShoalHeader(nodes, ends.flows().classes(), CellFormat.SHOAL);
            this.link = ends.link();
            this.store = ends.store();
            this.control = control;
            this.damage = new ByteDamage(this);
        }

        @Override
        public void hit(final int from, final long place, final long wrongBits, final long noise) {
            id = from;
            at = place;
            final HeaderFault fault = noise >= 0 ? damage.damageFrom(ShoalHeader.BYTES, noise)
                : damage.damage(Integer.BYTES,
                Integer.reverseBytes(wrongBits == 0 ? 1 : ReportWord.inHeader(wrongBits)));
            found += fault == HeaderFault.NONE ? 0 : 1;
        }

        @Override
        public int cellBytes() {
            return CellFormat.SHOAL.cellBytes();
        }

        @Override
        public void writeTo(final MemorySegment frame) {
            final long route = link.route(at);
            final long word = link.feedback(at);
            final int report = Math.min(ReportWord.feedback(word), header.maxFeedback());
            final int lcd = ReportWord.isDropped(word) ? ShoalHeader.LCD : 0;
            final MemorySegment payload = frame.asSlice(ShoalHeader.BYTES);
            payload.fill((byte) 0);
            if (InFlightCells.isCell(route)) {
                store.copy(link.cell(at), payload);
                header.encode(frame, 0, ClassedCell.source(route), ShoalCell.destination(route),
                    ClassedCell.trafficClass(route), Cell.sequence(store.identify(link.cell(at))), report, lcd);
            } else if (route == InFlightCells.CONTROL) {
                payload.copyFrom(control.bytes().asSlice(control.offset(at), ShoalControl.BYTES));
                header.encodeControl(frame, 0, id, report, lcd);
            } else {
                header.encodeDummy(frame, 0, id, report, lcd);
            }
        }

        @Override
        public HeaderFault check(final MemorySegment frame) {
            return header.check(frame, 0);
        }
    }
}
