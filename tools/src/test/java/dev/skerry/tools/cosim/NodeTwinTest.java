package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.CELL_WORDS;
import static dev.skerry.tools.cosim.TwinRig.choice;
import static dev.skerry.tools.cosim.TwinRig.put;
import static dev.skerry.tools.cosim.TwinRig.step;
import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.FaultyLinks;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A node created from a description behaves as it did in the fabric, with faults, traffic classes and interleaved
 * schedules too, counts as a device does, takes flows and registers while it runs, and refuses invalid words.
 */
final class NodeTwinTest {
    static final int FAULT_SLOTS = 3000;
    static final String SCRIPT = """
        100 link 3 1 down
        150 corrupt 0.01
        400 node 2 down
        600 link 1 3 down
        1200 node 2 up
        1500 link 3 1 up
        1600 link 1 3 up
        1700 corrupt 0
        """;
    private static final int SLOTS = 10_000;
    private static final int EPOCH = 6;
    private static final long NONE = -1;
    private static final int COUNTS = 3;

    @ParameterizedTest
    @CsvSource({
        "shale, 5, nodes=16 h=2 cc=hbh+spray tokens=1 firstHopTokens=4 propagation=89 seed=1 workload=permutation",
        "shale, 3, nodes=9 cc=none propagation=0 workload=short load=0.4 slots=10000",
        "shoal, 3, nodes=8 channels=1 workload=permutation",
        "shoal, 6, nodes=8 channels=4 propagation-slots=7 workload=all-to-all flowBytes=100000"
    })
    void shouldRepeatWhatItDidInTheFabric(final String kind, final int node, final String settings) {
        final String line = kind + "-node " + settings + " node=" + node + " probes=all";
        final NodeChoice run = choice(kind, settings);
        final Twin twin = twin(line);
        final NodeCells cells = new NodeCells(run.fabric().channels());
        final long[] in = new long[twin.names().inputs().length];
        final long[] expected = new long[twin.names().outputs().length];
        long sent = 0;
        try (FabricModel fabric = new FabricModel(FabricKind.partsOf(run.fabric()), run.flows())) {
            final NodeProbes inside = fabric.probes(node);
            assertEquals(expected.length, 3 * cells.channels() + inside.signals().size() + COUNTS);
            for (int slot = 0; slot < SLOTS; slot++) {
                fabric.step();
                fabric.received(node, cells);
                in[0] = slot;
                put(cells, in, 1, CELL_WORDS);
                fabric.sent(node, cells);
                sent += InFlightCells.isCell(cells.route(0)) ? 1 : 0;
                put(cells, expected, 0, CELL_WORDS);
                final int at = CELL_WORDS * cells.channels();
                for (int i = 0; i < inside.signals().size(); i++) {
                    expected[at + i] = inside.value(i);
                    assertEquals(inside.signals().get(i).name(), twin.names().outputs()[at + i]);
                }
                // The last three values, its counts of cells, exist only in a node of its own.
                final long[] answer = step(twin, in);
                System.arraycopy(answer, expected.length - COUNTS, expected, expected.length - COUNTS, COUNTS);
                assertArrayEquals(expected, answer, line + " slot=" + slot);
            }
        } finally {
            twin.close();
        }
        assertTrue(sent > SLOTS / 10, line + " sent=" + sent);
    }

    @Test
    void shouldTakeTheSettingsOfARun() {
        final Shale shale = (Shale) choice("shale",
            "nodes=16 h=2 cc=hbh firstHopTokens=4 propagation=89 seed=7 workload=permutation").fabric();
        assertEquals(Mechanisms.HBH, shale.mechanisms());
        assertEquals("16 2 4 89 7", shale.nodes() + " " + shale.schedule().phases() + " " + shale.firstHopTokens() + " "
            + shale.propagationSlots() + " " + shale.seed());
        final Shoal shoal = (Shoal) choice("shoal", "nodes=8 channels=2").fabric();
        assertEquals("8 2", shoal.nodes() + " " + shoal.channels());
    }

    @Test
    void shouldNameItsWords() {
        final Twin twin = twin("shoal-node node=3 nodes=8 channels=2 probes=");
        assertArrayEquals(new String[] {"slot", "rx0_route", "rx0_cell", "rx0_feedback", "rx1_route", "rx1_cell",
            "rx1_feedback"}, twin.names().inputs());
        assertEquals(6, twin.names().outputs().length);
        twin.close();
        final Twin all = twin("shale-node node=3 nodes=16 probes=all");
        final String last = all.names().outputs()[all.names().outputs().length - 1];
        all.close();
        final Twin one = twin("shale-node node=3 nodes=16 probes=" + last);
        assertArrayEquals(new String[] {"tx0_route", "tx0_cell", "tx0_feedback", last}, one.names().outputs());
        one.close();
    }

    @ParameterizedTest
    @CsvSource({"shale, 128, 0, -1", "shale, 2, 0, -1", "shale, -3, 0, -1", "shale, -2, 0, 8", "shale, 8388616, 0, -1",
        "shale, 8, 68719476736, -1", "shale, 8, 2147483648, -1", "shale, -1, 0, 128", "shale, -1, 0, 549755813887",
        "shoal, 16, 0, -1", "shoal, 1048576, 0, -1", "shoal, -3, 0, -1", "shoal, 1, -1, -1", "shoal, -1, 0, -5"})
    void shouldRefuseWordsThatNoNodeSends(final String kind, final long route, final long cell, final long feedback) {
        final String line = kind + "-node node=0 propagation=0 workload=permutation nodes="
            + (kind.equals("shale") ? "16" : "8 channels=1");
        final Twin twin = twin(line);
        final Twin fresh = twin(line);
        assertThrows(IllegalArgumentException.class, () -> step(twin, 0, route, cell, feedback));
        assertThrows(IllegalArgumentException.class, () -> step(twin, 1, -1, 0, -1));
        // The refused row changed nothing: slot 0 is still the next one. Nothing does what a dummy does.
        assertArrayEquals(step(fresh, 0, -1, 0, -1), step(twin, 0, -2, 0, -1));
        assertArrayEquals(step(fresh, 1, kind.equals("shale") ? 8 : 1, Cell.of(3, 2), -1),
            step(twin, 1, kind.equals("shale") ? 8 : 1, Cell.of(3, 2), -1));
        twin.close();
        fresh.close();
    }

    private static void get(final long[] row, final NodeCells into, final int words) {
        for (int channel = 0; channel < into.channels(); channel++) {
            final int at = channel * words;
            if (words > 3 && row[at] == InFlightCells.CONTROL) {
                into.setMessage(channel, row[at + 2], Arrays.copyOfRange(row, at + 3, at + words));
            } else {
                into.set(channel, row[at], row[at + 1], row[at + 2]);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "shale|1|16|nodes=16 h=2 propagation=5 workload=permutation",
        "shale|2|3|nodes=16 h=4 propagation=9 workload=permutation missLimit=2",
        "shale|3|3|nodes=16 propagation=9 interleave=4:1/3,2:2/3 cutoffBytes=10000 workload=short load=0.2 slots=3000",
        "shoal|1|10|nodes=8 channels=1 propagation=3 workload=permutation",
        "shoal|2|10|nodes=8 channels=2 propagation=0 classBytes=5000 workload=short load=0.5 slots=3000"})
    void shouldRepeatWhatItDidAmidFaults(final String kind, final int node, final int words, final String settings,
        @TempDir final Path folder) throws IOException {
        final Path script = Files.writeString(folder.resolve("script"), SCRIPT);
        final String all = settings + " faults=" + script;
        final NodeChoice run = choice(kind, all);
        final FabricParts parts = FabricKind.partsOf(run.fabric());
        final FaultyLinks links = new FaultyLinks(parts, run.faults());
        final Twin twin = twin(kind + "-node " + all + " node=" + node);
        final NodeCells cells = new NodeCells(run.fabric().channels());
        final NodeCells sent = new NodeCells(run.fabric().channels());
        final int ofChannel = twin.names().outputs().length / cells.channels();
        final long[] in = new long[twin.names().inputs().length];
        int messages = 0;
        try (FabricModel fabric = new FabricModel(parts, run.flows(), run.faults())) {
            for (int slot = 0; slot < FAULT_SLOTS; slot++) {
                fabric.step();
                fabric.received(node, cells);
                Arrays.fill(in, 0);
                put(cells, in, 1, ofChannel);
                in[0] = slot;
                get(step(twin, in), sent, ofChannel);
                links.turnTo(slot);
                links.carry(node, sent, cells);
                fabric.sent(node, sent);
                assertEquals(sent, cells, kind + " slot=" + slot);
                messages += cells.route(0) == InFlightCells.CONTROL ? 1 : 0;
            }
        } finally {
            twin.close();
        }
        assertEquals(kind.equals("shoal") ? 10 : 3, ofChannel);
        assertTrue(messages > 0, "no message of failures was sent");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-4 -1 -1", "-4 1099511627776 -1", "-3 0 -1", "-1 0 8388728", "-1 0 8388736",
        "-1 0 33554440"})
    void shouldRefuseWordsThatNoNodeSendsAmidFaults(final String words) {
        final Twin twin = twin("shale-node node=0 nodes=16 propagation=0 failures=1");
        final long[] row = Arrays.stream(("0 " + words).split(" ")).mapToLong(Long::parseLong).toArray();
        assertThrows(IllegalArgumentException.class, () -> step(twin, row));
        step(twin, 0, -4, 0, -1);
        step(twin, 1, -2, 0, -1);
        twin.close();
    }

    @Test
    void shouldBeToldThatItStops() {
        final Twin twin = twin("shoal-node node=0 nodes=8 channels=1 failures=1 workload=permutation");
        final long[] nothing = new long[11];
        nothing[1] = -2;
        nothing[3] = -1;
        step(twin, nothing);
        twin.setDown(true);
        assertThrows(IllegalArgumentException.class, () -> twin.setDown(true));
        nothing[0] = 1;
        assertEquals(-2, step(twin, nothing)[0], "a node that is down sends");
        twin.setDown(false);
        boolean probes = false;
        for (int slot = 2; slot < 200; slot++) {
            nothing[0] = slot;
            probes |= step(twin, nothing)[0] == -4;
        }
        assertTrue(probes, "a node that starts again probes its neighbours");
        twin.close();
        final Twin sound = twin("shoal-node node=0 nodes=8 channels=1");
        assertThrows(IllegalArgumentException.class, () -> sound.setDown(true));
        sound.close();
    }

    /** What such a device receives at the start of a slot, one that sends first receives at the end of the last. */
    @ParameterizedTest
    @CsvSource({"shale, nodes=16 h=2 firstHopTokens=2 workload=permutation seed=3, 4, 5",
        "shoal, nodes=8 channels=2 workload=permutation seed=3, 0, 3"})
    void shouldReceiveFirst(final String fabric, final String run, final int propagation, final int node) {
        final NodeChoice choice = choice(fabric, "propagation=" + propagation + " " + run);
        final Twin twin = twin(fabric + "-node node=" + node + " order=receive-first propagation=" + (propagation + 1)
            + " " + run);
        final int channels = choice.fabric().channels();
        final NodeCells before = new NodeCells(channels);
        final NodeCells sent = new NodeCells(channels);
        long cells = 0;
        try (FabricModel model = new FabricModel(FabricKind.partsOf(choice.fabric()), choice.flows())) {
            for (int slot = 0; slot < 2000; slot++) {
                final long[] row = new long[1 + 3 * channels];
                row[0] = slot;
                final long[] expected = new long[3 * channels];
                model.step();
                model.sent(node, sent);
                put(before, row, 1, CELL_WORDS);
                put(sent, expected, 0, CELL_WORDS);
                for (int channel = 0; channel < channels; channel++) {
                    cells += sent.route(channel) == InFlightCells.NO_CELL ? 0 : 1;
                }
                assertArrayEquals(expected, step(twin, row), "slot=" + slot);
                model.received(node, before);
            }
        }
        assertTrue(cells > 1000, "cells=" + cells);
        twin.close();
    }

    /** One token a link: after it has come back the next cell leaves on that link, as late as the device counts. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, 8, 9, 13})
    void shouldCountTokensLater(final int delay) {
        final Twin twin = twin("shale-node node=5 nodes=16 h=2 firstHopTokens=1 propagation=1 pairs=5>10 tokenDelay="
            + delay);
        // The cell of slot 0 goes to node 4 or another neighbour on link 0; that link is link 2 seen from there, so
        // what comes back on it was sent in a slot of that position: slots 2, 8, 14.
        final long own = Route.bucket(10, 1);
        long next = NONE;
        for (long slot = 0; slot < 60 && next < 0; slot++) {
            final boolean returns = slot == 9;
            final long[] out = step(twin, slot, NONE, 0, returns ? 0xFFFFFFFF00000000L | own : NONE);
            next = slot > 0 && slot % EPOCH == 0 && out[0] != NONE ? slot : NONE;
        }
        assertEquals((9 + 1 + delay + EPOCH - 1) / EPOCH * EPOCH, next, "delay=" + delay);
        twin.close();
    }

    @Test
    void shouldBeginAtASlot() {
        final Twin twin = twin("shale-node node=5 nodes=16 propagation=3 pairs=5>10,1>2 start=100");
        assertEquals(100, twin.slot());
        assertThrows(IllegalArgumentException.class, () -> step(twin, 0, NONE, 0, NONE));
        assertEquals(Route.first(10, 1, 100), step(twin, 100, NONE, 0, NONE)[0]);
        twin.close();
    }

    /** A device in mid-run: one model goes on, and one that was given its registers. */
    @Test
    void shouldGoOnFromRegistersBehindTheLibrary() {
        final String line = "shale-node node=5 nodes=16 h=2 firstHopTokens=2 propagation=4 offers=8 probes=all";
        final ModelHandle first = ModelHandle.open(line);
        final ModelHandle second = ModelHandle.open(line);
        for (final ModelHandle each : new ModelHandle[] {first, second}) {
            assertEquals(0, each.offer(0, 5, 9, 1_000));
            assertEquals(1, each.offer(3, 2, 5, 10));
            assertEquals(2, each.offer(3, 5, 2, 20));
        }
        for (int slot = 0; slot < 50; slot++) {
            step(first, slot, NONE, 0, NONE);
        }
        second.copyFrom(first);
        assertArrayEquals(new long[] {50}, second.get("slot"));
        assertTrue(first.get("queue0_outstanding_d9n1")[0] > 0);
        assertArrayEquals(first.get("flow2_sent"), second.get("flow2_sent"));
        assertThrows(IllegalArgumentException.class, () -> second.set("slot", new long[] {60}));
        assertThrows(IllegalArgumentException.class, () -> second.set("queue0_pointer", new long[] {1}));
        assertThrows(IllegalArgumentException.class, () -> second.offer(49, 5, 9, 1));
        for (int slot = 50; slot < 300; slot++) {
            final long[] one = step(first, slot, NONE, 0, NONE);
            final long[] other = step(second, slot, NONE, 0, NONE);
            // The last three count from the beginning.
            assertArrayEquals(Arrays.copyOf(one, one.length - 3),
                Arrays.copyOf(other, other.length - 3), "slot=" + slot);
        }
        first.close();
        second.close();
    }

    /** Flows that are offered leave as if the description named them. */
    @Test
    void shouldBeOfferedFlowsAsTheyCome() {
        final Twin offered = twin("shale-node node=5 nodes=16 propagation=4 offers=2");
        final Twin known = twin("shale-node node=5 nodes=16 propagation=4 pairs=5>9");
        assertEquals(0, offered.offer(0, 5, 9, Integer.MAX_VALUE));
        for (int slot = 0; slot < 100; slot++) {
            assertArrayEquals(step(known, slot, NONE, 0, NONE), step(offered, slot, NONE, 0, NONE), "slot=" + slot);
        }
        assertThrows(IllegalArgumentException.class, () -> known.offer(200, 5, 9, 1));
        offered.close();
        known.close();
    }
}
