package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.sweep.RunName;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** {@code skerry sweep} as it is typed. */
final class SweepCommandTest {
    private static final String SMALL = "sweep --nodes 16 --slots 200 --workload permutation ";

    @TempDir
    private Path folder;

    private String id(final String... words) {
        return RunName.of("v", "run", new SweepTargets().resolve("run", List.of(words)).all());
    }

    @Test
    void shouldNameARunByItsOptionsAndFiles() throws IOException {
        final String id = id("--nodes", "16", "--slots=200");
        assertEquals(id, id("--slots", "200", "--nodes=16"));
        assertEquals(id, id("--nodes", "16", "--slots=200", "--seed=1", "--fabric=shale"));
        for (final String more : List.of("--seed=2", "--load=0.1", "--tokens=2", "--check", "--max-flows=3",
            "--propagation-slots=3", "--cc=none")) {
            assertNotEquals(id, id("--nodes", "16", "--slots=200", more), more);
        }
        final Path one = Files.writeString(folder.resolve("one"), "1,0,1,244,0\n");
        final Path same = Files.writeString(folder.resolve("same"), "1,0,1,244,0\n");
        final String traced = id("--nodes=16", "--flows=" + one);
        assertEquals(traced, id("--nodes=16", "--flows=" + same));
        Files.writeString(one, "1,0,1,245,0\n");
        assertNotEquals(traced, id("--nodes=16", "--flows=" + one));
        final Path sizes = Files.writeString(folder.resolve("sizes"), "100 0.5\n200 1\n");
        assertEquals(3, Stream.of("file:", "linear:", "step:").map(how -> id("--nodes=16", "--workload=" + how + sizes))
            .distinct().count());
    }

    /** Whatever a run takes, a sweep takes, but for what a sweep does itself. */
    @ParameterizedTest
    @ValueSource(strings = {"--drain --slots=1000", "--drain=true --slots=1000", "--warm-up=100 --slots=1000",
        "--slowdown=3", "--slots=0", "--max-flows=3", "--snapshot-slots=100", "--check", "--mode=threads",
        "--fabric=shoal --workload=heavy --drain --slots=100", "--fabric=stardust --workload=incast --slots=0",
        "--workload=permutation --flow-bytes=1000 --drain", "--workload=each-to-each --fabric=shoal --slots=100",
        "--publish", "--format=csv", "--threads=2", "--size-factor=2 --flows=TRACE", "--faults=FAULTS --slots=100"})
    void shouldTakeTheOptionsOfARun(final String options) throws IOException {
        final Path trace = Files.writeString(folder.resolve("trace"), "1,0,1,244,0\n");
        final Path faults = Files.writeString(folder.resolve("faults"), "5 node 3 down\n");
        final List<String> words = new ArrayList<>(List.of("--nodes=16"));
        words.addAll(List.of(options.replace("TRACE", trace.toString()).replace("FAULTS", faults.toString())
            .split(" ")));
        final SweepTargets targets = new SweepTargets();
        assertEquals(1, targets.resolve("run", words).seed());
        assertNotNull(targets.needs("run", words));
    }

    @Test
    void shouldRefuseUnknownOptionsOfItsCommands() throws IOException {
        final Path grid = folder.resolve("grid");
        Files.createDirectories(grid.resolve("runs"));
        Files.writeString(grid.resolve("sweep.txt"), "skerry sweep, folder format 1\n");
        Invocation.refuses("sweep report " + grid + " --figurs throughput", "--figurs", "no such option");
        Invocation.refuses("sweep report " + grid + " --json", "--json", "no such option");
        Invocation.refuses("sweep status " + grid + " extra --foo", "no such option");
        Invocation.refuses("sweep merge " + grid + " --ouut " + folder.resolve("all"), "--ouut", "no such option");
        Invocation.refuses("sweep merge " + grid, "--out", "it is missing");
    }

    @Test
    void shouldSayThatSlurmDoesNotAnswer() {
        Assumptions.assumeFalse(Files.exists(Path.of("/usr/bin/squeue")), "Slurm is here");
        Invocation.refuses(SMALL + "--engine slurm --out " + folder.resolve("queued"), "--engine: slurm", "squeue");
    }

    /** Where a sweep runs several fabrics, each run has the options of its own; runs that are then equal are one. */
    @Test
    void shouldGiveEachFabricItsOwnOptions() {
        final Invocation sweep = Invocation.ofLine(SMALL + "--set fabric=shoal,shale --set tokens=1,2 --h 2 --fill "
            + "--channels=1 --shoal-rule exact --out " + folder.resolve("two")).ok();
        assertTrue(sweep.out().startsWith("3 of 3 runs"), sweep.out());
    }

    @Test
    void shouldRefuseInOneLineBeforeAnythingRuns() throws IOException {
        final String out = " --out " + folder.resolve("none");
        Invocation.refuses(SMALL + "--set lod=1,2" + out, "--lod", "no such option");
        Invocation.refuses(SMALL + "--set tokens=1,x" + out, "--tokens");
        Invocation.refuses(SMALL + "--set fabric=shoal,shale --h 9" + out, "--h: 9: fabric=shale: must be 1 to 8");
        Invocation.refuses(SMALL + "--set fabric=shoal,shale --topology single" + out,
            "--topology: single: fabric=shoal: an option of stardust");
        Invocation.refuses(SMALL + "--set load=0.1:0.9:0" + out, "never ends");
        Invocation.refuses(SMALL + "--set nodes=8,16" + out, "--nodes is given too");
        Invocation.refuses(SMALL + "--seed 3 --seeds 1-2" + out, "--seed is given too");
        Invocation.refuses(SMALL + "--json" + out, "--json");
        for (final String option : List.of("--checkpoint x", "--resume x")) {
            Invocation.refuses(SMALL + option + out, option.split(" ")[0], "a sweep stores its runs");
        }
        Invocation.refuses(SMALL + "--set checkpoint=a,b" + out, "does not vary --checkpoint");
        Invocation.refuses(SMALL + "--engine cloud" + out, "--engine", "use local or slurm; --set engine=cloud");
        Invocation.refuses(SMALL + "--engine slurm --memory 1g" + out, "--memory", "from Slurm");
        Invocation.refuses(SMALL + "--engine slurm --time soon" + out, "--time", "it is not a time");
        for (final String option : List.of("--time 5min", "--detach", "--sbatch=-p=x", "--checkpoint-every 1s")) {
            Invocation.refuses(SMALL + option + out, option.split("[ =]")[0], "add --engine slurm");
        }
        Invocation.refuses(SMALL + "--shard 3/2" + out, "--shard");
        Invocation.refuses(SMALL + "--memory lots" + out, "--memory");
        Invocation.refuses(SMALL + "--memory 1m" + out, "a run needs about");
        Invocation.refuses(SMALL + "--flows none.csv" + out, "none.csv");
        Invocation.refuses("sweep compare --fabrics none" + out, "none");
        Files.writeString(folder.resolve("mine"), "mine");
        Invocation.refuses(SMALL + "--out " + folder, "not the folder of a sweep");
        Invocation.refuses("sweep report " + folder, "not the folder of a sweep");
        Invocation.refuses("sweep status " + folder, "not the folder of a sweep");
        Invocation.refuses("sweep merge " + folder + out, "not the folder of a sweep");
        Invocation.refuses("sweep report " + folder + " --format excel", "--format", "use csv or parquet");
        Invocation.refuses("run --nodes 16 --slots 10 --format parquet" + out, "mvn -Pparquet package");
        Invocation.refuses("run --nodes 16 --slots 10 --out none --format xml", "--format", "no such format");
    }

    @Test
    void shouldMarkWhatWasNotJudgedAndShowAllCommands() throws IOException {
        final String out = " --out " + folder.resolve("few");
        for (final String seeds : new String[] {"1", "2-3", "1"}) {
            assertEquals(0, Invocation.ofLine("sweep --nodes 4 --h 1 --slots 400 --load 0.1 --drain --set tokens=2,3 "
                + "--seeds " + seeds + out).code());
        }
        final Invocation report = Invocation.of("sweep", "report", folder.resolve("few").toString());
        assertEquals(2, report.out().lines().filter(line -> line.contains("3 not judged") && line.contains("*"))
            .count(), report.out());
        assertTrue(Files.readString(folder.resolve("few/means.csv")).startsWith(
            "tokens,figure,runs,notSteady,saturated,notJudged,unfinished,"));
        final String page = Files.readString(folder.resolve("few/report.html"));
        assertEquals(3, page.split("--seeds", -1).length, page);
        assertTrue(page.contains("--seeds 1<") && page.contains("--seeds 2-3<"), page);
    }

    @Test
    @Tag("long")
    void shouldGiveTheSameRowsInTwoShardsAsInOne() throws IOException {
        final String grid = "sweep --nodes 4 --h 1 --slots 200 --workload permutation --set first-hop-tokens=4,8 ";
        final Path whole = folder.resolve("whole");
        final Invocation first = Invocation.ofLine(grid + "--out " + whole).ok();
        assertTrue(first.out().startsWith("2 of 2 runs"), first.out());
        final String recorded = Files.readAllLines(whole.resolve("sweep.txt")).get(1);
        assertTrue(recorded.startsWith("./skerry sweep --nodes 4 "), recorded);
        final Invocation repeated = Invocation.ofLine(recorded.substring("./skerry ".length()));
        assertEquals(first.out(), repeated.out(), repeated.err());
        final Invocation again = Invocation.ofLine(grid + "--out " + whole);
        assertTrue(again.err().lines().allMatch(line -> line.contains("did not finish")),
            "all was there, nothing was to be done: " + again.err());
        for (final int part : new int[] {1, 2}) {
            assertEquals(0, Invocation.ofLine(grid + "--shard " + part + "/2 --out " + folder.resolve("p" + part))
                .code());
        }
        final Path merged = folder.resolve("merged");
        final Invocation merge = Invocation.of("sweep", "merge", folder.resolve("p1").toString(),
            folder.resolve("p2").toString(), "--out", merged.toString());
        assertEquals("2 runs copied, 2 runs in " + merged + System.lineSeparator(), merge.out());
        assertEquals(Files.readString(whole.resolve("runs.csv")), Files.readString(merged.resolve("runs.csv")));
        Invocation.of("sweep", "report", merged.toString()).ok().prints("first-hop-tokens");
        assertTrue(Files.readString(merged.resolve("report.html")).contains("throughput by first-hop-tokens"));
        assertTrue(Files.readString(merged.resolve("means.csv")).contains("throughput,1,"));
    }
}
