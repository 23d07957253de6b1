package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Random;

/** Nodes on their own, which learn of failures by their cells only, are those of a whole fabric with these failures. */
final class NodeFaultsTest {
    private static final int SLOTS = 1200;
    private static final int LONG = 4000;

    /** Fabric by its name, size and propagation delay; what else there is to choose follows from the seed. */
    static CircuitFabric fabric(final String name, final int nodes, final int propagation, final long seed) {
        final Random random = new Random(seed);
        if (name.startsWith("shoal")) {
            final int channels = name.equals("shoal2") ? 2 : 1;
            return Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, propagation)
                .with(new Resilience(1 + random.nextInt(3), 2 + random.nextInt(8), 1 + random.nextInt(3), 3, 0));
        }
        final int h = name.charAt("shale".length()) - '0';
        final Phased schedule = new Phased(h, Population.radixFor(h, nodes));
        final FailureRules rules = new FailureRules(1 + random.nextInt(3), random.nextBoolean());
        return new Shale(schedule, Population.of(schedule, nodes, 0), Mechanisms.HBH_SPRAY, 1, 2, propagation, seed,
            rules);
    }

    private static Faults script(final CircuitFabric fabric, final int slots, final long seed) {
        final int nodes = fabric.nodes();
        return Scripts.withClocks(Scripts.random(seed, nodes, slots * 2 / 3, nodes / 4, 1 + nodes / 16, seed % 2 == 0
            ? 0.003 : 0), nodes, slots * 2 / 3, 1);
    }

    @ParameterizedTest
    @CsvSource({"shale2, 16, 5, 1", "shale2, 16, 0, 2", "shale4, 16, 9, 3", "shale2, 64, 5, 4", "shoal, 8, 3, 5",
        "shoal, 16, 0, 6", "shoal2, 8, 5, 7", "shoal2, 16, 2, 8"})
    void shouldEqualNodesOfAFabric(final String name, final int nodes, final int propagation, final long seed) {
        check(name, nodes, propagation, SLOTS, seed);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"shale2, 16", "shale4, 16", "shale2, 64", "shale4, 64", "shoal, 8", "shoal, 16", "shoal2, 8",
        "shoal2, 16"})
    void shouldEqualNodesOfFabricsWithManyScripts(final String name, final int nodes) {
        for (long seed = 100; seed < 140; seed++) {
            check(name, nodes, new Random(seed).nextInt(3 * nodes), LONG, seed);
        }
    }

    private static void check(final String name, final int nodes, final int propagation, final int slots,
        final long seed) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, seed);
        final FlowSet flows = Recorded.flows(fabric.population().endpoints(), slots, seed);
        final String what = name + " nodes=" + nodes + " P=" + propagation + " seed=" + seed;
        try (NodesApart apart = NodesApart.equal(fabric, flows, script(fabric, slots, seed), slots, what)) {
            assertTrue(apart.count(NicCounter.NEIGHBOURS_DOWN) > 0, "nothing failed: " + what);
            assertTrue(apart.count(NicCounter.CELLS_DELIVERED) > slots / 10, "too few cells to tell: " + what);
        }
    }

    /** Nodes that are told when they stop, and links that nobody told them of. */
    @ParameterizedTest
    @CsvSource({"shale2, 16, 5", "shale4, 16, 0", "shoal, 8, 3", "shoal2, 16, 0"})
    void shouldBeToldThatTheyStop(final String name, final int nodes, final int propagation) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, 1);
        final FlowSet flows = Recorded.flows(nodes, SLOTS, 1);
        final Faults faults = Scripts.of(new Fault.Link(200, 1, 2, false), new Fault.Node(400, 3, false),
            new Fault.Link(500, 1, 2, true), new Fault.Node(800, 3, true), new Fault.Node(SLOTS + 1, 3, false));
        try (NodesApart told = new NodesApart(Parts.of(fabric), flows, Scripts.of(new Fault.Corruption(SLOTS + 1, 0)),
            faults); NodesApart known = new NodesApart(Parts.of(fabric), flows, faults)) {
            for (int slot = 0; slot < SLOTS; slot++) {
                if (slot == 400 || slot == 800) {
                    told.nodes[3].setDown(slot == 400);
                }
                told.step();
                known.step();
                for (int node = 0; node < nodes; node++) {
                    assertEquals(known.carried(node), told.carried(node), "slot=" + slot + " node=" + node);
                }
            }
            assertEquals(known.digest(), told.digest());
            assertTrue(told.count(NicCounter.NEIGHBOURS_UP) > 0, "no neighbour came back");
        }
    }

    /** Saved amid the failures: the copies detect, tell and recover as the originals do. */
    @ParameterizedTest
    @CsvSource({"shale2, 16, 5, 1", "shale4, 16, 9, 3", "shoal, 8, 3, 5", "shoal2, 16, 2, 8"})
    void shouldGoOnFromASavedState(final String name, final int nodes, final int propagation, final long seed) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, seed);
        final FlowSet flows = Recorded.flows(fabric.population().endpoints(), SLOTS, seed);
        final Faults faults = script(fabric, SLOTS, seed);
        final String what = name + " seed=" + seed;
        try (NodesApart first = new NodesApart(Parts.of(fabric), flows, faults);
            NodesApart saved = new NodesApart(Parts.of(fabric), flows, faults)) {
            NodesApart.goOnFromSavedStates(first, saved, SLOTS, () -> saved.renew(Parts.of(fabric), flows, faults),
                what);
            assertTrue(first.count(NicCounter.NEIGHBOURS_DOWN) > 0, "nothing failed: " + what);
        }
    }

    @Test
    void shouldRefuseWhatANodeAloneHasNot() {
        final CircuitFabric fabric = fabric("shoal", 8, 3, 1);
        final FlowSet flows = Recorded.flows(8, 100, 1);
        final Faults late = new Faults(new FaultPlan(List.of(new Fault.Clock(5, 1, true, 2))), 1);
        assertThrows(IllegalArgumentException.class, () -> new NodeModel(Parts.of(fabric), flows, late, 0));
        assertThrows(IllegalArgumentException.class,
            () -> new NodeModel(Parts.of(fabric), flows, Scripts.of(new Fault.Node(5, 8, false)), 0));
        try (NodeModel sound = new NodeModel(Parts.of(fabric), flows, 0);
            NodeModel node = new NodeModel(Parts.of(fabric), flows, Faults.NONE.ofNode(), 0)) {
            assertThrows(IllegalArgumentException.class, () -> sound.setDown(true));
            assertThrows(IllegalArgumentException.class, () -> node.setDown(false));
            node.setDown(true);
            assertThrows(IllegalArgumentException.class, node::save);
            assertThrows(IllegalArgumentException.class, () -> node.setDown(true));
        }
    }
}
