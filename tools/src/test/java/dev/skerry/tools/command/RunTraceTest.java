package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Parts of traces, scaled traces and flow sizes from files, on the command line. */
final class RunTraceTest {
    private static final String RUN = "run --nodes 16 --propagation-slots 4 --slots 0 --flows ";

    @TempDir
    private Path folder;

    /** Each option gives the run of a trace with what the option does done by hand. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --size-factor 2.5    | 1,2,3,250,0/2,4,5,2500,1e-6/3,6,7,1252,2e-6/4,8,9,25002,3e-6
        --load-factor 4      | 1,2,3,100,0/2,4,5,1000,2.5e-7/3,6,7,501,5e-7/4,8,9,10001,7.5e-7
        --min-flow-bytes 501 | 2,4,5,1000,1e-6/3,6,7,501,2e-6/4,8,9,10001,3e-6
        --max-flow-bytes 501 | 1,2,3,100,0/3,6,7,501,2e-6
        --read-flows 2       | 1,2,3,100,0/2,4,5,1000,1e-6
        --min-flow-bytes 501 --read-flows 2 --size-factor 0.1 | 2,4,5,100,1e-6/3,6,7,50,2e-6
        """)
    void shouldDoWhatCouldBeDoneByHand(final String options, final String byHand) throws IOException {
        final Path trace = trace("1,2,3,100,0/2,4,5,1000,1e-6/3,6,7,501,2e-6/4,8,9,10001,3e-6");
        final JsonNode actual = summary(RUN + trace + " " + options);
        final JsonNode expected = summary(RUN + trace(byHand));
        assertEquals(expected.get("digest"), actual.get("digest"));
        assertEquals(expected.get("flowsCompleted"), actual.get("flowsCompleted"));
        assertEquals(expected.get("slots"), actual.get("slots"));
    }

    /** The size table of the papers' short flows, in a file: the same process, but for sizes between packets. */
    @Test
    void shouldDrawSizesFromAFile() throws IOException {
        final Path sizes = Files.writeString(folder.resolve("sizes.txt"), "1460 1\n");
        final JsonNode summary = summary("run --nodes 16 --slots 12000 --load 0.05 --workload file:" + sizes);
        assertTrue(summary.get("flowsCompleted").asInt() > 1_000, summary.toString());
        assertEquals(6, summary.get("cellsInjected").asDouble() / summary.get("flowsStarted").asDouble(), 0.1);
        assertEquals("file:" + sizes, summary.get("options").get("workload").asText());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --flows T --size-factor 0       | --size-factor    | must be more than 0
        --flows T --load-factor -1      | --load-factor    | must be more than 0
        --flows T --read-flows 0        | --read-flows     | must be 1 or more
        --flows T --max-flow-bytes 0    | --max-flow-bytes | must be 1 or more
        --flows T --min-flow-bytes -1   | --min-flow-bytes | must be 0 or more
        --size-factor 2                 | --size-factor    | there is no trace
        --workload file:/no/such/file   | workload         | there is no such file
        --workload files                | --workload       | there is no such workload
        """)
    void shouldSayInALineWhatIsWrong(final String options, final String what, final String said) throws IOException {
        final Path trace = trace("1,2,3,100,0");
        final Invocation run = Invocation.ofLine("run --nodes 16 " + options.replace("T ", trace + " "));
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.err().strip().lines().count(), run.err());
        assertTrue(run.err().startsWith("skerry: " + what + ": ") && run.err().contains(said), run.err());
    }

    private Path trace(final String flows) throws IOException {
        return Files.writeString(folder.resolve("trace-" + Math.abs(flows.hashCode()) + ".csv"),
            flows.replace('/', '\n') + "\n");
    }
}
