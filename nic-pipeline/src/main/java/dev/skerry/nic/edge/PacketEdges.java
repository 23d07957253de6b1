package dev.skerry.nic.edge;

import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.fabric.CellEdge;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.PacketEdge;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.packet.WindowConfig;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * Packets across a fabric: ports at its nodes, and everything between them and the cells that the engine moves. A flow
 * on demand of the {@link FlowSet} is all that goes from one port to another; it is active while cells of it wait.
 *
 * <pre>
 *   port -- burst -- where to? -- cut into cells -- queue of the flow                            thread of the source
 *        ... the fabric: sources, relays, circuits, destination ...
 *   window: in order -- queue of cells -- packets -- burst -- port                          thread of the destination
 * </pre>
 *
 * The thread that builds the engine makes it, may end the intake and looks at it; what it reads while the fabric runs
 * is a little behind. Everything else belongs to the threads of the banks.
 */
public final class PacketEdges implements Edges {
    /** Flag of a packet's first cell. */
    static final int SOP = PacketFormat.SOP;
    /** Width of a cell's sequence number in the header of Shoal (docs/spec/shoal.md §3.1). */
    private static final int SEQUENCE_BITS = 22;
    /** Slots that a missing cell is waited for. No fabric without faults holds a cell for so long. */
    private static final long TIMEOUT_SLOTS = 1 << 20;
    private static final int UNIT_CELLS = 64;

    private final EdgeConfig config;
    private final List<EdgePort> ports;
    private final EdgeWatch watch;
    private final PortFlows between;
    private final EdgeCounts[] counts;
    private final PortGuard[] guards;
    private final char[] cellsOf;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private int[] bankOf;
    private BankPorts[] edges;
    private EdgeMemory memory;

    /**
     * Edges that are not part of a fabric yet.
     *
     * @param config sizes.
     * @param ports  at least two, each at a node of its own; they are closed by {@link #closePorts}.
     * @param watch  is told when counters move on.
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
        this.between = new PortFlows(ports.stream().mapToInt(EdgePort::node).toArray());
        this.counts = ports.stream().map(port -> new EdgeCounts()).toArray(EdgeCounts[]::new);
        this.guards = ports.stream().map(EdgePort::port).map(PortGuard::new).toArray(PortGuard[]::new);
        final PacketFormat format = config.format();
        this.cellsOf = new char[format.mtuBytes() + 1];
        for (int length = 0; length < cellsOf.length; length++) {
            cellsOf[length] = (char) format.cells(length);
        }
    }

    /** What the engine is to send: a flow on demand for each port and each other one. */
    public FlowSet flows() {
        return between.flows();
    }

    @Override
    public CellEdge[] cellEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
        join(arena, fabric, ranges);
        return Arrays.stream(edges).map(BankCellEdge::new).toArray(CellEdge[]::new);
    }

    @Override
    public PacketEdge[] packetEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
        join(arena, fabric, ranges);
        return Arrays.stream(edges).map(bank -> new BankPacketEdge(bank, memory)).toArray(PacketEdge[]::new);
    }

    private void join(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
        bankOf = new int[ports.size()];
        for (int port = 0; port < bankOf.length; port++) {
            final int node = fabric.population().nodeOf(ports.get(port).node());
            while (node >= ranges[bankOf[port]].end()) {
                bankOf[port]++;
            }
        }
        memory = new EdgeMemory(arena, config, bankOf, ranges.length);
        edges = new BankPorts[ranges.length];
        for (int bank = 0; bank < edges.length; bank++) {
            final int own = bank;
            final int[] portsOf = IntStream.range(0, bankOf.length).filter(port -> bankOf[port] == own).toArray();
            edges[bank] = new BankPorts(arena, this, bank, portsOf, memory, windows(portsOf.length),
                fabric.propagationSlots());
        }
    }

    /**
     * Windows in which no cell ever finds no place: each number that a window spans is that of a cell that somebody
     * holds, so together they span no more than there are cells; twice that for rings of a power of two, and again as
     * one that grows has two of them.
     */
    private WindowConfig windows(final int portsOfBank) {
        final int streams = Math.max(1, portsOfBank * ports.size());
        final long places = 4L * ports.size() * config.bufferCells() + 2L * UNIT_CELLS * streams;
        return new WindowConfig(streams, SEQUENCE_BITS, config.bufferCells(),
            Math.toIntExact(Long.highestOneBit(places - 1) << 1), TIMEOUT_SLOTS);
    }

    /** Nothing more is taken from the ports; what is in the fabric goes on to its end. */
    public void endIntake() {
        open.set(false);
    }

    /** Whether nothing is under way any more, after {@link #endIntake}; seen a little late. */
    public boolean isDrained() {
        for (final BankPorts edge : edges) {
            if (!edge.isClosedSeen()) {
                return false;
            }
        }
        final long ended = ended();
        // Read after: what ended was cut before, so the sums can only be equal if nothing is between.
        long cut = 0;
        for (final BankPorts edge : edges) {
            cut += edge.cutSeen();
        }
        return cut == ended;
    }

    /** Cells that have reached a port or were lost, a little behind: a number that grows while anything arrives. */
    public long ended() {
        long ended = 0;
        for (final BankPorts edge : edges) {
            ended += edge.endedSeen();
        }
        return ended;
    }

    /** Closes all ports, when no thread uses them any more. */
    public void closePorts() {
        RuntimeException failure = null;
        for (final EdgePort port : ports) {
            try {
                port.port().close();
            } catch (final RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Number of ports. */
    public int ports() {
        return ports.size();
    }

    /** A port. */
    public EdgePort port(final int port) {
        return ports.get(port);
    }

    /** What was counted at a port. */
    public EdgeCounts counts(final int port) {
        return counts[port];
    }

    /** What was counted between packets and cells, over all banks. */
    public long count(final PacketCounter counter) {
        long sum = 0;
        for (final BankPorts edge : edges) {
            sum += edge.packets().get(counter);
        }
        return sum;
    }

    /** The same at a bank. */
    public long count(final int bank, final PacketCounter counter) {
        return edges[bank].packets().get(counter);
    }

    /** Number of banks. */
    public int banks() {
        return edges.length;
    }

    /** From a packet's being taken from a port to its being handed to this one, in ns, up to 2 s. */
    public SlotHistogram latencyNs(final int port) {
        return edges[bankOf[port]].egressOf(port).latency();
    }

    /** Slots that all banks have done, a little behind. */
    public long slots() {
        return Arrays.stream(edges).mapToLong(BankPorts::slotSeen).min().orElseThrow();
    }

    /** How often every bank has looked around: grows as long as each of them runs, however slowly. */
    public long looks() {
        return Arrays.stream(edges).mapToLong(BankPorts::looks).min().orElseThrow();
    }

    /** Whether all banks have done the slots that the cells under way ask for, a little behind. */
    public boolean isAtRest() {
        return slots() >= horizon();
    }

    /** Bytes, in whole cells, that have come to a port and that it has not taken yet; not while the fabric runs. */
    long waitingAt(final int port) {
        return edges[bankOf[port]].waitingAt(ports.get(port).node());
    }

    /** Whether a port had a peer when it was looked at last. */
    public boolean isUp(final int port) {
        return guards[port].wasUp();
    }

    /** Why a port failed and was closed; null while it has not. */
    public RuntimeException failure(final int port) {
        return guards[port].failure();
    }

    /**
     * Checks the laws of conservation, of packets and of cells, when no thread runs any more.
     *
     * @param inFabric cells that the engine holds.
     * @return packets that are still held.
     * @throws IllegalStateException with the law that is broken.
     */
    public long verify(final long inFabric) {
        return new EdgeLaws(this, edges, bankOf, memory).verify(inFabric);
    }

    /** Where each bank is, for messages. */
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

    /** How far all banks are to go. */
    long horizon() {
        long horizon = 0;
        for (final BankPorts edge : edges) {
            horizon = Math.max(horizon, edge.horizon());
        }
        return horizon;
    }
}
