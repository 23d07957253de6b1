package dev.skerry.tools.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.xml.parsers.DocumentBuilderFactory;

/** {@code skerry score} on traces of the NIC of Shale's authors. */
final class ScoreCommandTest {
    @TempDir
    private Path folder;

    private static Path trace(final String name) throws URISyntaxException {
        return Path.of(Objects.requireNonNull(ScoreCommandTest.class.getResource("/oracle/shale-rtl/" + name
            + ".csv.gz"), name).toURI());
    }

    private static Invocation score(final String name, final boolean withState, final String options)
        throws URISyntaxException {
        final List<String> arguments = new ArrayList<>(List.of("score", trace(name + ".cells").toString()));
        if (withState) {
            arguments.addAll(List.of("--state", trace(name + ".state").toString()));
        }
        arguments.addAll(Arrays.asList(options.split(" ")));
        return Invocation.of(arguments.toArray(String[]::new));
    }

    /** Every cell, token and register of all nodes, whatever the rule for ties. */
    @ParameterizedTest
    @CsvSource({"n4-h2-p0, --nodes 4, 159524", "n4-h2-p1, --nodes 4 --propagation-slots 1, 159524",
        "n9-h2-p0, --nodes 9, 1454607",
        "n16-h4-p0, --nodes 16 --h 4, 1670400"})
    void shouldFindNothingInSoundHardware(final String name, final String options, final long registers)
        throws URISyntaxException {
        final Invocation open = score(name, false, options);
        assertEquals(0, open.code(), open.out() + open.err());
        final Invocation told = score(name, true, options);
        assertEquals(0, told.code(), told.out() + told.err());
        assertTrue(told.out().contains(registers + " registers"), told.out());
        assertTrue(told.out().contains("no law is broken"), told.out());
    }

    /** In mid-run nobody knows which cells nodes hold, and which tokens they have spent and owe. */
    @ParameterizedTest
    @CsvSource({"n4-h2-p1, true, --nodes 4 --propagation-slots 1 --from 501", "n9-h2-p0, false, --nodes 9 --from 1003",
        "n16-h4-p0, false, --nodes 16 --h 4 --from 777"})
    void shouldBeginInMidRun(final String name, final boolean told, final String options) throws URISyntaxException {
        final Invocation open = score(name, told, options);
        assertEquals(0, open.code(), open.out() + open.err());
        assertEquals(1, score(name, false, options + " --settle 0").code());
    }

    @Test
    void shouldFindThatAnotherRuleBinds() throws URISyntaxException {
        assertEquals(1, score("n9-h2-p0", false, "--nodes 9 --ties rotating").code());
    }

    /** Slots without cell or dummy, and then tokens that ride on the link of the next slot: nothing else. */
    @Test
    void shouldFindSilenceAndWhatFollows() throws Exception {
        final Path out = folder.resolve("found");
        final Invocation found = score("n4-h2-rate1", true, "--nodes 4 --out " + out);
        assertEquals(1, found.code(), found.err());
        final List<String> lines = found.out().lines().filter(line -> line.matches("(first|then): .*")).toList();
        assertTrue(lines.getFirst().startsWith("first: slot 6 node 0 link 0: schedule: expected a cell or a dummy, "
            + "seen nothing (149 times"), found.out());
        for (final String line : lines) {
            assertTrue(line.matches(".*: schedule: expected a cell or a dummy, seen nothing.*|.*: token: .*"), line);
        }
        assertTrue(lines.stream().anyMatch(line -> line.contains("expected token <2,1> on link 0, seen <2,1>")),
            found.out());
        final Document xml = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(out.resolve("findings.xml").toFile());
        assertEquals("2", xml.getDocumentElement().getAttribute("failures"));
        assertEquals(7, xml.getElementsByTagName("testcase").getLength());
        assertTrue(Files.readString(out.resolve("findings.txt"), US_ASCII).contains(">        6     0     1  nothing"));
        assertTrue(Files.readString(out.resolve("wave.vcd"), US_ASCII).contains("$scope module node0 $end"));
        final Invocation permitted = score("n4-h2-rate1", false, "--nodes 4 --permit-nothing");
        assertFalse(permitted.out().contains("schedule"), permitted.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --nodes 5               | skerry: --nodes: 5: it is not r^2 for any r, check --nodes and --h
        --nodes 4 --cc none     | skerry: --cc: none: only devices with hop-by-hop tokens can be followed
        --nodes 4 --cc hbh+spray+priority | skerry: --cc: hbh+spray+priority: a trace has no ranks
        --nodes 4 --cc hbh+spray-bucket --ties lowest | skerry: --ties: lowest: with bucket spray any of the least
        --nodes 4 --ties first  | skerry: --ties: first: there is no such choice
        --nodes 4 --fabric stardust | skerry: --fabric: stardust: score cannot follow traces
        --nodes 4 --tokens 0    | skerry: --tokens: 0:
        --nodes 4 --settle 5    | skerry: --settle: 5: the trace is followed from its beginning, leave it out
        --nodes 4 --from 0      | skerry: --from: 0:
        --nodes 4 --limit 0     | skerry: --limit: 0:
        --nodes 4 --cc hbh --ties lowest | skerry: --ties: lowest: --cc hbh lets a cell take any link
        """)
    void shouldRefuseWrongOptions(final String options, final String beginning) throws URISyntaxException {
        final Invocation run = score("n4-h2-p0", false, options);
        assertEquals(2, run.code(), run.out());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.errors().getFirst().startsWith(beginning), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ''                         | : it is empty
        kind,slot                  | :1: there is no column node
        COLUMNS;T,0,0              | :2: 3 values in 12 columns
        COLUMNS;T,0,9,0,1,0,1,-1,-1,-1,-1,0 | :2: node is '9'
        COLUMNS;T,0,x,0,1,0,1,-1,-1,-1,-1,0 | :2: node is 'x'
        COLUMNS;X,0,0,0,1,0,1,-1,-1,-1,-1,0 | :2: kind is not T or R
        COLUMNS;T,5000000,0,0,1,0,1,-1,-1,-1,-1,0 | :2: slot 5000000 comes after slot 0
        COLUMNS;T,0,0,0,1,0,1,-1,-1,-1,-1,0 | : it has no complete slot
        """)
    void shouldNameWrongLines(final String text, final String part) throws IOException {
        final Path file = Files.writeString(folder.resolve("t.csv"), text.replace("COLUMNS",
            "kind,slot,node,src,dst,seq,sprays,tok1_dst,tok1_n,tok2_dst,tok2_n,dummy").replace(';', '\n'), US_ASCII);
        final Invocation run = Invocation.of("score", file.toString(), "--nodes", "4");
        assertEquals(2, run.code(), run.out());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.errors().getFirst().startsWith("skerry: trace: " + file + part), run.err());
    }
}
