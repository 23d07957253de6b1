package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code skerry trace --node} with faults, traffic classes and headers. */
final class TraceNodesTest {
    private static final int MESSAGE = 7;
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    private Path script;

    @BeforeEach
    void writeScript() throws IOException {
        script = Files.writeString(folder.resolve("faults"), """
            100 link 3 5 down
            150 corrupt 0.005
            400 node 2 down
            1200 node 2 up
            1500 link 3 5 up
            1600 corrupt 0
            """);
    }

    private List<long[]> trace(final String name, final String options) throws IOException {
        final String line = "trace --node 5 --format csv --out " + folder.resolve(name) + " " + options;
        assertEquals(0, Skerry.execute(new PrintWriter(new StringWriter()), new PrintWriter(err, true),
            line.split(" ")), err.toString());
        return Files.readAllLines(folder.resolve(name + "/node5.csv")).stream().skip(1).map(row ->
            Arrays.stream(row.split(",")).mapToLong(Long::parseUnsignedLong).toArray()).toList();
    }

    private static void put(final long[] row, final int from, final int words, final NodeCells into) {
        if (words > 3 && row[from] == InFlightCells.CONTROL) {
            into.setMessage(0, row[from + 2], Arrays.copyOfRange(row, from + 3, from + words));
        } else {
            into.set(0, row[from], row[from + 1], row[from + 2]);
        }
    }

    /** A node of its own, given what it received in the file, sends what stands there. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "shale|1|--nodes 16 --h 2 --propagation-slots 5 --workload permutation --slots 2500|"
            + "nodes=16 h=2 propagation=5 workload=permutation slots=2500",
        "shoal|1|--fabric shoal --nodes 8 --channels 1 --propagation-slots 3 --workload permutation --slots 2500|"
            + "nodes=8 channels=1 propagation=3 workload=permutation slots=2500",
        "shoal|0|--fabric shoal --nodes 8 --channels 1 --class-bytes 5000 --load 0.4 --slots 2500|"
            + "nodes=8 channels=1 classBytes=5000 load=0.4 slots=2500",
        "shale|0|--nodes 16 --interleave 4:1/3,2:2/3 --cutoff-bytes 9999 --load 0.9 --slots 2500|"
            + "nodes=16 interleave=4:1/3,2:2/3 cutoffBytes=9999 load=0.9 slots=2500"})
    void shouldGiveANodeItsStimulusAndItsAnswers(final String kind, final int faults, final String run,
        final String settings) throws IOException {
        final Map<String, String> given = new TreeMap<>();
        Arrays.stream(settings.split(" ")).forEach(each -> given.put(each.split("=")[0], each.split("=", 2)[1]));
        if (faults > 0) {
            given.put("faults", script.toString());
        }
        final List<long[]> rows = trace("words", "--signals rx*,tx* " + run
            + (faults > 0 ? " --faults " + script : ""));
        assertEquals(2500, rows.size());
        final NodeChoice choice = NodeChoice.of(kind, given);
        final NodeCells received = new NodeCells(1);
        final NodeCells sent = new NodeCells(1);
        final int words = rows.getFirst().length / 2;
        assertEquals(faults > 0 && kind.equals("shoal") ? 3 + MESSAGE : 3, words);
        int messages = 0;
        try (NodeModel model = new NodeModel(FabricKind.partsOf(choice.fabric()), choice.flows(), choice.faults(), 5)) {
            for (final long[] row : rows) {
                put(row, 1, words, received);
                put(row, 1 + words, words, sent);
                assertEquals(sent, model.step(row[0], received), "slot=" + row[0]);
                messages += received.route(0) == InFlightCells.CONTROL ? 1 : 0;
            }
            assertTrue(model.count(NicCounter.CELLS_FORWARDED) > 10, "too little traffic to tell");
            assertEquals(faults, model.count(NicCounter.NEIGHBOURS_DOWN) > 0 ? 1 : 0);
        }
        assertEquals(faults > 0, messages > 0);
    }

    /** Bytes of headers say what words say. */
    @Test
    void shouldWriteHeadersOfShale() throws IOException {
        final String run = " --nodes 16 --h 2 --propagation-slots 5 --workload permutation --slots 2500 --faults "
            + script;
        final List<long[]> words = trace("words", "--signals rx*,tx*" + run);
        final List<long[]> bytes = trace("bytes", "--header L12F --signals rx*,tx*" + run);
        final HeaderDescription header = HeaderDescription.builtIn("L12F");
        int cells = 0;
        int tokens = 0;
        for (int slot = 0; slot < words.size(); slot++) {
            for (int side = 0; side < 2; side++) {
                final long[] row = words.get(slot);
                final long route = row[1 + 3 * side];
                final long feedback = row[3 + 3 * side];
                final long[] seen = bytes.get(slot);
                final SlotState state = SlotState.values()[(int) seen[1 + 3 * side]];
                if (state == SlotState.NOTHING) {
                    assertEquals(InFlightCells.SILENCE, route, "slot=" + slot);
                    continue;
                }
                final byte[] of = bytes(seen[2 + 3 * side], seen[3 + 3 * side], header.bytes());
                final DescribedCell cell = header.cell(header.unpack(of));
                assertEquals(List.of(), header.faults(of, null));
                assertEquals(state, cell.state(), "slot=" + slot);
                if (state == SlotState.CELL) {
                    assertEquals(Route.destination(route), cell.destination());
                    assertEquals(Route.sprays(route), cell.sprays());
                    assertEquals(Cell.sequence(row[2 + 3 * side]), cell.sequence());
                    cells++;
                }
                if ((int) feedback >= 0) {
                    assertEquals((int) feedback & 0x7F_FFFF, Route.bucket(ShaleToken.destination(cell.token1()),
                        ShaleToken.index(cell.token1())));
                    assertEquals(Math.max(1, (int) feedback >>> 23), ShaleToken.kind(cell.token1()));
                    tokens++;
                } else {
                    assertEquals(ShaleToken.NONE, cell.token1());
                }
            }
        }
        assertTrue(cells > 1000 && tokens > 1000, "too few cells to tell: cells=" + cells + " tokens=" + tokens);
    }

    @Test
    void shouldWriteHeadersOfShoal() throws IOException {
        final String run = " --fabric shoal --nodes 8 --channels 1 --workload permutation --slots 2500";
        final List<long[]> words = trace("words", "--signals tx*" + run);
        final List<long[]> bytes = trace("bytes", "--header shoal --signals tx*" + run);
        final HeaderDescription header = HeaderDescription.builtIn("shoal");
        int reports = 0;
        for (int slot = 0; slot < words.size(); slot++) {
            final long[] row = words.get(slot);
            final byte[] of = bytes(bytes.get(slot)[2], 0, 8);
            final long[] values = header.unpack(of);
            final DescribedCell cell = header.cell(values);
            assertArrayEquals(new String[0], header.faults(of, new byte[56]).toArray(), "slot=" + slot);
            assertEquals(InFlightCells.isCell(row[1]), cell.state() == SlotState.CELL, "slot=" + slot);
            if (cell.state() == SlotState.CELL) {
                assertEquals(ShoalCell.source(row[1]), cell.source());
                assertEquals(ShoalCell.destination(row[1]), cell.destination());
                assertEquals(Cell.sequence(row[2]), cell.sequence());
            }
            assertEquals(Math.max(row[3], 0), values[header.indexOf("feedback")]);
            reports += row[3] > 0 ? 1 : 0;
        }
        assertTrue(reports > 100, "too few reports to tell: " + reports);
    }

    private static byte[] bytes(final long first, final long second, final int count) {
        final byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            final int left = i < Long.BYTES ? Math.min(count, Long.BYTES) - 1 - i : count - 1 - i;
            bytes[i] = (byte) ((i < Long.BYTES ? first : second) >>> Byte.SIZE * left);
        }
        return bytes;
    }
}
