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
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Schedules that share the slots, on the command line. */
final class RunInterleaveTest {
    private static final String RUN = "run --nodes 64 --interleave 3:1/3,2:2/3 --cutoff-bytes 2000 --workload "
        + "short --load 0.2 --slots 6000 --propagation-slots 9";

    @TempDir
    private Path folder;

    @Test
    void shouldGiveTheSameResultHoweverItIsRun() throws IOException {
        final JsonNode digest = summary(RUN).get("digest");
        for (final String how : new String[] {" --threads 3", " --check", " --mode threads",
            " --mode threads --nic-threads 2 --switch-threads 1 --check"}) {
            assertEquals(digest, summary(RUN + how).get("digest"), how);
        }
        assertEquals(digest, summary(RUN.replace("3:1/3,2:2/3", "2:4/6,3:2/6")).get("digest"), "in any order");
        assertNotEquals(digest, summary(RUN.replace("1/3,2:2/3", "2/3,2:1/3")).get("digest"));
    }

    @Test
    void shouldReportEachSchedule() throws IOException {
        final JsonNode summary = summary(RUN);
        final JsonNode events = summary.get("events");
        assertTrue(events.get("class0FlowsCompleted").asInt() > 0 && events.get("class1FlowsCompleted").asInt() > 0,
            events.toString());
        assertEquals(summary.get("flowsCompleted").asInt(),
            events.get("class0FlowsCompleted").asInt() + events.get("class1FlowsCompleted").asInt());
        assertTrue(events.get("class0MeanCompletion").asDouble() >= 1, events.toString());
        assertEquals("3:1/3,2:2/3", summary.get("options").get("interleave").asText());
    }

    /** The application's hint: the sixth field of a trace is the number of the schedule, the most phases first. */
    @Test
    void shouldTakeTheScheduleOfAFlowFromTheTrace() throws IOException {
        final String line = "run --nodes 16 --interleave 4:0.5,2:0.5 --propagation-slots 4 --flows ";
        final Path plain = Files.writeString(folder.resolve("plain.csv"), "0,1,2,500,0\n1,3,4,5000,0\n");
        final Path hinted = Files.writeString(folder.resolve("hinted.csv"), "0,1,2,500,0,0\n1,3,4,5000,0,1\n");
        assertEquals(summary(line + plain + " --cutoff-bytes 1000").get("digest"),
            summary(line + hinted).get("digest"));
        Invocation.refuses(line + hinted + " --cutoff-bytes 1000", "skerry: --cutoff-bytes: ",
            "the trace says the class");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --interleave 3:1/2,2:1/3 --cutoff-bytes 9     | --interleave   | the parts make 5/6 of the slots
        --interleave 3:1/2,3:1/2 --cutoff-bytes 9     | --interleave   | phases 3 stand twice
        --interleave 9:1/2,3:1/2 --cutoff-bytes 9     | --interleave   | is no number of phases, 1 to 8, with
        --interleave 3:1 --cutoff-bytes 9             | --interleave   | 2 to 8 shares
        --interleave 3,2 --cutoff-bytes 9             | --interleave   | is no number of phases
        --interleave 3:1/2,4:1/2 --cutoff-bytes 9     | --interleave   | are not r^3
        --interleave 3:1/10007,2:10006/10007          | --interleave   | a period of at most 10000
        --interleave 3:1/2,2:1/2                      | --interleave   | nothing says which flows
        --interleave 3:1/2,2:1/2 --cutoff-bytes 9,10  | --cutoff-bytes | 2 schedules take 1 cut-offs
        --interleave 3:1/2,2:1/2 --cutoff-bytes x     | --cutoff-bytes | is no size in bytes
        --interleave 3:1/2,2:1/2 --h 2                | --h            | --interleave is given too
        --interleave 3:1/2,2:1/2 --cc rd              | --cc           | have hop-by-hop and spraying only
        --interleave 3:1/2,2:1/2 --cc priority        | --cc           | have hop-by-hop and spraying only
        --cutoff-bytes 9                              | --cutoff-bytes | one schedule has all flows
        --fabric shoal --interleave 3:1/2,2:1/2       | --interleave   | the fabric is shoal
        """)
    void shouldSayInALineWhatIsWrong(final String options, final String option, final String said) {
        Invocation.refuses("run --nodes 64 " + options, "skerry: " + option + ": ", said);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTakeOrRefuseAnyText(final long seed) {
        final Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            final StringBuilder text = new StringBuilder(random.nextBoolean() ? "3:1/2,2:1/2" : "");
            for (int edits = random.nextInt(6); edits >= 0; edits--) {
                text.insert(random.nextInt(text.length() + 1), "0123456789:/,.-e".charAt(random.nextInt(16)));
            }
            final int code = Invocation.of("run", "--nodes", "64", "--interleave", text.toString(), "--cutoff-bytes",
                "900", "--slots", "1").code();
            assertTrue(code == 0 || code == 2, "seed=" + seed + " text=" + text + " code=" + code);
        }
    }
}
