package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.report.Distribution.Quantiles;
import dev.skerry.tools.report.HtmlReport.RunPlots;
import dev.skerry.tools.report.Page.Machine;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.report.RunResult.Measure;
import dev.skerry.tools.report.SizeBin.OpenFlows;
import dev.skerry.tools.report.TableFormat.Column;
import dev.skerry.tools.report.TableFormat.Kind;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;

/** The report of a run on a page, on a terminal, as JSON and in files, and the numbers in it. */
class ReportTest {
    private static final String[] CONTRACT = ("schema fabric nodes h cc seed slots cellsDelivered throughput "
        + "flowsStarted flowsCompleted maxQueueLength maxBufferOccupancy maxActiveBuckets maxReorderCells cellsDropped "
        + "cellsCorrupted wallSeconds nodeSlotsPerSecond digest").split(" ");
    private static final ObjectMapper STRICT = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    private static final Set<String> FILES = Set.of("fct.csv", "summary.json", "buffer-occupancy.csv",
        "queue-lengths.csv", "active-buckets.csv", "fct.hgrm", "latency.hgrm", "report.html", "run.txt",
        "timeline.csv");
    /** Of a run in which flows were completed. */
    private static final Set<String> PICTURES = Set.of("fct.svg", "throughput.svg", "latency.svg", "buffer.svg",
        "queue.svg");
    private static final double EXACT = 1e-12;
    private static final Machine MACHINE = new Machine("2025-01-01T00:00:00Z", "25", "Linux", "a <fast> one", 2, 512);

    @TempDir
    private Path folder;

    @Test
    void shouldDrawEveryPlotWithATable() throws Exception {
        final String page = page(Samples.plausible(64, 4_000, false));
        final Document document = parse(page);
        assertEquals(List.of("fct-title", "throughput-title", "latency-title", "buffer-title", "queue-title"),
            attributes(document, "svg", "aria-labelledby"));
        assertEquals(7 + 5, document.getElementsByTagName("table").getLength());
        assertTrue(page.contains("guarantee 0.2500"), "line of 1/(2h)");
        assertFalse(page.contains("PARTIAL"));
        assertTrue(page.contains("3fa901c477d20be1") && page.contains("Seed 1"));
        final int own = page.length() - PlotFigure.library().length();
        assertTrue(own > 0 && own < 150_000, "a page for people, not a dump: " + own);
        final NodeList paths = document.getElementsByTagName("path");
        int lines = 0;
        for (int i = 0; i < paths.getLength(); i++) {
            final Element path = (Element) paths.item(i);
            assertTrue(path.getAttribute("d").matches("M[-0-9. MLHVhvlmaz]+"), path.getAttribute("d"));
            lines += path.getAttribute("class").equals("line") ? 1 : 0;
        }
        assertEquals(4 + 2 + 1 + 1 + 1 + 6, lines, "lines, and those of the two legends");
    }

    @Test
    void shouldNeedNothingFromOutside() {
        for (final RunResult result : List.of(Samples.plausible(16, 100, true), Samples.empty())) {
            final String page = page(result).replace(PlotFigure.library(), "").replace(PlotFigure.plots(), "");
            assertTrue(page.contains("content=\"default-src 'none'; "), "the browser is told so");
            assertTrue(page.contains(PlotFigure.STYLE + Page.STYLE));
            assertFalse((PlotFigure.STYLE + Page.STYLE).matches("(?s).*[<>&].*"), "XML would escape them");
            for (final String word : List.of("http:", "https:", "@import", "url(", "src=", "href=")) {
                assertFalse(page.contains(word), word);
            }
        }
    }

    @Test
    void shouldSayWhatIsMissingInsteadOfAnEmptyPlot() throws Exception {
        final String page = page(Samples.empty());
        parse(page);
        for (final String word : List.of("No flow was completed.", "No slot was run.", "No cell was delivered.")) {
            assertTrue(page.contains(word), word);
        }
        final String own = page.replace(PlotFigure.library(), "");
        assertFalse(own.contains("NaN") || own.contains("Infinity"), "no number is no number");
        final RunResult empty = Samples.empty();
        final String noNodes = page(new RunResult(Map.of(), empty.terms(), true, empty.totals(), empty.flows(),
            new RunResult.Nodes(new int[0], new int[0], new int[0]), empty.timeline(), empty.events(),
            empty.latency(), List.of(), RunResult.Measured.ALL));
        parse(noNodes);
        assertTrue(noNodes.contains("No node.") && noNodes.contains("PARTIAL RESULT"));
    }

    @Test
    void shouldEscapeWhatTheUserTyped() throws Exception {
        final RunResult some = Samples.small(false);
        final Map<String, String> settings = Map.of("flows", "<b>&\u0000\u001b[31m\ud800.csv");
        final String page = page(Samples.with(some, settings, some.terms(), false, some.totals(), some.events()));
        parse(page);
        assertTrue(page.contains("&lt;b&gt;&amp;??[31m?.csv"), page);
    }

    @Test
    void shouldMergeATimelineWithoutLosingCells() {
        final RunResult.Timeline timeline = new RunResult.Timeline(100, new long[] {10, 20, 30, 40, 50});
        final RunPlots.Intervals merged = RunPlots.Intervals.of(timeline, 450, 2, 3);
        assertEquals(List.of(30L, 70L, 50L), List.of(merged.cells()[0], merged.cells()[1], merged.cells()[2]));
        assertEquals(450, merged.start()[3], "the last interval is shorter");
        assertEquals(30 / 400.0, merged.rate()[0], 1e-12);
        assertEquals(50 / 100.0, merged.rate()[2], 1e-12);
    }

    /** Every report prints a measure that it has no place for: adding one touches no printer. */
    @Test
    void shouldPrintAnyMeasure() {
        final RunResult some = Samples.small(false);
        final List<Measure> events = new ArrayList<>(some.events());
        events.add(new Measure("longestStall", "slots", 1234L, "longest stall of a link"));
        final RunResult result = Samples.with(some, some.settings(), some.terms(), false, some.totals(), events);
        final Summary summary = Summary.of(result);
        assertEquals(1234, ((Map<?, ?>) parseJson(summary.json()).get("events")).get("longestStall"));
        final String report = TerminalReport.of(summary);
        assertTrue(report.contains("\n             longest stall of a link 1,234 slots\n"), report);
        assertTrue(report.contains("\n             2 cells dropped because they were damaged\n"), report);
        final String page = HtmlReport.of(summary, Machine.here());
        assertTrue(page.contains(">longest stall of a link</th><td>1,234 slots<"), page);
        final List<String> keys = result.measures().stream().map(Measure::key).toList();
        assertEquals(keys.size(), keys.stream().distinct().count(), keys.toString());
    }

    @Test
    void shouldPrintASmallRunExactly() {
        assertEquals("""
            Shale, 3 nodes, h = 2, hbh+spray, short
            250 slots of 5.632 ns = 1.408 us, propagation 10 slots = 56.32 ns

              ./skerry run --fabric shale --nodes 3 --h 2 --cc hbh+spray --tokens 1 --first-hop-tokens 1 \\
                --workload short --load 0.24 --slots 100000 --slot-ns 5.632 --cell-bytes 256 --header-bytes 12 \\
                --propagation-slots 13 --seed 1 --threads 1 --mode lockstep

            Normalised flow completion time: slots / (cells + 10)
              flow bytes           flows        mean         p50         p99       p99.9         max
              0 - 4k                   2       1.500       1.500           -           -       2.000
              4k - 16k                 1       2.000       2.000           -           -       2.000
              16k - 64k                0           -           -           -           -           -
              64k - 256k               1       2.000       2.000           -           -       2.000
              all flows                4       1.750       2.000           -           -       2.000

            Throughput   0.0440 cells per node and slot, 15.25 Gb/s of payload per node,
                         guarantee 1/(2h) = 0.2500
            Cells        40 injected, 33 delivered, 5 held, 2 dropped, 1 corrupted
            Flows        5 started, 4 completed, 1 unfinished
            Latency      p50 12, p99 -, p99.9 -, max 40 slots from source to destination, whole run
            Buffer       p50 3, p99 9, max 9 cells, over the nodes' maxima
            Maxima       queue 7 cells, 4 active buckets, reordering 6 cells
                         2 cells dropped because they were damaged
            Speed        1.50 k node-slots/s, 6.00 k link-slots/s, 0.50 s
            Digest       000000000000beef
            """, TerminalReport.of(Summary.of(Samples.small(false))));
    }

    @Test
    void shouldMarkAPartialRunInTheFirstLine() {
        final String first = TerminalReport.of(Summary.of(Samples.small(true))).lines().findFirst().orElseThrow();
        assertEquals("PARTIAL RESULT: interrupted after 250 slots; all numbers end there.", first);
    }

    @Test
    void shouldStayWithinAHundredAsciiColumns() {
        for (final RunResult result : List.of(Samples.plausible(256, 3_000, true), Samples.empty(), huge())) {
            TerminalReport.of(Summary.of(result)).lines().forEach(line -> {
                assertTrue(line.length() <= 100, line);
                assertTrue(line.chars().allMatch(c -> c >= ' ' && c < 127), line);
            });
        }
    }

    @Test
    void shouldQuoteTheCommandForAShell() {
        final RunResult some = Samples.small(false);
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("flows", "it's a trace.csv");
        settings.put("check", "true");
        settings.put("json", "false");
        settings.put("faults", "");
        settings.put("payload-bytes", "244");
        final Summary summary = Summary.of(
            Samples.with(some, settings, some.terms(), false, some.totals(), some.events()));
        assertEquals(List.of("--flows 'it'\\''s a trace.csv'", "--check"), summary.commandLine());
    }

    @Test
    void shouldLeaveOutAGuaranteeThatDoesNotHold() {
        final RunResult some = Samples.small(false);
        assertEquals(0.044 * 244 * 8 / 5.632, some.gigabitsPerSecondPerNode(), 1e-12);
        final RunResult none = Samples.with(some, some.settings(), new RunResult.Terms(1, 5.632, 244, Guarantee.NONE),
            false, some.totals(), some.events());
        assertTrue(TerminalReport.of(Summary.of(some)).contains("guarantee"));
        assertFalse(TerminalReport.of(Summary.of(none)).contains("guarantee"));
    }

    private static RunResult huge() {
        final RunResult some = Samples.small(true);
        final long big = 123_456_789_012L;
        final RunResult.Totals totals = new RunResult.Totals(100_000, big, 1_000_000, big, big, big, big, big,
            big, 0, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 0.123456, 123_456.7,
            1e12, 1e12, -1);
        return Samples.with(some, some.settings(), some.terms(), true, totals, some.events());
    }

    @Test
    void shouldHoldTheContractsKeysInItsOrder() {
        final Map<String, Object> json = parseJson(Summary.of(Samples.small(false)).json());
        assertEquals(List.of(CONTRACT), new ArrayList<>(json.keySet()).subList(0, CONTRACT.length));
        assertEquals(List.of("shale", 3, 2, 33, 0.044, "000000000000beef", false), Stream.of("fabric", "nodes", "h",
            "cellsDelivered", "throughput", "digest", "interrupted").map(json::get).toList());
        final Map<?, ?> options = (Map<?, ?>) json.get("options");
        assertEquals(Samples.settings("3", "2").keySet(), options.keySet());
        assertEquals(List.of(3, 5.632, "hbh+spray"),
            Stream.of("nodes", "slot-ns", "cc").map(options::get).toList());
        final List<?> bins = (List<?>) json.get("normalisedFct");
        assertEquals(5, bins.size());
        assertEquals(1.5, ((Map<?, ?>) bins.getFirst()).get("mean"));
        assertNull(((Map<?, ?>) bins.get(2)).get("p99.9"), "an empty bin has no tail");
    }

    @Test
    void shouldStayValidWithoutNumbersAndWithHostileSettings() {
        final Map<String, Object> empty = parseJson(Summary.of(Samples.empty()).json());
        assertNull(empty.get("throughput"));
        assertNull(empty.get("nodeSlotsPerSecond"));
        assertTrue(empty.containsKey("h"));
        final RunResult some = Samples.small(true);
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("faults", "12");
        settings.put("flows", "a\"b\\c\n\u0001\ud83d\ude00 \u00fc");
        settings.put("seed", "007");
        settings.put("nodes", "1e3");
        final RunResult hostile = Samples.with(some, settings, some.terms(), true, some.totals(), some.events());
        final String text = Summary.of(hostile).json();
        assertFalse(text.contains("NaN") || text.contains("Infinity"), text);
        final Map<String, Object> json = parseJson(text);
        assertEquals(settings, json.get("options"));
        assertEquals("007", json.get("seed"), "no number of JSON starts with a zero");
        assertEquals("1e3", json.get("nodes"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> parseJson(final String text) {
        try {
            return STRICT.readValue(text, Map.class);
        } catch (final IOException e) {
            throw new AssertionError(text, e);
        }
    }

    private static String page(final RunResult result) {
        return HtmlReport.of(Summary.of(result), MACHINE);
    }

    private static Document parse(final String page) throws Exception {
        assertTrue(page.startsWith("<!DOCTYPE html>\n<html lang=\"en\">"), "HTML5");
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(page)));
    }

    private static List<String> attributes(final Document document, final String tag, final String attribute) {
        final NodeList nodes = document.getElementsByTagName(tag);
        final List<String> values = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            values.add(((Element) nodes.item(i)).getAttribute(attribute));
        }
        return values;
    }

    @Test
    void shouldWriteEveryFileOfTheContract() throws IOException {
        final Path out = write(Samples.small(false), folder.resolve("deep/er/run"));
        assertEquals(folder.resolve("deep/er/run"), out);
        assertEquals(all(), names(out));
        assertEquals(Set.of("run"), names(out.getParent()));
        assertEquals("""
            flow_id,cells,completion_slots,start_slot
            7,17,27,0
            1,17,54,5
            9000000000,1,22,100
            3,287,594,12
            """, Files.readString(out.resolve("fct.csv")));
        assertEquals("node,value\n0,9\n1,0\n2,3\n", Files.readString(out.resolve("buffer-occupancy.csv")));
        assertEquals("node,value\n0,7\n1,0\n2,2\n", Files.readString(out.resolve("queue-lengths.csv")));
        assertEquals("node,value\n0,4\n1,1\n2,1\n", Files.readString(out.resolve("active-buckets.csv")));
        assertEquals("slot,slots,cells_delivered,throughput\n0,100,12,0.040000\n"
            + "100,100,18,0.060000\n200,50,3,0.020000\n",
            Files.readString(out.resolve("timeline.csv")));
        assertTrue(Files.readString(out.resolve("latency.hgrm")).contains("Total count    =            4"));
        assertTrue(Files.readString(out.resolve("fct.hgrm")).contains("Max     =      594.000"));
        final String run = Files.readString(out.resolve("run.txt"));
        assertTrue(run.startsWith("./skerry run --fabric shale --nodes 3 --h 2 --cc hbh+spray "), run);
        assertTrue(run.contains("\nseed   1\n"), run);
        assertTrue(run.contains("\nJDK    " + Runtime.version().feature()), run);
        assertFalse(run.contains("PARTIAL"), run);
        assertEquals(Stream.concat(FILES.stream(), Stream.of("buffer.svg", "queue.svg")).collect(Collectors.toSet()),
            names(write(Samples.empty(), folder.resolve("empty"))), "nothing to draw but nodes");
    }

    @Test
    void shouldRefuseWhatExistsAndLeaveItAlone() throws IOException {
        final Path out = Files.createDirectory(folder.resolve("run"));
        final InputException refusal =
            assertThrows(InputException.class, () -> write(Samples.small(false), out));
        assertTrue(refusal.getMessage().startsWith("skerry: --out: " + out + ": already exists"), refusal.getMessage());
        assertEquals(Set.of(), names(out));
        assertEquals(Set.of("run"), names(folder));
        final Path file = Files.writeString(folder.resolve("file"), "mine");
        assertThrows(InputException.class, () -> OutFolder.checkFree(file));
        assertThrows(InputException.class, () -> OutFolder.checkFree(file.resolve("below")));
    }

    @Test
    void shouldKeepTheSuffixOfInterruptedRunsAndNeverOverwriteOne() throws IOException {
        final Path out = folder.resolve("run");
        assertEquals(folder.resolve("run.partial"), write(Samples.small(true), out));
        assertEquals(folder.resolve("run-2.partial"), write(Samples.small(true), out));
        assertEquals(out, write(Samples.small(false), out));
        assertEquals(Set.of("run", "run.partial", "run-2.partial"), names(folder));
        final Path partial = folder.resolve("run.partial");
        assertEquals(all(), names(partial));
        assertTrue(Files.readString(partial.resolve("run.txt")).startsWith("PARTIAL"));
        assertTrue(Files.readString(partial.resolve("summary.json")).contains("\"interrupted\": true"));
        assertTrue(Files.readString(partial.resolve("report.html")).contains("PARTIAL RESULT: interrupted after 250"));
    }

    @Test
    void shouldLeaveNothingBehindWhenWritingFails() {
        final RunResult good = Samples.small(false);
        final RunResult.Flows flows = new RunResult.Flows(good.flows().id(), good.flows().bytes(),
            good.flows().cells(), new long[] {1, 2, 3, -1}, good.flows().startSlot());
        final RunResult broken = new RunResult(good.settings(), good.terms(), false, good.totals(), flows, good.nodes(),
            good.timeline(), good.events(), good.latency(), List.of(), RunResult.Measured.ALL);
        // A histogram cannot hold a negative time; by then five files are written.
        assertThrows(IndexOutOfBoundsException.class, () -> write(broken, folder.resolve("run")));
        assertEquals(Set.of(), names(folder));
    }

    @Test
    void shouldKeepPercentilesOfFlowTimesToThreeDigits() throws IOException {
        final Path out = write(Samples.plausible(16, 500, false), folder.resolve("run"));
        final Histogram expected = new Histogram(3);
        for (final long slots : Samples.plausible(16, 500, false).flows().completionSlots()) {
            expected.recordValue(slots);
        }
        final String median = Files.readAllLines(out.resolve("fct.hgrm")).stream()
            .filter(line -> line.contains(" 0.500000000000 ")).findFirst().orElseThrow().strip();
        assertEquals(expected.getValueAtPercentile(50), Double.parseDouble(median.split(" +")[0]));
    }

    /** A trace shows only while it is written whether it was stopped. */
    @Test
    void shouldKeepAFolderApartThatWasInterruptedMeanwhile() {
        final boolean[] stopped = new boolean[1];
        assertEquals(folder.resolve("cells.partial"),
            OutFolder.write(folder.resolve("cells"), () -> stopped[0], _ -> stopped[0] = true));
    }

    private static Path write(final RunResult result, final Path out) {
        return ResultFiles.write(Summary.of(result), _ -> { }, TableFormats.of("csv"), out);
    }

    private static Set<String> all() {
        return Stream.concat(FILES.stream(), PICTURES.stream()).collect(Collectors.toSet());
    }

    private static Set<String> names(final Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Kind> kinds(final String csv) throws IOException {
        return TableFormats.columns(Files.writeString(folder.resolve("a.csv"), csv)).stream().map(Column::kind)
            .toList();
    }

    @Test
    void shouldTellTypesByAllLines() throws IOException {
        assertEquals(List.of(Kind.WHOLE, Kind.REAL, Kind.REAL, Kind.TEXT, Kind.TEXT, Kind.TEXT),
            kinds("a,b,c,d,e,f\n1,1,0.5,1,,9223372036854775808\n-2,2.5,NaN,x,,1\n"));
        assertEquals(List.of(Kind.TEXT, Kind.TEXT, Kind.TEXT), kinds("id,version,outcome.digest\n12,1e5,77\n"));
        assertEquals(List.of(Kind.TEXT, Kind.WHOLE), kinds("\"a, \"\"b\"\"\nc\",d\n\"1,2\",3\n"));
    }

    @Test
    void shouldRefuseATableThatIsNone() {
        assertThrows(IOException.class, () -> kinds("a,b\n1\n"));
        assertThrows(IOException.class, () -> kinds("a,\"b\n1,2\n"));
        assertThrows(IOException.class, () -> kinds(""));
    }

    @Test
    void shouldInterpolateQuantilesAsTheAuthorsSimulatorDoes() {
        final double[] sorted = {10, 20, 40, 80};
        // Position p * 4 - 0.5 on {10, 20, 40, 80}: 0.5, 1.5, 2.1, and beyond both ends.
        assertEquals(15, Quantiles.of(sorted, 0.25), EXACT);
        assertEquals(30, Quantiles.of(sorted, 0.5), EXACT);
        assertEquals(44, Quantiles.of(sorted, 0.65), EXACT);
        assertEquals(10, Quantiles.of(sorted, 0.1), EXACT);
        assertEquals(80, Quantiles.of(sorted, 0.99), EXACT);
        assertEquals(2.5, Quantiles.of(new double[] {1, 2, 3, 9}, 0.5), EXACT);
        assertEquals(7, Quantiles.of(new double[] {7}, 0.5), EXACT);
        assertTrue(Double.isNaN(Quantiles.of(new double[0], 0.5)));
        assertThrows(IllegalArgumentException.class, () -> Quantiles.of(sorted, 1.01));
        final double[] many = IntStream.range(0, 2_000).asDoubleStream().toArray();
        assertEquals(1_997.5, Quantiles.of(many, 0.999), 1e-9);
        assertEquals(1_979.5, Quantiles.of(many, 0.99), 1e-9);
    }

    @Test
    void shouldPutEveryEdgeIntoTheUpperBin() {
        final long[] bytes = {1, 4095, 4096, 16_383, 16_384, (1L << 30) - 1, 1L << 30, 1L << 40};
        final RunResult.Flows flows = flows(bytes);
        final SizeBin.Table table = SizeBin.tableOf(flows, 0, RunResult.Measured.ALL);
        assertEquals(List.of(2L, 2L, 1L, 0L, 0L, 0L, 0L, 0L, 0L, 1L, 2L),
            table.bins().stream().map(SizeBin::flows).toList());
        assertEquals(List.of("0 - 4k", "4k - 16k", "16k - 64k", "64k - 256k", "256k - 1M", "1M - 4M", "4M - 16M",
            "16M - 64M", "64M - 256M", "256M - 1G", "1G and more"), table.bins().stream().map(SizeBin::label).toList());
        assertEquals(bytes.length, table.all().flows());
        assertEquals("all flows", table.all().label());
    }

    @Test
    void shouldNormaliseByCellsAndPropagation() {
        final SizeBin.Table table = SizeBin.tableOf(Samples.small(false).flows(), 10,
            RunResult.Measured.ALL);
        // 22 / (1 + 10) = 2 and 27 / (17 + 10) = 1.
        final SizeBin first = table.bins().getFirst();
        assertEquals(1.5, first.mean(), EXACT);
        assertEquals(1.5, first.p50(), EXACT);
        assertEquals(2, first.p999(), EXACT);
        assertTrue(Double.isNaN(table.bins().get(2).mean()), "no flow of 16k to 64k");
        assertEquals(1.75, table.all().mean(), EXACT);
    }

    @Test
    void shouldAgreeWithSortingEachBinByItself() {
        final long seed = 20_240_811;
        final Random random = new Random(seed);
        final long[] bytes = new long[5_000];
        Arrays.setAll(bytes, i -> (long) Math.exp(random.nextDouble() * 22));
        final RunResult.Flows flows = flows(bytes);
        Arrays.setAll(flows.completionSlots(), i -> 1 + random.nextInt(1_000_000));
        for (final SizeBin bin : SizeBin.tableOf(flows, 3, RunResult.Measured.ALL).bins()) {
            double[] expected = new double[bytes.length];
            int n = 0;
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] >= bin.fromBytes() && bytes[i] < bin.toBytes()) {
                    expected[n++] = flows.completionSlots()[i] / (flows.cells()[i] + 3.0);
                }
            }
            expected = Arrays.copyOf(expected, n);
            Arrays.sort(expected);
            final String where = "seed " + seed + ", bin " + bin.label();
            assertEquals(n, bin.flows(), where);
            assertEquals(Quantiles.of(expected, 0.99), bin.p99(), EXACT, where);
            assertEquals(Quantiles.of(expected, 1), bin.max(), EXACT, where);
        }
    }

    private static RunResult.Flows flows(final long[] bytes) {
        final int[] cells = new int[bytes.length];
        Arrays.setAll(cells, i -> (int) Math.ceilDiv(bytes[i], 244));
        final long[] completion = new long[bytes.length];
        Arrays.setAll(completion, i -> 2L * cells[i]);
        return new RunResult.Flows(new long[bytes.length], bytes, cells, completion, new long[bytes.length]);
    }

    /** Whenever the open flows would have completed, the percentiles of all lie within the bounds; they are reached. */
    @Test
    void shouldHoldThePercentilesOfEveryEnd() {
        for (long seed = 0; seed < 500; seed++) {
            final Random random = new Random(seed);
            final double[] ends = random.doubles(1 + random.nextInt(200), 1, 100).toArray();
            final int open = random.nextInt(ends.length + 1);
            final double[] complete = Arrays.copyOfRange(ends, open, ends.length);
            final double[] atLeast = Arrays.copyOf(ends, open);
            Arrays.setAll(atLeast, i -> atLeast[i] * random.nextDouble());
            final OpenFlows flows = OpenFlows.of(complete, atLeast);
            assertEquals(open, flows.flows());
            assertEquals((double) open / ends.length, flows.share(), 1e-12);
            Arrays.sort(ends);
            final double[] shares = {0.5, 0.99, 0.999};
            final OpenFlows.Bounds[] bounds = {flows.p50(), flows.p99(), flows.p999()};
            for (int i = 0; i < shares.length; i++) {
                final double of = Quantiles.of(ends, shares[i]);
                assertTrue(bounds[i].least() <= of && of <= bounds[i].most(), "seed " + seed + " share=" + shares[i]
                    + " of=" + of + " " + bounds[i]);
                if (open == 0) {
                    assertEquals(new OpenFlows.Bounds(of, of), bounds[i], "seed " + seed);
                }
            }
        }
    }

    @Test
    void shouldSayWhereAPercentileHasNoUpperBound() {
        final OpenFlows flows = OpenFlows.of(new double[] {3, 1, 2}, new double[] {1.5});
        assertEquals("1.750 to 2.500", flows.p50().text());
        assertEquals("at least 3.000", flows.p99().text());
        assertTrue(Double.isNaN(flows.carriedBy(4).p99().most()), "four flows carry no p99");
    }
}
