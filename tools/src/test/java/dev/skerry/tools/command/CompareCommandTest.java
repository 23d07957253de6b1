package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
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
    private static final List<String> FABRICS = List.of("shoal", "shale", "stardust", "fattree");
    private static final String SMALL = "compare --nodes 16 --time-us 60";
    private static final String OVERLOAD = "compare --nodes 16 --load 0.9 --time-us 200";
    private static final int NOT_STEADY = 3;

    @TempDir
    private Path folder;

    private static JsonNode json(final String line) {
        final JsonNode json = summary(line);
        assertEquals(2, json.get("schema").intValue());
        return json.get("fabrics");
    }

    @Test
    void shouldPutFabricsOnTheSameTerms() throws IOException {
        final JsonNode fabrics = json(SMALL + " --no-drain --gbps 100 --cell-bytes 128 --propagation-ns 30");
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
            + "--propagation-ns 30");
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

    /** At best one flow after another goes over the link to the receiver. */
    @Test
    void shouldRunUntilEveryFlowIsDone() {
        final JsonNode fabrics = json("compare --nodes 16 --workload incast --incast-senders 5 --flow-bytes 9000");
        for (final String name : FABRICS) {
            final JsonNode fabric = fabrics.get(name);
            assertEquals(5, fabric.get("flowsCompleted").asInt());
            final JsonNode all = fabric.get("completionUs").get(fabric.get("completionUs").size() - 1);
            final double least = 5 * 9000 * 8 / fabric.get("terms").get("payloadGbps").asDouble() / 1e3;
            assertTrue(all.get("max").asDouble() >= least && all.get("max").asDouble() < 4 * least, name + ": " + all);
        }
    }

    @Test
    void shouldWaitForEveryFlowUnlessToldNotTo() throws IOException {
        final JsonNode all = json(SMALL + " --load 0.2");
        for (final String name : FABRICS) {
            assertEquals(all.get(name).get("flowsStarted"), all.get(name).get("flowsCompleted"), name);
            assertEquals(all.get("shale").get("flowsStarted"), all.get(name).get("flowsStarted"), name);
        }
        final JsonNode shale = Invocation.ofLine(OVERLOAD + " --no-drain --json").exits(NOT_STEADY).json()
            .get("fabrics").get("shale");
        long open = 0;
        for (final JsonNode bin : shale.get("completionUs")) {
            assertTrue(bin.get("unfinished").asLong() >= 0, bin::toString);
            open = bin.get("unfinished").asLong();
        }
        assertTrue(open > 0, shale::toString);
    }

    @Test
    void shouldSayWhichFabricIsSaturated() throws IOException {
        final Invocation run = Invocation.ofLine(OVERLOAD + " --json").exits(NOT_STEADY);
        assertTrue(run.err().lines().anyMatch(line -> line.startsWith("skerry: shale: saturated: ")), run.err());
        final JsonNode shale = run.json().get("fabrics").get("shale");
        assertTrue(shale.get("saturated").asBoolean(), shale::toString);
        assertTrue(shale.get("deliveredGbpsPerNode").asDouble() < 0.9 * shale.get("offeredGbpsPerNode").asDouble(),
            shale::toString);
        assertTrue(Invocation.ofLine(OVERLOAD).out().lines().anyMatch(line -> line.matches(
            " *steady .* no, saturated .*")), "the report");
    }

    /** What nobody says is no overload: the default load leaves room below every fabric's guarantee. */
    @ParameterizedTest
    @ValueSource(strings = {"", " --h 1", " --h 4"})
    void shouldOfferMuchLessThanEveryGuaranteeByDefault(final String options) throws IOException {
        final JsonNode fabrics = json("compare --nodes 16 --propagation-ns 30" + options);
        for (final String name : FABRICS) {
            final JsonNode fabric = fabrics.get(name);
            assertTrue(fabric.get("offeredGbpsPerNode").asDouble()
                < 0.7 * fabric.get("terms").get(name.equals("fattree") ? "payloadGbps" : "guaranteeGbps").asDouble(),
                name + ": " + fabric);
            assertTrue(fabric.get("steady").asBoolean(), name + ": " + fabric);
            assertTrue(fabric.get("warmUpUs").asDouble() > 0, name);
        }
    }

    /** A 99th percentile of 12 flows is their slowest. */
    @Test
    void shouldGiveNoPercentileThatTooFewFlowsCarry() throws IOException {
        int carried = 0;
        for (final JsonNode bin : json("compare --nodes 16 --time-us 800").get("shoal")
            .get("completionUs")) {
            final long flows = bin.get("flows").asLong() + bin.get("unfinished").asLong();
            assertEquals(flows < 100, bin.get("p99").isNull(), bin::toString);
            assertEquals(flows < 1000, bin.get("p99.9").isNull(), bin::toString);
            carried += bin.get("p99").isNull() ? 0 : 1;
        }
        assertTrue(carried > 0, "no bin has a hundred flows");
    }

    @ParameterizedTest
    @ValueSource(strings = {"compare --nodes 64 --time-us 20", SMALL + " --no-drain",
        "compare --nodes 16 --load 0.05 --time-us 700"})
    void shouldWriteAFolderWhoseTraceRepeatsARun(final String options) throws IOException {
        final Path out = folder.resolve("compared");
        final JsonNode fabrics = json(options + " --out " + out);
        assertEquals(List.of("comparison.json", "fattree", "flows.csv", "report.html", "shale", "shoal", "stardust"),
            Files.list(out).map(file -> file.getFileName().toString()).filter(name -> !name.endsWith(".svg")).sorted()
                .toList());
        final String page = Files.readString(out.resolve("report.html"));
        for (final String plot : List.of("throughput", "fct-short", "queues", "reordering")) {
            assertTrue(page.contains("id=\"" + plot + "-title\""), plot);
            assertTrue(Files.readString(out.resolve(plot + ".svg")).contains(">Stardust</text>"), plot);
        }
        for (final String name : FABRICS) {
            final String text = Files.readString(out.resolve(name).resolve("run.txt"));
            final Invocation again = Invocation.ofLine(text.substring("./skerry ".length(), text.indexOf('\n'))).ok();
            assertTrue(again.printedDigest().endsWith(" " + fabrics.get(name).get("digest").asText()), name);
            final JsonNode terms = fabrics.get(name).get("terms");
            final Matcher guarantee = Pattern.compile("guarantee (\\S+ of )?\\S+ = (\\S+)").matcher(again.out());
            // Packet switches promise nothing.
            final boolean promises = options.contains("64") && !name.equals("fattree");
            assertEquals(promises, guarantee.find() && promises, again.out());
            if (promises) {
                assertEquals(Double.parseDouble(guarantee.group(2)),
                    terms.get("guaranteeGbps").asDouble() / terms.get("payloadGbps").asDouble(), 5e-5, name);
            }
        }
    }

    @Test
    void shouldPrintColumnsInTheOrderAsked() {
        final Invocation run = Invocation.ofLine(SMALL + " --fabrics stardust,shoal").ok();
        assertTrue(run.out().lines().anyMatch(line -> line.strip().matches("Stardust +Shoal")), run.out());
        run.prints("longest queue, bytes", "all flows p99");
    }

    /** Nothing that started, nothing after the warm-up, or too little to judge: each is said once, not per fabric. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--time-us 0.01 | skerry: compare: no flow started: ",
        "--time-us 20 --warm-up-us 19.999 | skerry: compare: no flow started after the warm-up",
        "--time-us 20 | skerry: compare: whether the fabrics are steady is not judged: "})
    void shouldSayWhatTooFewFlowsCannotTell(final String options, final String start) {
        final Invocation run = Invocation.ofLine("compare --nodes 16 --fabrics shale,stardust " + options).ok();
        assertEquals(1, run.errors().stream().filter(line -> line.startsWith(start)).count(), run.err());
        run.prints(start.substring("skerry: compare: ".length()));
    }

    @Test
    void shouldNotPromiseWhatADelayPrevents() {
        final Invocation run = Invocation.ofLine("compare --nodes 16 --fabrics shoal --time-us 5").ok();
        assertTrue(run.err().startsWith("skerry: shoal: with 16 nodes no schedule hides"), run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" *payload guaranteed for any traffic, Gb/s "
            + "+-")), run.out());
    }

    @Test
    void shouldRunTracesOnAllAndSayThatOneHasNothingToSend() throws IOException {
        final Path trace = Files.writeString(folder.resolve("t.csv"), "1,0,5,1000,0\n2,3,9,5000,1e-6\n");
        final String line = "compare --nodes 16 --fabrics shale,stardust --flows " + trace;
        final JsonNode fabrics = json(line);
        assertEquals(4, fabrics.get("shale").get("flowsCompleted").asInt()
            + fabrics.get("stardust").get("flowsCompleted").asInt());
        // Nothing runs: no number is invented, no advice that cannot help, and nothing is said three times.
        Files.writeString(trace, "0,4,4,3000,0\n");
        final Invocation run = Invocation.ofLine(line).ok();
        assertTrue(!run.out().contains("NaN") && !run.out().contains("nfinity"), run.out());
        assertEquals(1, run.err().lines().filter(said -> said.contains("source is the destination")).count(),
            run.err());
        assertTrue(run.err().contains("no flow started: ") && !run.err().contains("--time-us"), run.err());
        assertTrue(run.out().lines().anyMatch(said -> said.matches(" *all flows +0 +0")), run.out());
        assertFalse(Invocation.ofLine("compare --nodes 16 --time-us 1 --json").out().contains("NaN"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --fabrics shoal,x                             | --fabrics: x: there is no such fabric
        --fabrics shale:hosts=ndp                     | --fabrics: shale:hosts=ndp: --hosts is not an option of shale
        --fabrics ,                                   | --fabrics: ,: names no fabric
        --fabrics fattree:                            | --fabrics: fattree:: -- is not an option of fattree
        --fabrics fattree:hosts                       | --fabrics: fattree:hosts: --hosts has no value
        --fabrics :                                   | --fabrics: '': there is no such fabric
        --slots 5 --time-us 1                         | --slots: 5: --time-us is given too
        --workload permutation --time-us 5 --no-drain | --no-drain:
        --flows nowhere.csv                           | trace: nowhere.csv: shoal: there is no
        --flows nowhere.csv --load 0.1                | --flows: nowhere.csv: a trace defines its flows
        --fabrics shoal,stardust --cc hbh             | --cc: an option of shale, which is not compared
        --nodes 16 --shoal-rule x                     | --shoal-rule: x: shoal: there is no such
        --nodes 20                                    | --nodes: 20: stardust: an adapter
        """)
    void shouldRefuseWhatIsWrong(final String options, final String start) {
        refuses("compare " + options, "skerry: " + start);
    }

    /** Each option goes to its fabric, also over what a comparison would choose; the others' results stay. */
    @Test
    void shouldGiveEachFabricItsOwnOptions() throws IOException {
        final Path out = folder.resolve("own");
        final JsonNode usual = json(SMALL + " --load 0.2");
        final JsonNode own = json(SMALL + " --load 0.2 --cc isd+spray-short --tokens 2 --h 4 --shoal-rule basic "
            + "--shoal-schedule plain --out " + out);
        assertEquals("--h=4 --cc=isd+spray-short --tokens=2", own.get("shale").get("options").asText());
        assertEquals("--shoal-rule=basic --shoal-schedule=plain", own.get("shoal").get("options").asText());
        assertEquals("", own.get("stardust").get("options").asText());
        for (final String name : FABRICS) {
            assertEquals(name.equals("stardust") || name.equals("fattree"),
                usual.get(name).get("digest").equals(own.get(name).get("digest")), name);
        }
        final String shale = Files.readString(out.resolve("shale").resolve("run.txt"));
        for (final String word : List.of("--cc isd+spray-short", "--tokens 2", "--h 4")) {
            assertTrue(shale.contains(word), shale);
        }
    }

    /** An option after the name of a fabric is that of its column alone, also over one for all columns. */
    @Test
    void shouldCompareAFabricWithItself() throws IOException {
        final Path out = folder.resolve("itself");
        final JsonNode columns = json(SMALL + " --load 0.2 --fabrics fattree,fattree:hosts=ndp:window=64 --window 50"
            + " --out " + out);
        final JsonNode ndp = columns.get("fattree:hosts=ndp:window=64");
        assertEquals("--window=50", columns.get("fattree").get("options").asText());
        assertEquals("--hosts=ndp --window=64", ndp.get("options").asText());
        assertNotEquals(columns.get("fattree").get("digest"), ndp.get("digest"));
        assertTrue(Files.readString(out.resolve("fattree-hosts-ndp-window-64").resolve("run.txt"))
            .contains("--hosts ndp"));
    }

    /** The tokens of Shale suit its delay, as its first-hop tokens do. */
    @Test
    void shouldGiveShaleTheTokensOfItsGuarantee() {
        final Invocation run = Invocation.ofLine("compare --nodes 16 --fabrics shale --propagation-ns 500 --time-us 9")
            .ok();
        assertFalse(run.err().contains("--tokens"), run.err());
        assertTrue(run.out().lines().anyMatch(line -> line.matches(" *payload guaranteed for any traffic, Gb/s "
            + "+86[.].*")),
            run.out());
    }
}
