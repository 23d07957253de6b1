package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code skerry compare}. */
final class CompareCommandTest {
    private static final List<String> FABRICS = List.of("shoal", "shale", "stardust");
    private static final String SMALL = "compare --nodes 16 --time-us 60";
    private static final String OVERLOAD = "compare --nodes 16 --load 0.9 --time-us 200";
    private static final int NOT_STEADY = 3;

    @TempDir
    private Path folder;

    private static JsonNode json(final String line) throws IOException {
        final Invocation run = Invocation.ofLine(line + " --json");
        assertEquals(0, run.code(), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    @Test
    void shouldPutFabricsOnTheSameTerms() throws IOException {
        final JsonNode fabrics = json(SMALL + " --no-drain --gbps 100 --cell-bytes 128 --propagation-ns 30")
            .get("fabrics");
        assertEquals(FABRICS, List.copyOf(fabrics.properties().stream().map(field -> field.getKey()).toList()));
        for (final String name : FABRICS) {
            final JsonNode fabric = fabrics.get(name);
            final JsonNode terms = fabric.get("terms");
            assertEquals(100, terms.get("gbps").asDouble());
            assertEquals(128, terms.get("cellBytes").asInt());
            assertEquals(30, terms.get("fibreNs").asDouble(), 1e-9);
            // What the lanes of a node carry is its rate, guard bands apart.
            final double bits = 8.0 * 128 * terms.get("lanes").asInt();
            assertEquals(100, bits / (terms.get("slotNs").asDouble() - terms.get("guardNs").asDouble()), 1e-3, name);
            assertEquals(60, fabric.get("timeUs").asDouble(), 0.1);
            assertEquals(fabrics.get("shale").get("flowsStarted"), fabric.get("flowsStarted"));
            assertEquals(0, fabric.get("cellsDropped").asLong());
            assertTrue(fabric.get("flowsCompleted").asLong() > 0, name);
        }
    }

    /** A permutation fills what a node can send: nobody carries more than that, nor less than what is guaranteed. */
    @Test
    void shouldMeasureRatesBetweenGuaranteeAndMost() throws IOException {
        final JsonNode fabrics = json("compare --nodes 16 --workload permutation --time-us 150 "
            + "--propagation-ns 30").get("fabrics");
        for (final String name : FABRICS) {
            final JsonNode fabric = fabrics.get(name);
            final double carried = fabric.get("deliveredGbpsPerNode").asDouble();
            final JsonNode terms = fabric.get("terms");
            assertTrue(carried <= terms.get("payloadGbps").asDouble(), name + ": " + fabric);
            assertTrue(carried >= 0.9 * terms.get("guaranteeGbps").asDouble(), name + ": " + fabric);
            assertEquals(16, fabric.get("flowsStarted").asInt());
            assertEquals(0, fabric.get("flowsCompleted").asInt());
        }
    }

    @Test
    void shouldRunUntilEveryFlowIsDone() throws IOException {
        final JsonNode fabrics = json("compare --nodes 16 --workload incast --incast-senders 5 --flow-bytes 9000")
            .get("fabrics");
        for (final String name : FABRICS) {
            final JsonNode fabric = fabrics.get(name);
            assertEquals(5, fabric.get("flowsCompleted").asInt());
            final JsonNode all = fabric.get("completionUs").get(fabric.get("completionUs").size() - 1);
            // At best one after another over the link to the receiver.
            final double least = 5 * 9000 * 8 / fabric.get("terms").get("payloadGbps").asDouble() / 1e3;
            assertTrue(all.get("max").asDouble() >= least && all.get("max").asDouble() < 4 * least, name + ": " + all);
        }
    }

    /** A fabric is not better for leaving its slow flows unfinished. */
    @Test
    void shouldWaitForEveryFlowUnlessToldNotTo() throws IOException {
        final JsonNode all = json(SMALL + " --load 0.2").get("fabrics");
        for (final String name : FABRICS) {
            assertEquals(all.get(name).get("flowsStarted"), all.get(name).get("flowsCompleted"), name);
            assertEquals(all.get("shale").get("flowsStarted"), all.get(name).get("flowsStarted"), name);
        }
        final Invocation cut = Invocation.ofLine(OVERLOAD + " --no-drain --json");
        assertEquals(NOT_STEADY, cut.code(), cut.err());
        final JsonNode shale = new ObjectMapper().readTree(cut.out()).get("fabrics").get("shale");
        long open = 0;
        for (final JsonNode bin : shale.get("completionUs")) {
            assertTrue(bin.get("unfinished").asLong() >= 0, bin::toString);
            open = bin.get("unfinished").asLong();
        }
        assertTrue(open > 0, shale::toString);
    }

    /** A fabric under more than it carries is named, in the report, the exit code and for programs. */
    @Test
    void shouldSayWhichFabricIsSaturated() throws IOException {
        final Invocation run = Invocation.ofLine(OVERLOAD + " --json");
        assertEquals(NOT_STEADY, run.code(), run.err());
        assertTrue(run.err().lines().anyMatch(line -> line.startsWith("skerry: shale: saturated: ")), run.err());
        final JsonNode shale = new ObjectMapper().readTree(run.out()).get("fabrics").get("shale");
        assertTrue(shale.get("saturated").asBoolean(), shale::toString);
        assertTrue(shale.get("deliveredGbpsPerNode").asDouble() < 0.9 * shale.get("offeredGbpsPerNode").asDouble(),
            shale::toString);
        final Invocation text = Invocation.ofLine(OVERLOAD);
        assertTrue(text.out().lines().anyMatch(line -> line.matches(" *steady .* no, saturated .*")), text.out());
    }

    /** What nobody says is no overload: the default load leaves room below every fabric's guarantee. */
    @ParameterizedTest
    @ValueSource(strings = {"", " --h 1", " --h 4"})
    void shouldOfferMuchLessThanEveryGuaranteeByDefault(final String options) throws IOException {
        final JsonNode fabrics = json("compare --nodes 16 --propagation-ns 30" + options).get("fabrics");
        for (final String name : FABRICS) {
            final JsonNode fabric = fabrics.get(name);
            assertTrue(fabric.get("offeredGbpsPerNode").asDouble()
                < 0.7 * fabric.get("terms").get("guaranteeGbps").asDouble(), name + ": " + fabric);
            assertTrue(fabric.get("steady").asBoolean(), name + ": " + fabric);
            assertTrue(fabric.get("warmUpUs").asDouble() > 0, name);
        }
    }

    /** A 99th percentile of 12 flows is their slowest. */
    @Test
    void shouldGiveNoPercentileThatTooFewFlowsCarry() throws IOException {
        int carried = 0;
        for (final JsonNode bin : json("compare --nodes 16 --time-us 800").get("fabrics").get("shoal")
            .get("completionUs")) {
            final long flows = bin.get("flows").asLong() + bin.get("unfinished").asLong();
            assertEquals(flows < 100, bin.get("p99").isNull(), bin::toString);
            assertEquals(flows < 1000, bin.get("p99.9").isNull(), bin::toString);
            carried += bin.get("p99").isNull() ? 0 : 1;
        }
        assertTrue(carried > 0, "no bin has a hundred flows");
    }

    /** The folder has all that it takes to repeat one of the runs, however long it took. */
    @ParameterizedTest
    @ValueSource(strings = {SMALL, SMALL + " --no-drain", "compare --nodes 16 --load 0.05 --time-us 700"})
    void shouldWriteAFolderWhoseTraceRepeatsARun(final String options) throws IOException {
        final Path out = folder.resolve("compared");
        final JsonNode fabrics = json(options + " --out " + out).get("fabrics");
        assertEquals(List.of("comparison.json", "flows.csv", "report.html", "shale", "shoal", "stardust"),
            Files.list(out).map(file -> file.getFileName().toString()).filter(name -> !name.endsWith(".svg")).sorted()
                .toList());
        final String page = Files.readString(out.resolve("report.html"));
        for (final String plot : List.of("throughput", "fct-short", "queues", "reordering")) {
            assertTrue(page.contains("id=\"" + plot + "-title\""), plot);
            assertTrue(Files.readString(out.resolve(plot + ".svg")).contains(">Stardust</text>"), plot);
        }
        for (final String name : FABRICS) {
            final String text = Files.readString(out.resolve(name).resolve("run.txt"));
            final String command = text.substring("./skerry ".length(), text.indexOf('\n'));
            final Invocation again = Invocation.ofLine(command + " --json");
            assertEquals(0, again.code(), again.err());
            assertEquals(fabrics.get(name).get("digest"), new ObjectMapper().readTree(again.out()).get("digest"), name);
        }
    }

    @Test
    void shouldPrintColumnsInTheOrderAsked() {
        final Invocation run = Invocation.ofLine(SMALL + " --fabrics stardust,shoal");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.strip().equals("Stardust   Shoal")
            || line.strip().matches("Stardust +Shoal")), run.out());
        assertTrue(run.out().contains("longest queue, bytes"), run.out());
        assertTrue(run.out().contains("all flows p99"), run.out());
    }

    /** Both print the same guarantee for the same fabric, and judge its load by it. */
    @Test
    void shouldPromiseWhatARunOfTheSameFabricDoes() throws IOException {
        final Path out = folder.resolve("promised");
        final JsonNode fabrics = json("compare --nodes 64 --time-us 20 --out " + out).get("fabrics");
        for (final String name : FABRICS) {
            final JsonNode terms = fabrics.get(name).get("terms");
            final String text = Files.readString(out.resolve(name).resolve("run.txt"));
            final Invocation run = Invocation.ofLine(text.substring("./skerry ".length(), text.indexOf('\n')));
            final Matcher guarantee = Pattern.compile("guarantee (\\S+ of )?\\S+ = (\\S+)").matcher(run.out());
            assertTrue(guarantee.find(), run.out());
            assertEquals(Double.parseDouble(guarantee.group(2)),
                terms.get("guaranteeGbps").asDouble() / terms.get("payloadGbps").asDouble(), 5e-5, name);
        }
    }

    /** Nothing that started, nothing after the warm-up, or too little to judge: each is said once, not per fabric. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--time-us 0.01 | skerry: compare: no flow started: ",
        "--time-us 20 --warm-up-us 19.999 | skerry: compare: no flow started after the warm-up",
        "--time-us 20 | skerry: compare: whether the fabrics are steady is not judged: "})
    void shouldSayWhatTooFewFlowsCannotTell(final String options, final String start) {
        final Invocation run = Invocation.ofLine("compare --nodes 16 --fabrics shale,stardust " + options);
        assertEquals(0, run.code(), run.err());
        assertEquals(1, run.errors().stream().filter(line -> line.startsWith(start)).count(), run.err());
        assertTrue(run.out().contains(start.substring("skerry: compare: ".length())), run.out());
    }

    @Test
    void shouldNotPromiseWhatADelayPrevents() {
        final Invocation run = Invocation.ofLine("compare --nodes 16 --fabrics shoal --time-us 5");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.err().startsWith("skerry: shoal: with 16 nodes no schedule hides"), run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" *payload under any traffic, Gb/s +-")), run.out());
    }

    @Test
    void shouldRunTracesOnAll() throws IOException {
        final Path trace = Files.writeString(folder.resolve("t.csv"), "1,0,5,1000,0\n2,3,9,5000,1e-6\n");
        final JsonNode fabrics = json("compare --nodes 16 --fabrics shale,stardust --flows " + trace).get("fabrics");
        assertEquals(2, fabrics.get("shale").get("flowsCompleted").asInt());
        assertEquals(2, fabrics.get("stardust").get("flowsCompleted").asInt());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--fabrics shoal,x | skerry: --fabrics: x: there is no such fabric",
        "--gbps 0 | skerry: --gbps: 0.0: ",
        "--gbps NaN | skerry: --gbps: NaN: ",
        "--cell-bytes 100 | skerry: --cell-bytes: 100: ",
        "--cell-bytes 64 | skerry: --cell-bytes: 64: ",
        "--time-us -1 | skerry: --time-us: -1.0: ",
        "--time-us 0 | skerry: --time-us: 0: ",
        "--slots 0 | skerry: --slots: 0: ",
        "--slots 5 --time-us 1 | skerry: --slots: 5: --time-us is given too",
        "--slots -5 | skerry: --slots: -5: ",
        "--time-us 50 --warm-up-us 50 | skerry: --warm-up-us: 50.0: ",
        "--warm-up-us -1 | skerry: --warm-up-us: -1.0: ",
        "--workload incast --warm-up-us 5 | skerry: --warm-up-us: 5.0: ",
        "--workload permutation --time-us 5 --no-drain | skerry: --no-drain: ",
        "--fabrics shoal --h 3 | skerry: --h: 3: ",
        "--nodes 20 | skerry: --nodes: 20: ",
        "--nodes 2048 | skerry: --nodes: 2048: ",
        "--load 1.5 | skerry: --load: 1.5: ",
        "--workload incast --load 0.1 | skerry: --load: 0.1: ",
        "--workload x | skerry: --workload: x: ",
        "--threads 0 | skerry: --threads: 0: ",
        "--h 9 | skerry: --h: 9: ",
        "--flows nowhere.csv | skerry: trace: nowhere.csv: ",
        "--flows nowhere.csv --load 0.1 | skerry: --flows: nowhere.csv: a trace says all",
        "--propagation-ns -1 | skerry: --propagation-ns: -1.0: "})
    void shouldRefuseWhatIsWrong(final String options, final String start) {
        Invocation.refuses("compare " + options, start);
    }

    /** Nothing ran: no number is invented, no advice that cannot help, and nothing is said three times. */
    @Test
    void shouldSayThatATraceHasNothingToSend() throws IOException {
        final Path trace = Files.writeString(folder.resolve("t.csv"), "0,4,4,3000,0\n");
        final Invocation run = Invocation.ofLine("compare --nodes 16 --fabrics shale,stardust --flows " + trace);
        assertEquals(0, run.code(), run.err());
        assertTrue(!run.out().contains("NaN") && !run.out().contains("nfinity"), run.out());
        assertEquals(1, run.err().lines().filter(line -> line.contains("source is the destination")).count(),
            run.err());
        assertTrue(run.err().contains("no flow started: ") && !run.err().contains("--time-us"), run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" *all flows +0 +0")), run.out());
        assertFalse(Invocation.ofLine("compare --nodes 16 --time-us 1 --json").out().contains("NaN"));
    }

    /** The tokens of Shale suit its delay, as its first-hop tokens do: there is no option to give more. */
    @Test
    void shouldGiveShaleTheTokensOfItsGuarantee() {
        final Invocation run = Invocation.ofLine("compare --nodes 16 --fabrics shale --propagation-ns 500 --time-us 9");
        assertEquals(0, run.code(), run.err());
        assertFalse(run.err().contains("--tokens"), run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" *payload under any traffic, Gb/s +86[.].*")),
            run.out());
    }
}
