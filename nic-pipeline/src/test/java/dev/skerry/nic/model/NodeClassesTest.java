package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
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
import java.util.SplittableRandom;

/** Nodes on their own with the traffic classes of Shoal or the interleaved schedules of Shale. */
final class NodeClassesTest {
    private static final int SLOTS = 1500;

    private static CircuitFabric fabric(final String name, final int nodes, final int propagation, final long seed) {
        if (name.startsWith("shoal")) {
            return NodeFaultsTest.fabric(name, nodes, propagation, seed);
        }
        final SlotShares shares = new SlotShares(new int[] {1, 2});
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

    /** Flows in random classes, some of which never end. */
    private static FlowSet flows(final int nodes, final int classes, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowSet flows = new FlowSet();
        long start = 0;
        for (int flow = 0; flow < 6 * nodes; flow++) {
            final int from = random.nextInt(nodes);
            final int cells = flow < nodes / 2 ? FlowSet.ENDLESS : 1 + random.nextInt(30);
            flows.add(flow, from, (from + 1 + random.nextInt(nodes - 1)) % nodes, cells * 240L, cells, start);
            flows.setClass(flow < classes ? flow : random.nextInt(classes));
            start += flow < nodes / 2 ? 0 : random.nextInt(SLOTS / (4 * nodes));
        }
        return flows;
    }

    @ParameterizedTest
    @CsvSource({"shoal, 8, 3, 2, 0, 1", "shoal, 16, 0, 4, 0, 2", "shoal2, 16, 5, 3, 0, 3", "shoal, 16, 2, 2, 4, 4",
        "shale, 16, 5, 2, 0, 5", "shale, 16, 0, 2, 0, 6", "shale, 16, 7, 2, 3, 7", "shale, 16, 7, 1, 0, 8"})
    void shouldEqualNodesOfAFabric(final String name, final int nodes, final int propagation, final int classes,
        final int links, final long seed) {
        check(name, nodes, propagation, classes, links, seed);
    }

    /** The state of several classes, with faults and without. */
    @ParameterizedTest
    @CsvSource({"shoal, 8, 3, 3, 0, 1", "shoal2, 16, 5, 3, 2, 3", "shale, 16, 7, 2, 3, 7"})
    void shouldGoOnFromASavedState(final String name, final int nodes, final int propagation, final int classes,
        final int links, final long seed) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, seed);
        final Faults faults = links == 0 ? Faults.NONE : Scripts.random(seed, fabric.nodes(), SLOTS / 2, links, 1, 0);
        final FlowSet flows = flows(nodes, classes, seed);
        try (NodesApart first = new NodesApart(Parts.of(fabric), flows, faults);
            NodesApart saved = new NodesApart(Parts.of(fabric), flows, faults)) {
            NodesApart.goOnFromSavedStates(first, saved, SLOTS, () -> saved.renew(Parts.of(fabric), flows, faults),
                name + " seed=" + seed);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"shoal, 8", "shoal2, 16", "shale, 16", "shale, 64"})
    void shouldEqualNodesOfManyFabrics(final String name, final int nodes) {
        for (int seed = 100; seed < 130; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            check(name, nodes, random.nextInt(2 * nodes), name.startsWith("shoal") ? 2 + random.nextInt(3) : 2,
                random.nextInt(nodes / 2), seed);
        }
    }

    private static void check(final String name, final int nodes, final int propagation, final int classes,
        final int links, final long seed) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, seed);
        final Faults faults = links == 0 ? Faults.NONE
            : Scripts.random(seed, fabric.nodes(), SLOTS / 2, links, 1, 0.001);
        final String what = name + " nodes=" + nodes + " P=" + propagation + " classes=" + classes + " links=" + links
            + " seed=" + seed;
        final FlowSet flows = flows(fabric.population().endpoints(), classes, seed);
        assertEquals(classes, flows.classes(), what);
        try (NodesApart apart = NodesApart.equal(fabric, flows, faults, SLOTS, what)) {
            assertTrue(apart.count(NicCounter.FLOWS_COMPLETED) > nodes, "too few flows to tell: " + what);
            assertTrue(apart.count(NicCounter.CELLS_FORWARDED) > SLOTS / 10, "too few cells to tell: " + what);
        }
    }

    /** The signals of a node are those of the node in its fabric. */
    @ParameterizedTest
    @CsvSource({"shoal, 8, 3, 3", "shale, 16, 5, 2"})
    void shouldShowWhatIsInside(final String name, final int nodes, final int propagation, final int classes) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, 1);
        final FlowSet flows = flows(nodes, classes, 1);
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
    void shouldRefuseClassesThatTheFabricHasNot() {
        final CircuitFabric fabric = fabric("shale", 16, 3, 1);
        assertThrows(IllegalArgumentException.class, () -> new NodeModel(Parts.of(fabric), flows(16, 3, 1), 2));
        assertThrows(IllegalArgumentException.class,
            () -> new NodeModel(Parts.of(Recorded.shale(3)), flows(16, 2, 1), 2));
    }
}
