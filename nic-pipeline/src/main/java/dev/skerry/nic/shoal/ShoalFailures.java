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
 * Guards a bank where something can fail or flows have traffic classes (docs/spec/shoal.md §5, §6). It lists the nodes
 * of a row that a failure or a class hinders and serves them one by one; all others go through the stages of the bank
 * in blocks, as in a bank without failures. One thread.
 *
 * <p>Cells carry flow and sequence number: two copies of a cell may be under way, so no handle can name its bytes.
 */
final class ShoalFailures {
    /** Slots whose dummies are kept one by one: more than an engine goes on without a look whether all is done. */
    private static final int KEPT = 1 << 18;

    private final NodeRange range;
    private final Schedule schedule;
    private final InFlightCells link;
    private final ShoalBank.Parts parts;
    /** Also for audits. */
    final State state;
    private final FaultState faults;
    /** Connections as they go down and come up. */
    final NeighbourProtocol protocol;
    private final ShoalFrame frame;
    private final LinkFaultInjector injector;
    /** Nodes whose clocks are whole slots late. */
    final LateSenders late;
    private final long cellsOfFlows;
    /** Dummies of the newest slots, one by one: an engine goes on for a while after the last slot it reports. */
    private final int[] dummies = new int[KEPT];
    private long dummiesSent;
    private long dummySlots;
    private long fates;
    private long lastFate = -1;

    /**
     * What the banks of a run share beside the link.
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

    /** Memory in bytes that a bank of all nodes needs for failures and classes, spill not counted. */
    static long bytes(final Shoal shoal, final FlowSet flows, final int places) {
        final int nodes = shoal.nodes();
        final int kept = new ShoalSlotPlan(shoal).sentEpochs();
        return (flows.classes() - 1) * ShoalQueues.bytes(nodes, nodes - 1)
            + SentCopies.bytes(nodes, nodes - 1, kept) + AcceptedCells.bytes(nodes, nodes - 1, kept)
            + NeighbourTable.bytes(nodes, nodes - 1) + RelayReachability.bytes(nodes, nodes)
            + DeliveredCells.bytes(flows.size()) + ControlCells.bytes(places);
    }

    /** Before a slot is sent: faults begin and end, and neighbours come together at the start of an epoch. */
    void begin(final long slot) {
        final long epoch = slot / parts.plan().epochSlots();
        if (epoch >= Shoal.MAX_EPOCHS) {
            throw new IllegalStateException("a run of Shoal ends after " + Shoal.MAX_EPOCHS + " epochs: slot=" + slot);
        }
        protocol.turnTo(slot, (int) epoch, slot % parts.plan().epochSlots() == 0);
    }

    /** After a slot was sent: clocks that are late shift cells, links lose and damage them. */
    void afflict(final long slot) {
        countDummies(slot);
        late.shift(slot);
        injector.afflict(slot);
    }

    /** Counts the dummies of a slot, before anything is done to them. */
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

    /** Turns of the first slots in which nodes sent a header only; -1 if that is no longer known. */
    long dummies(final long firstSlots) {
        long of = dummiesSent;
        for (long slot = firstSlots; slot < dummySlots && dummySlots - firstSlots <= KEPT; slot++) {
            of -= dummies[(int) slot & KEPT - 1];
        }
        return dummySlots - firstSlots <= KEPT ? of : -1;
    }

    /** Notes whether cells were delivered or lost in a slot. */
    void noteFates(final long slot, final long delivered, final long dropped) {
        final long now = delivered + dropped + parts.scheduler().notSent;
        if (now != fates) {
            fates = now;
            lastFate = slot;
        }
    }

    /** As {@link Bank#settled}. */
    long settled(final long delivered, final long dropped) {
        // Cells put on links by their sources, resent ones included.
        final long created = parts.scheduler().injected + count(NicCounter.CELLS_RESENT);
        final long under = created - delivered - dropped - count(NicCounter.CELLS_RETURNED);
        return cellsOfFlows - under - parts.scheduler().open() - state.copies().open() - state.neighbours().waiting();
    }

    /** As {@link Bank#lastFate}. */
    long lastFate() {
        return lastFate;
    }

    /** The value of a counter of failures, 0 of any other. */
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
     * (docs/spec/shoal.md §7): a connection that works then is up, any other is down, and both ends know. One that is
     * down comes up later like any other.
     *
     * @param reached row of each node: a bit for every node it is connected with.
     */
    record Bootstrap(long[][] reached) {
        /** The start of a fabric with the faults of its first slot. */
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

        /** Sets the nodes of a bank. */
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
     * The payloads of Shoal's control cells, real messages of {@link ShoalControl}, one place for each place of the
     * {@link InFlightCells}: written by the sender's thread with the cell, read with it by the receiver's. All banks
     * share it.
     */
    static final class ControlCells {
        private final Slab slab;
        private final InFlightCells link;
        private final ShoalControl control;

        /**
         * No messages.
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

        /** Memory in bytes. */
        static long bytes(final int places) {
            return Slab.slabBytes(places, ShoalControl.BYTES);
        }

        /** The bytes of all messages. */
        MemorySegment bytes() {
            return slab.segment();
        }

        /** Where the message of the cell at a place of the link lies. */
        long offset(final long at) {
            return slab.offset(link.handle(at));
        }

        /** The message of the cell at a place of the link. */
        MemorySegment message(final long at) {
            return slab.segment().asSlice(offset(at), ShoalControl.BYTES);
        }

        /** Whether the message of a cell that arrived is one. */
        boolean isValid(final long at) {
            return control.check(slab.segment(), offset(at), ShoalControl.BYTES) == ControlFault.NONE;
        }

        /** Writes a probe. */
        void probe(final long at, final boolean hears, final int incarnation) {
            control.encodeProbe(slab.segment(), offset(at), hears, incarnation);
        }
    }

    /**
     * Nodes of a bank that run, and destinations that no message can be sent to (docs/spec/shoal.md §5.2 step 6): any
     * from a node that is down; a node that every up neighbour reports unreachable; and any from a node that has long
     * been without a neighbour, as nobody could report then. One thread.
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
         * All nodes run.
         *
         * @param nodes          nodes of the bank.
         * @param reachability   connections that they know to be up.
         * @param patienceEpochs epochs that a node waits for a neighbour.
         */
        Presence(final int nodes, final RelayReachability reachability, final int patienceEpochs) {
            this.reachability = reachability;
            this.patienceEpochs = patienceEpochs;
            this.down = new boolean[nodes];
            this.incarnation = new int[nodes];
            this.aloneSince = new int[nodes];
        }

        /** Turns to the epoch of a slot that is sent. */
        void turnTo(final int now) {
            epoch = now;
        }

        /** Whether a node is down. */
        boolean isDown(final int node) {
            return down[node];
        }

        /** A node stops. */
        void stop(final int node) {
            down[node] = true;
        }

        /** A node starts anew, with no neighbour yet. */
        void start(final int node) {
            down[node] = false;
            incarnation[node]++;
            aloneSince[node] = epoch;
        }

        /** A node has lost a neighbour. */
        void lose(final int node) {
            if (reachability.live(node) == 0) {
                aloneSince[node] = epoch;
            }
        }

        /** How often a node has started, not counting the first time. */
        int incarnation(final int node) {
            return incarnation[node];
        }

        /** Whether a node has no neighbour that is up. */
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
     * What nodes send whose clocks are whole slots late (docs/spec/shoal.md §7): it passes the switches in the window
     * of a later slot, and comes out at the node that circuits lead to then, which expects another cell of the same
     * sender. A transmission that comes out while the sender's link is dark is lost; so is what is under way when its
     * clock changes. One bank, one thread.
     */
    final class LateSenders {
        /** By node: its transmissions of the last slots, the oldest first, a place for each channel in turn. */
        private final Map<Integer, Deque<Sent>> underWay = new TreeMap<>();
        /** Cells of flows that came out nowhere. */
        private long lost;

        /** A transmission; {@code message} is that of a control cell, else null. */
        private record Sent(long route, long cell, long feedback, byte[] message) {
            static final Sent NOTHING = new Sent(InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK, null);

            int cells() {
                return InFlightCells.isCell(route) ? 1 : 0;
            }
        }

        /** What comes out in a slot takes the place of the cells sent in it; the state of faults was turned to it. */
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

        /** What is under way when a clock changes is lost. */
        private void forgetChanged() {
            underWay.entrySet().removeIf(sender -> {
                final boolean changed = sender.getValue().size() != faults.lateSlots(sender.getKey())
                    * schedule.channels();
                lost += changed ? cells(sender.getValue()) : 0;
                return changed;
            });
        }

        /** Of a sender on a channel: circuits lead to one node, and led to another when it sent what comes out. */
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

        /** Whether some node of the fabric is late now. */
        boolean any() {
            return faults.nextLate(0) >= 0;
        }

        /** Whether a node of the fabric is late now. */
        boolean isLate(final int id) {
            return faults.lateSlots(id) > 0;
        }

        /** Cells of flows that have been sent and have not come out. */
        long underWay() {
            return underWay.values().stream().mapToLong(LateSenders::cells).sum();
        }
    }

    /**
     * Transmissions of Shoal as bytes that links damage (docs/spec/shoal.md §6.2): the header is written by its codec,
     * the payload is that of the cell where the run keeps payloads, or the message of a control cell. What is wrong in
     * a damaged report is changed in the header's bytes; else a burst hits the CRC or the payload. One bank, one
     * thread.
     */
    static final class ShoalFrame implements ByteDamage.Frame, LinkFaultInjector.Bytes {
        private final ShoalHeader header;
        private final InFlightCells link;
        private final PayloadStore store;
        private final ControlCells control;
        private final ByteDamage damage;
        private int id;
        private long at;
        /** Damaged transmissions that the CRC of the cell finds; only the frame around it finds the others. */
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
