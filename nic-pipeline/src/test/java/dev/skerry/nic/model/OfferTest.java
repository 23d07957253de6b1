package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A flow that is offered while a model runs is sent as if it had been known beforehand. */
final class OfferTest {
    private static final int SLOTS = 3000;
    private static final int FLOWS = 300;

    static CircuitFabric fabric(final String name) {
        final Phased two = new Phased(2, 4);
        final Phased four = new Phased(4, 2);
        return switch (name) {
            case "shale" -> new Shale(two, Population.complete(two), Mechanisms.HBH_SPRAY, 1, 2, 9, 7);
            case "shale4" -> new Shale(four, Population.complete(four), Mechanisms.HBH_SPRAY
                .with(TieRule.ROTATING).serving(LocalRule.NODE), 1, 3, 5, 7);
            case "chosen" -> new Shale(two, Population.complete(two), Mechanisms.HBH_SPRAY.with(TieRule.LOWEST)
                .serving(LocalRule.DESTINATION), 1, 2, 0, 7);
            case "none" -> new Shale(two, Population.complete(two), Mechanisms.NONE, 1, 2, 3, 7);
            case "shoal" -> Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, true, 3);
            default -> Shoal.of(RoundRobin.plain(16, 2), ReleaseRule.EXACT, true, 2);
        };
    }

    private static FlowSet random(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowSet flows = new FlowSet();
        long start = 0;
        for (int flow = 0; flow < FLOWS; flow++) {
            final int from = random.nextInt(16);
            final int cells = random.nextInt(50) == 0 ? FlowSet.ENDLESS : 1 + random.nextInt(40);
            flows.add(flow, from, (from + 1 + random.nextInt(15)) % 16, Long.MAX_VALUE, cells, start);
            start += random.nextInt(3) == 0 ? random.nextInt(25) : 0;
        }
        return flows;
    }

    /** Offers the flows of another set that start before a slot. */
    private static void offer(final FlowSet flows, final FlowSet open, final long until, final NodeModel[] models) {
        for (int flow = open.size(); flow < flows.size() && flows.startSlot(flow) < until; flow = open.size()) {
            final NodeModel source = models[flows.source(flow)];
            assertEquals(flow, source.offer(flows.startSlot(flow), flows.destination(flow), flows.cells(flow)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shale", "shale4", "chosen", "none", "shoal", "shoal2"})
    void shouldEqualAFlowKnownBeforehand(final String name) {
        final long seed = name.hashCode();
        final CircuitFabric fabric = fabric(name);
        final FlowSet flows = random(seed);
        final FlowSet open = FlowSet.open(FLOWS);
        final SplittableRandom ahead = new SplittableRandom(seed);
        try (FabricModel known = new FabricModel(Parts.of(fabric), flows);
            FabricModel offered = new FabricModel(Parts.of(fabric), open)) {
            for (long slot = 0; slot < SLOTS; slot++) {
                final long until = slot + 1 + ahead.nextInt(30);
                for (int f = open.size(); f < FLOWS && flows.startSlot(f) < until; f = open.size()) {
                    offered.offer(flows.startSlot(f), flows.source(f), flows.destination(f), flows.cells(f));
                }
                known.step();
                offered.step();
            }
            assertTrue(known.count(NicCounter.FLOWS_COMPLETED) > FLOWS / 8, "few flows: seed=" + seed);
            for (final NicCounter counter : List.of(NicCounter.FLOWS_STARTED, NicCounter.FLOWS_COMPLETED,
                NicCounter.CELLS_INJECTED, NicCounter.CELLS_FORWARDED, NicCounter.CELLS_DELIVERED)) {
                assertEquals(known.count(counter), offered.count(counter), counter + " seed=" + seed);
            }
            assertNotEquals(0, known.digest());
            assertEquals(known.digest(), offered.digest(), "seed=" + seed);
        }
    }

    /** Nodes alone: what one sends the fabric brings to the others, all flows offered at their nodes. */
    @ParameterizedTest
    @ValueSource(strings = {"shale", "shoal2"})
    void shouldReachNodesThatRunAlone(final String name) {
        final long seed = 5;
        final CircuitFabric fabric = fabric(name);
        final FlowSet flows = random(seed);
        final FlowSet open = FlowSet.open(FLOWS);
        final NodeModel[] nodes = new NodeModel[16];
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] = new NodeModel(Parts.of(fabric), open, node);
        }
        final NodeCells in = new NodeCells(fabric.channels());
        final NodeCells out = new NodeCells(fabric.channels());
        try (FabricModel known = new FabricModel(Parts.of(fabric), flows)) {
            for (long slot = 0; slot < SLOTS / 3; slot++) {
                offer(flows, open, slot + 1, nodes);
                known.step();
                for (int node = 0; node < nodes.length; node++) {
                    known.received(node, in);
                    known.sent(node, out);
                    assertEquals(out, nodes[node].step(slot, in), "slot=" + slot + " node=" + node + " seed=" + seed);
                }
            }
            long digest = 0;
            for (final NodeModel node : nodes) {
                digest += node.digest();
                node.close();
            }
            assertEquals(known.digest(), digest, "seed=" + seed);
        }
    }

    @Test
    void shouldRefuseWhatIsNoFlow() {
        final CircuitFabric fabric = fabric("shale");
        try (NodeModel closed = new NodeModel(Parts.of(fabric), new FlowSet(), 3);
            NodeModel node = new NodeModel(Parts.of(fabric), FlowSet.open(3), 3)) {
            final List<String> told = new ArrayList<>();
            told.add(refused(() -> closed.offer(0, 1, 5)));
            assertEquals(0, node.offer(7, 1, 5));
            told.add(refused(() -> node.offer(6, 1, 5)));
            told.add(refused(() -> node.offer(7, 3, 5)));
            told.add(refused(() -> node.offer(7, 16, 5)));
            told.add(refused(() -> node.offer(7, -1, 5)));
            told.add(refused(() -> node.offer(7, 1, 0)));
            node.step(0, new NodeCells(1));
            node.step(1, new NodeCells(1));
            told.add(refused(() -> node.offer(1, 1, 5)));
            node.offer(9, 2, 1);
            node.offer(9, 4, FlowSet.ENDLESS);
            told.add(refused(() -> node.offer(9, 4, 1)));
            for (final String why : List.of("known beforehand", "in order of start slot", "not a flow",
                "no such endpoint", "no such endpoint", "not a flow", "next slot or later", "room for no more")) {
                assertTrue(told.getFirst().contains(why), told.getFirst());
                told.removeFirst();
            }
        }
        assertThrows(IllegalArgumentException.class, () -> FlowSet.open(0));
    }

    private static String refused(final Runnable action) {
        return assertThrows(IllegalArgumentException.class, action::run).getMessage();
    }
}
