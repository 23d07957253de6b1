package dev.skerry.nic.edge;

import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.nic.fabric.CellEdge;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.PacketEdge;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.packet.PacketCounter;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * Carries packets across a fabric: the ports at its nodes, and everything between the ports and the cells that the
 * engine moves. All packets from one port to another of a traffic class are one flow on demand of the {@link FlowSet},
 * which is active while its cells wait.
 *
 * <pre>
 *   port -- burst -- forwarding -- cut into cells -- queue of the flow                            thread of the source
 *        ... the fabric: sources, relays, circuits, destination ...
 *   window: in order -- queue of cells -- packets -- burst -- port                          thread of the destination
 * </pre>
 *
 * The thread that builds the engine makes this object, may end the intake and may read the state; values read while the
 * fabric runs may lag. Everything else belongs to the threads of the banks.
 */
public final class PacketEdges implements Edges {
    private final EdgeConfig config;
    private final List<EdgePort> ports;
    private final EdgeWatch watch;
    private final PortFlows between;
    private final EdgeCounts[] counts;
    private final PortGuard[] guards;
    private final char[] cellsOf;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private final SlotBounds bounds = new SlotBounds();
    private int[] bankOf;
    private BankPorts[] edges;
    private EdgeMemory memory;
    private BankArrivals.Shared shared;

    /**
     * Creates edges that are not yet part of a fabric.
     *
     * @param config sizes.
     * @param ports  at least two, not all at one node; {@link #closePorts} closes them.
     * @param watch  is told when counters change.
     */
    public PacketEdges(final EdgeConfig config, final List<EdgePort> ports, final EdgeWatch watch) {
        if (ports.size() < 2) {
            throw new IllegalArgumentException("packets need two ports to travel between: ports=" + ports.size());
        }
        final int least = EdgeConfig.leastBufferCells(config.format(), ports.size());
        if (config.bufferCells() < least) {
            throw new IllegalArgumentException("bufferCells must suffice to flood a packet of the MTU: bufferCells="
                + config.bufferCells() + " least=" + least);
        }
        this.config = config;
        this.ports = List.copyOf(ports);
        this.watch = watch;
        this.between = new PortFlows(ports.stream().mapToInt(EdgePort::node).toArray(),
            config.classes().count());
        this.counts = ports.stream().map(port -> new EdgeCounts(ports.size())).toArray(EdgeCounts[]::new);
        this.guards = ports.stream().map(EdgePort::port).map(PortGuard::new).toArray(PortGuard[]::new);
        this.cellsOf = config.format().cellsOf();
    }

    /** The flows to give to the engine: one on demand from each port to each port of other nodes, in each class. */
    public FlowSet flows() {
        return between.flows();
    }

    @Override
    public CellEdge[] cellEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges,
        final boolean byName) {
        join(arena, fabric, ranges, byName);
        return Arrays.stream(edges).map(BankCellEdge::new).toArray(CellEdge[]::new);
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
        memory = new EdgeMemory(arena, config, bankOf, ranges.length);
        shared = BankArrivals.Shared.of(arena, this, memory, fabric, ranges.length, byName);
        edges = new BankPorts[ranges.length];
        for (int bank = 0; bank < edges.length; bank++) {
            final int own = bank;
            final int[] portsOf = IntStream.range(0, bankOf.length).filter(port -> bankOf[port] == own).toArray();
            edges[bank] = new BankPorts(arena, this, bank, portsOf, shared, EdgeWindows.of(config, portsOf.length,
                ports.size()), fabric);
        }
    }

    /** Stops taking packets from the ports. Packets already in the fabric still go to their ports. */
    public void endIntake() {
        open.set(false);
    }

    /** Whether nothing is under way after {@link #endIntake}; may lag. */
    public boolean isDrained() {
        for (final BankPorts edge : edges) {
            if (!edge.progress().isClosed()) {
                return false;
            }
        }
        final long ended = ended();
        // Read after the ends: every cell is cut before it ends, so the sums are equal only if no cell is under way.
        return Arrays.stream(edges).mapToLong(edge -> edge.progress().cut()).sum() == ended;
    }

    /** Cells that have reached a port or were lost; may lag. Grows as long as anything arrives. */
    public long ended() {
        return Arrays.stream(edges).mapToLong(edge -> edge.progress().ended()).sum();
    }

    /** Closes all ports. No thread may use them any more. */
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

    /** How long a port may take nothing, in ns. */
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
        long sum = 0;
        for (final BankPorts edge : edges) {
            sum += edge.packets().get(counter);
        }
        return sum;
    }

    /** The value of a counter between packets and cells, of one bank. */
    public long count(final int bank, final PacketCounter counter) {
        return edges[bank].packets().get(counter);
    }

    /** Number of banks. */
    public int banks() {
        return edges.length;
    }

    /** What stands and rests at the edges now. Call when the fabric is built. */
    public EdgeGauges gauges() {
        return new EdgeGauges(edges, bankOf, memory);
    }

    /** Changes ports while the fabric runs. Call when the fabric is built, once. */
    public EdgeControl control() {
        return new EdgeControl(this, guards, edges, bankOf, memory);
    }

    /** Latencies in ns of packets handed to this port, from their port's stamp or from being taken. Any thread. */
    public NanoHistogram latencyNs(final int port) {
        return edges[bankOf[port]].egressOf(port).latency();
    }

    /** Slots that all banks have done; may lag. */
    public long slots() {
        return Arrays.stream(edges).mapToLong(edge -> edge.progress().slot()).min().orElseThrow();
    }

    /** Looks at the ports that every bank has made: grows as long as all banks run, however slowly. */
    public long looks() {
        return Arrays.stream(edges).mapToLong(edge -> edge.progress().looks()).min().orElseThrow();
    }

    /** Whether all banks have done the slots that cells under way need; may lag. */
    public boolean isAtRest() {
        return slots() >= horizon();
    }

    /** Bytes, in whole cells, that have arrived for a port and that it has not taken yet. Not while the fabric runs. */
    long waitingAt(final int port) {
        return (long) edges[bankOf[port]].arrivedCells(port) * config.format().payloadBytes();
    }

    /** Whether a port had a peer at the last look. */
    public boolean isUp(final int port) {
        return guards[port].wasUp();
    }

    /** Why a port failed and was closed; null if it did not. */
    public RuntimeException failure(final int port) {
        return guards[port].failure();
    }

    /**
     * Checks the laws of conservation of packets and cells. No thread may run any more.
     *
     * @param inFabric cells that the engine holds.
     * @return packets that are still held.
     * @throws IllegalStateException if a law is broken; the message says which.
     */
    public long verify(final long inFabric) {
        return new EdgeLaws(this, edges, bankOf, memory).verify(inFabric);
    }

    /** The progress of each bank, for messages. */
    String state() {
        final StringBuilder text = new StringBuilder();
        for (final BankPorts edge : edges) {
            text.append(text.isEmpty() ? "" : ", ").append(edge);
        }
        return text.toString();
    }

    EdgeConfig config() {
        return config;
    }

    EdgeWatch watch() {
        return watch;
    }

    boolean isOpen() {
        return open.get();
    }

    int bankOf(final int port) {
        return bankOf[port];
    }

    /** Whether cells travel by name. */
    boolean areNamed() {
        return shared.names() != null;
    }

    /** Lost cells on their way to the bank of their destination. */
    long lostOnTheirWay() {
        return shared.ways() == null ? 0 : shared.ways().size();
    }

    /** Slots that banks must reach or may not begin. */
    SlotBounds bounds() {
        return bounds;
    }

    PortGuard guard(final int port) {
        return guards[port];
    }

    char[] cellsOf() {
        return cellsOf;
    }

    /** Which flow leads from which port to which. */
    PortFlows between() {
        return between;
    }

    /** The slot that all banks must reach. */
    long horizon() {
        long horizon = bounds.wanted();
        for (final BankPorts edge : edges) {
            horizon = Math.max(horizon, edge.progress().horizon());
        }
        return horizon;
    }
}
