package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.circuit.SwitchModel;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.schedule.SwitchTable;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.run.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

final class TraceCommandTest {
    private static final Path PIEO_PORTS = Path.of("..", "dataplane", "src", "test", "resources", "pieo");
    private static final long NONE = -1;

    @TempDir
    private Path folder;
    private final StringWriter err = new StringWriter();

    private int trace(final String out, final String options) {
        final List<String> arguments = new ArrayList<>(List.of("trace", "--out", folder.resolve(out).toString()));
        arguments.addAll(Arrays.asList(options.split(" ")));
        return Skerry.execute(new PrintWriter(new StringWriter()), new PrintWriter(err, true),
            arguments.toArray(String[]::new));
    }

    private List<long[]> csv(final String out, final String file) throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve(out).resolve(file))) {
            return lines.skip(1).map(line -> Arrays.stream(line.split(",")).mapToLong(Long::parseUnsignedLong)
                .toArray()).toList();
        }
    }

    /** What a test bench reads with readmemh is all that a node needs to send what it sent in the run. */
    @ParameterizedTest
    @ValueSource(strings = {
        "--nodes 16 --h 2 --workload permutation --first-hop-tokens 8 --propagation-slots 9 --slots 100000",
        "--fabric shoal --nodes 8 --channels 1 --workload permutation --propagation-slots 3 --slots 100000"})
    void shouldGiveANodeItsStimulusAndItsAnswers(final String run) throws IOException {
        assertEquals(0, trace("node", "--node 5 --format hex --signals rx*,tx* " + run), err.toString());
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
        assertEquals(0, trace("one", run), err.toString());
        assertEquals(0, trace("two", run));
        assertEquals(0, trace("other", run + " --signals *_length,*outstanding"));
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
        assertEquals(0, trace("dump", "--node 2,5 --nodes 9 --workload permutation --slots 1000 --format csv,vcd"
            + " --propagation-slots 2 --slot-ns 2"), err.toString());
        final Map<String, String> codes = new HashMap<>();
        final Map<String, Long> now = new HashMap<>();
        final Map<String, List<long[]>> vectors = Map.of("node2", csv("dump", "node2.csv"),
            "node5", csv("dump", "node5.csv"));
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
        }
    }

    @Test
    void shouldCutOutARange() throws IOException {
        final String run = "--nodes 9 --workload permutation --slots 2000 --format csv --propagation-slots 2";
        assertEquals(0, trace("all", "--node 4 " + run), err.toString());
        assertEquals(0, trace("some", "--node 4 --range 700:900 " + run));
        final List<long[]> all = csv("all", "node4.csv");
        final List<long[]> some = csv("some", "node4.csv");
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
        assertEquals(0, trace("switch", "--switch " + which.charAt(0) + " --format csv "
            + run), err.toString());
        final RunOptions options = RunOptions.of(run.split(" "));
        options.engine.mode = "threads";
        final SwitchTable table = Scenario.of(options).engine().wiring().table(which.charAt(0) - '0');
        final int[] in = new int[table.ports()];
        final int[] out = new int[table.ports()];
        long crossed = 0;
        try (SwitchModel model = new SwitchModel(new RegisterTable(table.ports(), table.epochSlots(),
            table::selected))) {
            model.start(0);
            for (final long[] vector : csv("switch", "switch" + which.charAt(0) + ".csv")) {
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
        assertEquals(0, trace("pieo", "--format csv,hex --pieo " + file), err.toString());
        final List<long[]> vectors = csv("pieo", "pieo.csv");
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
        assertEquals(0, trace("one", "--pieo-random 5000 --pieo-size 16 --seed 3 --range 1000:2000"), err.toString());
        assertEquals(1000, csv("one", "pieo.csv").size());
        final long held = csv("one", "pieo.csv").stream().mapToLong(v -> v[13]).max().orElseThrow();
        assertEquals(16, held);
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
        assertEquals(2, trace("bad", options));
        assertEquals(1, err.toString().lines().filter(line -> line.startsWith("skerry: ")).count(), err.toString());
        assertFalse(Files.exists(folder.resolve("bad")));
    }
}
