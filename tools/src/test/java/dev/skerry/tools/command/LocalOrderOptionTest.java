package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code --local-order} of a run. */
final class LocalOrderOptionTest {
    private static String digest(final String order) throws IOException {
        return summary("run --nodes 16 --slots 3000 --workload all-to-all --check " + order).get("digest").asText();
    }

    @Test
    void shouldServeLocalFlowsByTheOrder() throws IOException {
        final Set<String> digests = new HashSet<>();
        for (final String order : List.of("link", "node", "destination")) {
            final String digest = digest("--local-order " + order);
            assertTrue(digests.add(digest), order);
            assertEquals(digest, digest("--threads 2 --local-order " + order), order);
        }
        assertTrue(digests.contains(digest("--threads 1")));
    }

    @Test
    void shouldRefuseAnotherOrderAndFabric() {
        Invocation.refuses("run --local-order first", "skerry: --local-order: first:");
        Invocation.refuses("run --fabric shoal --local-order node",
            "the fabric is shoal");
    }
}
