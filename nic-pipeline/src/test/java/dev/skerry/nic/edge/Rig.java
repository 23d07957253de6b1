package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.engine.FreeRunning;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Wiring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** A fabric with test ports at its first nodes. */
final class Rig implements AutoCloseable {
    static final int MTU = 9_000;
    static final CellFormat STARDUST_CELL = new CellFormat(272, 16);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    final PacketEdges edges;
    final Engine engine;
    private long slots;

    /** The fabric and engine to run. */
    enum Kind {
        SHOAL_LOCKSTEP, SHOAL_LOCKSTEP_3, SHOAL_THREADS, SHOAL_THREADS_9, SHALE_LOCKSTEP, SHALE_LOCKSTEP_3,
        SHALE_THREADS, SHALE_THREADS_5, STARDUST_LOCKSTEP, STARDUST_LOCKSTEP_3,
        STARDUST_THREADS, STARDUST_THREADS_9;

        boolean isShoal() {
            return name().startsWith("SHOAL");
        }

        boolean isStardust() {
            return name().startsWith("STARDUST");
        }
    }

    Rig(final Kind kind, final List<TestPort> ports) {
        this(kind, ports, EdgeConfig.STALL_NS);
    }

    Rig(final Kind kind, final List<TestPort> ports, final long stallNs) {
        this(cell(kind), ports, stallNs, edges -> engine(kind, edges, Faults.NONE, 1, 1));
    }

    Rig(final CellFormat cell, final List<TestPort> ports, final long stallNs,
        final Function<PacketEdges, Engine> engine) {
        this(ports, config(cell, EdgeConfig.usualBufferCells(new PacketFormat(cell, MTU), ports.size()), stallNs,
            WhenFull.WAIT, 0, PacketClasses.NONE), 1, engine);
    }

    /** A fabric whose ports have few cells and never count as stalled, with a target of queues in ns, 0 for none. */
    Rig(final Kind kind, final List<? extends PacketPort> ports, final int bufferCells, final WhenFull whenFull,
        final long targetNs) {
        this(ports, config(cell(kind), bufferCells, Long.MAX_VALUE, whenFull, targetNs, PacketClasses.NONE), 1,
            edges -> engine(kind, edges, Faults.NONE, 1, 1));
    }

    static EdgeConfig config(final CellFormat cell, final int bufferCells, final long stallNs,
        final WhenFull whenFull, final long targetNs, final PacketClasses classes) {
        return new EdgeConfig(new PacketFormat(cell, MTU), bufferCells, stallNs, 0, whenFull, targetNs, false, classes);
    }

    /** A circuit fabric in which something fails. */
    Rig(final Kind kind, final List<? extends PacketPort> ports, final Faults faults) {
        this(ports, config(cell(kind), 1_024, Long.MAX_VALUE, WhenFull.WAIT, 0, PacketClasses.NONE), 1,
            edges -> engine(kind, edges, faults, 1, 1));
    }

    /** A fabric with some ports at each of its first nodes, whose packets are in classes. */
    Rig(final Kind kind, final List<? extends PacketPort> ports, final int portsAtANode, final PacketClasses classes) {
        this(ports, config(cell(kind), 4_096, Long.MAX_VALUE, WhenFull.WAIT, 0, classes), portsAtANode,
            edges -> engine(kind, edges, Faults.NONE, portsAtANode, classes.count()));
    }

    private Rig(final List<? extends PacketPort> ports, final EdgeConfig config, final int portsAtANode,
        final Function<PacketEdges, Engine> engine) {
        final List<EdgePort> edgePorts = new ArrayList<>();
        for (int port = 0; port < ports.size(); port++) {
            edgePorts.add(new EdgePort(port / portsAtANode, port % portsAtANode, "port " + port, ports.get(port),
                new Addressed()));
        }
        this.edges = new PacketEdges(config, edgePorts, EdgeWatch.NONE);
        this.engine = engine.apply(edges);
    }

    private static CellFormat cell(final Kind kind) {
        return kind.isShoal() ? CellFormat.SHOAL : kind.isStardust() ? STARDUST_CELL : new CellFormat(256, 12);
    }

    private static Engine engine(final Kind kind, final PacketEdges edges, final Faults faults, final int portsAtANode,
        final int classes) {
        final HostSide hosts = new HostSide(2, 2 * portsAtANode * portsAtANode, classes, 460, 1 << 16, 1 << 15, false);
        final Shoal shoal = Parts.shoal(8, 4, 3);
        final Shale shale = Parts.shale(2, 3, Mechanisms.HBH_SPRAY, 1, 7, 1);
        final FabricParts parts = Parts.of(kind.isShoal() ? shoal : shale);
        final Wiring wiring = kind.isShoal() ? Clos.of(shoal.schedule(), 4).wiring()
            : PhaseGroupSwitches.wiring(shale.schedule());
        final Traffic traffic = new Traffic(edges.flows(), faults, edges);
        return switch (kind) {
            case SHOAL_LOCKSTEP, SHALE_LOCKSTEP -> new LockStep(parts, traffic, 1, Idle.BACKOFF, false);
            case SHOAL_LOCKSTEP_3, SHALE_LOCKSTEP_3 -> new LockStep(parts, traffic, 3, Idle.BACKOFF, false);
            case SHOAL_THREADS, SHALE_THREADS -> new FreeRunning(parts, traffic, wiring,
                Threading.shared(2, Idle.BACKOFF), false);
            case SHOAL_THREADS_9 -> new FreeRunning(parts, traffic, wiring, Threading.separate(3, 6, Idle.BACKOFF),
                false);
            case SHALE_THREADS_5 -> new FreeRunning(parts, traffic, wiring, Threading.separate(2, 3, Idle.BACKOFF),
                false);
            // Two ports per adapter: some packets never enter the fabric. One tier, and two tiers with longer links.
            case STARDUST_LOCKSTEP ->
                new StardustEngine(oneTier(hosts), edges.flows(), Faults.NONE, ReachTiming.USUAL, 1, true, edges,
                    Idle.BACKOFF);
            case STARDUST_LOCKSTEP_3 ->
                new StardustEngine(twoTiers(hosts), edges.flows(), Faults.NONE, ReachTiming.USUAL, 3, false, edges,
                    Idle.BACKOFF);
            case STARDUST_THREADS ->
                new StardustThreads(oneTier(hosts), edges.flows(), Faults.NONE, ReachTiming.USUAL, edges,
                    Threading.shared(2, Idle.BACKOFF));
            case STARDUST_THREADS_9 ->
                new StardustThreads(twoTiers(hosts), edges.flows(), Faults.NONE, ReachTiming.USUAL, edges,
                    Threading.separate(2, 7, Idle.BACKOFF));
        };
    }

    private static Stardust twoTiers(final HostSide hosts) {
        return stardust(new FoldedClosConfig(8, 4, 1, 4, 4, List.of(4)), 3, CellPacker.Packing.NONE, hosts);
    }

    private static Stardust oneTier(final HostSide hosts) {
        return stardust(new FoldedClosConfig(8, 4, 1, 8, 0, List.of()), 1, CellPacker.Packing.CONTINUOUS, hosts);
    }

    /** A fabric of one tier. */
    static Stardust stardust() {
        return oneTier(new HostSide(2, 2, 1, 460, 1 << 16, 1 << 15, false));
    }

    private static Stardust stardust(final FoldedClosConfig clos, final int linkSlots,
        final CellPacker.Packing packing, final HostSide hosts) {
        return new Stardust(Deployment.full(new FoldedClos(clos)), linkSlots,
            hosts, new CellCut(MTU, 256, true, packing),
            new Credits(4096, 470, 0, 0, 1, true), LinkRules.USUAL, true, 7);
    }

    /**
     * Runs until the condition holds, then until nothing is under way, and checks the laws. Only the time limit of the
     * test, which interrupts the thread, bounds the wait.
     *
     * @return packets still held.
     */
    long run(final BooleanSupplier until) {
        final boolean[] ending = new boolean[1];
        engine.run(0, (slot, delivered, completed) -> {
            slots = slot;
            if (!ending[0] && until.getAsBoolean()) {
                ending[0] = true;
                edges.endIntake();
            }
            if (Thread.interrupted()) {
                System.err.println("it never happened: " + this);
                return false;
            }
            return !(ending[0] && edges.isDrained());
        });
        assertTrue(ending[0] && edges.isDrained(), () -> "it never happened: " + this);
        return edges.verify(engine.carried());
    }

    /** Slots done. */
    long slots() {
        return slots;
    }

    long count(final EdgeCounter counter) {
        long sum = 0;
        for (int port = 0; port < edges.ports(); port++) {
            sum += edges.counts(port).get(counter);
        }
        return sum;
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("slots=" + slots);
        for (final EdgeCounter counter : EdgeCounter.values()) {
            text.append(' ').append(counter).append('=').append(count(counter));
        }
        return text.toString();
    }

    @Override
    public void close() {
        engine.close();
        edges.closePorts();
    }

    /** A packet: destination, source and number, then bytes that follow from these three. */
    static byte[] packet(final int from, final int to, final int number, final int length) {
        final byte[] bytes = new byte[length];
        final MemorySegment segment = MemorySegment.ofArray(bytes);
        for (int i = 12; i < length; i++) {
            bytes[i] = (byte) (from * 31 + to * 17 + number * 7 + i + (i >> 8));
        }
        segment.set(INT, 0, to);
        segment.set(INT, 4, from);
        segment.set(INT, 8, number);
        return bytes;
    }

    /** Packets of one length from one port to another. */
    static List<byte[]> script(final int from, final int to, final int packets, final int length) {
        return IntStream.range(0, packets).mapToObj(i -> packet(from, to, i, length)).toList();
    }

    /** Ports that bring nothing. */
    static List<TestPort> empty(final int count) {
        return new ArrayList<>(IntStream.range(0, count).mapToObj(port -> new TestPort(List.of())).toList());
    }

    /** Ports of which one brings packets. */
    static List<TestPort> bringing(final int count, final int port, final List<byte[]> packets) {
        final List<TestPort> ports = empty(count);
        ports.set(port, new TestPort(packets));
        return ports;
    }

    /** Ports of which each brings packets for the others at random, numbered by destination. */
    static List<TestPort> random(final SplittableRandom random, final int count, final int packets,
        final ToIntFunction<SplittableRandom> length) {
        final List<TestPort> ports = new ArrayList<>();
        for (int from = 0; from < count; from++) {
            final int[] numbers = new int[count];
            final List<byte[]> script = new ArrayList<>();
            for (int i = 0; i < packets; i++) {
                final int to = (from + 1 + random.nextInt(count - 1)) % count;
                script.add(packet(from, to, numbers[to]++, length.applyAsInt(random)));
            }
            ports.add(new TestPort(script));
        }
        return ports;
    }

    static long took(final List<? extends TestPort> ports) {
        return ports.stream().mapToLong(TestPort::took).sum();
    }

    /** Asserts that packets came unchanged where they were to go, in the order of their sources; all, or some. */
    static void verify(final List<? extends TestPort> ports, final boolean all, final String where) {
        for (int to = 0; to < ports.size(); to++) {
            final int[] next = new int[ports.size()];
            for (final byte[] packet : ports.get(to).received()) {
                final int from = source(packet);
                final String what = where + " from=" + from + " to=" + to;
                assertEquals(to, destination(packet), what);
                assertTrue(all ? number(packet) == next[from] : number(packet) >= next[from], what + " order");
                next[from] = number(packet) + 1;
                assertArrayEquals(packet(from, to, number(packet), packet.length), packet, what);
            }
        }
    }

    static int destination(final byte[] packet) {
        return MemorySegment.ofArray(packet).get(INT, 0);
    }

    static int source(final byte[] packet) {
        return MemorySegment.ofArray(packet).get(INT, 4);
    }

    static int number(final byte[] packet) {
        return MemorySegment.ofArray(packet).get(INT, 8);
    }

    /** Sends a packet to the destination that it names. */
    static final class Addressed implements PortForwarding {
        @Override
        public int route(final MemorySegment bytes, final long offset, final int length, final long nowNs) {
            return length < 12 ? NO_ADDRESS : bytes.get(INT, offset);
        }

        @Override
        public void learn(final int source, final MemorySegment bytes, final long offset, final int length,
            final long nowNs) {
            if (bytes.get(INT, offset + 4) != source) {
                throw new AssertionError("a packet of " + bytes.get(INT, offset + 4) + " came from " + source);
            }
        }
    }
}
