package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.packet.PacketCounter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Packets cross circuit fabrics in which nodes and links fail and come back, and cells are damaged: what arrives is
 * whole and in order, and every packet that does not has a name.
 */
@Timeout(120)
final class FaultyEdgesTest {
    private static final int PORTS = 6;
    private static final int NODES = 8;
    private static final int PACKETS = 300;
    private static final int SEEDS = 3;
    private static final int MENDED_SLOT = 4_000;

    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = "SH.*LOCKSTEP.*", mode = Mode.MATCH_ALL)
    void shouldNameEveryPacketThatFaultsCost(final Rig.Kind kind) {
        run(kind);
    }

    /** On a busy machine threads take a millisecond or more for a slot. */
    @Tag("long")
    @Timeout(600)
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = "SH.*THREADS.*", mode = Mode.MATCH_ALL)
    void shouldNameEveryPacketThatFaultsCostAcrossThreads(final Rig.Kind kind) {
        run(kind);
    }

    private static void run(final Rig.Kind kind) {
        long lost = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            final Random random = new Random(seed);
            final List<TestPort> ports = ports(random);
            try (Rig rig = new Rig(kind, ports, new Faults(script(random), seed))) {
                final String which = "seed " + seed + " " + kind;
                assertEquals(0, rig.run(() -> rig.count(EdgeCounter.RX_PACKETS) == PORTS * PACKETS), which);
                final long named = rig.edges.count(PacketCounter.PACKETS_WITH_CELLS);
                assertEquals(PORTS * PACKETS, rig.count(EdgeCounter.TX_PACKETS) + named, which);
                // Nothing else may take the place of a name.
                assertEquals(0, rig.edges.count(PacketCounter.PACKETS_AFTER_GAP)
                    + rig.edges.count(PacketCounter.PACKETS_INTERRUPTED)
                    + rig.edges.count(PacketCounter.PACKETS_NO_START), which);
                assertTrue(named < PORTS * PACKETS / 2, () -> which + " lost " + named);
                assertEquals(rig.edges.count(PacketCounter.CELLS_RECEIVED),
                    rig.edges.count(PacketCounter.CELLS_DELIVERED) + Arrays.stream(PacketCounter.values())
                        .filter(PacketCounter::isDrop).mapToLong(rig.edges::count).sum(), which + " cells");
                assertEquals(rig.edges.count(PacketCounter.CELLS_CUT), rig.edges.count(PacketCounter.CELLS_RECEIVED)
                    + rig.edges.count(PacketCounter.CELLS_LOST), which + " cells cut");
                verify(ports, which);
                lost += named;
            }
        }
        assertTrue(lost > 0, "faults that cost nothing show nothing");
    }

    private static List<TestPort> ports(final Random random) {
        final List<TestPort> ports = new ArrayList<>();
        for (int from = 0; from < PORTS; from++) {
            final List<byte[]> packets = new ArrayList<>();
            for (int i = 0; i < PACKETS; i++) {
                final int to = (from + 1 + random.nextInt(PORTS - 1)) % PORTS;
                packets.add(Rig.packet(from, to, i, 20 + random.nextInt(random.nextInt(4) == 0 ? 1_400 : 180)));
            }
            ports.add(new TestPort(packets));
        }
        return ports;
    }

    /** Nodes and links that fail and come back, one after the other, and damage that ends. */
    private static FaultPlan script(final Random random) {
        final List<Fault> faults = new ArrayList<>();
        faults.add(new Fault.Corruption(random.nextInt(MENDED_SLOT), 0.02));
        faults.add(new Fault.Corruption(MENDED_SLOT, 0));
        for (int slot = 50 + random.nextInt(200); slot < MENDED_SLOT - 600;) {
            final int until = slot + 50 + random.nextInt(500);
            final int node = random.nextInt(NODES);
            final int other = (node + 1 + random.nextInt(NODES - 1)) % NODES;
            if (random.nextBoolean()) {
                faults.add(new Fault.Node(slot, node, false));
                faults.add(new Fault.Node(until, node, true));
            } else {
                faults.add(new Fault.Link(slot, node, other, false));
                faults.add(new Fault.Link(until, node, other, true));
            }
            slot = until + random.nextInt(300);
        }
        return new FaultPlan(faults);
    }

    /** What arrived is as it was sent, and in the order of its source. */
    private static void verify(final List<TestPort> ports, final String which) {
        for (int to = 0; to < PORTS; to++) {
            final int[] last = new int[PORTS];
            Arrays.fill(last, -1);
            for (final byte[] packet : ports.get(to).received()) {
                final int from = Rig.source(packet);
                assertEquals(to, Rig.destination(packet), which);
                assertTrue(Rig.number(packet) > last[from], which);
                last[from] = Rig.number(packet);
                assertArrayEquals(Rig.packet(from, to, last[from], packet.length), packet, which);
            }
        }
    }
}
