package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.StateImage;
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
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * A single node behaves as it did in the fabric, whether a slot holds a cell, a dummy or nothing. Nodes on their own,
 * which learn of failures by their cells only, are those of a whole fabric with these failures; also with the traffic
 * classes of Shoal or the interleaved schedules of Shale.
 */
final class NodeModelTest {
    /** Of the tests of states. */
    private static final int SLOTS_OF_STATES = 600;
    private static final int NODE = 3;
    /** Of the tests with faults. */
    private static final int SLOTS = 1200;
    private static final int LONG = 4000;
    private static final int SLOTS_OF_CLASSES = 1500;

    private static CircuitFabric fabric(final String name, final int propagation) {
        return switch (name) {
            case "shale" -> Recorded.shale(propagation);
            case "shoal" -> Recorded.shoal(propagation, 1);
            case "shoal3" -> Recorded.shoal(propagation, 3);
            default -> Recorded.shoal(propagation, 2);
        };
    }

    @ParameterizedTest
    @CsvSource({"shale, 9, 5, 5000", "shoal, 3, 2, 5000", "shale, 0, 0, 5000", "shoal, 0, 7, 5000",
        "shoal2, 5, 3, 5000"})
    void shouldRepeatWhatItSentInTheFabric(final String name, final int propagation, final int node, final int slots) {
        repeat(name, propagation, node, slots);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"shale, 9, 5, 100000", "shoal, 3, 2, 100000"})
    void shouldRepeatWhatItSentInALongRun(final String name, final int propagation, final int node, final int slots) {
        repeat(name, propagation, node, slots);
    }

    private static void repeat(final String name, final int propagation, final int node, final int slots) {
        final Recorded record = Recorded.of(fabric(name, propagation), slots, node);
        final Mismatches mismatches = new Mismatches();
        long cells = 0;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < slots; slot++) {
                final NodeCells sent = model.step(slot, record.received.get(slot));
                mismatches.expect(slot, sent, record.sent.get(slot));
                assertArrayEquals(record.signals.get(slot), record.values(model.probes()), "slot=" + slot);
            }
            cells = model.count(NicCounter.CELLS_FORWARDED);
        }
        assertTrue(mismatches.none(), mismatches.explain());
        assertTrue(cells > slots / 10, "too few cells to tell: forwarded=" + cells);
    }

    @ParameterizedTest
    @CsvSource({"shale, 9, 3456", "shoal, 3, 3456", "shoal2, 5, 777"})
    void shouldGoOnFromASavedState(final String name, final int propagation, final int at) {
        final int slots = at + 3000;
        final Recorded record = Recorded.of(fabric(name, propagation), slots, 3);
        final byte[] state;
        final byte[] end;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < at; slot++) {
                model.step(slot, record.received.get(slot));
            }
            state = model.save();
            for (int slot = at; slot < slots; slot++) {
                model.step(slot, record.received.get(slot));
            }
            end = model.save();
            // Restores the earlier state in the model that has run on.
            model.restore(state);
            assertArrayEquals(state, model.save());
        }
        try (NodeModel model = record.model()) {
            model.restore(state);
            assertEquals(at, model.slot());
            assertEquals(List.of(), NodeModel.differences(state, model.save()));
            for (int slot = at; slot < slots; slot++) {
                assertEquals(record.sent.get(slot), model.step(slot, record.received.get(slot)), "slot=" + slot);
            }
            assertArrayEquals(end, model.save());
        }
    }

    /** The other process gets only the state, and runs without {@code --enable-native-access}. */
    @ParameterizedTest
    @CsvSource({"shale", "shoal"})
    void shouldGoOnInAnotherProcess(final String name) throws IOException, URISyntaxException, InterruptedException {
        final Recorded record = Recorded.of(fabric(name, 4), 4000, 1);
        final byte[] state;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < 2000; slot++) {
                model.step(slot, record.received.get(slot));
            }
            state = model.save();
        }
        final Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath(), getClass().getName(), name)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        process.getOutputStream().write(state);
        process.getOutputStream().close();
        final String[] lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
            .split("\n");
        assertEquals(0, process.waitFor());
        assertEquals(2000, lines.length);
        for (int slot = 2000; slot < 4000; slot++) {
            assertEquals(record.sent.get(slot).toString(), lines[slot - 2000], "slot=" + slot);
        }
    }

    /** The other process: restores a state and runs 2,000 slots. */
    public static void main(final String[] arguments) throws IOException {
        final Recorded record = Recorded.of(fabric(arguments[0], 4), 4000, 1);
        final StringBuilder lines = new StringBuilder();
        try (NodeModel model = record.model()) {
            model.restore(System.in.readAllBytes());
            for (int slot = 2000; slot < 4000; slot++) {
                lines.append(model.step(slot, record.received.get(slot))).append('\n');
            }
        }
        System.out.print(lines);
    }

    private static String classPath() throws URISyntaxException {
        final List<String> parts = new ArrayList<>(List.of(Path.of("target", "classes").toString(),
            Path.of("target", "test-classes").toString()));
        for (final Class<?> type : List.of(Region.class, CellFormat.class, Phased.class, Agent.class)) {
            parts.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        return String.join(File.pathSeparator, parts);
    }

    @Test
    void shouldLiveAThousandTimesInAProcess() {
        final Recorded record = Recorded.of(Recorded.shale(9), 200, 5);
        final List<NodeModel> models = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            models.add(record.model());
        }
        for (int slot = 0; slot < 200; slot++) {
            for (final NodeModel model : models) {
                assertEquals(record.sent.get(slot), model.step(slot, record.received.get(slot)), "slot=" + slot);
            }
        }
        models.forEach(NodeModel::close);
    }

    @Test
    void shouldSayWhatDiffersAndSinceWhen() {
        final Recorded record = Recorded.of(Recorded.shale(9), 2000, 5);
        final Mismatches mismatches = new Mismatches();
        try (NodeModel model = record.model(); NodeModel broken = record.model()) {
            final NodeCells lost = new NodeCells(1);
            byte[] state = null;
            byte[] other = null;
            for (int slot = 0; slot < 2000; slot++) {
                model.step(slot, record.received.get(slot));
                // The other side loses the cell that arrives in slot 1,000, together with its tokens.
                broken.step(slot, slot == 1000 ? lost : record.received.get(slot));
                for (int i = 0; i < model.probes().signals().size(); i++) {
                    mismatches.expect(slot, model.probes().signals().get(i).name(), model.probes().value(i),
                        broken.probes().value(i));
                }
                if (slot == 999) {
                    assertTrue(mismatches.none(), mismatches.explain());
                    assertEquals(List.of(), NodeModel.differences(model.save(), broken.save()));
                } else if (slot == 1000) {
                    state = model.save();
                    other = broken.save();
                    break;
                }
            }
            final List<StateImage.Difference> differences = NodeModel.differences(state, other);
            assertFalse(differences.isEmpty());
            assertTrue(mismatches.explain().contains("since slot 1000"), mismatches.explain());
        }
    }

    @Test
    void shouldRefuseWhatDoesNotFit() {
        final Recorded record = Recorded.of(Recorded.shale(9), 10, 5);
        try (NodeModel model = record.model();
            NodeModel other = new NodeModel(Parts.of(Recorded.shoal(9, 1)), Recorded.flows(8, 10, 1), 5)) {
            assertThrows(IllegalArgumentException.class, () -> model.step(1, record.received.get(0)));
            assertThrows(IllegalArgumentException.class, () -> model.step(0, new NodeCells(2)));
            assertThrows(IllegalArgumentException.class, () -> model.restore(other.save()));
            final byte[] damaged = model.save();
            damaged[damaged.length / 2] ^= 1;
            assertThrows(IllegalArgumentException.class, () -> model.restore(damaged));
            assertThrows(IllegalArgumentException.class, () -> model.restore(new byte[4]));
            assertThrows(IllegalArgumentException.class, () -> model.probes().value("queue99_length"));
        }
        assertThrows(IllegalArgumentException.class, () -> new NodeModel(Parts.of(record.fabric), record.flows, 16));
    }

    @Test
    void shouldHaveThreeStates() {
        final NodeCells cells = new NodeCells(3);
        cells.set(0, 8, 77, 5);
        cells.set(1, InFlightCells.NO_CELL, 77, 5);
        cells.set(2, InFlightCells.SILENCE, 77, 5);
        assertEquals(SlotState.CELL, cells.state(0));
        assertEquals(SlotState.DUMMY, cells.state(1));
        assertEquals(SlotState.NOTHING, cells.state(2));
        assertEquals("0000000000000008:000000000000004d:0000000000000005 ffffffffffffffff:0000000000000000:"
            + "0000000000000005 fffffffffffffffe:0000000000000000:ffffffffffffffff", cells.toString());
        cells.setNothing(0);
        assertEquals(SlotState.NOTHING, cells.state(0));
        cells.clear();
        assertEquals(SlotState.DUMMY, cells.state(2));
    }

    /** Nothing comes before the first delay; a channel without a circuit carries nothing either way. */
    @ParameterizedTest
    @CsvSource({"shale, 0", "shale, 5", "shoal, 3", "shoal3, 2"})
    void shouldCarryNothingWithoutACircuit(final String kind, final int propagation) {
        final Recorded record = Recorded.of(fabric(kind, propagation), SLOTS_OF_STATES, NODE);
        final int channels = record.fabric.channels();
        final Schedule schedule = record.fabric.schedule();
        int nothing = 0;
        for (int slot = 0; slot < SLOTS_OF_STATES; slot++) {
            for (int channel = 0; channel < channels; channel++) {
                final boolean sends = schedule.peerAt(NODE, channel, schedule.slotInEpoch(slot)) != Schedule.IDLE;
                assertEquals(!sends, record.sent.get(slot).state(channel) == SlotState.NOTHING, "slot=" + slot);
                final long sentIn = slot - propagation;
                final boolean comes = sentIn >= 0
                    && schedule.senderAt(NODE, channel, schedule.slotInEpoch(sentIn)) != Schedule.IDLE;
                assertEquals(!comes, record.received.get(slot).state(channel) == SlotState.NOTHING, "slot=" + slot);
                nothing += comes ? 0 : 1;
            }
        }
        assertTrue(channels > 1 ? nothing > SLOTS_OF_STATES / 4 : nothing == propagation, "nothing=" + nothing);
    }

    /** A node of its own repeats what it did, whether dummies without feedback or nothing comes in their place. */
    @ParameterizedTest
    @CsvSource({"shale, 5", "shoal, 3", "shoal3, 2"})
    void shouldTakeNothingAsItTakesADummy(final String kind, final int propagation) {
        final Recorded record = Recorded.of(fabric(kind, propagation), SLOTS_OF_STATES, NODE);
        final int channels = record.fabric.channels();
        final NodeCells words = new NodeCells(channels);
        int replaced = 0;
        try (NodeModel model = record.model()) {
            for (int slot = 0; slot < SLOTS_OF_STATES; slot++) {
                words.set(record.received.get(slot));
                for (int channel = 0; channel < channels; channel++) {
                    final SlotState state = words.state(channel);
                    if (state == SlotState.NOTHING) {
                        words.set(channel, InFlightCells.NO_CELL, 0, InFlightCells.NO_FEEDBACK);
                        replaced++;
                    } else if (state == SlotState.DUMMY && words.feedback(channel) == InFlightCells.NO_FEEDBACK) {
                        words.setNothing(channel);
                        replaced++;
                    }
                }
                assertEquals(record.sent.get(slot), model.step(slot, words), kind + " slot=" + slot);
                assertArrayEquals(record.signals.get(slot), record.values(model.probes()), kind + " slot=" + slot);
            }
        }
        assertTrue(replaced >= propagation, "replaced=" + replaced);
    }

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
    void shouldGoOnFromAStateSavedAmidFailures(final String name, final int nodes, final int propagation,
        final long seed) {
        final CircuitFabric fabric = fabric(name, nodes, propagation, seed);
        assertTrue(neighboursDown(fabric, Recorded.flows(fabric.population().endpoints(), SLOTS, seed),
            script(fabric, SLOTS, seed), SLOTS, name + " seed=" + seed) > 0, "nothing failed: seed=" + seed);
    }

    /** The state of several classes, with faults and without. */
    @ParameterizedTest
    @CsvSource({"shoal, 8, 3, 3, 0, 1", "shoal2, 16, 5, 3, 2, 3", "shale, 16, 7, 2, 3, 7"})
    void shouldGoOnFromAStateOfClasses(final String name, final int nodes, final int propagation,
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
