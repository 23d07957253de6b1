package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Shoal's traffic classes on the command line, by size or by the trace. */
final class RunClassesTest {
    private static final String RUN = "run --fabric shoal --nodes 8 --channels 2";
    /** Five long flows to node 0 at once, and a short one from each of their sources soon afterwards. */
    private static final List<String> LONG = List.of("0,1,0,50000,0", "1,2,0,50000,0", "2,3,0,50000,0",
        "3,4,0,50000,0", "4,5,0,50000,0");
    private static final List<String> SHORT = List.of("5,1,0,2000,1e-6", "6,2,0,2000,1e-6", "7,3,0,2000,1e-6",
        "8,4,0,2000,1e-6", "9,5,0,2000,1e-6");

    @TempDir
    private Path folder;

    @Test
    void shouldGiveTheSameResultHoweverItIsRun() throws IOException {
        final String line = RUN + " --class-bytes 2000,40000 --flows " + trace("", "");
        final JsonNode digest = summary(line).get("digest");
        for (final String how : new String[] {" --threads 3", " --check", " --mode threads --clos-ports 4",
            " --mode threads --clos-ports 4 --threads 3 --check", " --lower-class-cells 8"}) {
            assertEquals(digest, summary(line + how).get("digest"), how);
        }
    }

    @Test
    void shouldTakeTheClassOfEachFlowFromTheTrace() throws IOException {
        final JsonNode none = summary(RUN + " --flows " + trace("", ""));
        final JsonNode bySize = summary(RUN + " --class-bytes 2000 --flows " + trace("", ""));
        assertEquals(bySize.get("digest"), summary(RUN + " --flows " + trace(",1", ",0")).get("digest"));
        assertEquals(bySize.get("digest"), summary(RUN + " --flows " + trace(",1", "")).get("digest"));
        assertEquals(none.get("digest"), summary(RUN + " --flows " + trace(",0", ",0")).get("digest"));
        assertNotEquals(none.get("digest"), bySize.get("digest"));
        assertEquals(none.get("cellsDelivered"), bySize.get("cellsDelivered"));
    }

    @Test
    void shouldLetShortFlowsGoFirst() throws IOException {
        final long plain = lastShort("", folder.resolve("plain"));
        final long classed = lastShort(" --class-bytes 2000", folder.resolve("classed"));
        assertTrue(2 * classed < plain, "plain=" + plain + " classed=" + classed);
    }

    /** A queue with room for one cell sends the others back, and none is lost. */
    @Test
    void shouldGiveLowerClassesAsMuchRoomAsIsAskedFor() throws IOException {
        final String line = RUN + " --class-bytes 2000 --flows " + trace("", "");
        final JsonNode narrow = summary(line + " --lower-class-cells 1");
        assertTrue(narrow.get("events").get("cellsRefused").asLong() > 0, narrow.get("events").toString());
        assertEquals(summary(line).get("cellsDelivered"), narrow.get("cellsDelivered"));
        assertEquals(10, narrow.get("flowsCompleted").asInt());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --nodes 8                                         | this fabric has none
        --fabric stardust --nodes 16                      | they are 2 of which 1 are known, say by --weights
        --fabric shoal --nodes 8 --shoal-rule authors-simulator | the authors' simulator has none, use --shoal-rule
        """)
    void shouldRefuseATraceWithClassesWhereThereAreNone(final String options, final String said) throws IOException {
        final Path trace = trace(",1", "");
        Invocation.refuses("run " + options + " --flows " + trace, "skerry: --flows: " + trace
            + ": its sixth field puts flows into traffic classes and " + said);
    }

    @Test
    void shouldRefuseClassesByTheTraceAndBySize() throws IOException {
        Invocation.refuses(RUN + " --class-bytes 9 --flows " + trace(",1", ""), "skerry: --class-bytes: 9: the trace "
            + "says the class of each flow itself, leave it out, or the sixth field of the trace");
    }

    private Path trace(final String afterLong, final String afterShort) throws IOException {
        final StringBuilder text = new StringBuilder();
        LONG.forEach(flow -> text.append(flow).append(afterLong).append('\n'));
        SHORT.forEach(flow -> text.append(flow).append(afterShort).append('\n'));
        return Files.writeString(folder.resolve("flows.csv"), text);
    }

    /** The slot in which the last short flow is complete. */
    private long lastShort(final String options, final Path out) throws IOException {
        final Invocation run = Invocation.ofLine(RUN + options + " --flows " + trace("", "") + " --out " + out);
        assertEquals(0, run.code(), run.err());
        return Files.readAllLines(out.resolve("fct.csv")).stream().skip(1).map(line -> line.split(","))
            .filter(fields -> Integer.parseInt(fields[0]) >= 5)
            .mapToLong(fields -> Long.parseLong(fields[2])).max().orElseThrow();
    }
}
