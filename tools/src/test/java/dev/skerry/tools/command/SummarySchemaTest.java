package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** What a run prints as JSON is what the shipped schema says. */
final class SummarySchemaTest {
    private static JsonSchema schema() throws IOException {
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(Files.readString(Path.of("../docs/schema/summary.schema.json")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--nodes 16 --slots 3000 --slowdown 2",
        "--nodes 16 --slots 0 --cc none --load 0.05 --drain",
        "--fabric shoal --nodes 16 --slots 500 --workload permutation",
        "--fabric stardust --topology single --nodes 8 --slots 2000"})
    void shouldBeWhatTheSchemaSays(final String options) throws IOException {
        assertEquals(Set.of(), schema().validate(Invocation.summary("run " + options)), options);
    }

    @Test
    void shouldFindAKeyThatIsMissingAndAValueOfAnotherKind() throws IOException {
        final JsonNode summary = Invocation.summary("run --nodes 16 --slots 100");
        final ObjectNode without = summary.deepCopy();
        without.remove("digest");
        assertFalse(schema().validate(without).isEmpty());
        final ObjectNode other = summary.deepCopy();
        other.put("interrupted", "false");
        assertFalse(schema().validate(other).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --nodes 16 --slots 5 --json",
        "compare --nodes 8 --fabrics shoal --json"})
    void shouldBearASchema(final String line) throws IOException {
        final Invocation run = Invocation.ofLine(line);
        assertEquals(0, run.code(), run.err());
        assertEquals(2, new ObjectMapper().readTree(run.out()).get("schema").intValue(), line);
    }
}
