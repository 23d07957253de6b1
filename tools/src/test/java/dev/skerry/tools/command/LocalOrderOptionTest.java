package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code --local-order} of a run. */
final class LocalOrderOptionTest {
    private static final Pattern DIGEST = Pattern.compile("\"digest\": ?\"([0-9a-f]+)\"");

    private static String digest(final String... order) {
        final String[] run = ("run --nodes 16 --slots 3000 --workload all-to-all --json --check "
            + String.join(" ", order)).strip().split(" +");
        final Invocation done = Invocation.of(run);
        assertEquals(0, done.code(), done.err());
        final Matcher digest = DIGEST.matcher(done.out());
        assertTrue(digest.find(), done.out());
        return digest.group(1);
    }

    @Test
    void shouldServeLocalFlowsByTheOrder() {
        final Set<String> digests = new HashSet<>();
        for (final String order : List.of("link", "node", "destination")) {
            final String digest = digest("--local-order", order);
            assertTrue(digests.add(digest), order);
            assertEquals(digest, digest("--local-order", order, "--threads", "2"), order);
        }
        assertTrue(digests.contains(digest()));
    }

    @Test
    void shouldRefuseAnotherOrderAndFabric() {
        assertRefused("run --local-order first", "skerry: --local-order: first:");
        assertRefused("run --fabric shoal --local-order node",
            "skerry: --local-order: node: it means nothing to Shoal, leave it out");
    }

    private static void assertRefused(final String line, final String beginning) {
        final Invocation run = Invocation.of(line.split(" "));
        assertEquals(2, run.code());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.errors().getFirst().startsWith(beginning), run.err());
    }
}
