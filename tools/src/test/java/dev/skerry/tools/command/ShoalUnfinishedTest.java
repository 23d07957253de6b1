package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Flows of Shoal under way at the end of a run, beside the list of its authors' simulator: received cells
 * and age of each, also where it counts from the tenth epoch after the last start on (its static workload). It hands
 * over the cells of a slot in the next one, so that it stops a slot later.
 */
final class ShoalUnfinishedTest {
    private static final String RUN = "run --fabric shoal --nodes 16 --shoal-rule authors-simulator --json --flows ";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"unfinished-n16, 160, --slots 1499", "unfinished-n16, 160, --slots 1499 --threads 3",
        "unfinished-n16, 160, --slots 1499 --mode threads --threads 2",
        "static-n16, 40, --slots 899 --shoal-age-rule on --count-after-epochs 10",
        "static-n16, 40, --slots 899 --shoal-age-rule on --count-after-epochs 10 --threads 2",
        "static-n16, 40, --slots 899 --shoal-age-rule on --count-after-epochs 10 --mode threads --threads 3"})
    void shouldListWhatTheSimulatorLists(final String name, final int flows, final String how) throws Exception {
        final Path out = folder.resolve("out");
        final Invocation run = Invocation.ofLine(RUN + resource(name + ".csv.gz") + ' ' + how + " --out " + out);
        assertEquals(0, run.code(), run.err());
        final List<String> expected = lines(name + ".flows.csv.gz");
        assertEquals(flows, expected.size());
        assertEquals(expected, Files.readAllLines(out.resolve("incomplete-flows.csv")).stream().skip(1).toList());
    }

    @Test
    void shouldRefuseToCountWhereNothingIsListed() throws Exception {
        final String flows = resource("static-n16.csv.gz").toString();
        refuse(RUN + flows + " --count-after-epochs 10", "--out");
        refuse(RUN + flows + " --count-after-epochs 0 --out " + folder.resolve("a"), "1 to ");
        refuse("run --nodes 16 --count-after-epochs 3 --out " + folder.resolve("b"), "only Shoal");
        refuse("run --fabric stardust --nodes 16 --count-after-epochs 3 --out " + folder.resolve("c"),
            "not supported by this fabric");
    }

    private static void refuse(final String line, final String says) {
        final Invocation run = Invocation.ofLine(line);
        assertEquals(2, run.code(), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        assertTrue(run.err().contains("--count-after-epochs") && run.err().contains(says), run.err());
    }

    private static List<String> lines(final String name) throws Exception {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(resource(name))), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }

    private static Path resource(final String name) throws Exception {
        return Path.of(ShoalUnfinishedTest.class.getResource("/oracle/shoal-exact/" + name).toURI());
    }
}
