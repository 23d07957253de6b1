package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.List;

/** {@code run --engine reference}: the result of the fast engines, or one line that says what it lacks. */
final class ReferenceEngineTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "--nodes 64 --load 0.2 --slots 3000", "--nodes 64 --load 0.1 --slots 2000 --drain --warm-up 500 --slowdown 3",
        "--nodes 16 --h 1 --cc none --load 0.3 --slots 2000", "--nodes 81 --h 4 --cc hbh+spray-bucket --slots 2000",
        "--nodes 25 --cc isd+priority+hbh+spray-short --slots 2000 --seed 9",
        "--nodes 16 --pieo-entries 3 --slots 1000", "--fabric shoal --nodes 16 --load 0.4 --slots 3000",
        "--fabric shoal --nodes 9 --channels 2 --drain --slots 900",
        "--fabric shoal --nodes 16 --shoal-schedule delay --propagation-slots 1 --workload permutation --slots 800",
        "--fabric shoal --nodes 16 --failed-nodes 3 --shoal-rule paper-literal --slots 2000",
    })
    void shouldHaveTheResultOfTheFastEngine(final String line) throws IOException {
        final JsonNode fast = summary(line);
        final JsonNode reference = summary(line + " --engine reference");
        for (final String key : List.of("digest", "slots", "flowsStarted", "flowsCompleted", "cellsInjected",
            "cellsDelivered", "cellsHeld", "maxQueueLength", "maxActiveBuckets", "throughput", "steady", "slowdown")) {
            assertEquals(fast.get(key), reference.get(key), key);
        }
    }

    private static JsonNode summary(final String line) throws IOException {
        final Invocation run = Invocation.ofLine("run --json " + line);
        assertEquals(0, run.code(), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --engine slow                            | --engine: slow: there is no such engine
        --engine reference --threads 2           | --threads: 2:
        --engine reference --mode threads        | --mode: threads:
        --engine reference --check               | --check:
        --engine reference --faults none.txt     | --faults:
        --engine reference --nodes 4096          | --engine: reference: the reference engine runs at most
        --engine reference --cc rd               | --engine: reference: the reference engine has
        --engine reference --cc isd+rd           | --engine: reference: the reference engine has
        --engine reference --failed-nodes 1      | --engine: reference: the reference engine has
        --engine reference --fabric stardust     | --engine: reference: this fabric has no
        --engine reference --fabric shoal --shoal-rule authors-simulator | --engine: reference: the reference engine
        --engine reference --checkpoint none     | --engine: reference: it writes no
        """)
    void shouldRefuseWhatItLacks(final String options, final String said) {
        Invocation.refuses("run --slots 100 " + options, "skerry: " + said);
    }
}
