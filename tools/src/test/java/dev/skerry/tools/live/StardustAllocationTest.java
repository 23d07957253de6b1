package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgePort;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeWatch;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.packet.PacketFormat;
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
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/** Packets cross Stardust from port to port without garbage. */
final class StardustAllocationTest {
    private static final int MTU = 9_216;
    private static final int PORTS = 3;
    private static final int WINDOW_SLOTS = 4_000;

    @Test
    void shouldAllocateNothingOnThePath() {
        final PacketFormat format = new PacketFormat(new CellFormat(272, 16), MTU);
        final EdgeConfig config = new EdgeConfig(format, EdgeConfig.usualBufferCells(format, PORTS),
            EdgeConfig.STALL_NS, 0);
        final List<EdgePort> ports = IntStream.range(0, PORTS).mapToObj(node -> new EdgePort(node, "port " + node,
            new Endless(), MacForwarding.toPort((node + 1) % PORTS))).toList();
        final PacketEdges edges = new PacketEdges(config, ports, EdgeWatch.NONE);
        final Stardust fabric = new Stardust(Deployment.full(new FoldedClos(new FoldedClosConfig(8, 4, 1, 8, 0,
            List.of()))), 1, new HostSide(1, 1, 1, 930, 1 << 16, 1 << 15, false), CellCut.USUAL, new Credits(4096, 950,
            0, 0, 1, true), LinkRules.USUAL, true, 1);
        try (Engine engine = new StardustEngine(fabric, edges.flows(), Faults.NONE, ReachTiming.USUAL, 1, false,
            edges, Idle.BACKOFF)) {
            final LeastGarbage garbage = new LeastGarbage(WINDOW_SLOTS, 0);
            engine.run(10 * WINDOW_SLOTS, garbage);
            assertEquals(0, garbage.bytes(), "bytes in " + WINDOW_SLOTS + " slots");
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
}
