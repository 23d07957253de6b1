package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;

/** The memory that a run allocates, counted as it is allocated, beside what is worked out before it. */
final class RunMemoryTest {
    @ParameterizedTest
    @ValueSource(strings = {"--cc none", "--cc hbh+spray", "--cc hbh+spray-bucket+priority", "--cc isd+spray-short",
        "--cc rd+spray-short", "--cc ndp+spray-short", "--cc hbh+spray --mode threads --threads 2",
        "--fabric shoal"})
    void shouldCountWhatIsAllocated(final String options) throws IOException {
        final Invocation run = Invocation.ofLine("run --json --nodes 64 --slots 300 " + options);
        assertEquals(0, run.code(), run.err());
        final JsonNode summary = new ObjectMapper().readTree(run.out());
        final long workedOut = summary.findValue("stateBytesPerNode").asLong();
        final long counted = summary.findValue("memoryBytesPerNode").asLong();
        // Small banks count active buckets on the heap; links of threads, and what grows, come on top.
        assertTrue(2 * counted >= workedOut && counted <= 2 * workedOut, counted + " of " + workedOut);
    }
}
