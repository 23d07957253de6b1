package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.FaultyLinks;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;

/** Rows of nodes with faults, traffic classes and interleaved schedules. */
final class NodeTwinFaultsTest {
    private static final int SLOTS = 3000;
    private static final String SCRIPT = """
        100 link 3 1 down
        150 corrupt 0.01
        400 node 2 down
        600 link 1 3 down
        1200 node 2 up
        1500 link 3 1 up
        1600 link 1 3 up
        1700 corrupt 0
        """;

    private final Arena arena = Arena.ofAuto();

    private long[] step(final Twin twin, final long... row) {
        final MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG, row);
        final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, twin.names().outputs().length);
        twin.step(in, 0, out, 0);
        return out.toArray(ValueLayout.JAVA_LONG);
    }

    private static void put(final NodeCells cells, final long[] row, final int words) {
        Arrays.fill(row, 0);
        for (int channel = 0; channel < cells.channels(); channel++) {
            final int at = 1 + channel * words;
            row[at] = cells.route(channel);
            row[at + 1] = cells.cell(channel);
            row[at + 2] = cells.feedback(channel);
            final long[] message = cells.message(channel);
            if (message != null) {
                System.arraycopy(message, 0, row, at + 3, message.length);
            }
        }
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
    void shouldRepeatWhatItDidInTheFabric(final String kind, final int node, final int words, final String settings,
        @TempDir final Path folder) throws IOException {
        final Path script = Files.writeString(folder.resolve("script"), SCRIPT);
        final String all = settings + " faults=" + script;
        final NodeChoice run = NodeChoice.of(kind, new TreeMap<>(Description.of("x " + all).values()));
        final FabricParts parts = FabricKind.partsOf(run.fabric());
        final FaultyLinks links = new FaultyLinks(parts, run.faults());
        final Twin twin = Description.of(kind + "-node " + all + " node=" + node).twin(arena);
        final NodeCells cells = new NodeCells(run.fabric().channels());
        final NodeCells sent = new NodeCells(run.fabric().channels());
        final int ofChannel = twin.names().outputs().length / cells.channels();
        final long[] in = new long[twin.names().inputs().length];
        int messages = 0;
        try (FabricModel fabric = new FabricModel(parts, run.flows(), run.faults())) {
            for (int slot = 0; slot < SLOTS; slot++) {
                fabric.step();
                fabric.received(node, cells);
                put(cells, in, ofChannel);
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

    /** Nothing is found until a link that is up is silent. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"1|nodes=16 h=2 propagation=5 workload=permutation",
        "2|nodes=16 h=4 propagation=9 workload=permutation missLimit=2"})
    void shouldFollowWhatItDidInTheFabric(final int node, final String settings, @TempDir final Path folder)
        throws IOException {
        final String fabricOf = settings + " faults=" + Files.writeString(folder.resolve("script"), SCRIPT);
        final NodeChoice run = NodeChoice.of("shale", new TreeMap<>(Description.of("x " + fabricOf).values()));
        final String all = fabricOf + " node=" + node;
        final Twin twin = Description.of("shale-node " + all).twin(arena);
        final Twin follower = Description.of("shale-follower " + all).twin(arena);
        final NodeCells cells = new NodeCells(1);
        final long[] in = new long[twin.names().inputs().length];
        try (FabricModel fabric = new FabricModel(FabricKind.partsOf(run.fabric()), run.flows(), run.faults())) {
            long[] found = {0, 0, -1};
            for (int slot = 0; slot < SLOTS || found[0] == 0 && slot < 2 * SLOTS; slot++) {
                fabric.step();
                fabric.received(node, cells);
                put(cells, in, 3);
                in[0] = slot;
                final long[] out = step(twin, in);
                final boolean isPlanted = slot >= SLOTS && InFlightCells.isCell(out[0]);
                found = step(follower, slot, in[1], in[2], in[3], isPlanted ? -2 : out[0], isPlanted ? 0 : out[1],
                    isPlanted ? -1 : out[2], -1);
                assertEquals(isPlanted ? 1 : 0, found[0], "slot=" + slot + " " + follower.report());
            }
            assertEquals(0, found[2], "schedule");
        } finally {
            twin.close();
            follower.close();
        }
    }

    @Test
    void shouldTellAFollowerThatItsDeviceStops() {
        final Twin follower = Description.of("shale-follower node=0 nodes=16 propagation=0 failures=1").twin(arena);
        step(follower, 0, -1, 0, -1, -1, 0, -1, -1);
        follower.setDown(true);
        assertThrows(IllegalArgumentException.class, () -> follower.setDown(true));
        assertEquals(0, step(follower, 1, -2, 0, -1, -2, 0, -1, -1)[0], "a device that is down sends nothing");
        assertEquals(1, step(follower, 2, -2, 0, -1, -1, 0, -1, -1)[0], "a dummy");
        assertThrows(IllegalArgumentException.class, follower::registers);
        follower.close();
        final Twin sound = Description.of("shale-follower node=0 nodes=16 propagation=0").twin(arena);
        assertThrows(IllegalArgumentException.class, () -> sound.setDown(true));
        sound.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-4 -1 -1", "-4 1099511627776 -1", "-3 0 -1", "-1 0 8388728", "-1 0 8388736",
        "-1 0 33554440"})
    void shouldRefuseWordsThatNoNodeSends(final String words) {
        final Twin twin = Description.of("shale-node node=0 nodes=16 propagation=0 failures=1").twin(arena);
        final long[] row = Arrays.stream(("0 " + words).split(" ")).mapToLong(Long::parseLong).toArray();
        assertThrows(IllegalArgumentException.class, () -> step(twin, row));
        step(twin, 0, -4, 0, -1);
        step(twin, 1, -2, 0, -1);
        twin.close();
    }

    @Test
    void shouldBeToldThatItStops() {
        final Twin twin = Description.of("shoal-node node=0 nodes=8 channels=1 failures=1 workload=permutation")
            .twin(arena);
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
        final Twin sound = Description.of("shoal-node node=0 nodes=8 channels=1").twin(arena);
        assertThrows(IllegalArgumentException.class, () -> sound.setDown(true));
        sound.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "shoal-follower node=1 nodes=8 channels=1 failures=1|that guards against failures cannot be followed",
        "shale-node node=1 nodes=16 faults=/no/such/file|/no/such/file"})
    void shouldSayWhatItHasNot(final String line, final String why) {
        final String said = assertThrows(IllegalArgumentException.class, () -> Description.of(line).twin(arena))
            .getMessage();
        assertTrue(said.contains(why), said);
    }
}
