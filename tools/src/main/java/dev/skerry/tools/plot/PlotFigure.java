package dev.skerry.tools.plot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A plot on a page: for scripts, without them, in print, by keyboard, and read aloud; the style of plots, light and
 * dark, and the programs that draw them: Vega and Vega-Lite as their authors publish them, and ours. Pure functions;
 * any thread.
 */
public final class PlotFigure {
    /** Colours of lines, {@code --s0} and so on; a further line begins again. */
    static final int COLOURS = 10;

    private static final String LIGHT = "--paper: #fff; --ink: #1b2430; --soft: #5b6776; --rule: #dfe4ea; "
        + "--s0: #0b62b5; --s1: #c2410c; --s2: #0f7f5c; --s3: #7a4fb5; --s4: #9d174d; --s5: #57534e; --s6: #0e7490; "
        + "--s7: #a16207; --s8: #4d7c0f; --s9: #be123c;";
    private static final String DARK = "--paper: #12171d; --ink: #e4e9ef; --soft: #98a4b3; --rule: #2b333d; "
        + "--s0: #62aef7; --s1: #f59358; --s2: #4fc79b; --s3: #b79af0; --s4: #f48fb9; --s5: #b5ada6; --s6: #5fd0e6; "
        + "--s7: #e0b84f; --s8: #a9cf5d; --s9: #ff8a9a;";

    private static final String PICTURE = """
        .picture text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif;
          fill: var(--soft); font-variant-numeric: tabular-nums; }
        .picture text.title { font-size: 13px; font-weight: 600; fill: var(--ink); }
        .picture text.name { fill: var(--ink); }
        .picture .grid line { stroke: var(--rule); stroke-width: 1; }
        .picture .axis line { stroke: var(--soft); stroke-width: 1; }
        .picture .line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
        .picture .bound .line { stroke-dasharray: 6 5; stroke-width: 1.6; }
        .picture .mark, .picture .bar { fill: var(--c); }
        .picture .published .mark { fill: var(--paper); stroke: var(--c); stroke-width: 1.6; }
        .picture .stroke { stroke: var(--ink); stroke-width: 2.5; }
        .picture .interval { fill: none; stroke: var(--c); stroke-width: 1.4; }
        .picture .bar ~ .interval { stroke: var(--ink); }
        .picture .s0 { --c: var(--s0); } .picture .s1 { --c: var(--s1); } .picture .s2 { --c: var(--s2); }
        .picture .s3 { --c: var(--s3); } .picture .s4 { --c: var(--s4); } .picture .s5 { --c: var(--s5); }
        .picture .s6 { --c: var(--s6); } .picture .s7 { --c: var(--s7); } .picture .s8 { --c: var(--s8); }
        .picture .s9 { --c: var(--s9); } .picture .ink { --c: var(--soft); }
        """;

    /** Style of a page's plots: without the characters that XML escapes. */
    public static final String STYLE = ":root { color-scheme: light dark; " + LIGHT + " }\n"
        + "@media (prefers-color-scheme: dark) { :root { " + DARK + " } }\n"
        + "@media print { :root { " + LIGHT + " } }\n" + PICTURE + """
        figure { margin: 1rem 0; position: relative; }
        figure svg { display: block; width: 100%; height: auto; }
        figure .live { position: relative; overflow: hidden; outline-offset: 2px; }
        figure .live svg { width: auto; }
        figure .cursor { position: absolute; width: 1px; background: var(--soft); pointer-events: none; }
        figure output { display: block; min-height: 1.5em; font-size: 0.8rem; color: var(--soft);
          font-variant-numeric: tabular-nums; }
        figure .tools { display: flex; flex-wrap: wrap; gap: 0.35rem; margin: 0.25rem 0; }
        figure button { font: inherit; font-size: 0.78rem; padding: 0.1rem 0.55rem; color: var(--ink);
          background: var(--paper); border: 1px solid var(--rule); border-radius: 5px; cursor: pointer; }
        figure button:hover { border-color: var(--soft); }
        figure details { font-size: 0.85rem; color: var(--soft); }
        figure [hidden] { display: none; }
        @media print { figure .live, figure output, figure .tools, figure details { display: none !important; }
          figure .static[hidden] { display: block; } figure { break-inside: avoid; margin: 0.4rem 0; } }
        """;

    /** Style of a picture that is a file of its own. */
    static final String FILE_STYLE = ":root { " + LIGHT + " }\n.paper { fill: var(--paper); }\n" + PICTURE;

    private static final String HIDDEN = "hidden";
    /** Places of an axis that are told apart: points nearer to each other are left out. */
    private static final double RESOLUTION = 2000;

    private PlotFigure() {
    }

    /**
     * Writes a figure.
     *
     * @param out    the page.
     * @param plot   the plot; its id is the figure's.
     * @param narrow whether it takes half of the page's width in print.
     */
    public static void write(final Markup out, final Plot plot, final boolean narrow) {
        out.open("figure", "class", "plot", "id", plot.id())
            .element("script", json(plot), "type", "application/json")
            .open("div", "class", "static");
        new StaticPlot(plot, narrow ? StaticPlot.NARROW : StaticPlot.WIDE, out).draw(false);
        out.close()
            .open("div", "class", "live", HIDDEN, HIDDEN, "tabindex", "0", "role", "application",
                "aria-roledescription", "plot", "aria-label", plot.title() + ". " + PlotText.description(plot)
                    + " Arrow keys read values, plus and minus zoom, zero shows all.")
            .close()
            .element("output", "", HIDDEN, HIDDEN, "aria-live", "polite")
            .open("div", "class", "tools", HIDDEN, HIDDEN).close();
        numbers(out, plot);
        out.close();
    }

    private static void numbers(final Markup out, final Plot plot) {
        out.open("details").element("summary", "Numbers of this picture")
            .open("div", "class", "scroll").open("table").element("caption", plot.title(), "class", "soft")
            .open("thead").open("tr");
        for (final String head : PlotText.heads(plot)) {
            out.element("th", head, "scope", "col");
        }
        out.close().close().open("tbody");
        for (final List<String> row : PlotText.rows(plot)) {
            out.open("tr");
            for (int i = 0; i < row.size(); i++) {
                out.element(i == 0 ? "th" : "td", row.get(i), i == 0 ? new String[] {"scope", "row"} : new String[0]);
            }
            out.close();
        }
        out.close().close().close().close();
    }

    /** The picture as a file of its own, light, for papers and for programs that know no scripts. */
    public static String svg(final Plot plot) {
        return StaticPlot.file(plot);
    }

    /**
     * Writes the picture of each plot as {@code ID.svg}.
     *
     * @throws IOException if a file cannot be written.
     */
    public static void writeAll(final List<Plot> plots, final Path folder) throws IOException {
        for (final Plot plot : plots) {
            Files.writeString(folder.resolve(plot.id() + ".svg"), svg(plot), UTF_8);
        }
    }

    /** A plot as one line of JSON for {@code plots.js}, which may stand in an element of HTML as it is. */
    static String json(final Plot plot) {
        final Axis x = plot.xAxis();
        final Axis y = plot.yAxis();
        final StringBuilder out = new StringBuilder(1 << 12);
        out.append("{\"id\":").append(text(plot.id())).append(",\"title\":").append(text(plot.title()))
            .append(",\"description\":").append(text(PlotText.description(plot)));
        axis(out.append(",\"x\":"), x, plot.places());
        axis(out.append(",\"y\":"), y, List.of());
        out.append(",\"lines\":[");
        for (int i = 0; i < plot.lines().size(); i++) {
            line(out.append(i == 0 ? "" : ","), plot.lines().get(i), x, y);
        }
        return out.append("]}").toString();
    }

    private static void axis(final StringBuilder out, final Axis axis, final List<String> places) {
        out.append("{\"title\":").append(text(axis.title())).append(",\"log\":").append(axis.logarithmic())
            .append(",\"low\":").append(axis.low()).append(",\"high\":").append(axis.high())
            .append(",\"ticks\":").append(axis.ticks()).append(",\"places\":")
            .append(places.stream().map(PlotFigure::text).toList()).append('}');
    }

    private static void line(final StringBuilder out, final Plot.Line line, final Axis x, final Axis y) {
        out.append("{\"name\":").append(text(line.name())).append(",\"legend\":").append(text(PlotText.legend(line)))
            .append(",\"style\":\"").append(line.style()).append("\",\"points\":[");
        double lastX = Double.NaN;
        double lastY = Double.NaN;
        final int last = line.x().length - 1;
        String comma = "";
        for (int i = 0; i <= last; i++) {
            final double px = x.place(line.x()[i]) * RESOLUTION;
            final double py = y.place(line.y()[i]) * RESOLUTION;
            if (i > 0 && i < last && Math.abs(px - lastX) < 1 && Math.abs(py - lastY) < 1) {
                continue;
            }
            out.append(comma).append('[');
            number(out, line.x()[i], x);
            number(out.append(','), line.y()[i], y);
            if (line.hasInterval(i)) {
                number(out.append(','), Math.max(y.low(), line.low()[i]), y);
                number(out.append(','), line.high()[i], y);
            }
            out.append(']');
            comma = ",";
            lastX = px;
            lastY = py;
        }
        out.append("]}");
    }

    /** A number, or null for what has no place on the axis. */
    private static void number(final StringBuilder out, final double value, final Axis axis) {
        if (!Double.isFinite(value) || axis.logarithmic() && value <= 0) {
            out.append("null");
        } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            out.append((long) value);
        } else {
            out.append(value);
        }
    }

    /** A text in quotes, without characters that HTML or XML look for. */
    static String text(final String text) {
        final StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c >= 0xd800 && c <= 0xdfff) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.append('"').toString();
    }

    /**
     * The library, to stand before {@link #plots}.
     *
     * @return its licence and its program, without what would end an element of HTML or a section of XML early.
     */
    public static String library() {
        // A comparison that XML takes for the end of a section.
        return "/*\n" + resource(PlotFigure.class, "vega-licence.txt") + "*/\n"
            + (resource(PlotFigure.class, "vega.min.js") + "\n"
            + resource(PlotFigure.class, "vega-lite.min.js")).replace("]]>", "]] >");
    }

    /** The program that draws each plot of a page. */
    public static String plots() {
        return resource(PlotFigure.class, "plots.js");
    }

    /** A text beside a class, which is part of the build. */
    public static String resource(final Class<?> beside, final String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not in the build; mvn package brings it");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
