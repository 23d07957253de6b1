package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Nodes on their own, which learn of failures by their cells only, are those of a whole fabric with these failures;
 * also with the traffic classes of Shoal or the interleaved schedules of Shale.
 */
final class NodeFaultsTest {
    private static final int SLOTS = 1200;
    private static final int LONG = 4000;
    private static final int SLOTS_OF_CLASSES = 1500;

    /**
     * Fabric by its name, size and propagation delay, "shale" is interleaved; what else there is to choose follows from
     * the seed.
     */
    private static CircuitFabric fabric(final String name, final int nodes, final int propagation, final long seed) {
        final Random random = new Random(seed);
        if (name.startsWith("shoal")) {
            return Parts.shoal(nodes, name.equals("shoal2") ? 2 : 1, propagation)
                .with(new Resilience(1 + random.nextInt(3), 2 + random.nextInt(8), 1 + random.nextInt(3), 3, 0));
        }
        if (name.equals("shale")) {
            return interleaved(nodes, propagation, seed);
        }
        final int h = name.charAt("shale".length()) - '0';
        final Phased schedule = new Phased(h, Population.radixFor(h, nodes));
        final FailureRules rules = new FailureRules(1 + random.nextInt(3), random.nextBoolean());
        return new Shale(schedule, Population.of(schedule, nodes, 0), Mechanisms.HBH_SPRAY, 1, 2, propagation, seed,
            rules);
    }

    private static Interleaved interleaved(final int nodes, final int propagation, final long seed) {
        final SlotShares shares = new SlotShares(1, 2);
        final List<Shale> fabrics = new ArrayList<>();
        for (final SlotShare share : shares.shares()) {
            final int h = share.number() > 0 ? 2 : nodes == 16 ? 4 : 3;
            final Phased schedule = new Phased(h, Population.radixFor(h, nodes));
            fabrics.add(new Shale(schedule, fabrics.isEmpty() ? Population.of(schedule, nodes, 0)
                : fabrics.getFirst().population().in(schedule), Mechanisms.HBH_SPRAY, 1, 2, propagation, seed,
                FailureRules.PAPER, share));
        }
        return new Interleaved(fabrics, shares);
    }

    private static Faults script(final CircuitFabric fabric, final int slots, final long seed) {
        final int nodes = fabric.nodes();
        return Scripts.withClocks(Scripts.random(seed, nodes, slots * 2 / 3, nodes / 4, 1 + nodes / 16, seed % 2 == 0
            ? 0.003 : 0), nodes, slots * 2 / 3, 1);
    }

    /** Some links and one node that fail, for fabrics with classes; none for 0 links. */
    private static Faults some(final CircuitFabric fabric, final int links, final double damage, final long seed) {
        return links == 0 ? Faults.NONE : Scripts.random(seed, fabric.nodes(), SLOTS_OF_CLASSES / 2, links, 1, damage);
    }

    /** Flows in random classes, some of which never end. */
    private static FlowSet classed(final int nodes, final int classes, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowSet flows = new FlowSet();
        long start = 0;
        for (int flow = 0; flow < 6 * nodes; flow++) {
            final int from = random.nextInt(nodes);
            final int cells = flow < nodes / 2 ? FlowSet.ENDLESS : 1 + random.nextInt(30);
            flows.add(flow, from, (from + 1 + random.nextInt(nodes - 1)) % nodes, cells * 240L, cells, start);
            flows.setClass(flow < classes ? flow : random.nextInt(classes));
            start += flow < nodes / 2 ? 0 : random.nextInt(SLOTS_OF_CLASSES / (4 * nodes));
        }
        return flows;
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

    @ParameterizedTest
    @CsvSource({"shoal, 8, 3, 2, 0, 1", "shoal, 16, 0, 4, 0, 2", "shoal2, 16, 5, 3, 0, 3", "shoal, 16, 2, 2, 4, 4",
        "shale, 16, 5, 2, 0, 5", "shale, 16, 0, 2, 0, 6", "shale, 16, 7, 2, 3, 7", "shale, 16, 7, 1, 0, 8"})
    void shouldEqualNodesOfAFabricWithClasses(final String name, final int nodes, final int propagation,
        final int classes, final int links, final long seed) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, seed);
        final String what = name + " nodes=" + nodes + " P=" + propagation + " classes=" + classes + " links=" + links
            + " seed=" + seed;
        final FlowSet flows = classed(fabric.population().endpoints(), classes, seed);
        assertEquals(classes, flows.classes(), what);
        try (NodesApart apart = NodesApart.equal(fabric, flows, some(fabric, links, 0.001, seed), SLOTS_OF_CLASSES,
            what)) {
            assertTrue(apart.count(NicCounter.FLOWS_COMPLETED) > nodes, "too few flows to tell: " + what);
            assertTrue(apart.count(NicCounter.CELLS_FORWARDED) > SLOTS_OF_CLASSES / 10,
                "too few cells to tell: " + what);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"shoal, 8", "shoal2, 16", "shale, 16", "shale, 64"})
    void shouldEqualNodesOfManyFabricsWithClasses(final String name, final int nodes) {
        for (int seed = 100; seed < 130; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            shouldEqualNodesOfAFabricWithClasses(name, nodes, random.nextInt(2 * nodes),
                name.startsWith("shoal") ? 2 + random.nextInt(3) : 2, random.nextInt(nodes / 2), seed);
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
        assertTrue(neighboursDown(fabric, Recorded.flows(fabric.population().endpoints(), SLOTS, seed),
            script(fabric, SLOTS, seed), SLOTS, name + " seed=" + seed) > 0, "nothing failed: seed=" + seed);
    }

    /** The state of several classes, with faults and without. */
    @ParameterizedTest
    @CsvSource({"shoal, 8, 3, 3, 0, 1", "shoal2, 16, 5, 3, 2, 3", "shale, 16, 7, 2, 3, 7"})
    void shouldGoOnFromASavedStateOfClasses(final String name, final int nodes, final int propagation,
        final int classes, final int links, final long seed) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, seed);
        neighboursDown(fabric, classed(nodes, classes, seed), some(fabric, links, 0, seed), SLOTS_OF_CLASSES,
            name + " seed=" + seed);
    }

    /** How often neighbours went down in nodes that equal others that are saved and made anew. */
    private static long neighboursDown(final CircuitFabric fabric, final FlowSet flows, final Faults faults,
        final int slots, final String what) {
        try (NodesApart first = new NodesApart(Parts.of(fabric), flows, faults);
            NodesApart saved = new NodesApart(Parts.of(fabric), flows, faults)) {
            NodesApart.goOnFromSavedStates(first, saved, slots, () -> saved.renew(Parts.of(fabric), flows, faults),
                what);
            return first.count(NicCounter.NEIGHBOURS_DOWN);
        }
    }

    /** The signals of a node are those of the node in its fabric. */
    @ParameterizedTest
    @CsvSource({"shoal, 8, 3, 3", "shale, 16, 5, 2"})
    void shouldShowWhatIsInside(final String name, final int nodes, final int propagation, final int classes) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, 1);
        final FlowSet flows = classed(nodes, classes, 1);
        long most = 0;
        try (FabricModel whole = new FabricModel(Parts.of(fabric), flows);
            NodesApart apart = new NodesApart(Parts.of(fabric), flows, Faults.NONE)) {
            for (int slot = 0; slot < 300; slot++) {
                whole.step();
                apart.step();
                final NodeProbes expected = whole.probes(3);
                final NodeProbes seen = apart.nodes[3].probes();
                long held = 0;
                for (int signal = 0; signal < expected.signals().size(); signal++) {
                    final String called = expected.signals().get(signal).name();
                    assertEquals(called, seen.signals().get(signal).name());
                    assertEquals(expected.value(signal), seen.value(signal), called + " slot=" + slot);
                    held += called.contains("_length") ? seen.value(signal) : 0;
                    most = called.contains("length_class1") || name.equals("shale") && called.contains("length")
                        ? Math.max(most, seen.value(signal)) : most;
                }
                assertEquals(seen.value("cells_held"), held, "slot=" + slot);
                for (int link = 0; link < expected.links(); link++) {
                    assertArrayEquals(expected.queue(link), seen.queue(link), "link=" + link + " slot=" + slot);
                }
            }
        }
        assertTrue(most > 0, "nothing waited");
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
        final CircuitFabric twoClasses = fabric("shale", 16, 3, 1);
        assertThrows(IllegalArgumentException.class, () -> new NodeModel(Parts.of(twoClasses), classed(16, 3, 1), 2));
        assertThrows(IllegalArgumentException.class,
            () -> new NodeModel(Parts.of(Recorded.shale(3)), classed(16, 2, 1), 2));
    }
}
