package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Flows that wait for others, as {@code skerry run} and {@code compare} have them. */
@Timeout(300)
final class RunWaitingTest {
    private static final String SHALE = "run --nodes 16 --propagation-slots 7";
    private static final String SHOAL = "run --fabric shoal --nodes 16 --propagation-slots 3";
    private static final String STARDUST = "run --fabric stardust --nodes 16 --propagation-slots 4";

    @TempDir
    private Path folder;

    /** 16 nodes, 30 steps, 1 MB; each step takes at least its cells and the delay. */
    @ParameterizedTest
    @ValueSource(strings = {SHALE, SHOAL, STARDUST})
    void shouldReduceInARing(final String fabric) {
        final JsonNode run = same(fabric + " --workload ring-allreduce", "--threads 2", "--check",
            "--mode threads --threads 2");
        assertEquals(480, run.get("flowsCompleted").asInt());
        final JsonNode events = run.get("events");
        assertEquals(1, events.get("jobsDone").asInt());
        if (fabric.equals(SHALE)) {
            final long least = 30 * ((65_536 + 243) / 244 + 7);
            assertTrue(events.get("makespanSlots").asLong() >= least, run::toString);
        }
        assertTrue(events.get("stepSlotsMedian").asLong() * 30 <= 2 * events.get("makespanSlots").asLong());
    }

    /** Two jobs of two groups each; the steps of each add up to its makespan. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldRunJobsAtOnce(final int seed) throws IOException {
        final Path out = folder.resolve("out");
        final JsonNode run = summary(SHALE + " --workload moe --skew 1.2 --flow-bytes 20000 --groups 2 --concurrent 2 "
            + "--rounds 3 --seed " + seed + " --out " + out);
        assertEquals(4, run.get("events").get("jobsDone").asInt());
        assertTrue(run.get("events").get("stragglerSlots").asLong() > 0);
        final long[] sum = new long[4];
        final List<String> steps = Files.readAllLines(out.resolve("steps.csv"));
        for (final String line : steps.subList(1, steps.size())) {
            sum[Integer.parseInt(line.split(",")[0])] += Long.parseLong(line.split(",")[6]);
        }
        assertEquals(4 * 6 + 1, steps.size(), "dispatch and combine in three rounds");
        long longest = 0;
        for (final long slots : sum) {
            longest = Math.max(longest, slots);
        }
        assertEquals(run.get("events").get("makespanSlots").asLong(), longest);
    }

    @Test
    void shouldCompareFabrics() {
        assertTrue(Invocation.ofLine("compare --nodes 16 --workload incast-rounds --rounds 3 --flow-bytes 3000").ok()
            .out().contains("incast-rounds"));
    }

    /** Node 5 is down from the start: nothing is left that moves, and two flows wait. */
    @Test
    void shouldSayWhichFlowsDidNotStart() throws IOException {
        final Path flows = Files.writeString(folder.resolve("flows.csv"), "0,0,5,1000,0\n1,5,2,500,0,after=0\n"
            + "2,2,0,500,0,after=1\n3,1,2,500,0\n");
        final Path faults = Files.writeString(folder.resolve("faults"), "0 node 5 down\n");
        for (final String fabric : new String[] {SHALE, SHOAL}) {
            Invocation.ofLine(fabric + " --flows " + flows + " --faults " + faults).exits(1)
                .says("2 flows did not start: flows that they wait for did not finish");
        }
        Invocation.ofLine(SHALE + " --slots 100 --flows " + flows + " --faults " + faults).ok();
    }

    /** What a fabric cannot do for flows that wait is said before it is built, and no table has a slot of 2^63 - 1. */
    @Test
    void shouldRefuseWhatCannotWait() throws IOException {
        for (final String options : new String[] {"--voq-bytes 100000", "--adapter-bytes 100000"}) {
            refuses(STARDUST + " --workload ring-allreduce " + options, "--fabric: stardust: flows wait for others");
        }
        Invocation.ofLine("run --nodes 64 --interleave 3:1/2,2:1/2 --cutoff-bytes 2000 --workload moe").ok();
        refuses(SHOAL + " --workload ring-allreduce --count-after-epochs 1 --out " + folder.resolve("r"),
            "--count-after-epochs: 1: flows wait for others");
        refuses("compare --nodes 256 --workload moe --rounds 8 --out " + folder.resolve("c"), "--out: ");
        final Path out = folder.resolve("out");
        Invocation.ofLine(SHALE + " --workload ring-allreduce --slots 500 --out " + out).ok();
        final List<String> steps = Files.readAllLines(out.resolve("steps.csv"));
        assertTrue(steps.getLast().startsWith("0,29,16,,,,,"), steps::toString);
    }

    @Test
    void shouldRefuseCyclesInOneLine() throws IOException {
        final Path flows = Files.writeString(folder.resolve("flows.csv"),
            "0,0,5,1000,0,after=1\n1,5,2,500,0,after=0\n");
        refuses(SHALE + " --flows " + flows, "flows.csv: flows wait for each other: flow 1 waits for flow 0 waits for "
            + "flow 1");
        final StringBuilder cycle = new StringBuilder();
        for (int flow = 0; flow < 20; flow++) {
            cycle.append(flow + ",0,5,1000,0,after=" + (flow + 1) % 20 + "\n");
        }
        Files.writeString(flows, cycle);
        refuses(SHALE + " --flows " + flows, "waits for flow 6 and so on, up to flow 19");
        refuses(SHALE + " --rounds 2", "--rounds: 2: the workload is not a collective");
        refuses(SHALE + " --rounds 2 --flows " + flows, "--rounds");
        refuses(SHALE + " --workload moe --load 0.5", "--load");
    }
}
