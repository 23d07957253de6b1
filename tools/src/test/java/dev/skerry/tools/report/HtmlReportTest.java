package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.report.HtmlReport.RunPlots;
import dev.skerry.tools.report.Page.Machine;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;

class HtmlReportTest {
    private static final Machine MACHINE = new Machine("2025-01-01T00:00:00Z", "25", "Linux", "a <fast> one", 2, 512);

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
            for (final String word : List.of("http:", "https:", "@import", "url(", "src=", "href=")) {
                assertFalse(page.contains(word), word);
            }
        }
    }

    @Test
    void shouldKeepTheStyleSheetFreeOfWhatXmlEscapes() {
        final String all = PlotFigure.STYLE + Page.STYLE;
        assertFalse(all.matches("(?s).*[<>&].*"));
        assertTrue(page(Samples.empty()).contains(all));
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
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("flows", "<b>&\u0000\u001b[31m\ud800.csv");
        final String page = page(new RunResult(settings, some.terms(), false, some.totals(), some.flows(), some.nodes(),
            some.timeline(), some.events(), some.latency(), List.of(), RunResult.Measured.ALL));
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
}
