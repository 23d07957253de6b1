package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.run.Scenario;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which flows count for the percentiles, whether they are waited for, and where percentiles lie with the others. */
final class RunArrivalsTest {
    private static final String[] BOUNDED = {"p50", "p99", "p99.9"};

    @TempDir
    private Path folder;

    /** The same flows, cut off and waited for: what the first run says of its percentiles holds in the second. */
    @ParameterizedTest
    @ValueSource(strings = {"--nodes 64 --propagation-slots 20", "--nodes 64 --h 3 --load 0.1 --seed 3",
        "--fabric shoal --nodes 16 --workload heavy --seed 2", "--fabric stardust --nodes 16 --seed 5"})
    void shouldBoundThePercentilesThatUnfinishedFlowsCouldMove(final String options) throws IOException {
        final JsonNode cut = summary("run --slots 20000 --warm-up 0 " + options);
        final JsonNode whole = summary("run --slots 20000 --drain --warm-up 0 " + options);
        assertEquals(whole.get("flowsStarted"), whole.get("flowsCompleted"), options);
        assertEquals(cut.get("flowsStarted"), whole.get("flowsStarted"), options);
        assertTrue(cut.get("flowsUnfinished").asLong() > 0, options + " leaves nothing unfinished");
        final JsonNode bins = cut.get("normalisedFct");
        assertEquals(bins.size(), whole.get("normalisedFct").size(), options);
        for (int i = 0; i < bins.size(); i++) {
            final JsonNode one = bins.get(i);
            final JsonNode other = whole.get("normalisedFct").get(i);
            assertEquals(other.get("flows").asLong(), one.get("flows").asLong() + one.get("unfinished").asLong(),
                options + " bin " + i);
            for (final String percentile : BOUNDED) {
                final double of = other.get(percentile).asDouble();
                final JsonNode most = one.get(percentile + "Most");
                assertTrue(other.get(percentile).isNull() || one.get(percentile + "Least").asDouble() <= of
                    && (most.isNull() || of <= most.asDouble()), options + " " + percentile + "=" + of + " " + one);
            }
        }
        assertEquals(bins.get(bins.size() - 1).get("unfinished").asLong(), cut.get("flowsUnfinished").asLong());
    }

    @Test
    void shouldWaitForAllFlowsWhereNobodySaysHowLong() {
        final String options = "run --nodes 16 --propagation-slots 9 --load 0.1";
        final JsonNode usual = summary(options);
        assertEquals(0, usual.get("flowsUnfinished").asLong());
        final JsonNode said = summary(options + " --slots 200000 --drain --warm-up 100000");
        for (final String key : List.of("digest", "options")) {
            assertEquals(said.get(key), usual.get(key));
        }
        assertEquals("200000 true 0.1", Stream.of("slots", "drain", "load").map(key -> usual.get("options").get(key)
            .asText()).collect(Collectors.joining(" ")));
    }

    /** What {@code ./skerry run} prints. It may change, but not unseen: the digest stands in CHANGELOG.md. */
    @Test
    @Tag("long")
    void shouldReachASteadyStateWithoutOptions() throws IOException {
        final Invocation run = Invocation.of("run", "--json").ok();
        final JsonNode usual = run.json();
        run.says("skerry: without options: --load 0.2 --slots 200000 --warm-up 100000 --drain --slowdown 20; ");
        assertTrue(usual.get("slowdown").get(0).get("mean").doubleValue() > 1, usual::toString);
        assertFalse(run.err().contains("no steady state"), run.err());
        assertTrue(usual.get("steady").booleanValue(), usual::toString);
        assertEquals(0, usual.get("flowsUnfinished").asLong());
        assertTrue(usual.get("offeredLoad").doubleValue() < 0.25, "above the guarantee");
        assertEquals("6d9df71a0fd57877", usual.get("digest").textValue());
        final JsonNode same = summary("run --nodes 256");
        assertEquals(usual.get("digest"), same.get("digest"));
        assertEquals(usual.get("normalisedFct"), same.get("normalisedFct"));
    }

    /** What is not said means the same beside any options; only --slowdown is added where nothing says what to run. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--seed 7 --threads 2 --mode lockstep --check --json | 0.2,200000,100000,true,20",
        "--nodes 256                                         | 0.2,200000,100000,true,",
        "--workload short                                    | 0.2,200000,100000,true,",
        "--h 3 --nodes 64                                    | 0.1333,200000,100000,true,",
        "--fabric shoal --nodes 64                           | 0.4,200000,100000,true,",
        "--slots 3000                                        | 0.2,3000,1500,false,",
        "--slots 3000 --drain                                | 0.2,3000,1500,true,",
        "--warm-up 0                                         | 0.2,200000,0,true,",
        "--warm-up 5                                         | 0.2,200000,5,true,"})
    void shouldMeanTheSameByWhatIsNotSaid(final String options, final String taken) {
        final CommandLine line = new CommandLine(new RunCommand());
        line.parseArgs(options.split(" "));
        final RunOptions run = (RunOptions) line.getCommandSpec().mixins().get("options").userObject();
        final Map<String, String> settings = Scenario.ofRun(run, null).settings();
        assertEquals(taken, String.join(",", settings.get("load"), settings.get("slots"), settings.get("warm-up"),
            settings.get("drain"), settings.getOrDefault("slowdown", "")), options);
    }

    @Test
    void shouldWriteWhatBecameOfEachFlow() throws IOException {
        final Path trace = Files.writeString(folder.resolve("trace.csv"),
            "7,0,3,1000,0\n9,2,1,9000000,0\n8,5,4,500,1e-6\n11,1,2,100,0.5\n");
        final Path out = folder.resolve("out");
        summary("run --nodes 16 --propagation-slots 9 --slots 3000 --flows " + trace + " --out " + out);
        final List<String> lines = Files.readAllLines(out.resolve("flows.csv"));
        assertEquals("flow_id,source,destination,bytes,cells,class,start_slot,completion_slots,ideal_slots,state,"
            + "alone_slots",
            lines.getFirst());
        final List<String> done = Files.readAllLines(out.resolve("fct.csv"));
        assertEquals(3, done.size(), done::toString);
        for (final String line : done.subList(1, 3)) {
            final String[] of = line.split(",");
            final String end = "," + of[1] + ",0," + of[3] + "," + of[2] + "," + (Long.parseLong(of[1]) + 9)
                + ",complete,";
            assertTrue(lines.stream().anyMatch(flow -> flow.startsWith(of[0] + ",") && flow.endsWith(end)),
                line + " in " + lines);
        }
        assertEquals("7,0,3,1000,5,0,0,", lines.get(1).substring(0, 17));
        assertEquals("9,2,1,9000000,36886,0,0,,36895,unfinished,", lines.get(2));
        assertEquals("11,1,2,100,1,0,88778409,,10,waiting,", lines.get(4));
    }

    @Test
    void shouldLeaveTheWarmUpOutOfThePercentiles() throws IOException {
        final Path out = folder.resolve("out");
        final JsonNode json = summary("run --nodes 64 --slots 20000 --drain --warm-up 5000 --out " + out);
        final long after = Files.readAllLines(out.resolve("fct.csv")).stream().skip(1)
            .filter(line -> Long.parseLong(line.substring(line.lastIndexOf(',') + 1)) >= 5000).count();
        final JsonNode bins = json.get("normalisedFct");
        assertEquals(after, bins.get(bins.size() - 1).get("flows").asLong());
        assertTrue(after > 0 && after < json.get("flowsCompleted").asLong(), json::toString);
    }

    /** What drains after the arrivals, and what was sent before the warm-up ended, is no throughput. */
    @Test
    void shouldMeasureThroughputWhileFlowsArrive() throws IOException {
        final String options = "run --nodes 16 --propagation-slots 9 --slots 20000 --load 0.1 --workload file:"
            + sizes();
        final JsonNode cut = summary(options);
        final JsonNode drained = summary(options + " --drain");
        for (final JsonNode json : List.of(cut, drained)) {
            assertEquals(json.get("deliveredLoad"), json.get("throughput"));
            assertEquals(0.1, json.get("throughput").asDouble(), 0.02);
            assertEquals(json.get("cellsDelivered").asLong() / (16.0 * json.get("slots").asLong()),
                json.get("wholeRunThroughput").asDouble(), 1e-12);
        }
        assertTrue(drained.get("wholeRunThroughput").asDouble() < cut.get("throughput").asDouble());
        final JsonNode permutation = summary("run --nodes 16 --workload permutation --slots 4000");
        assertEquals(permutation.get("wholeRunThroughput"), permutation.get("throughput"));
        final JsonNode later = summary("run --nodes 16 --workload permutation --slots 4000 --warm-up 2000");
        assertEquals(permutation.get("throughput"), later.get("wholeRunThroughput"));
        assertNotEquals(permutation.get("throughput"), later.get("throughput"), "the pipe fills in the warm-up");
        assertTrue(later.get("measuredFromSlot").asLong() >= 2000, later::toString);
    }

    /** A fabric that is done before flows stop arriving carried them in all the slots in which they might arrive. */
    @ParameterizedTest
    @CsvSource({"shale, 0", "shoal, 0", "stardust, 0", "shale, 2000", "shoal, 2000", "stardust, 2000"})
    void shouldMeasureUntilArrivalsEndWhereAllIsDoneEarlier(final String fabric, final long warmUp)
        throws IOException {
        final Path flows = Files.writeString(folder.resolve("flows"), "0,4,5,3000,0\n1,5,4,30000,0.000016\n");
        final String options = "run --nodes 16 --fabric " + fabric + " --slots 50000 --warm-up " + warmUp + " --flows "
            + flows;
        final JsonNode counted = summary(options);
        final JsonNode drained = summary(options + " --drain");
        assertTrue(drained.get("slots").asLong() < 50_000, drained::toString);
        assertEquals(50_000, drained.get("measuredUntilSlot").asLong(), 1000);
        assertEquals(counted.get("throughput").asDouble(), drained.get("throughput").asDouble(),
            counted.get("throughput").asDouble() * 0.05);
    }

    /** What the user says of the warm-up holds, also that there is none, or that it leaves nothing. */
    @Test
    void shouldMeasureFromTheEndOfTheWarmUp() throws IOException {
        final JsonNode whole = summary("run --nodes 16 --slots 20000 --warm-up 0");
        assertEquals(0, whole.get("measuredFromSlot").asLong(), whole::toString);
        final Path flows = Files.writeString(folder.resolve("flows"), "0,4,5,3000,0\n");
        Invocation.refuses("run --nodes 16 --slots 10000 --warm-up 20000 --flows " + flows, "--warm-up: 20000: flows");
        for (final String nothing : List.of("--slots 20000 --warm-up 19999",
            "--slots 0 --warm-up 20000 --flows " + flows)) {
            final JsonNode json = summary("run --nodes 16 " + nothing);
            assertTrue(json.get("throughput").isNull(), json::toString);
            assertTrue(json.get("wholeRunThroughput").asDouble() > 0, json::toString);
            assertEquals(json.get("measuredFromSlot"), json.get("measuredUntilSlot"), json::toString);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --slots 1                               | skerry: no flow started:                                   | NONE
        --load 0.2 --slots 1000 --warm-up 999   | skerry: no flow started after the warm-up of 999 slots     | NONE
        --load 0.9 --slots 20000                | skerry: whether the run is steady is not judged:           | NONE
        --load 0.9 --slots 20000 | skerry: --load 0.9 is more than the guaranteed throughput of 0.2500       | NONE
        --workload permutation --slots 2000 --warm-up 500 | no flow started after the warm-up     | nothing is measured
        --load 0.2 --slots 200000 --warm-up 100000        | no steady state | run longer
        """)
    void shouldSayThatThereIsTooLittleToMeasure(final String options, final String said, final String not) {
        final Invocation run = Invocation.ofLine("run --nodes 16 " + options).ok();
        final List<String> lines = run.errors().stream().filter(line -> line.contains(said)).toList();
        assertEquals(1, lines.size(), run.err());
        assertFalse(run.err().contains(not), run.err());
        assertTrue(!said.contains("steady state") || lines.getFirst().contains("--tokens 3"), run.err());
    }

    /** At a tenth of the guarantee all is delivered; at twice the guarantee half is. */
    @Test
    void shouldTellASteadyStateFromGrowingQueues() throws IOException {
        final String options = "run --nodes 16 --propagation-slots 9 --slots 60000 --workload file:" + sizes()
            + " --load ";
        assertTrue(summary(options + "0.025").get("steady").asBoolean());
        final Invocation run = Invocation.ofLine(options + "0.5 --json").ok().says("skerry: saturated: in slots ");
        final JsonNode heavy = run.json();
        assertFalse(heavy.get("steady").asBoolean());
        assertEquals(0.5, heavy.get("offeredLoad").asDouble(), 0.1);
        assertTrue(heavy.get("deliveredLoad").asDouble() < 0.4, heavy::toString);
        assertTrue(summary("run --nodes 16 --slots 3000").get("steady").isNull(), "a few flows tell nothing");
    }

    private Path sizes() throws IOException {
        return Files.writeString(folder.resolve("sizes"), "1000 0.5\n10000 1\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --workload permutation --drain | --drain: endless flows are never done, leave it out
        --slots 100 --warm-up 100      | --warm-up: 100: flows arrive in slots 0 to 99, give 0 or the first slot
        --warm-up -1                   | --warm-up: -1: flows arrive in slots 0 to 199999, give 0 or the first slot
        """)
    void shouldRefuseInOneLine(final String options, final String why) {
        refuses("run --nodes 16 " + options, why);
    }

    /** As of a workload: what starts before slot T is sent to its end, what starts later is left out and counted. */
    @ParameterizedTest
    @ValueSource(strings = {"shale", "shoal", "stardust"})
    void shouldDrainTheFlowsOfATraceThatStartInTime(final String fabric) throws IOException {
        final Path trace = Files.writeString(folder.resolve("t.csv"),
            "1,0,5,300000,0\n2,3,9,300000,1e-6\n3,1,2,99,1\n");
        final String options = "run --nodes 16 --fabric " + fabric + " --flows " + trace + " --slots 500";
        final JsonNode cut = summary(options);
        final Invocation run = Invocation.ofLine(options + " --drain --json");
        final JsonNode drained = run.json();
        assertTrue(cut.get("flowsUnfinished").asLong() > 0, cut::toString);
        assertEquals(2, drained.get("flowsCompleted").asInt(), drained::toString);
        assertEquals(500, drained.get("options").get("slots").intValue());
        assertTrue(drained.get("options").get("drain").booleanValue());
        assertTrue(drained.get("slots").asLong() > 500 && drained.get("measuredUntilSlot").asLong() <= 500,
            drained::toString);
        run.says("flows that start in slot 500 or later are left out: 1\n");
        // Without --slots there is nothing to leave out.
        assertEquals(3, summary("run --nodes 16 --fabric " + fabric + " --drain --flows "
            + Files.writeString(folder.resolve("all.csv"), "1,0,5,3000,0\n2,3,9,3000,1e-6\n3,1,2,99,1e-5\n"))
            .get("flowsCompleted").asInt());
    }

    /** Lost cells never arrive, and an endless flow is never done: nobody is advised to wait for them. */
    @ParameterizedTest
    @ValueSource(strings = {"--nodes 27 --h 3 --slots 3000", "--fabric shoal --nodes 16 --slots 3000",
        "--nodes 27 --h 3"})
    void shouldNotAdviseToWaitForWhatIsLost(final String options) throws IOException {
        final Path flows = Files.writeString(folder.resolve("flows"), "0,0,3,100000,0\n1,2,3,100000,1e-6\n");
        final Path faults = Files.writeString(folder.resolve("faults"), "100 node 3 down\n");
        final Invocation run = Invocation.ofLine("run --flows " + flows + " --faults " + faults + " " + options).ok();
        final String line = run.err().lines().filter(of -> of.contains("did not finish")).findFirst().orElseThrow();
        assertTrue(line.contains("lost") || line.contains("abandoned"), line);
        assertFalse(line.contains("--slots") || line.contains("--drain"), line);
    }

    @Test
    void shouldCountTheMeasuredFlowsThatDidNotFinish() {
        final Invocation run = Invocation.ofLine("run --nodes 16 --load 0.2 --slots 30000 --json");
        final JsonNode bins = run.json().get("normalisedFct");
        final JsonNode all = bins.get(bins.size() - 1);
        final long open = all.get("unfinished").asLong();
        assertTrue(open > 0 && run.err().contains(open + " of " + (open + all.get("flows").asLong()) + " flows"),
            run.err());
    }

    /** What does not hold with these tokens, this delay, these failures is not printed as guaranteed. */
    @ParameterizedTest
    @CsvSource({"--nodes 16,false", "--nodes 16 --tokens 3,true", "--nodes 16 --propagation-slots 9,true",
        "--nodes 12 --propagation-slots 9,false", "--nodes 12 --fill --propagation-slots 9,true",
        "--nodes 16 --propagation-slots 9 --failed-nodes 3,false", "--nodes 16 --cc none,true",
        "--fabric shoal --nodes 16,true", "--fabric stardust --nodes 16,true"})
    void shouldPromiseOnlyWhatHolds(final String options, final boolean holds) throws IOException {
        final Path faults = Files.writeString(folder.resolve("faults"), "100 node 3 down\n");
        final Invocation run = Invocation.ofLine("run --slots 300 " + options);
        assertEquals(holds, run.out().matches("(?s).*guarantee \\S.* = 0[.].*"), run.out());
        final Invocation faulty = Invocation.ofLine("run --slots 300 "
            + options.replaceAll(" --failed-nodes 3| --fill", "") + " --faults " + faults).ok();
        assertFalse(faulty.out().matches("(?s).*guarantee \\S.* = 0[.].*"), faulty.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--slots 9000", "--slots 60000", "--slots 60000 --drain"})
    void shouldTellFromATraceWhatTheSameLoadTells(final String slots) throws IOException {
        for (final boolean isHeavy : new boolean[] {false, true}) {
            final StringBuilder flows = new StringBuilder();
            for (int flow = 0; flow < 400; flow++) {
                flows.append(flow).append(',').append(flow % 16).append(',').append((flow + 5) % 16)
                    .append(isHeavy ? ",60000," : ",3000,").append(flow * 1e-7).append('\n');
            }
            final Path trace = Files.writeString(folder.resolve("t" + isHeavy), flows.toString());
            final String options = "--nodes 16 --h 2 --tokens 3 --flows " + trace + " " + slots;
            final Invocation run = Invocation.ofLine("run " + options + " --json").ok();
            final JsonNode json = run.json();
            assertEquals(isHeavy, json.get("saturated").asBoolean(), json::toString);
            assertEquals(!isHeavy, json.get("steady").asBoolean(), json::toString);
            assertTrue(json.get("measuredUntilSlot").asLong() <= Math.ceil(400e-7 / 5.632e-9), json::toString);
            assertEquals(isHeavy, run.err().contains("use a trace that offers less"), run.err());
        }
        final Path two = Files.writeString(folder.resolve("two"), "0,4,5,3000,0\n1,4,5,3000,1e-5\n");
        assertTrue(summary("run --nodes 16 --flows " + two + " " + slots).get("steady").isNull());
    }

    @Test
    void shouldSayThatThroughputIsOfIdleSlotsToo() {
        final String options = "run --nodes 16 --workload permutation --flow-bytes 100000";
        assertTrue(Invocation.ofLine(options + " --slots 40000").out().contains("no flow is left from slot "));
        assertFalse(Invocation.ofLine(options + " --drain").out().contains("no flow is left"));
        assertFalse(Invocation.ofLine(options + " --slots 1000").out().contains("no flow is left"));
    }

    /** A percentile of cells needs cells as one of flows needs flows, and so do the bounds of one. */
    @Test
    void shouldGiveNoPercentileOrBoundThatTooFewCarry() throws IOException {
        final Path flows = Files.writeString(folder.resolve("flows"), "0,4,5,3000,0\n1,7,5,900000,0\n");
        final String options = "run --nodes 16 --propagation-slots 9 --slots 60 --flows " + flows;
        final JsonNode json = summary(options);
        assertTrue(json.get("cellsDelivered").asLong() < 100, json::toString);
        for (final String key : List.of("p50", "max", "p99", "p99.9")) {
            assertEquals(!key.startsWith("p99"), json.get("latencySlots").get(key).isNumber(), json::toString);
        }
        for (final JsonNode bin : json.get("normalisedFct")) {
            for (final String key : List.of("p99Least", "p99Most", "p99.9Least", "p99.9Most")) {
                assertTrue(bin.get(key).isNull(), bin::toString);
            }
        }
        assertTrue(Invocation.ofLine(options).out().contains(", p99 -, p99.9 -, max "), options);
    }
}
