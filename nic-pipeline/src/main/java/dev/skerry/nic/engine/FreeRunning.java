package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.ring.LinkBundle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.FreeRunningThreads.AgentGraph;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Edge;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.Wiring;
import dev.skerry.schedule.check.Bounds;
import org.agrona.concurrent.Agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a circuit fabric on threads: one agent per bank of NICs and per circuit switch, connected by links that carry
 * one row per slot. There is no common clock: an agent continues as soon as its links allow. Every link carries every
 * slot once and in order, so this is a Kahn network, and its result equals that of {@link LockStep} cell for cell.
 * {@link FreeRunningThreads} owns the threads.
 */
public final class FreeRunning extends CircuitEngine {
    private final FreeRunningThreads threads;
    private final List<NicAgent> nics = new ArrayList<>();
    private final AgentGraph graph;
    /** Interval of the slots at which a run without a limit may end, if banks never become idle. */
    private final long ends;
    /** The switches are part of the state: they keep their slot and their positions in the links. */
    private final List<CircuitSwitch> switches = new ArrayList<>();
    private boolean isDone;

    /** A fabric at slot 0 without faults. */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Wiring wiring, final Threading threading,
        final boolean check) {
        this(parts, flows, Faults.NONE, wiring, threading, check);
    }

    /**
     * Creates a fabric at slot 0.
     *
     * @param parts     parts of the fabric.
     * @param flows     the flows sent across it.
     * @param faults    scheduled faults.
     * @param wiring    its switches and fibres.
     * @param threading its threads.
     * @param check     whether every payload is checked end to end; conservation is checked after every run.
     * @throws IllegalArgumentException if the fabric is too large for cell handles, if faults name nodes that do not
     *                                  exist, or if the fabric does not support the flows or faults.
     */
    public FreeRunning(final FabricParts parts, final FlowSet flows, final Faults faults, final Wiring wiring,
        final Threading threading, final boolean check) {
        this(parts, new Traffic(flows, faults), wiring, threading, check);
    }

    /**
     * Creates a fabric at slot 0. If its cells come from outside, a run without a limit continues until the watch ends
     * it, and pauses between slots while there is nothing to do.
     *
     * @param parts     parts of the fabric.
     * @param traffic   the flows, the faults, and the edges through which cells of flows on demand enter and leave.
     * @param wiring    its switches and fibres.
     * @param threading its threads.
     * @param check     whether payloads are checked end to end.
     */
    public FreeRunning(final FabricParts parts, final Traffic traffic, final Wiring wiring,
        final Threading threading, final boolean check) {
        this(parts, traffic, wiring, threading, check, Links.of(parts, traffic, wiring, threading));
    }

    private FreeRunning(final FabricParts parts, final Traffic traffic, final Wiring wiring,
        final Threading threading, final boolean check, final Links links) {
        super(parts.fabric(), new Assembly(links.arena, parts, traffic, links.ranges, links.fibres.slotsInFlight(),
            (bank, link) -> links.circuits[bank], check));
        this.ends = LockStep.Strides.of(parts, traffic, check).ends();
        this.threads = new FreeRunningThreads(threading);
        for (int bank = 0; bank < links.ranges.length; bank++) {
            final NicPorts ports = new NicPorts(links.circuits[bank], assembly.link(), links.fibres, bank, wiring);
            nics.add(new NicAgent(assembly, bank, ports, fabric.propagationSlots(), threads.join(), nics));
        }
        for (int index = 0; index < wiring.switches(); index++) {
            switches.add(links.fibres.circuitSwitch(assembly.arena, index));
        }
        this.graph = links.fibres.connect(AgentGraph.of(nics, switches, threading.switchGroups(),
            NicAgent.batchSlots(fabric.propagationSlots())));
    }

    /** The nodes of each bank, and its incoming fibres. */
    private record Links(CountedArena arena, NodeRange[] ranges, Fibres fibres, SwitchedArrivals[] circuits) {
        static Links of(final FabricParts parts, final Traffic traffic, final Wiring wiring,
            final Threading threading) {
            final CircuitFabric fabric = parts.fabric();
            Bounds.refuseIf(parts.meetsInEverySlot(),
                "nodes on separate threads cannot immediately know the state of all others, which this fabric "
                    + "requires: fabric=",
                fabric);
            Assembly.check(parts, traffic);
            final NodeRange[] ranges = Assembly.shares(fabric, threading.banks());
            final CountedArena arena = new CountedArena();
            final Fibres fibres = new Fibres(arena, wiring, ranges, fabric.propagationSlots());
            if ((long) fibres.slotsInFlight() * fabric.cellsInSlot() > Integer.MAX_VALUE) {
                arena.close();
                throw new IllegalArgumentException("too many cells in flight for threads: nodes=" + fabric.nodes()
                    + " channels=" + fabric.channels() + " slots=" + fibres.slotsInFlight());
            }
            return new Links(arena, ranges, fibres, Arrays.stream(ranges)
                .map(range -> new SwitchedArrivals(range, fabric.channels())).toArray(SwitchedArrivals[]::new));
        }
    }

    @Override
    public int threads() {
        return threads.carriers();
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        final long end = end(slotLimit);
        if (slotLimit == 0 && !assembly.hasEdges()
            && (assembly.releases() != null || !assembly.bank(0).canIdle())) {
            isDone = runUntilDone(watch);
        } else {
            final long cells = assembly.cellsOfFlows();
            stepped = threads.run(graph, end, watch, slot -> isQuiet(cells));
            isDone = threads.isDone();
        }
        // Nothing happens in the remaining slots of an idle fabric.
        settle(slotLimit, isDone, assembly.lastCompletion(), isDone ? end : stepped, conserved());
    }

    /**
     * Runs until all cells are settled, checking only at the slots at which the run may end. For fabrics whose banks
     * are never idle, or whose flows wait for others.
     *
     * @return whether all cells are settled; false if the watch stopped the run earlier.
     */
    private boolean runUntilDone(final Watch watch) {
        boolean goesOn = true;
        while (stepped % ends != 0 || stepped == 0 || assembly.settled(stepped) < assembly.cellsOfFlows()) {
            if (!goesOn) {
                return false;
            }
            stepped = threads.run(graph, (stepped / ends + 1) * ends, watch, slot -> false);
            goesOn = threads.isDone();
        }
        return true;
    }

    /** Fills a log from now on. Called before a run. */
    public FreeRunning log(final RunLog log) {
        assembly.log(log);
        return this;
    }

    @Override
    boolean isDone() {
        return isDone;
    }

    /**
     * Whether every cell has arrived or is lost and all banks are idle, sampled while they run, each bank at a
     * different slot. If banks can be idle, the number of settled cells only grows, so the sum of the samples is
     * sufficient.
     */
    private boolean isQuiet(final long cells) {
        return nics.stream().mapToLong(nic -> nic.settledSeen.get()).sum() == cells
            && nics.stream().allMatch(nic -> nic.idleSeen);
    }

    /**
     * A bank of NICs as an agent. It sends a slot when every link has room for it and receives a slot when it has
     * arrived on every link; it never blocks. Every link carries every slot once and in order, so the cells that a bank
     * receives do not depend on thread timing.
     */
    static final class NicAgent implements Agent {
        /** Result of {@link #doWork} after the last slot. */
        private static final int DONE = -1;
        /** Maximum number of slots per call, so that the thread's other agents are served. */
        static final int BATCH_SLOTS = 16;

        private final Assembly assembly;
        private final int index;
        private final Bank bank;
        /** Gives the slot to which to proceed if cells come from outside; otherwise null. */
        private final Edge edge;
        private final NicPorts ports;
        private final int propagationSlots;
        /**
         * Number of slots published together: half of the lead that a bank may have, so that others work in parallel.
         */
        private final int batchSlots;
        private final FreeRunningThreads.Member member;
        /** {@link Bank#settled}, slightly outdated. Any thread may read. */
        private final AtomicLong settledSeen = new AtomicLong();
        /** {@link Bank#isIdle}, slightly outdated. Any thread may read. */
        private volatile boolean idleSeen;
        /** Slots done, slightly outdated; used if flows wait for others. Any thread may read. */
        private final AtomicLong doneSeen = new AtomicLong();
        /** The agents of all banks, and the first slot for which this agent may lack completions from them. */
        private final List<NicAgent> all;
        private long noticedUntil;
        private long slot;
        private boolean sent;
        /** Slots published to the links, and slots that the links have freed. */
        private long published;
        private long freed;

        /**
         * Creates an agent at slot 0.
         *
         * @param assembly         the assembly of the fabric.
         * @param index            index of the bank.
         * @param ports            its ends of the links.
         * @param propagationSlots P of the fabric.
         * @param member           gives the slot at which to stop, and receives progress.
         * @param all              the agents of all banks, complete before the first call of {@link #doWork}.
         */
        NicAgent(final Assembly assembly, final int index, final NicPorts ports, final int propagationSlots,
            final FreeRunningThreads.Member member, final List<NicAgent> all) {
            this.all = all;
            this.noticedUntil = assembly.releases() == null ? Long.MAX_VALUE : 0;
            this.assembly = assembly;
            this.index = index;
            this.bank = assembly.bank(index);
            this.edge = assembly.edge(index);
            this.ports = ports;
            this.propagationSlots = propagationSlots;
            this.batchSlots = batchSlots(propagationSlots);
            this.member = member;
        }

        /** Number of slots that a bank publishes together. */
        static int batchSlots(final int propagationSlots) {
            return Math.clamp(propagationSlots / 2, 1, BATCH_SLOTS);
        }

        @Override
        public int doWork() {
            final long asked = member.limit();
            // A run that is being ended continues to its last slot, whatever the edge returns.
            final long end = edge == null || asked != Edge.ANY_SLOT ? asked : edge.poll(slot);
            if (end == FreeRunningThreads.PAUSE) {
                member.stopBefore(sent ? slot + 1 : slot);
                return 0;
            }
            int steps = 0;
            while (slot < end && steps < BATCH_SLOTS && step()) {
                steps++;
            }
            exchange();
            if (steps > 0) {
                publish();
            }
            if (slot < asked || steps > 0) {
                return steps;
            }
            member.stopBefore(slot);
            return DONE;
        }

        @Override
        public String roleName() {
            return "nic-" + bank.range().first();
        }

        private void publish() {
            idleSeen = bank.isIdle(slot);
            settledSeen.setRelease(bank.settled());
            doneSeen.setRelease(slot); // R1: flows that are complete; pairs with A1
            member.publish(slot, bank.count(NicCounter.CELLS_DELIVERED), bank.count(NicCounter.FLOWS_COMPLETED));
        }

        /** Performs a slot or its second half; false if a link is not ready. */
        private boolean step() {
            if (!sent) {
                if (!ports.hasRoom(slot) || slot >= noticedUntil && !isNoticed()) {
                    return false;
                }
                assembly.send(index, slot);
                ports.put(slot);
                sent = true;
                if (slot + 1 - published >= batchSlots) {
                    exchange();
                }
            }
            final long arriving = slot - propagationSlots;
            if (arriving >= 0) {
                if (!ports.hasCome(arriving)) {
                    return false;
                }
                ports.take(arriving);
            }
            assembly.receive(index, slot);
            sent = false;
            slot++;
            return true;
        }

        /** Whether all banks have done the slots whose completed flows a node may be notified of in this slot. */
        private boolean isNoticed() {
            long least = Long.MAX_VALUE;
            for (final NicAgent other : all) {
                least = Math.min(least, other.doneSeen.getAcquire()); // A1
            }
            noticedUntil = least + assembly.releases().noticeSlots();
            return slot < noticedUntil;
        }

        /** Publishes the slots sent and frees those received, if there are any. */
        private void exchange() {
            final long done = sent ? slot + 1 : slot;
            if (done > published) {
                ports.publish(done);
                published = done;
            }
            final long received = slot - propagationSlots;
            if (received > freed) {
                ports.free(received);
                freed = received;
            }
        }
    }

    /**
     * The ports of a bank of NICs: its ends of the links to and from circuit switches. In a slot a fibre carries the
     * handle of a cell, its place in the {@link InFlightCells}, or is empty if the schedule does not use it. Called by
     * the bank's thread.
     */
    private static final class NicPorts {
        private final SwitchedArrivals circuits;
        private final InFlightCells cells;
        private final int window;
        private final int placesOfSlot;
        private final int epochSlots;
        private final Out[] outs;
        private final In[] ins;
        /** First slot for which a link had no room at the last check. */
        private long roomUntil;
        /** First slot that had not arrived on some link at the last check. */
        private long comeUntil;
        /** Position of the slot to be put next. */
        private int putInEpoch;
        private int putInWindow;
        /** Position of the slot to be taken next. */
        private int takeInEpoch;

        /**
         * An outgoing link.
         *
         * @param link  the bank's end.
         * @param place by lane, the place of the port's node and channel within a slot of the {@code InFlightCells}.
         * @param lit   by slot of the epoch, a bit per lane: set if a cell is sent; null if all are set.
         */
        private record Out(LinkBundle.Producer link, int[] place, long[][] lit) {
        }

        /**
         * An incoming link.
         *
         * @param link  the bank's end.
         * @param entry by lane, the entry in the arrival map of the node and channel that it leads to.
         * @param lit   by slot of the epoch, a bit per lane: set if a cell arrives; null if all are set.
         */
        private record In(LinkBundle.Consumer link, int[] entry, long[][] lit) {
        }

        /**
         * Creates the ports of a bank.
         *
         * @param circuits  the bank's arrival map, filled by {@link #take}.
         * @param cells     in-flight cells of all banks.
         * @param fibres    all links.
         * @param bank      number of the bank.
         * @param wiring    defines the slots in which each fibre carries a cell.
         */
        NicPorts(final SwitchedArrivals circuits, final InFlightCells cells, final Fibres fibres,
            final int bank, final Wiring wiring) {
            this.circuits = circuits;
            this.cells = cells;
            this.window = fibres.slotsInFlight();
            this.placesOfSlot = wiring.schedule().nodes() * wiring.schedule().channels();
            this.epochSlots = wiring.schedule().epochSlots();
            this.outs = outs(wiring, fibres.outOf(bank));
            this.ins = ins(circuits, wiring, fibres.into(bank));
        }

        /** Whether every link has room for a slot. */
        boolean hasRoom(final long slot) {
            if (slot >= roomUntil) {
                long until = Long.MAX_VALUE;
                for (final Out out : outs) {
                    until = Math.min(until, out.link.writableUntil(slot));
                }
                roomUntil = until;
            }
            return slot < roomUntil;
        }

        /**
         * Puts the handles of the cells that the bank has sent in a slot onto its links. Called once per slot, in
         * order; they become visible with {@link #publish}.
         */
        void put(final long slot) {
            for (final Out out : outs) {
                put(out, slot);
            }
            putInEpoch = putInEpoch + 1 == epochSlots ? 0 : putInEpoch + 1;
            putInWindow = putInWindow + 1 == window ? 0 : putInWindow + 1;
        }

        /** Publishes all slots before this one to the switches. */
        void publish(final long endSlot) {
            for (final Out out : outs) {
                out.link.publish(endSlot);
            }
        }

        /** Whether a slot has arrived on every link. */
        boolean hasCome(final long slot) {
            if (slot >= comeUntil) {
                long until = Long.MAX_VALUE;
                for (final In in : ins) {
                    until = Math.min(until, in.link.readableUntil(slot));
                }
                comeUntil = until;
            }
            return slot < comeUntil;
        }

        /**
         * Copies the arrivals of a slot to the bank's arrival map. Called once per slot, in order.
         *
         * @throws IllegalStateException if a cell that the schedule sends is missing.
         */
        void take(final long slot) {
            for (final In in : ins) {
                take(in, slot);
            }
            takeInEpoch = takeInEpoch + 1 == epochSlots ? 0 : takeInEpoch + 1;
        }

        /**
         * Frees the slots before this one, which have been received; senders must not overwrite their cells until then.
         */
        void free(final long endSlot) {
            for (final In in : ins) {
                in.link.free(endSlot);
            }
        }

        private void put(final Out out, final long slot) {
            final int base = putInWindow * placesOfSlot;
            final Region words = out.link.words();
            final int[] place = out.place;
            long at = out.link.row(slot);
            if (out.lit == null) {
                for (int lane = 0; lane < place.length; lane++) {
                    words.setLong(at, LinkBundle.word(slot, base + place[lane]));
                    at += Long.BYTES;
                }
                return;
            }
            final long[] lit = out.lit[putInEpoch];
            for (int lane = 0; lane < place.length; lane++) {
                final boolean leaves = (lit[lane >>> 6] >>> lane & 1) != 0;
                words.setLong(at, LinkBundle.word(slot, leaves ? base + place[lane] : LinkBundle.DARK));
                at += Long.BYTES;
            }
        }

        private void take(final In in, final long arriving) {
            final Region words = in.link.words();
            final int[] entry = in.entry;
            final long[] lit = in.lit == null ? null : in.lit[takeInEpoch];
            long at = in.link.row(arriving);
            for (int lane = 0; lane < entry.length; lane++) {
                if (lit == null || (lit[lane >>> 6] >>> lane & 1) != 0) {
                    final long word = words.getLong(at);
                    if (!LinkBundle.isOf(word, arriving) || (int) word < 0) {
                        throw new IllegalStateException("a cell is missing: slot=" + arriving + " node="
                            + circuits.node(entry[lane]) + " channel=" + circuits.channel(entry[lane]));
                    }
                    circuits.set(entry[lane], cells.place((int) word));
                }
                at += Long.BYTES;
            }
        }

        private static Out[] outs(final Wiring wiring, final List<Fibres.BankLink<LinkBundle.Producer>> links) {
            final PortNumbers ports = wiring.ports();
            final Out[] outs = new Out[links.size()];
            for (int i = 0; i < outs.length; i++) {
                final int[] of = links.get(i).ports();
                outs[i] = new Out(links.get(i).end(), Arrays.stream(of).map(port -> ports.channelOf(port)
                    * wiring.schedule().nodes() + ports.nodeOf(port)).toArray(), lit(wiring, of, wiring::sends));
            }
            return outs;
        }

        private static In[] ins(final SwitchedArrivals circuits, final Wiring wiring,
            final List<Fibres.BankLink<LinkBundle.Consumer>> links) {
            final PortNumbers ports = wiring.ports();
            final In[] ins = new In[links.size()];
            for (int i = 0; i < ins.length; i++) {
                final int[] of = links.get(i).ports();
                ins[i] = new In(links.get(i).end(), Arrays.stream(of).map(port -> circuits.entry(
                    ports.channelOf(port), ports.nodeOf(port))).toArray(), lit(wiring, of, wiring::receives));
            }
            return ins;
        }

        /** Whether a port's fibre carries a cell in a slot of the epoch. */
        @FunctionalInterface
        private interface Carries {
            boolean cell(int port, int slotInEpoch);
        }

        private static long[][] lit(final Wiring wiring, final int[] of, final Carries carries) {
            final long[][] lit = new long[wiring.schedule().epochSlots()][of.length + 63 >>> 6];
            int cells = 0;
            for (int slotInEpoch = 0; slotInEpoch < lit.length; slotInEpoch++) {
                for (int lane = 0; lane < of.length; lane++) {
                    final boolean cell = carries.cell(of[lane], slotInEpoch);
                    lit[slotInEpoch][lane >>> 6] |= cell ? 1L << lane : 0;
                    cells += cell ? 1 : 0;
                }
            }
            return cells == lit.length * of.length ? null : lit;
        }
    }

    /**
     * The arrival map of a bank whose cells come from circuit switches. {@link NicPorts} sets the arrivals of a slot,
     * then the bank's receiver reads them. Called by the bank's thread.
     */
    private static final class SwitchedArrivals implements ArrivalMap {
        private final NodeRange range;
        private final long[] places;

        SwitchedArrivals(final NodeRange range, final int channels) {
            this.range = range;
            this.places = new long[channels * range.size()];
        }

        /** The index of a node's entry for {@link #set}. */
        int entry(final int channel, final int id) {
            return channel * range.size() + id - range.first();
        }

        /** The node of an entry. */
        int node(final int entry) {
            return range.first() + entry % range.size();
        }

        /** The channel of an entry. */
        int channel(final int entry) {
            return entry / range.size();
        }

        /** Sets the place of the cell that a node of the bank receives, or {@link ArrivalMap#DARK}. */
        void set(final int entry, final long place) {
            places[entry] = place;
        }

        @Override
        public void arrivals(final long sent, final int channel, final int firstId, final int count,
            final long[] into) {
            System.arraycopy(places, channel * range.size() + firstId - range.first(), into, 0, count);
        }
    }
}
