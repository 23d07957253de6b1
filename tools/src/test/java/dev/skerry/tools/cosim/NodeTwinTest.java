package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.TreeMap;

/** A node created from a description behaves as it did in the fabric, and refuses invalid words. */
final class NodeTwinTest {
    private static final int SLOTS = 10_000;
    private static final int COUNTS = 3;

    private final Arena arena = Arena.ofAuto();

    private Twin twin(final String line) {
        return Description.of(line).twin(arena);
    }

    private long[] step(final Twin twin, final long... row) {
        final MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG, row);
        final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG, twin.names().outputs().length);
        twin.step(in, 0, out, 0);
        return out.toArray(ValueLayout.JAVA_LONG);
    }

    private static int put(final NodeCells cells, final long[] row, final int from) {
        int at = from;
        for (int channel = 0; channel < cells.channels(); channel++) {
            row[at++] = cells.route(channel);
            row[at++] = cells.cell(channel);
            row[at++] = cells.feedback(channel);
        }
        return at;
    }

    @ParameterizedTest
    @CsvSource({
        "shale, 5, nodes=16 h=2 cc=hbh+spray tokens=1 firstHopTokens=4 propagation=89 seed=1 workload=permutation",
        "shale, 3, nodes=9 cc=none propagation=0 workload=short load=0.4 slots=10000",
        "shoal, 3, nodes=8 channels=1 workload=permutation",
        "shoal, 6, nodes=8 channels=4 propagation-slots=7 workload=all-to-all flowBytes=100000"
    })
    void shouldRepeatWhatItDidInTheFabric(final String kind, final int node, final String settings) {
        final String line = kind + "-node " + settings + " node=" + node + " probes=all";
        final Map<String, String> values = new TreeMap<>(Description.of("x " + settings).values());
        final NodeChoice run = NodeChoice.of(kind, values);
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
                put(cells, in, 1);
                fabric.sent(node, cells);
                sent += InFlightCells.isCell(cells.route(0)) ? 1 : 0;
                final int at = put(cells, expected, 0);
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
        final Shale shale = (Shale) NodeChoice.of("shale", Map.of("nodes", "16", "h", "2", "cc", "hbh",
            "firstHopTokens", "4", "propagation", "89", "seed", "7", "workload", "permutation")).fabric();
        assertEquals(16, shale.nodes());
        assertEquals(2, shale.schedule().phases());
        assertEquals(Mechanisms.HBH, shale.mechanisms());
        assertEquals(4, shale.firstHopTokens());
        assertEquals(89, shale.propagationSlots());
        assertEquals(7, shale.seed());
        final Shoal shoal = (Shoal) NodeChoice.of("shoal", Map.of("nodes", "8", "channels", "2")).fabric();
        assertEquals(8, shoal.nodes());
        assertEquals(2, shoal.channels());
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "shale-node node=16 nodes=16|node=16",
        "shale-node colour=1|no colour",
        "shale-node threads=2|no threads",
        "shale-node nodes=x|nodes",
        "shale-node nodes=16 channels=2|--channels",
        "shoal-node nodes=8 h=2|--h",
        "shoal-node nodes=8 probes=no_such|no_such",
        "stardust-node|no such model"
    })
    void shouldRefuseWithAReason(final String line, final String reason) {
        final String message = assertThrows(IllegalArgumentException.class, () -> twin(line)).getMessage();
        assertTrue(message.contains(reason), message);
    }
}
