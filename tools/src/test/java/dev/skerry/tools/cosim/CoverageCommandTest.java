package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.CoverageFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Coverage of models behind the library, its files, and what closes a hole. */
final class CoverageCommandTest {
    private static final String NODE = "node=5 nodes=9 h=2 firstHopTokens=2 propagation=3 workload=permutation";

    @TempDir
    private Path folder;

    /** A node under stimulus, and a follower of it: their coverage files. */
    private void record(final String weights, final String nodeFile, final String followerFile) throws IOException {
        final ModelHandle rows = ModelHandle.open("stimulus shale-node " + NODE + weights);
        final ModelHandle node = ModelHandle.open("shale-node coverage=1 " + NODE);
        final ModelHandle follower = ModelHandle.open("shale-follower " + NODE);
        final long[] row = new long[4];
        final long[] sent = new long[3];
        final long[] both = new long[8];
        both[7] = -1;
        for (int i = 0; i < 5_000; i++) {
            rows.step(sent, row);
            node.step(row, sent);
            System.arraycopy(row, 0, both, 0, 4);
            System.arraycopy(sent, 0, both, 4, 3);
            follower.step(both, new long[8]);
        }
        assertEquals("", follower.findings());
        node.writeCoverage(path(nodeFile));
        follower.writeCoverage(path(followerFile));
        rows.close();
        node.close();
        follower.close();
    }

    private String run(final String... arguments) {
        final StringWriter text = new StringWriter();
        final CoverageCommand command = new CoverageCommand();
        new CommandLine(command).setOut(new PrintWriter(text)).parseArgs(arguments);
        command.call();
        return text.toString();
    }

    private String path(final String file) {
        return folder.resolve(file).toString();
    }

    @Test
    void shouldMergeAndCloseAHoleByItsWeight() throws IOException {
        record("", "node.json", "follower.json");
        final String node = Files.readString(folder.resolve("node.json"));
        assertTrue(Files.readString(folder.resolve("follower.json"))
            .endsWith(node.substring(node.indexOf("coverage\": {"))), node);
        final String holes = run(path("follower.json"));
        assertTrue(holes.contains("in_a_row nothing_32_or_more: --weight nothing=100 ("), holes);
        record(" weights=nothing:100", "more.json", "other.json");
        final String closed = run(path("node.json"), path("more.json"), "--out", path("merged"));
        assertFalse(closed.contains("nothing_32_or_more"), closed);
        final CoverageFile merged = CoverageFile.read(folder.resolve("merged/coverage.json"));
        assertEquals(2, merged.runs().size());
        assertEquals(10_000, Arrays.stream(merged.kinds().iterator().next().point("schedule.sent").toString()
            .split(", ")).mapToLong(bin -> Long.parseLong(bin.substring(bin.indexOf(' ') + 1))).sum());
        assertTrue(Files.readString(folder.resolve("merged/coverage.html")).contains("Cases covered"));
    }

    @Test
    void shouldNumberTheBinsOfCovergroupsAsTheModelCountsThem() {
        final String text = run("--covergroups", "shale-follower " + NODE);
        final ModelHandle follower = ModelHandle.open("shale-follower " + NODE);
        final int bins = follower.get("coverage").length;
        follower.close();
        assertTrue(text.contains("class shale_node_covergroups;") && text.contains("bins n0 = {")
            && text.contains(" = {" + (bins - 1) + "};") && text.contains("before[" + bins + "]"), text);
        assertThrows(InputException.class, () -> run("--covergroups", "pieo capacity=x"));
        assertThrows(InputException.class, () -> run("--covergroups", "shoal-follower nodes=8 channels=1"));
    }

    /** A follower of a failing node does not judge the hop of a cell, so it must not list hops that it cannot count. */
    @Test
    void shouldListOnlyWhatAFollowerCounts() {
        assertTrue(run("--covergroups", "shale-follower " + NODE).contains("route_hop"));
        final String failing = run("--covergroups", "shale-follower failures=1 " + NODE);
        assertTrue(failing.contains("schedule_sent") && !failing.contains("route_hop"), failing);
    }

    @Test
    void shouldRefuseWhatIsNoCoverage() throws IOException {
        final String run = "\"runs\": [{\"tool\": \"x\", \"model\": \"m\", \"options\": \"\"}]";
        for (final String text : new String[] {"", "{}",
            "{\"schema\": 1, \"runs\": [{\"tool\": \"x\", \"steps\": \"y\"}]}",
            "{\"schema\": 1, \"runs\": [{\"tool\": \"x\"}]}", "{\"schema\": 2, " + run + "}",
            "{\"schema\": 1, " + run + ", \"coverage\": {\"k\": {\"p\": {\"b\": -1}}}}"}) {
            final Path file = Files.writeString(folder.resolve("x.json"), text);
            assertThrows(InputException.class, () -> run(file.toString()), text);
        }
        assertThrows(InputException.class, () -> run(path("absent.json")));
        assertThrows(InputException.class, () -> CoverageFile.checkPlace(folder.resolve("absent/c.json")));
        assertThrows(InputException.class, () -> CoverageFile.checkPlace(folder));
        CoverageFile.checkPlace(folder.resolve("c.json"));
        assertThrows(InputException.class, this::run);
        final ModelHandle pieo = ModelHandle.open("pieo");
        assertThrows(IllegalArgumentException.class, () -> pieo.writeCoverage(path("pieo.json")));
        pieo.close();
    }
}
