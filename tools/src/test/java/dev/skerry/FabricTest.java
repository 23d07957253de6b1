package dev.skerry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.execution.RunDone;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.report.Numbers;
import dev.skerry.tools.run.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

final class FabricTest {
    /** The same fabric by its builder and by words of the command line. */
    private record Both(FabricBuilder<?> builder, List<String> words) {
    }

    private static Stream<Both> both() {
        return Stream.of(
            new Both(Shale.nodes(16).h(2).tokens(2).firstHopTokens(3).seed(5).check(), List.of("--nodes=16", "--h=2",
                "--tokens=2", "--first-hop-tokens=3", "--seed=5")),
            new Both(Shale.nodes(16).cc("hbh+spray-bucket").set("sprayTies", "lowest").threads(2), List.of(
                "--nodes=16", "--cc=hbh+spray-bucket", "--spray-ties=lowest")),
            new Both(Shoal.nodes(8).channels(2).rule("exact").slotNs(6), List.of("--fabric=shoal", "--nodes=8",
                "--channels=2", "--shoal-rule=exact", "--slot-ns=6")),
            new Both(Stardust.nodes(16).hosts("dctcp").cellBytes(200), List.of("--fabric=stardust", "--nodes=16",
                "--hosts=dctcp", "--cell-bytes=200")),
            new Both(FatTree.nodes(16).leaves(4).hosts("ndp").linkGbps(100), List.of("--fabric=fattree", "--nodes=16",
                "--leaves=4", "--hosts=ndp", "--link-gbps=100")),
            new Both(Fabric.named("shale").nodes(16).set("h", 4).propagationSlots(3), List.of("--nodes=16", "--h=4",
                "--propagation-slots=3")));
    }

    @ParameterizedTest
    @MethodSource("both")
    void shouldRunAsTheCommandLineDoes(final Both both, @TempDir final Path folder) throws Exception {
        final Fabric fabric = both.builder.build();
        final Random random = new Random(7);
        final Flows flows = new Flows();
        final StringBuilder trace = new StringBuilder();
        final long[] starts = IntStream.range(0, 40).mapToLong(_ -> random.nextInt(500)).toArray();
        for (int flow = 0; flow < starts.length; flow++) {
            final int source = random.nextInt(fabric.nodes());
            final int destination = (source + 1 + random.nextInt(fabric.nodes() - 1)) % fabric.nodes();
            final long bytes = 1 + random.nextInt(20_000);
            flows.add(source, destination, bytes, starts[flow]);
            trace.append(flow).append(',').append(source).append(',').append(destination).append(',').append(bytes)
                .append(',').append((starts[flow] + 0.5) * fabric.slotNs() * 1e-9).append('\n');
        }
        final Path file = Files.writeString(folder.resolve("flows.csv"), trace);
        final Result result = fabric.run(flows);
        try (StopSignal never = StopSignal.ofProgram(); PrintWriter nowhere = new PrintWriter(Writer.nullWriter())) {
            final RunDone done = RunDone.of(Scenario.of(RunOptions.of(Stream.concat(both.words.stream(),
                Stream.of("--flows=" + file)).toArray(String[]::new))), never, nowhere);
            assertEquals(Numbers.digest(done.result().totals().digest()), result.digest());
            assertEquals(done.result().totals().slots(), result.slots());
        }
        assertEquals(40, result.flowsCompleted());
        assertEquals(result.cellsInjected(), result.cellsDelivered() + result.cellsHeld() + result.cellsDropped());
        for (final Result.Flow flow : result.flows()) {
            assertEquals(starts[(int) flow.id()], flow.startSlot());
            assertTrue(flow.isComplete() && flow.completionSlots() <= result.slots(), flow::toString);
        }
        assertEquals(result.slots(), new ObjectMapper().readTree(result.json()).get("slots").asLong());
        result.write(folder.resolve("out"));
        assertTrue(Files.exists(folder.resolve("out/flows.csv")));
    }

    @Test
    void shouldRunTheWorkloadOfTheSettings() {
        final FabricBuilder<?> builder = Shale.nodes(16).workload("permutation").slots(3_000);
        final Result one = builder.build().run();
        assertEquals(3_000, one.slots());
        assertTrue(one.throughput() > 0.1 && one.flows().stream().noneMatch(Result.Flow::isComplete));
        assertEquals(one.digest(), builder.threads(2).build().run().digest());
        assertTrue(builder.build().run().digest().equals(one.digest())
            && !builder.seed(2).build().run().digest().equals(one.digest()));
    }

    /** A node is the same by builder, by description and after save and restore. */
    @Test
    void shouldStepNodes() {
        final Shale fabric = Shale.nodes(16).firstHopTokens(4).set("pairs", "5>12,12>5");
        try (Model node = fabric.node(5); Model same = Model.open("shale-node node=5 nodes=16 firstHopTokens=4 "
            + "pairs=5>12,12>5"); Model later = fabric.node(5); Model follower = fabric.follower(5)) {
            assertEquals(List.of("slot", "rx0_route", "rx0_cell", "rx0_feedback"), node.inputs());
            final long[] row = {0, -1, 0, -1};
            byte[] state = null;
            for (int slot = 0; slot < 60; slot++) {
                row[0] = slot;
                final long[] sent = node.step(row).clone();
                assertArrayEquals(same.step(row), sent);
                if (state != null) {
                    assertArrayEquals(later.step(row), sent);
                }
                if (slot == 30) {
                    state = node.save();
                    later.restore(state);
                }
            }
            assertEquals(60, node.get("slot")[0]);
            assertTrue(node.registers().containsAll(List.of("queue0_cells", "queue0_owed_tokens")));
            assertEquals(List.of(), follower.findings());
        }
        assertTrue(refused(() -> fabric.node(99)).contains("node=99"));
        assertTrue(refused(() -> Shale.nodes(16).threads(2).node(1)).contains("threads"));
        try (Model adapter = Stardust.nodes(16).workload("permutation").node(1);
            Model follower = Stardust.nodes(16).workload("permutation").follower(1)) {
            assertTrue(follower.inputs().size() > adapter.inputs().size());
        }
        assertTrue(refused(() -> FatTree.nodes(16).node(1)).contains("fattree"));
    }

    @Test
    void shouldRefuseWithTheMessagesOfTheCommandLine() {
        assertTrue(refused(() -> Shale.nodes(16).h(9).build()).startsWith("skerry: --h: 9: "));
        assertTrue(refused(() -> Shale.nodes(16).set("chanels", 2).build()).contains("--chanels=2"));
        assertTrue(refused(() -> Shale.nodes(16).set("channels", 2).build()).contains("--channels"));
        assertTrue(refused(() -> Fabric.named("shoel").build()).startsWith("skerry: --fabric: shoel: "));
        assertTrue(refused(() -> Shale.nodes(16).load(0.1).build().run(new Flows().add(0, 1, 1))).contains("--load"));
        assertTrue(refused(() -> Shale.nodes(16).build().run(new Flows().add(0, 16, 1))).contains("nodes=16"));
        assertTrue(refused(() -> new Flows().add(3, 3, 1)).contains("destination=3"));
        assertTrue(refused(() -> new Flows().add(3, 4, 1, (1L << 53) + 1)).contains("startSlot=9007199254740993"));
        assertTrue(refused(() -> Shale.nodes(16).workload(null)).contains("--workload"));
        final Shale faulty = Shale.nodes(16).set("pairs", "1>0").faults(Path.of("nowhere"));
        assertTrue(refused(() -> faulty.node(1)).contains("nowhere"));
        assertTrue(refused(() -> Shale.nodes(16).faults(Path.of("nowhere")).build()).contains("nowhere"));
        assertTrue(refused(() -> Shale.nodes(16).slots(9).build().run().write(Path.of("pom.xml"))).contains("pom.xml"));
    }

    /** The Java blocks of the pages run as they stand. */
    @ParameterizedTest
    @CsvSource({"README.md, 1, [0-9a-f]{16}\\R", "docs/embed.md, 1, 5 to 12: \\d+ slots\\R3 to 12: \\d+ slots\\R",
        "docs/embed.md, 2, (slot \\d: route -?\\d+\\R){10}", "docs/embed.md, 3, 64 bytes\\R"})
    void shouldRunTheExamplesOfThePages(final String name, final int block, final String expected,
        @TempDir final Path folder) throws Exception {
        final String page = Files.readString(Path.of("..", name));
        final String printed = run(page.split("```java\n")[block].split("\n```")[0], folder);
        assertTrue(printed.matches(expected), printed);
    }

    /** Every public type has an example in its Javadoc, which runs as it stands. */
    @ParameterizedTest
    @MethodSource("publicTypes")
    void shouldRunTheExamplesOfTheJavadoc(final Path type, @TempDir final Path folder) throws Exception {
        final List<String> examples = Pattern.compile("<pre>\\{@code\n(.*?)\n \\* }</pre>", Pattern.DOTALL)
            .matcher(Files.readString(type)).results().map(found -> found.group(1).replaceAll("(?m)^ \\*", ""))
            .toList();
        assertFalse(examples.isEmpty());
        for (final String example : examples) {
            run(example, folder);
        }
    }

    private static Stream<Path> publicTypes() throws IOException {
        final Path dataplane = Path.of("../dataplane/src/main/java/dev/skerry/dataplane");
        try (Stream<Path> files = Files.list(Path.of("src/main/java/dev/skerry"))) {
            return Stream.concat(files.filter(file -> file.toString().matches(".*[a-z].java")
                && !file.endsWith("package-info.java")).toList().stream(), Stream.of("ring/SpscRing",
                "ring/PacketQueue", "memory/Slab", "pieo/Pieo", "pieo/PieoTournament")
                .map(name -> dataplane.resolve(name + ".java")));
        }
    }

    /** Compiles statements, runs them and returns what they print. */
    private static String run(final String statements, final Path folder) throws Exception {
        final Path source = Files.writeString(folder.resolve("Example.java"), """
            import dev.skerry.*;
            import dev.skerry.dataplane.memory.*;
            import dev.skerry.dataplane.pieo.*;
            import dev.skerry.dataplane.ring.*;
            import java.lang.foreign.*;
            import java.util.*;
            public class Example {
                public static void main(String[] args) {
            %s
                }
            }
            """.formatted(statements));
        final String jars = System.getProperty("java.class.path") + File.pathSeparator
            + System.getProperty("jdk.module.path", "");
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-d",
            folder.toString(), "-cp", jars, source.toString()));
        final PrintStream before = System.out;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()},
            FabricTest.class.getClassLoader())) {
            System.setOut(new PrintStream(printed, true));
            loader.loadClass("Example").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(before);
        }
        return printed.toString();
    }

    /** A port serves one fabric at a time; closing order and use after close are refused. */
    @Test
    void shouldRefuseCallsInTheWrongState() {
        final Shoal builder = Shoal.nodes(8).set("map", "0:5,5:0").set("warm-up", 0);
        final QueuePort port = new QueuePort(0);
        try (QueuePort other = new QueuePort(5)) {
            try (Live live = builder.live(port, other)) {
                assertEquals("the port of node 0 is closed or in use by another fabric", wrongState(() ->
                    builder.live(new QueuePort(5), port)));
                assertEquals("the port of node 0 is closed before its fabric", wrongState(port::close));
                assertTrue(live.isRunning());
            }
            assertTrue(refused(() -> builder.set("mtu", 1).live(port, other)).contains("--mtu"));
            assertTrue(refused(() -> builder.set("mtu", "x").live(port, other)).contains("--mtu"));
            wrongState(() -> builder.set("mtu", 1_500).live(port, port));
            builder.live(port, other).close();
            assertEquals("the port of node 0 is full and its fabric has ended", wrongState(() -> {
                while (port.offer(new byte[64], 0, 64)) {
                    Thread.onSpinWait();
                }
            }));
        }
        port.close();
        port.close();
        wrongState(() -> port.offer(new byte[64], 0, 64));
        wrongState(() -> builder.live(port));
        final Model model = Model.open("pieo capacity=16");
        model.close();
        model.close();
        assertEquals("the model is closed", wrongState(model::findings));
    }

    private static String wrongState(final Executable action) {
        return assertThrows(IllegalStateException.class, action).getMessage();
    }

    private static String refused(final Runnable action) {
        return assertThrows(IllegalArgumentException.class, action::run).getMessage();
    }
}
