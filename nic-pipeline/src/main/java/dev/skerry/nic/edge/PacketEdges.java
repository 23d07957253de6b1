package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.nic.edge.EdgeCounter.EdgeCounts;
import dev.skerry.nic.edge.EdgePort.PortGuard;
import dev.skerry.nic.fabric.Edge.CellEdge;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.schedule.check.Laws;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * Carries packets across a fabric: the ports at its nodes, and everything between the ports and the cells that the
 * engine moves. All packets of a traffic class from one port to another form one flow on demand of the {@link FlowSet},
 * which is active while its cells wait.
 *
 * <pre>
 *   port -- burst -- forwarding -- cut into cells -- queue of the flow                            thread of the source
 *        ... the fabric: sources, relays, circuits, destination ...
 *   window: in order -- queue of cells -- packets -- burst -- port                          thread of the destination
 * </pre>
 *
 * The thread that builds the engine creates this object, may end the intake and may read the state; values read while
 * the fabric runs may lag. Everything else belongs to the threads of the banks.
 */
public final class PacketEdges implements Edges {
    /** Width of a cell's sequence number in the header of Shoal (docs/spec/shoal.md §3.1). */
    private static final int SEQUENCE_BITS = 22;
    /**
     * Bounds of the time-out of a missing cell, in slots. It grows with the square of the number of nodes: no fabric
     * without faults holds a cell for that long (docs/spec/shoal.md §3.3).
     */
    private static final long TIMEOUT_SLOTS = 1 << 20;
    private static final long MOST_TIMEOUT_SLOTS = 1 << 24;
    /** For classes that wait for higher ones, for as long as these send. */
    private static final long NO_TIMEOUT = Long.MAX_VALUE / 2;

    final EdgeConfig config;
    private final List<EdgePort> ports;
    final EdgeWatch watch;
    final PortFlows between;
    private final EdgeCounts[] counts;
    private final PortGuard[] guards;
    /** Number of cells by packet length. */
    final char[] cellsOf;
    private final AtomicBoolean open = new AtomicBoolean(true);
    /** A slot that all banks must reach in any case. */
    private final AtomicLong wanted = new AtomicLong();
    /** A slot that no bank may start. */
    private final AtomicLong limit = new AtomicLong(Long.MAX_VALUE);
    /** Bank of each port, and its place among the ports of the bank. */
    int[] bankOf;
    int[] placeOf;
    private BankPorts[] edges;
    private EdgeMemory memory;
    private BankArrivals.Shared shared;

    /**
     * Creates edges that are not yet part of a fabric.
     *
     * @param config sizes.
     * @param ports  at least two, not all at one node; {@link #closePorts} closes them.
     * @param watch  is notified when counters change.
     */
    public PacketEdges(final EdgeConfig config, final List<EdgePort> ports, final EdgeWatch watch) {
        Bounds.refuseIf(ports.size() < 2, "at least two ports are required: ports=", ports.size());
        final int least = EdgeConfig.leastBufferCells(config.format(), ports.size());
        Bounds.refuseIf(config.bufferCells() < least,
            "bufferCells must be sufficient to flood a packet of the size of the MTU: "
                + "bufferCells=", config.bufferCells(), " least=",
            least);
        this.config = config;
        this.ports = List.copyOf(ports);
        this.watch = watch;
        this.between = new PortFlows(ports.stream().mapToInt(EdgePort::node).toArray(),
            config.classes().count());
        this.counts = ports.stream().map(port -> new EdgeCounts(ports.size())).toArray(EdgeCounts[]::new);
        this.guards = ports.stream().map(EdgePort::port).map(PortGuard::new).toArray(PortGuard[]::new);
        this.cellsOf = config.format().cellsOf();
    }

    /** The flows to pass to the engine: one on demand from each port to each port of other nodes, in each class. */
    public FlowSet flows() {
        return between.flows;
    }

    @Override
    public CellEdge[] cellEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges,
        final boolean byName) {
        join(arena, fabric, ranges, byName);
        return edges.clone();
    }

    @Override
    public PacketEdge[] packetEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
        join(arena, fabric, ranges, false);
        return Arrays.stream(edges).map(bank -> new BankPacketEdge(bank, memory,
            new int[between.size()])).toArray(PacketEdge[]::new);
    }

    private void join(final Arena arena, final Fabric fabric, final NodeRange[] ranges, final boolean byName) {
        bankOf = new int[ports.size()];
        for (int port = 0; port < bankOf.length; port++) {
            final int node = fabric.population().nodeOf(ports.get(port).node());
            while (node >= ranges[bankOf[port]].end()) {
                bankOf[port]++;
            }
        }
        placeOf = new int[bankOf.length];
        memory = new EdgeMemory(arena, config, bankOf, ranges.length);
        shared = BankArrivals.Shared.of(arena, this, memory, fabric, ranges.length, byName);
        edges = new BankPorts[ranges.length];
        for (int bank = 0; bank < edges.length; bank++) {
            final int own = bank;
            final int[] portsOf = IntStream.range(0, bankOf.length).filter(port -> bankOf[port] == own).toArray();
            for (int place = 0; place < portsOf.length; place++) {
                placeOf[portsOf[place]] = place;
            }
            edges[bank] = new BankPorts(arena, this, bank, portsOf, shared, windows(portsOf.length, fabric.nodes()),
                fabric);
        }
    }

    private WindowConfig windows(final int portsOfBank, final int nodes) {
        return new WindowConfig(Math.max(1, portsOfBank * between.queues()), SEQUENCE_BITS, config.bufferCells(),
            config.classes().count() > 1 ? NO_TIMEOUT : Math.clamp(4L * nodes * (nodes + 1), TIMEOUT_SLOTS,
                MOST_TIMEOUT_SLOTS));
    }

    /** Stops receiving packets from the ports. Packets already in the fabric are still delivered. */
    public void endIntake() {
        open.set(false);
    }

    /** Whether nothing is in flight after {@link #endIntake}; may lag. */
    public boolean isDrained() {
        for (final BankPorts edge : edges) {
            if (!edge.closed.get()) {
                return false;
            }
        }
        final long ended = ended();
        // Read after the ends: every cell is cut before it ends, so the sums are equal only if no cell is in flight.
        return Arrays.stream(edges).mapToLong(edge -> edge.cut.get()).sum() == ended;
    }

    /** Number of cells that have reached a port or were lost; may lag. Grows while cells arrive. */
    public long ended() {
        return Arrays.stream(edges).mapToLong(edge -> edge.ended.get()).sum();
    }

    /** Closes all ports. No thread may use them afterwards. */
    public void closePorts() {
        RuntimeException failure = null;
        for (final EdgePort port : ports) {
            try {
                port.port().close();
            } catch (final RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        for (int port = 0; port < counts.length; port++) {
            counts[port].settle(ports.get(port).port().counts());
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Time for which a port may refuse every packet, in ns. */
    public long stallNs() {
        return config.stallNs();
    }

    /** Number of ports. */
    public int ports() {
        return ports.size();
    }

    /** The port with this number, as given to the constructor. */
    public EdgePort port(final int port) {
        return ports.get(port);
    }

    /** The counters of a port. */
    public EdgeCounts counts(final int port) {
        return counts[port];
    }

    /** The value of a counter between packets and cells, over all banks. */
    public long count(final PacketCounter counter) {
        return Arrays.stream(edges).mapToLong(edge -> edge.packets.get(counter)).sum();
    }

    /** The value of a counter between packets and cells, of one bank. */
    public long count(final int bank, final PacketCounter counter) {
        return edges[bank].packets.get(counter);
    }

    /** Number of banks. */
    public int banks() {
        return edges.length;
    }

    /** Number of cells that wait at a port to enter the fabric; may lag. */
    public int waitingCells(final int port) {
        return edges[bankOf[port]].ingressOf(port).waiting;
    }

    /** Number of cells that have arrived for a port and that it has not taken yet; may lag. */
    public int arrivedCells(final int port) {
        return edges[bankOf[port]].arrivedCells(port);
    }

    /** Number of cells of a port's packets to another port, from cutting to delivery; may lag. */
    public int heldCells(final int port, final int to) {
        return memory.held(port, to);
    }

    /** Time in ns in which a bank was idle because nothing was in flight; may lag. */
    public long idleNs(final int bank) {
        return edges[bank].target.idleNs;
    }

    /** Creates the object that changes ports while the fabric runs. Called once, when the fabric is built. */
    public EdgeControl control() {
        return new EdgeControl();
    }

    /**
     * Latencies in ns of packets delivered to this port, from their ingress port's time stamp or from reception. Any
     * thread may call.
     */
    public NanoHistogram latencyNs(final int port) {
        return edges[bankOf[port]].egressOf(port).latency;
    }

    /** Slots that all banks have done; may lag. */
    public long slots() {
        return Arrays.stream(edges).mapToLong(edge -> edge.slots.get()).min().orElseThrow();
    }

    /** Number of port checks that every bank has made: grows as long as all banks run, however slowly. */
    public long looks() {
        return Arrays.stream(edges).mapToLong(edge -> edge.looks.get()).min().orElseThrow();
    }

    /** Whether all banks have done the slots that in-flight cells need; may lag. */
    public boolean isIdle() {
        return slots() >= horizon();
    }

    /** Whether a port had a peer at the last check. */
    public boolean isUp(final int port) {
        return guards[port].wasUp();
    }

    /** Cause of a port's failure; null if it has not failed. */
    public RuntimeException failure(final int port) {
        return guards[port].failure();
    }

    /**
     * Checks conservation of packets and cells. No thread may be running. Cells: every allocated cell is in a queue, in
     * the fabric, in a window or on the return path to its free list, and all of these are counted individually.
     * Packets: received + copies = sent + held + drops + lost.
     *
     * @param inFabric number of cells that the engine holds.
     * @return number of packets still held.
     * @throws IllegalStateException if conservation is broken; the message says how.
     */
    public long verify(final long inFabric) {
        verifyCells(inFabric);
        long in = 0;
        long out = 0;
        long atPorts = 0;
        for (int port = 0; port < ports(); port++) {
            final EdgeCounts of = counts[port];
            in += of.get(EdgeCounter.RX_PACKETS) + of.get(EdgeCounter.COPIES);
            out += of.get(EdgeCounter.TX_PACKETS) + of.dropped();
            atPorts += edges[bankOf[port]].ingressOf(port).pending() + edges[bankOf[port]].egressOf(port).pending();
        }
        final long lost = Arrays.stream(PacketCounter.values()).filter(PacketCounter::isLoss)
            .mapToLong(this::count).sum();
        final long atWork = count(PacketCounter.PACKETS_CUT) - count(PacketCounter.PACKETS_DELIVERED) - lost;
        final long held = atPorts + atWork;
        Laws.brokenIf(in != out + lost + held, "packets are not conserved: in=", in, " out and dropped=", out,
            " lost in the fabric=", lost, " held=", held);
        Laws.brokenIf(atWork < 0 || atWork > 0 && cellsBetween(inFabric) == 0, "packets are lost that no counter "
            + "includes: cut=",
            count(PacketCounter.PACKETS_CUT), " delivered=", count(PacketCounter.PACKETS_DELIVERED), " lost=", lost,
            " with no cell left in the fabric");
        return held;
    }

    private void verifyCells(final long inFabric) {
        long lent = 0;
        long returning = 0;
        for (int port = 0; port < ports(); port++) {
            final FreeList list = memory.lists[port];
            list.verify();
            lent += list.held();
            Laws.brokenIf(memory.shares[port].held() != list.held(),
                "cells of a port are not those of its destinations: port=", port, " handed out=", list.held(),
                " by destination=", memory.shares[port].held());
            returning += memory.returning(port);
        }
        final long inside = cellsBetween(inFabric);
        Laws.brokenIf(lent != returning + inside, "cells are not conserved: handed out=", lent, " on the return path=",
            returning, " in queues, windows and the fabric=", inside);
    }

    private long cellsBetween(final long inFabric) {
        // If cells travel by name, the fabric holds copies; the missing cells count instead.
        long cells = shared.names() != null ? 0 : inFabric;
        cells += shared.ways() == null ? 0 : shared.ways().size();
        for (final BankPorts edge : edges) {
            cells += edge.arrivals.inWindow() + edge.arrivals.missing();
            for (final int port : edge.ports) {
                cells += edge.ingressOf(port).count() + edge.egressOf(port).count();
            }
        }
        return cells;
    }

    boolean isOpen() {
        return open.get();
    }

    /**
     * The slot to which a bank may proceed: the earlier of {@code slot} and the limit. Called with the previously
     * computed slot.
     */
    long within(final long slot) {
        return Math.min(slot, limit.get());
    }

    PortGuard guard(final int port) {
        return guards[port];
    }

    /** The slot that all banks must reach. */
    long horizon() {
        long horizon = wanted.get();
        for (final BankPorts edge : edges) {
            horizon = Math.max(horizon, edge.horizon.get());
        }
        return horizon;
    }

    /**
     * Changes the ports of a running fabric. Any thread may call, except those that run banks, which would wait for
     * themselves. Actions on the thread of a port run between two of its slots.
     */
    public final class EdgeControl {
        /** Initial distance in slots ahead of all banks. */
        private static final long AHEAD_SLOTS = 64;
        /** Slots that pass after a change, so that an idle fabric applies it. */
        private static final long NOTE_SLOTS = 4_096;

        private final AtomicBoolean over = new AtomicBoolean();

        private EdgeControl() {
        }

        /** Ends control: the fabric has stopped, and pending tasks are not run. */
        public void end() {
            over.set(true);
        }

        /**
         * Runs an action on the thread of a port, between two slots, and waits for it. It must be short, because the
         * fabric stops meanwhile.
         *
         * @param port number of the port.
         * @param work the action; its exceptions are rethrown.
         * @return false if the fabric has ended before; the action was not run.
         */
        public boolean inTurn(final int port, final Runnable work) throws InterruptedException {
            return edges[bankOf[port]].ask(work, over::get);
        }

        /**
         * Runs an action that all banks must see before a slot that none of them has started. Banks that reach the slot
         * wait meanwhile. One thread at a time.
         *
         * @param work receives the slot; its exceptions are rethrown.
         */
        public void beforeSlot(final LongConsumer work) {
            for (long ahead = AHEAD_SLOTS;; ahead *= 2) {
                final long slot = horizon() + ahead;
                limit.set(slot);
                try {
                    // The slot that a bank was allowed before it saw the limit was at most the horizon at that time.
                    if (horizon() < slot) {
                        work.accept(slot);
                        wanted.set(slot + NOTE_SLOTS);
                        return;
                    }
                } finally {
                    limit.set(Long.MAX_VALUE);
                }
            }
        }

        /** Whether packets are exchanged with a port. */
        public boolean isServed(final int port) {
            return guards[port].isServed();
        }

        /**
         * Enables or disables the exchange of packets with a port. While disabled, packets to this port alone are
         * dropped at their ingress ({@link EdgeCounter#DROPPED_NOWHERE}), and floods omit it. In-flight packets are
         * still delivered.
         */
        public void serve(final int port, final boolean isServed) {
            guards[port].serve(isServed);
        }

        /** Clears the failure of a port that has been replaced. Called within {@link #inTurn}. */
        public void revive(final int port) {
            guards[port].revive();
        }

        /**
         * Number of in-flight cells from and to a port, plus its packets that wait to be cut. Called within
         * {@link #inTurn}.
         */
        public long underWay(final int port) {
            final BankPorts bank = edges[bankOf[port]];
            long sum = bank.ingressOf(port).pending() + bank.egressOf(port).pending() + memory.shares[port].held();
            for (int from = 0; from < guards.length; from++) {
                sum += memory.held(from, port);
            }
            return sum;
        }
    }

    /**
     * The edge of a bank of adapters, which cut packets into cells themselves. A packet's handle is its first cell and
     * its size; its cells stay linked as {@link PacketIngress} cut them. Adapters restore the order of packets, so
     * cells are renumbered on arrival: no receiver waits for cells of lost packets. One thread.
     *
     * @param ports  the bank's ports.
     * @param memory the cells.
     * @param next   by flow, the number of the next cell to arrive.
     */
    private record BankPacketEdge(BankPorts ports, EdgeMemory memory, int[] next) implements PacketEdge {
        @Override
        public void join(final Intake intake) {
            ports.join(intake);
        }

        @Override
        public long inject(final long identity, final int cells) {
            final int flow = Cell.flow(identity);
            final int sequence = Cell.sequence(identity);
            final int first = (int) ports.inject(identity);
            for (int index = 1; index < cells; index++) {
                ports.inject(Cell.of(flow, sequence + index));
            }
            return (long) memory.length(first) << Integer.SIZE | first;
        }

        @Override
        public int deliver(final long packet) {
            return end(packet, true);
        }

        @Override
        public int refuse(final long packet) {
            ports.packets.increment(PacketCounter.PACKETS_NO_ROOM);
            return end(packet, false);
        }

        @Override
        public int police(final long packet) {
            ports.packets.increment(PacketCounter.PACKETS_POLICED);
            return end(packet, false);
        }

        @Override
        public int discard(final long packet) {
            ports.packets.increment(PacketCounter.PACKETS_WITH_CELLS);
            return end(packet, false);
        }

        @Override
        public void copy(final long packet, final int offset, final MemorySegment to, final long at, final int bytes) {
            memory.copy((int) packet, offset, to, at, bytes);
        }

        @Override
        public long waitingAt(final int endpoint) {
            return ports.waitingAt(endpoint);
        }

        @Override
        public long poll(final long slot) {
            return ports.poll(slot);
        }

        /** Delivers or discards the cells of a packet one by one; returns their number. */
        private int end(final long packet, final boolean arrived) {
            int cells = 0;
            int cell = (int) packet;
            for (boolean last = false; !last; cells++) {
                // Read before the cell is passed on: its new owner relinks it.
                final int following = memory.next(cell);
                last = (memory.flags(cell) & PacketFormat.EOP) != 0;
                if (arrived) {
                    final int flow = Cell.flow(memory.identity(cell));
                    memory.setIdentity(cell, Cell.of(flow, next[flow]++));
                    ports.arrivals.deliver(cell);
                } else {
                    ports.arrivals.drop(cell);
                }
                cell = following;
            }
            return cells;
        }
    }

    /** Notified several times a second when counters have changed, by the thread that writes them. */
    public interface EdgeWatch {
        /** A watch that does nothing. */
        EdgeWatch NONE = new EdgeWatch() {
            @Override
            public void onPort(final int port) {
            }

            @Override
            public void onBank(final int bank, final long slot) {
            }
        };

        /**
         * Reports that the counters of a port have changed. Called by the thread of its node.
         *
         * @param port its number, in the order given to {@link PacketEdges}.
         */
        void onPort(int port);

        /**
         * Reports the progress of a bank. Called by its thread.
         *
         * @param bank number of the bank.
         * @param slot the next slot.
         */
        void onBank(int bank, long slot);
    }
}
