package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Clocks of Shoal's nodes against the guard band, and a clock master that stops under load. */
final class RunShoalClocksTest {
    private static final String LOAD = "run --fabric shoal --json --nodes 32 --channels 2 --slot-ns 11.6 "
        + "--guard-ns 2.75 --reconfiguration-ns 2.5 --workload each-to-each --pair-gbps 0.4 --slots 6000 --faults ";

    @TempDir
    private Path folder;

    /** A clock off by less than the guard band leaves costs nothing; by more, every cell, and all is accounted for. */
    @ParameterizedTest
    @CsvSource({"0.25, false", "-0.25, false", "0.26, true", "-3, true"})
    void shouldLoseCellsOutsideTheWindow(final String lateNs, final boolean loses) throws IOException {
        final JsonNode run = summary(script("500 clock 7 " + lateNs + "\n2500 clock 7 0\n"), "");
        assertEquals(loses, run.get("events").has("guardViolation"), run.toString());
        assertEquals(loses, run.get("events").has("neighboursDown"), run.toString());
        if (loses) {
            assertTrue(run.get("cellsDropped").asLong() >= run.get("events").get("guardViolation").asLong());
            // Every connection of the node went down at both ends, and came back.
            assertTrue(run.get("events").get("neighboursDown").asInt() >= 2 * 31, run.toString());
            assertEquals(run.get("events").get("neighboursDown"), run.get("events").get("neighboursUp"));
        } else {
            assertEquals(0, run.get("cellsDropped").asLong());
        }
    }

    /** A clock a slot late sends its cells to other nodes; dummies and cells of others are counted in every engine. */
    @ParameterizedTest
    @CsvSource({"23.2, true", "69.5, true", "-23.2, false", "371.2, false"})
    void shouldCountCellsOfOthers(final String lateNs, final boolean astray) throws IOException {
        final String script = script("500 clock 7 " + lateNs + "\n2500 clock 7 0\n");
        final JsonNode run = summary(script, "");
        assertEquals(astray, run.get("events").has("wrongDestination"), run.toString());
        assertEquals(astray, run.get("events").has("cellsAstray"), run.toString());
        assertTrue(run.get("cellsDropped").asLong() >= run.get("events").path("wrongDestination").asLong());
        assertTrue(run.get("dummiesSent").asLong() > 0, run.toString());
        final List<String> engines = List.of(" --threads 3", " --mode threads --threads 2", " --check");
        for (final String how : lateNs.equals("23.2") ? engines : List.<String>of()) {
            final JsonNode other = summary(script + how, "");
            for (final String key : List.of("digest", "dummiesSent", "cellsDropped")) {
                assertEquals(run.get(key), other.get(key), how + " " + key);
            }
            assertEquals(run.get("events").path("wrongDestination"), other.get("events").path("wrongDestination"), how);
        }
    }

    /** A script in which nothing happens changes nothing, and dummies are counted as without it. */
    @Test
    void shouldCountDummiesAsWithoutAScript() throws IOException {
        final JsonNode run = summary(script("0 corrupt 0\n"), "");
        final Invocation without = Invocation.ofLine(LOAD.replace("--faults ", "").strip());
        final JsonNode sound = new ObjectMapper().readTree(without.out());
        assertEquals(sound.get("digest"), run.get("digest"));
        assertEquals(sound.get("dummiesSent"), run.get("dummiesSent"));
    }

    /** All follow the next node so soon that no clock is off: the dead node's cells are lost, and no others. */
    @Test
    void shouldTakeOverWithoutLoss() throws IOException {
        final String death = script("1000 node 0 down\n");
        final JsonNode run = summary(death + " --clock-drift-ppm 100", "clock master 0 stops in slot 1000; all follow "
            + "node 1 from slot 1016 on", "until then: 0");
        assertTrue(!run.get("events").has("guardViolation"), run.toString());
        assertEquals(run.get("digest"), summary(death, "").get("digest"));
    }

    /** Clocks run away for long: cells are lost until the takeover; every cell is accounted for in every engine. */
    @Tag("long")
    @Test
    void shouldAccountForATakeoverThatIsLate() throws IOException {
        final String late = script("1000 node 3 down\n1900 node 0 down\n4000 node 3 up\n")
            + " --clock-drift-ppm 40 --takeover-slots 700 --clock-master 3";
        final JsonNode run = summary(late, "clock master 3 stops in slot 1000; all follow node 0 from slot 1700",
            "clock master 0 stops in slot 1900; all follow node 1 from slot 2600");
        assertTrue(run.get("events").get("guardViolation").asLong() > 0, run.toString());
        for (final String how : List.of(" --threads 3", " --mode threads --threads 2", " --check")) {
            final JsonNode other = summary(late + how, "");
            assertEquals(run.get("digest"), other.get("digest"), how);
            assertEquals(run.get("events").get("guardViolation"), other.get("events").get("guardViolation"), how);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "--guard-ns 30; --guard-ns; part of a slot, which lasts 23.2",
        "--guard-ns 2 --reconfiguration-ns 3; --reconfiguration-ns; within the guard band of 2.0 ns",
        "--reconfiguration-ns 1; --reconfiguration-ns; there is no guard band",
        "--guard-ns 2 --clock-drift-ppm 5; --clock-drift-ppm; nothing fails in this run",
        "--guard-ns 2 --takeover-slots 5; --takeover-slots; clocks stay",
        "--guard-ns 2 --faults SCRIPT --clock-drift-ppm -5; --clock-drift-ppm; parts in a million",
        "--guard-ns 2 --faults SCRIPT --clock-drift-ppm 5 --clock-master 999; --clock-master; must be 0 to 31",
        "--guard-ns 2 --faults SCRIPT --clock-drift-ppm 5 --takeover-slots -1; --takeover-slots; 0 or more",
        "--faults SCRIPT; script; add --guard-ns"})
    void shouldRefuse(final String options, final String what, final String why) throws IOException {
        final Path script = Files.writeString(folder.resolve("script"), "5 clock 1 2\n");
        final Invocation run = Invocation.ofLine("run --fabric shoal --nodes 32 --slot-ns 5.8125 "
            + options.replace("SCRIPT", script.toString()));
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        assertTrue(run.err().contains(what) && run.err().contains(why), run.err());
    }

    private String script(final String lines) throws IOException {
        return Files.writeString(folder.resolve("script"), lines).toString();
    }

    private static JsonNode summary(final String options, final String... says) throws IOException {
        final Invocation run = Invocation.ofLine(LOAD + options);
        assertEquals(0, run.code(), run.err());
        for (final String text : says) {
            assertTrue(run.err().contains(text), run.err());
        }
        return new ObjectMapper().readTree(run.out());
    }
}
