package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.PacketClasses;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalParts;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Slots make less than a byte of garbage each, whether something may fail, has failed, or neither; packets cross
 * Stardust from port to port without any.
 */
final class LiveAllocationTest {
    private static final int NODES = 16;
    private static final int WINDOW_SLOTS = 2_000;
    private static final int PACKET_SLOTS = 4_000;
    private static final int MTU = 9_216;
    private static final int PORTS = 3;
    private static final int READINGS = 100;
    private static final int MOST_BYTES = 2_048;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** Until then all code of a slot is compiled; code that is not may allocate. */
    private static final long MOST_SLOTS = 1_000_000;

    /** What fails before the first window. */
    private enum Failing {
        NOTHING,
        NOTHING_YET(new Fault.Corruption(0, 0)),
        A_NODE(new Fault.Node(100, 3, false)),
        A_LINK(new Fault.Link(100, 3, 4, false));

        private final Faults faults;

        Failing(final Fault... faults) {
            this.faults = faults.length == 0 ? Faults.NONE : new Faults(new FaultPlan(List.of(faults)), 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMakeNoGarbageInShoalAndShale(final Failing failing) {
        check(new ShoalParts(Shoal.of(RoundRobin.plain(NODES, 2), ReleaseRule.EXACT, true, 3)), failing);
        final Phased phased = new Phased(2, 4);
        check(new ShaleParts(new Shale(phased, Population.complete(phased), Mechanisms.HBH, 4, 4, 3, 1)), failing);
    }

    private static void check(final FabricParts fabric, final Failing failing) {
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < NODES; node++) {
            flows.add(node, node, (node + 5) % NODES, 1L << 40, 1 << 30, 0);
        }
        final LeastGarbage garbage = new LeastGarbage(WINDOW_SLOTS, WINDOW_SLOTS);
        try (LockStep engine = new LockStep(fabric, flows, failing.faults, 1, false)) {
            engine.run(MOST_SLOTS, garbage);
        }
        assertTrue(garbage.bytes < WINDOW_SLOTS, () -> fabric.getClass().getSimpleName() + ": " + garbage.bytes
            + " bytes in " + WINDOW_SLOTS + " slots");
    }

    @Test
    void shouldAllocateNothingOnThePath() {
        final PacketFormat format = new PacketFormat(new CellFormat(272, 16), MTU);
        final EdgeConfig config = new EdgeConfig(format, EdgeConfig.usualBufferCells(format, PORTS),
            EdgeConfig.STALL_NS, 0, EdgeConfig.WhenFull.WAIT, 0, false, PacketClasses.NONE);
        final List<EdgePort> ports = IntStream.range(0, PORTS).mapToObj(node -> new EdgePort(node, 0, "port " + node,
            new Endless(), MacForwarding.toPort((node + 1) % PORTS))).toList();
        final PacketEdges edges = new PacketEdges(config, ports, EdgeWatch.NONE);
        final Stardust fabric = new Stardust(Deployment.full(new FoldedClos(new FoldedClosConfig(8, 4, 1, 8, 0,
            List.of()))), 1, new HostSide(1, 1, 1, 930, 1 << 16, 1 << 15, false), CellCut.USUAL, new Credits(4096, 950,
            0, 0, 1, true), LinkRules.USUAL, true, 1);
        try (Engine engine = new StardustEngine(fabric, edges.flows(), Faults.NONE, ReachTiming.USUAL, 1, false,
            edges, Idle.BACKOFF)) {
            final LeastGarbage garbage = new LeastGarbage(PACKET_SLOTS, 0);
            engine.run(10 * PACKET_SLOTS, garbage);
            assertEquals(0, garbage.bytes, "bytes in " + PACKET_SLOTS + " slots");
            assertTrue(edges.counts(0).get(EdgeCounter.TX_PACKETS) > 1_000,
                () -> "packets: " + edges.counts(0).get(EdgeCounter.TX_PACKETS));
        }
    }

    /** Delivers packets of all lengths without end, and receives all packets. */
    private static final class Endless implements PacketPort {
        private final MemorySegment packet = Arena.ofAuto().allocate(MTU);
        private final PortCounts counts = new PortCounts();
        private int length = 60;

        @Override
        public int rxBurst(final PacketBurst into) {
            int count = 0;
            while (into.append(packet, 0, length)) {
                count++;
                length = length + 61 > MTU ? 60 : length + 61;
            }
            return count;
        }

        @Override
        public int txBurst(final PacketBurst from, final int first) {
            counts.add(PortCounter.TX_PACKETS, from.size() - first);
            return from.size() - first;
        }

        @Override
        public PortCounts counts() {
            return counts;
        }

        @Override
        public void close() {
        }
    }

    /** A reading of a histogram, which every port has a second, takes memory for what was counted since. */
    @Test
    void shouldTakeMemoryForWhatWasCounted() {
        final NanoHistogram counted = new NanoHistogram();
        final NanoHistogram before = new NanoHistogram();
        counted.record(Long.MAX_VALUE);
        counted.since(before);
        final long start = THREADS.getCurrentThreadAllocatedBytes();
        for (int reading = 0; reading < READINGS; reading++) {
            counted.record(1_000 * reading);
            counted.since(before);
        }
        final long bytes = THREADS.getCurrentThreadAllocatedBytes() - start;
        assertTrue(bytes < READINGS * MOST_BYTES, () -> bytes + " bytes in " + READINGS + " readings");
    }

    /**
     * The least that the thread which watches a run allocates in any window of slots. Code that is not compiled yet may
     * allocate, so the first windows say little.
     */
    private static final class LeastGarbage implements Engine.Watch {
        private final int windowSlots;
        private final long enough;
        private long before;
        private long bytes = Long.MAX_VALUE;

        /** Goes on until a window has fewer bytes than {@code enough}. */
        LeastGarbage(final int windowSlots, final long enough) {
            this.windowSlots = windowSlots;
            this.enough = enough;
        }

        @Override
        public boolean onProgress(final long slot, final long delivered, final long completed) {
            if (slot % windowSlots == 0) {
                final long now = THREADS.getCurrentThreadAllocatedBytes();
                bytes = slot > windowSlots ? Math.min(bytes, now - before) : bytes;
                before = now;
            }
            return bytes >= enough;
        }
    }
}
