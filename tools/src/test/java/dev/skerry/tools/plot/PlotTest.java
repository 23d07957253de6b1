package dev.skerry.tools.plot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.tools.plot.Plot.Axis;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;

class PlotTest {
    private static final double[] XS = {0, 1};

    private static Plot bars() {
        return new Plot("drops", "Drops by <reason> & fabric", "reason", List.of("late", "full"), "cells",
            Scale.LINEAR)
            .add("Shale", Style.BARS, XS, new double[] {3, 8}, new double[] {2, Double.NaN},
                new double[] {4, Double.POSITIVE_INFINITY})
            .add("Shoal", Style.BARS, XS, new double[] {Double.NaN, 5})
            .addPublished("Shoal", "paper", XS, new double[] {4, 6});
    }

    @Test
    void shouldChooseRoundTicks() {
        assertEquals(List.of(0.0, 20.0, 40.0, 60.0, 80.0, 100.0), Axis.fromZero("", 81, true).ticks());
        assertEquals(List.of(0.0, 1.0), Axis.fromZero("", 0, true).ticks());
        assertEquals(List.of(10.0, 20.0, 50.0, 100.0, 200.0, 500.0), Axis.log("", 13, 400).ticks());
        assertEquals(List.of(1.0, 10.0), Axis.log("", 1, 1).ticks().stream().filter(t -> t % 9 == 1).toList());
        assertEquals(0.5, Axis.log("", 1, 100).place(10), 1e-12);
        assertEquals(0, Axis.log("", 1, 100).place(0));
        final Axis wide = Axis.log("", 1, 1e15);
        assertTrue(wide.ticks().size() <= 9, "ticks of 15 decades: " + wide.ticks());
        assertEquals(List.of("0", "20k", "40k", "60k", "80k", "100k"), labels(Axis.upTo("", 100_000, true)));
        assertEquals(List.of("0", "1", "2"), labels(new Plot("h", "h", "h", "cells").add("", Style.DOTS,
            new double[] {1, 2}, new double[] {1, 2}).xAxis()));
        assertEquals(List.of("0", "0.2", "0.4", "0.6", "0.8", "1"), labels(new Plot("load", "load", "load", "cells")
            .add("", Style.DOTS, new double[] {0.1, 1}, new double[] {1, 2}).xAxis()));
        assertEquals(List.of("0", "0.05", "0.1", "0.15", "0.2", "0.25"), labels(Axis.fromZero("", 0.25, false)));
    }

    @Test
    void shouldGiveTheTailOfADistributionOnALogarithmicAxis() {
        final Plot plot = new Plot("tail", "Tail", "us", Scale.LOGARITHMIC, "share above", Scale.LOGARITHMIC)
            .addTail("flows", new double[] {1, 2, 3, 4}, 4).addShares("up to", new double[] {1, 2, 3, 4});
        assertArrayEquals(new double[] {0.75, 0.5, 0.25, 0}, plot.lines().getFirst().y());
        assertArrayEquals(new double[] {0.25, 0.5, 0.75, 1}, plot.lines().getLast().y());
        assertEquals(0.2, plot.yAxis().low(), 1e-12, "nothing is above the largest, and zero has no place here");
    }

    @Test
    void shouldTellItsNumbersToScripts() throws Exception {
        final JsonNode json = new ObjectMapper().readTree(PlotFigure.json(bars()));
        assertEquals("Drops by <reason> & fabric", json.get("title").asText());
        assertEquals("[\"late\",\"full\"]", json.get("x").get("places").toString());
        assertEquals("[[0,3,2,4],[1,8]]", json.get("lines").get(0).get("points").toString());
        assertEquals("[[0,null],[1,5]]", json.get("lines").get(1).get("points").toString());
        assertEquals("Shoal, paper", json.get("lines").get(2).get("legend").asText());
        assertEquals(8, json.get("y").get("high").asInt());
        assertFalse(PlotFigure.json(bars()).matches(".*[<>&].*"), "nothing that HTML looks for");
    }

    @Test
    void shouldLeaveOutPointsThatNobodyCanTellApart() throws Exception {
        final double[] many = new double[100_000];
        Arrays.setAll(many, i -> i);
        final JsonNode json = new ObjectMapper().readTree(PlotFigure.json(
            new Plot("many", "Many", "x", "share").addShares("all", many)));
        final JsonNode points = json.get("lines").get(0).get("points");
        assertTrue(points.size() > 1_000 && points.size() < 5_000, "points: " + points.size());
        assertEquals("[99999,1]", points.get(points.size() - 1).toString());
    }

    @Test
    void shouldDrawAPictureWithoutScripts() throws Exception {
        final String svg = PlotFigure.svg(bars());
        final var document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)));
        assertEquals("svg", document.getDocumentElement().getTagName());
        final String text = document.getDocumentElement().getTextContent();
        for (final String word : List.of("Drops by <reason> & fabric", "reason", "cells", "late", "full", "Shale",
            "Shoal, paper", "Horizontal: reason, late, full. Vertical: cells, 0 to 8. 3 shown:")) {
            assertTrue(text.contains(word), word);
        }
        assertEquals(3 + 2, svg.split("<rect class=\"bar\"", -1).length - 1, "bars, and those of the legend");
        assertEquals(1, svg.split("class=\"interval\"", -1).length - 1);
        assertEquals(2, svg.split("class=\"stroke\"", -1).length - 1, "of the paper");
        assertFalse(svg.contains("NaN"));
    }

    @Test
    void shouldListItsNumbers() {
        assertEquals(List.of("reason", "Shale", "Shoal", "Shoal, paper"), PlotText.heads(bars()));
        assertEquals(List.of(List.of("late", "3 (2 to 4)", "", "4"), List.of("full", "8", "5", "6")),
            PlotText.rows(bars()));
        assertEquals("""
            line,x,y,low,high
            Shale,0.0,3.0,2.0,4.0
            Shale,1.0,8.0,,
            Shoal,0.0,NaN,,
            Shoal,1.0,5.0,,
            "Shoal, paper",0.0,4.0,,
            "Shoal, paper",1.0,6.0,,
            """, PlotText.csv(bars()));
        assertThrows(IllegalArgumentException.class, () -> bars().add("x", Style.LINE, XS, new double[1]));
    }

    @Test
    void shouldShowStepsWhereTheyHold() {
        final Plot plot = new Plot("steps", "Steps", "x", "y").add("a", Style.STEPS, new double[] {0, 10, 20},
            new double[] {1, 2, 3}).add("b", Style.DOTS, new double[] {5, 10}, new double[] {7, 8});
        assertEquals(List.of(List.of("0", "1", ""), List.of("5", "1", "7"), List.of("10", "2", "8"),
            List.of("20", "3", "")), PlotText.rows(plot));
    }

    @Test
    void shouldLabelRareSharesByPowersOfTen() {
        assertEquals(List.of("1e-7", "1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1"),
            labels(Axis.log("share", 1e-7, 1)));
        assertEquals("2.5e-4", PlotText.tick(0.00025));
        assertEquals("-2e-10", PlotText.tick(-2e-10));
    }

    @Test
    void shouldShipALibraryThatAPageCanHold() {
        final String library = PlotFigure.library();
        assertTrue(library.length() > 700_000 && library.contains("vegaLite")
            && library.contains("University of Washington"));
        assertFalse(library.contains("]]>") || library.toLowerCase(Locale.ROOT).contains("</script"));
    }

    private static List<String> labels(final Axis axis) {
        final List<String> labels = new ArrayList<>();
        for (int i = 0; i < axis.ticks().size(); i++) {
            labels.add(axis.labels().get(i));
        }
        return labels;
    }
}
