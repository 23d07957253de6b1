package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.circuit.SwitchModel;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.schedule.SwitchTable;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.run.NodeChoice;
import dev.skerry.tools.run.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** {@code skerry trace}: vectors of nodes, switches and PIEOs, with faults, traffic classes and headers. */
final class TraceCommandTest {
    private static final Path PIEO_PORTS = Path.of("..", "dataplane", "src", "test", "resources", "pieo");
    private static final String DUMMY = "18446744073709551615";
    private static final String NOTHING = "18446744073709551614";
    private static final int MESSAGE = 7;
    private static final String FAULTS = """
        100 link 3 5 down
        150 corrupt 0.005
        400 node 2 down
        1200 node 2 up
        1500 link 3 5 up
        1600 corrupt 0
        """;

    @TempDir
    private Path folder;

    private Invocation trace(final String out, final String options) {
        return Invocation.ofLine("trace --out " + folder.resolve(out) + " " + options);
    }

    private List<long[]> csv(final String file) throws IOException {
        return Files.readAllLines(folder.resolve(file)).stream().skip(1)
            .map(row -> Arrays.stream(row.split(",")).mapToLong(Long::parseUnsignedLong).toArray()).toList();
    }

    private Path script() throws IOException {
        return Files.writeString(folder.resolve("faults"), FAULTS);
    }

    private List<long[]> traceOfNode5(final String name, final String options) throws IOException {
        trace(name, "--node 5 --format csv " + options).ok();
        return csv(name + "/node5.csv");
    }

    /** What a test bench reads with readmemh is all that a node needs to send what it sent in the run. */
    @ParameterizedTest
    @ValueSource(strings = {
        "--nodes 16 --h 2 --workload permutation --first-hop-tokens 8 --propagation-slots 9 --slots 100000",
        "--fabric shoal --nodes 8 --channels 1 --workload permutation --propagation-slots 3 --slots 100000"})
    void shouldGiveANodeItsStimulusAndItsAnswers(final String run) throws IOException {
        trace("node", "--node 5 --format hex --signals rx*,tx* " + run).ok();
        final RunOptions options = RunOptions.of(run.split(" "));
        final Scenario scenario = Scenario.of(options);
        final NodeCells received = new NodeCells(1);
        final NodeCells sent = new NodeCells(1);
        long slot = 0;
        try (NodeModel model = new NodeModel(FabricKind.partsOf(scenario.choice().circuits()), scenario.flows(), 5);
            BufferedReader hex = Files.newBufferedReader(folder.resolve("node/node5.hex"))) {
            assertEquals("// vectors of node5_pkg::vector_t", hex.readLine());
            for (String line = hex.readLine(); line != null; line = hex.readLine()) {
                received.set(0, word(line, 0), word(line, 1), word(line, 2));
                sent.set(0, word(line, 3), word(line, 4), word(line, 5));
                assertEquals(sent, model.step(slot, received), "slot=" + slot);
                slot++;
            }
            assertTrue(model.count(NicCounter.CELLS_FORWARDED) > 10_000, "too little traffic to tell");
        }
        assertEquals(100_000, slot);
    }

    private static long word(final String line, final int index) {
        return Long.parseUnsignedLong(line, 16 * index, 16 * index + 16, 16);
    }

    @Test
    void shouldBeTheSameByteForByte() throws IOException {
        final String run = "--node 3,0 --nodes 16 --workload short --load 0.2 --slots 3000 --seed 4";
        trace("one", run).ok();
        trace("two", run).ok();
        trace("other", run + " --signals *_length,*outstanding").ok();
        for (final String file : List.of("node0.hex", "node0_pkg.sv", "node0.csv", "node3.hex", "trace.vcd")) {
            assertArrayEquals(Files.readAllBytes(folder.resolve("one").resolve(file)),
                Files.readAllBytes(folder.resolve("two").resolve(file)), file);
        }
        final String header = Files.readString(folder.resolve("other/node3.csv")).lines().findFirst().orElseThrow();
        assertTrue(header.startsWith("slot,queue0_length,queue0_outstanding,queue1_length"), header);
        assertFalse(Files.exists(folder.resolve("one.partial")));
    }

    /** The dump, played back by a reader of its own, gives every vector of the other file. */
    @Test
    void shouldDumpWhatTheVectorsSay() throws IOException {
        trace("dump", "--node 2,5 --nodes 9 --workload permutation --slots 1000 --format csv,vcd"
            + " --propagation-slots 2 --slot-ns 2").ok();
        final Map<String, String> codes = new HashMap<>();
        final Map<String, Long> now = new HashMap<>();
        final Map<String, List<long[]>> vectors = Map.of("node2", csv("dump/node2.csv"),
            "node5", csv("dump/node5.csv"));
        final String header = Files.readString(folder.resolve("dump/node2.csv")).lines().findFirst().orElseThrow();
        String scope = "";
        int slot = -1;
        for (final String line : Files.readAllLines(folder.resolve("dump/trace.vcd"))) {
            final String[] word = line.split(" ");
            if (word[0].equals("$scope")) {
                scope = word[2];
            } else if (word[0].equals("$var")) {
                codes.put(word[3], scope + "." + word[4]);
            } else if (line.startsWith("b")) {
                now.put(codes.get(word[1]), Long.parseUnsignedLong(word[0].substring(1), 2));
            } else if (line.startsWith("#")) {
                // Every time at which nothing changes is left out, so it stands for those before it too.
                for (final int next = Integer.parseInt(line.substring(1)) / 2000; slot < next; slot++) {
                    compare(vectors, header, now, slot);
                }
            }
        }
        assertEquals(1000, slot);
    }

    private static void compare(final Map<String, List<long[]>> vectors, final String header,
        final Map<String, Long> now, final int slot) {
        final String[] names = header.split(",");
        for (final String scope : vectors.keySet()) {
            for (int i = 1; slot >= 0 && i < names.length; i++) {
                assertEquals(vectors.get(scope).get(slot)[i], now.get(scope + "." + names[i]),
                    "slot=" + slot + " " + scope + "." + names[i]);
            }
            if (slot >= 0) {
                final long route = now.get(scope + ".tx0_route");
                final boolean isCell = Route.isCell(route);
                assertEquals(isCell ? Route.destination(route) : (1 << 20) - 1, now.get(scope + ".tx0_destination"));
                assertEquals(isCell ? Route.sentSlot(route) : (1 << 23) - 1, now.get(scope + ".tx0_sent_slot"));
                assertEquals(!isCell, now.get(scope + ".tx0_source") == 0xFFFF_FFFFL);
            }
        }
    }

    @Test
    void shouldCutOutARange() throws IOException {
        final String run = "--nodes 9 --workload permutation --slots 2000 --format csv --propagation-slots 2";
        trace("all", "--node 4 " + run).ok();
        trace("some", "--node 4 --range 700:900 " + run).ok();
        final List<long[]> all = csv("all/node4.csv");
        final List<long[]> some = csv("some/node4.csv");
        assertEquals(200, some.size());
        for (int i = 0; i < 200; i++) {
            assertArrayEquals(all.get(700 + i), some.get(i));
        }
    }

    /** A switch model fed with the inputs gives the outputs; every kind of switch of both fabrics. */
    @ParameterizedTest
    @ValueSource(strings = {
        "0 --fabric shoal --nodes 8 --channels 2", "5 --fabric shoal --nodes 8", "1 --nodes 16 --h 2"})
    void shouldTraceSwitches(final String which) throws IOException {
        final String run = which.substring(2) + " --workload permutation --propagation-slots 3 --slots 2000";
        trace("switch", "--switch " + which.charAt(0) + " --format csv "
            + run).ok();
        final RunOptions options = RunOptions.of(run.split(" "));
        options.engine.mode = "threads";
        final SwitchTable table = Scenario.of(options).engine().wiring().table(which.charAt(0) - '0');
        final int[] in = new int[table.ports()];
        final int[] out = new int[table.ports()];
        long crossed = 0;
        try (SwitchModel model = new SwitchModel(new RegisterTable(table.ports(), table.epochSlots(),
            table::selected))) {
            model.start(0);
            for (final long[] vector : csv("switch/switch" + which.charAt(0) + ".csv")) {
                for (int port = 0; port < in.length; port++) {
                    in[port] = vector[3 * port + 2] == InFlightCells.SILENCE ? SwitchModel.DARK : port;
                }
                model.step(in, out);
                for (int port = 0; port < out.length; port++) {
                    final long select = table.selected((int) (vector[0] % table.epochSlots()), port);
                    assertEquals(select & 0xFFFF, vector[3 * port + 1]);
                    assertEquals(out[port] == SwitchModel.DARK ? InFlightCells.SILENCE : vector[3 * out[port] + 2],
                        vector[3 * port + 3], "slot=" + vector[0] + " port=" + port);
                    crossed += out[port] == SwitchModel.DARK ? 0 : 1;
                }
            }
        }
        assertTrue(crossed > 1000, "too few cells to tell: " + crossed);
    }

    /** The ports of the authors' RTL, recorded clock by clock. */
    @Test
    void shouldTraceThePieoAsTheHardwareDoes() throws IOException {
        final Path file = PIEO_PORTS.resolve("ports-64-21.txt.gz");
        trace("pieo", "--format csv,hex --pieo " + file).ok();
        final List<long[]> vectors = csv("pieo/pieo.csv");
        final List<String> lines;
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.US_ASCII))) {
            lines = reader.lines().toList();
        }
        assertEquals(lines.size(), vectors.size());
        long clock = 17;
        for (int i = 0; i < lines.size(); i++) {
            final String[] line = lines.get(i).split(" ");
            final long[] v = vectors.get(i);
            assertEquals(clock, v[0], "operation " + i);
            final long[] ports = {v[9], v[6], v[7], v[8], v[10], v[11], v[12], v[14]};
            for (int port = 0; port < ports.length; port++) {
                assertEquals(Long.parseLong(line[4 + port]), ports[port], "operation " + i + " port " + port);
            }
            clock += v[12];
        }
    }

    @Test
    void shouldTraceRandomOperations() throws IOException {
        trace("one", "--pieo-random 5000 --pieo-size 16 --seed 3 --range 1000:2000").ok();
        final List<long[]> vectors = csv("one/pieo.csv");
        assertEquals(1000, vectors.size());
        assertEquals(16, vectors.stream().mapToLong(v -> v[13]).max().orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "--nodes 16", "--node 1 --switch 1", "--node 16 --nodes 16", "--node x", "--node 1 --range 5:5",
        "--node 1 --range 5", "--node 1 --nodes 16 --slots 10 --range 5:11", "--node 1 --nodes 16 --format png",
        "--node 1 --nodes 16 --signals nothing", "--pieo no-such-file", "--pieo-random 5 --pieo-size 0",
        "--switch 99 --nodes 16", "--node 1 --nodes 16 --faults no-such-file", "--node 1 --nodes 16 --header no-such",
        "--switch 0 --nodes 16 --header L12", "--node 1 --nodes 1024 --header shale-prototype",
        "--node 1 --nodes 16 --slowdown 5", "--node 1 --nodes 16 --warm-up 5"})
    void shouldRefuseInOneLine(final String options) {
        trace("bad", options).refused();
        assertFalse(Files.exists(folder.resolve("bad")));
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
    void shouldGiveANodeAmidFaultsItsStimulusAndItsAnswers(final String kind, final int faults, final String run,
        final String settings) throws IOException {
        final Map<String, String> given = new TreeMap<>();
        Arrays.stream(settings.split(" ")).forEach(each -> given.put(each.split("=")[0], each.split("=", 2)[1]));
        if (faults > 0) {
            given.put("faults", script().toString());
        }
        final List<long[]> rows = traceOfNode5("words", "--signals rx*,tx* " + run
            + (faults > 0 ? " --faults " + script() : ""));
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
            + script();
        final List<long[]> words = traceOfNode5("words", "--signals rx*,tx*" + run);
        final List<long[]> bytes = traceOfNode5("bytes", "--header L12F --signals rx*,tx*" + run);
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
        final List<long[]> words = traceOfNode5("words", "--signals tx*" + run);
        final List<long[]> bytes = traceOfNode5("bytes", "--header shoal --signals tx*" + run);
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

    private List<String> signal(final String options, final String scope, final String signal) throws IOException {
        trace(signal, "--format csv " + options).ok();
        final List<String> lines = Files.readAllLines(folder.resolve(signal).resolve(scope + ".csv"));
        final int column = List.of(lines.getFirst().split(",")).indexOf(signal);
        return lines.stream().skip(1).map(line -> line.split(",")[column]).toList();
    }

    @Test
    void shouldTellADummyFromNothing() throws IOException {
        final String node = "--node 5 --nodes 16 --propagation-slots 3 --slots 40 --workload incast";
        final List<String> received = signal(node, "node5", "rx0_route");
        for (int slot = 0; slot < received.size(); slot++) {
            assertEquals(slot < 3, received.get(slot).equals(NOTHING), "slot=" + slot);
        }
        final List<String> sent = signal(node, "node5", "tx0_route");
        assertTrue(sent.contains(DUMMY) && !sent.contains(NOTHING), sent.toString());
        // Eight nodes have seven others: the third channel has a circuit in one of three slots.
        final List<String> third = signal("--node 2 --fabric shoal --nodes 8 --channels 3 --slots 42 --workload incast",
            "node2", "tx2_route");
        assertEquals(List.of(28L, true), List.of(third.stream().filter(NOTHING::equals).count(),
            third.contains(DUMMY)), third.toString());
        signal("--switch 1 --nodes 16 --h 2 --slots 42 --workload incast", "switch1", "out0");
        final String ports = Files.readString(folder.resolve("out0").resolve("switch1.csv"));
        assertTrue(ports.contains(DUMMY) && ports.contains(NOTHING), ports);
    }
}
