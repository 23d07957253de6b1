package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
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

/** Lanes, serialisation and the guard band of Shale on the command line (docs/spec/shale.md §2.6). */
final class RunLanesTest {
    private static final String RUN = "run --nodes 16 --workload permutation --slots 2500 ";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {RUN, "run --nodes 27 --h 3 --cc ndp --load 0.1 --slots 1000 ",
        "run --nodes 64 --interleave 3:1/2,2:1/2 --cutoff-bytes 100000 --slots 1000 "})
    void shouldBeOneResultWithAnyLanesInEveryEngine(final String run) throws IOException {
        final JsonNode expected = summary(run + "--propagation-slots 15");
        for (final String how : new String[] {"--lanes 8",
            "--lanes 3 --mode threads --nic-threads 2 --switch-threads 3"}) {
            assertEquals(expected.get("digest"), summary(run + "--propagation-slots 15 " + how).get("digest"),
                run + how);
        }
        for (final String how : new String[] {" --threads 2", " --mode threads --threads 3"}) {
            final JsonNode onLane = summary(run + "--propagation-slots 7 --lanes 8 --serialisation-slots 8" + how);
            assertEquals(expected.get("digest"), onLane.get("digest"), run + how);
            assertEquals(7, onLane.get("options").get("propagation-slots").asInt(), run + how);
            assertEquals(8, onLane.get("options").get("serialisation-slots").asInt(), run + how);
        }
    }

    @Test
    void shouldNameWhatTheGuardBandCannotHold() throws IOException {
        final Path script = Files.writeString(folder.resolve("faults.txt"),
            "900 clock 5 2.0\n1000 clock 5 2.1\n2000 clock 5 -2.04\n");
        final String line = RUN + "--lanes 8 --guard-ns 4.096 --serialisation-slots 8 --faults " + script;
        final JsonNode plain = summary(line);
        final JsonNode events = plain.get("events");
        assertTrue(events.get("guardViolation").asLong() > 0, events.toString());
        assertTrue(events.get("neighboursUp").asLong() > 0, events.toString());
        assertTrue(plain.get("cellsDropped").asLong() >= events.get("guardViolation").asLong(), plain.toString());
        assertEquals(plain.get("cellsInjected").asLong(), plain.get("cellsDelivered").asLong()
            + plain.get("cellsDropped").asLong() + plain.get("cellsHeld").asLong(), plain.toString());
        for (final String how : new String[] {" --threads 1 --check", " --mode threads --threads 2"}) {
            final JsonNode other = summary(line + how);
            assertEquals(plain.get("digest"), other.get("digest"), how);
            assertEquals(Invocation.counts(plain), Invocation.counts(other), how);
        }
        final JsonNode wide = summary(line.replace("4.096 --serialisation-slots 8", "4.3"));
        assertEquals(0, wide.get("cellsDropped").asLong(), wide.toString());
        final Invocation told = Invocation.ofLine(line);
        assertTrue(told.err().contains("256 bytes in 40.96 ns, 50 Gb/s"), told.err());
        assertTrue(told.out().contains("8 of them on the lane"), told.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--lanes 0|--lanes: 0: must be 1 to 64",
        "--lanes 65|--lanes: 65: must be 1 to 64",
        "--serialisation-slots 8|a lane would carry two cells at once",
        "--serialisation-slots -1|must be 0 to 64",
        "--lanes 8 --serialisation-slots 7 --guard-ns 4.096|give 8 or leave it out",
        "--lanes 8 --guard-ns 45.1|which lasts 45.056 ns",
        "--guard-ns -1|a guard band is part of the slot",
        "--fabric shoal --lanes 8|the fabric is shoal",
        "--fabric stardust --guard-ns 1|not supported by Stardust",
        "--fabric shoal --serialisation-slots 1|the fabric is shoal"
    })
    void shouldRefuseInOneLine(final String options, final String why) {
        Invocation.refuses("run --nodes 16 --slots 10 " + options, why);
    }
}
