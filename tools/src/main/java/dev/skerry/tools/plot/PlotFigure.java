package dev.skerry.tools.plot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.tools.plot.Plot.Axis;
import dev.skerry.tools.plot.Plot.Line;
import dev.skerry.tools.plot.Plot.Style;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a plot on a page, for scripts, without them, in print, by keyboard, and for screen readers. Also holds the
 * style of plots, light and dark, and the programs that draw them: Vega and Vega-Lite as their authors publish them,
 * and Skerry's. Pure functions; any thread.
 */
public final class PlotFigure {
    /** Number of colours of lines, {@code --s0} and so on; further lines reuse them from the first. */
    static final int COLOURS = 10;

    /** Style of a picture in a separate file: light. */
    static final String FILE_STYLE = resource(PlotFigure.class, "picture.css");

    /** Style of a page's plots, light or dark like the screen, light in print; without characters that XML escapes. */
    public static final String STYLE = FILE_STYLE + resource(PlotFigure.class, "figure.css");

    private static final String HIDDEN = "hidden";
    /** Number of distinct places on an axis; points nearer to each other are left out. */
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
        out.open("details").element("summary", "Values of this plot")
            .open("div", "class", "scroll").open("table").element("caption", plot.title(), "class", "soft")
            .heads(PlotText.heads(plot)).open("tbody");
        for (final List<String> row : PlotText.rows(plot)) {
            out.open("tr");
            for (int i = 0; i < row.size(); i++) {
                out.element(i == 0 ? "th" : "td", row.get(i), i == 0 ? new String[] {"scope", "row"} : new String[0]);
            }
            out.close();
        }
        out.close().close().close().close();
    }

    /** Returns the picture as a separate file, light, for papers and for programs without scripts. */
    public static String svg(final Plot plot) {
        final Markup out = new Markup();
        new StaticPlot(plot, StaticPlot.WIDE, out).draw(true);
        return out.finish();
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

    /** Returns a plot as one line of JSON for {@code plots.js}, which may stand unescaped in an element of HTML. */
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

    /** Appends a number, or null for a value without a place on the axis. */
    private static void number(final StringBuilder out, final double value, final Axis axis) {
        if (!Double.isFinite(value) || axis.logarithmic() && value <= 0) {
            out.append("null");
        } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            out.append((long) value);
        } else {
            out.append(value);
        }
    }

    /** Returns a text in quotes, without special characters of HTML or XML. */
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
     * Returns the library, to be placed before {@link #plots}.
     *
     * @return its licence and its program, without text that would end an element of HTML or a section of XML early.
     */
    public static String library() {
        // Changes a comparison that XML reads as the end of a section.
        return "/*\n" + resource(PlotFigure.class, "vega-licence.txt") + "*/\n"
            + (resource(PlotFigure.class, "vega.min.js") + "\n"
            + resource(PlotFigure.class, "vega-lite.min.js")).replace("]]>", "]] >");
    }

    /** Returns the program that draws each plot of a page. */
    public static String plots() {
        return resource(PlotFigure.class, "plots.js");
    }

    /** Returns a text resource beside a class. */
    public static String resource(final Class<?> beside, final String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not in the build; mvn package adds it");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A plot as SVG without scripts: the picture of a page in print and with scripts off, and a file next to the page.
     * It shows the same as {@code plots.js}, on the same axes and in the same colours, which come from a style sheet by
     * class ({@link PlotFigure}). It needs neither AWT nor fonts. One thread.
     */
    private static final class StaticPlot {
        static final int WIDE = 760;
        static final int NARROW = 420;

        private static final int HEIGHT = 300;
        private static final int LEFT = 66;
        private static final int RIGHT = 14;
        private static final int TOP = 32;
        private static final int BOTTOM = 42;
        private static final int ROW = 18;
        private static final double LETTER = 6.6;
        private static final int SAMPLE = 24;
        /**
         * Points nearer than this to the last drawn one are left out, so that a CDF of millions of values stays a small
         * picture.
         */
        private static final double RESOLUTION = 0.7;
        private static final double GROUP = 0.8;

        private final Plot plot;
        private final int width;
        private final Axis x;
        private final Axis y;
        private final Markup out;

        StaticPlot(final Plot plot, final int width, final Markup out) {
            this.plot = plot;
            this.width = width;
            this.x = plot.xAxis();
            this.y = plot.yAxis();
            this.out = out;
        }

        /** Draws it into a page, or as a file. */
        void draw(final boolean alone) {
            final List<List<String>> legend = legendRows();
            final int height = HEIGHT + legend.size() * ROW;
            final String size = "0 0 " + width + " " + height;
            final String id = plot.id() + "-title";
            if (alone) {
                out.open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", at(width), "height", at(height),
                    "viewBox",
                    size, "role", "img", "aria-labelledby", id);
            } else {
                out.open("svg", "viewBox", size, "role", "img", "aria-labelledby", id);
            }
            out.element("title", plot.title(), "id", id).element("desc", PlotText.description(plot));
            if (alone) {
                out.element("style", PlotFigure.FILE_STYLE)
                    .empty("rect", "class", "paper", "width", at(width), "height", at(height));
            }
            out.open("g", "class", "picture").element("text", plot.title(), "class", "title", "x", "0", "y", "15");
            axes();
            legend(legend);
            plot.lines().forEach(this::line);
            out.close().close();
        }

        private void axes() {
            final String left = at(LEFT);
            final String right = at(width - RIGHT);
            final String bottom = at(HEIGHT - BOTTOM);
            out.open("g", "class", "grid");
            for (final double tick : y.ticks()) {
                out.empty("line", "x1", left, "x2", right, "y1", at(top(tick)), "y2", at(top(tick)));
            }
            out.close().open("g", "class", "axis").empty("line", "x1", left, "x2", right, "y1", bottom, "y2", bottom);
            for (final double tick : x.ticks()) {
                out.empty("line", "x1", at(left(tick)), "x2", at(left(tick)), "y1", bottom, "y2",
                    at(HEIGHT - BOTTOM + 5));
            }
            out.close();
            for (int i = 0; i < y.ticks().size(); i++) {
                out.element("text", y.labels().get(i), "x", at(LEFT - 7), "y", at(top(y.ticks().get(i)) + 4),
                    "text-anchor",
                    "end");
            }
            for (int i = 0; i < x.ticks().size(); i++) {
                out.element("text", x.labels().get(i), "x", at(left(x.ticks().get(i))), "y", at(HEIGHT - BOTTOM + 18),
                    "text-anchor", "middle");
            }
            final double middle = (TOP + HEIGHT - BOTTOM) / 2.0;
            out.element("text", y.title(), "class", "name", "text-anchor", "middle",
                    "transform", "translate(14 " + at(middle) + ") rotate(-90)")
                .element("text", x.title(), "class", "name", "text-anchor", "middle",
                    "x", at((LEFT + width - RIGHT) / 2.0), "y", at(HEIGHT - 6));
        }

        /** Returns the rows of names that fit beside each other; a single line needs no legend. */
        private List<List<String>> legendRows() {
            final List<List<String>> rows = new ArrayList<>();
            double place = width;
            for (final Line line : plot.lines().size() < 2 ? List.<Line>of() : plot.lines()) {
                final String name = PlotText.legend(line);
                final double length = SAMPLE + name.length() * LETTER + SAMPLE;
                if (place + length > width - RIGHT) {
                    rows.add(new ArrayList<>());
                    place = LEFT;
                }
                rows.getLast().add(name);
                place += length;
            }
            return rows;
        }

        private void legend(final List<List<String>> rows) {
            int line = 0;
            for (int row = 0; row < rows.size(); row++) {
                double place = LEFT;
                final double height = HEIGHT + row * ROW + 8.0;
                for (final String name : rows.get(row)) {
                    final Line of = plot.lines().get(line++);
                    out.open("g", "class", style(of));
                    if (of.style() == Style.BARS) {
                        out.empty("rect", "class", "bar", "x", at(place), "y", at(height - 5), "width", "16", "height",
                            "10");
                    } else if (of.style() != Style.PUBLISHED || plot.has(Style.BARS)) {
                        out.empty("path", "class", "line", "d", "M" + at(place) + " " + at(height) + "h16");
                    }
                    if (!plot.has(Style.BARS)) {
                        mark(of, place + 8, height);
                    }
                    out.close().element("text", name, "class", "name", "x", at(place + SAMPLE), "y", at(height + 4));
                    place += SAMPLE + name.length() * LETTER + SAMPLE;
                }
            }
        }

        private void line(final Line line) {
            out.open("g", "class", style(line));
            final boolean beside = line.style() == Style.BARS || line.style() == Style.PUBLISHED
                && plot.has(Style.BARS);
            if (!beside && line.style() != Style.PUBLISHED) {
                out.empty("path", "class", "line", "d", path(line));
            }
            for (int i = 0; i < line.x().length; i++) {
                final double py = top(line.y()[i]);
                final double px = beside ? bar(line, i, py) : left(line.x()[i]);
                if (line.hasInterval(i)) {
                    final double low = top(Math.max(line.low()[i], y.low()));
                    final double high = top(line.high()[i]);
                    out.empty("path", "class", "interval", "d", "M" + at(px - 4) + " " + at(low) + "h8M" + at(px) + " "
                        + at(low) + "V" + at(high) + "M" + at(px - 4) + " " + at(high) + "h8");
                }
                if (!Double.isNaN(py) && !beside) {
                    mark(line, px, py);
                }
            }
            out.close();
        }

        /** Draws a bar, or a published value as a stroke over it; returns its middle. */
        private double bar(final Line line, final int i, final double py) {
            final List<String> names = plot.coloured();
            final double step = (left(1) - left(0)) * GROUP / names.size();
            final double start = left(line.x()[i]) + (Math.max(0, names.indexOf(line.name())) - names.size() / 2.0)
                * step;
            if (!Double.isNaN(py) && line.style() == Style.PUBLISHED) {
                out.empty("path", "class", "stroke", "d", "M" + at(start) + " " + at(py) + "h" + at(step));
            } else if (!Double.isNaN(py)) {
                out.empty("rect", "class", "bar", "x", at(start + step * 0.06), "y", at(py), "width", at(step * 0.88),
                    "height", at(HEIGHT - BOTTOM - py));
            }
            return start + step / 2;
        }

        /** Draws a mark chosen by the line's place, like its colour. */
        private void mark(final Line line, final double px, final double py) {
            if (line.style() != Style.DOTS && line.style() != Style.PUBLISHED) {
                return;
            }
            final int shape = line.style() == Style.PUBLISHED ? 2 : plot.coloured().indexOf(line.name()) % 4;
            final String from = "M" + at(px) + " " + at(py);
            final String path = switch (shape) {
                case 0 -> from + "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z";
                case 1 -> from + "m-3.2 -3.2h6.4v6.4h-6.4z";
                case 2 -> from + "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z";
                default -> from + "m0 -4.2l4 7h-8z";
            };
            out.empty("path", "class", "mark", "d", path);
        }

        private String path(final Line line) {
            final StringBuilder path = new StringBuilder();
            double lastX = Double.NaN;
            double lastY = Double.NaN;
            final int last = line.x().length - 1;
            for (int i = 0; i <= last; i++) {
                final double px = left(line.x()[i]);
                final double py = top(line.y()[i]);
                if (Double.isNaN(py)) {
                    lastX = Double.NaN;
                    continue;
                }
                if (Double.isNaN(lastX)) {
                    path.append('M').append(at(px)).append(' ').append(at(py));
                } else if (i < last && Math.abs(px - lastX) < RESOLUTION && Math.abs(py - lastY) < RESOLUTION) {
                    continue;
                } else if (line.style() == Style.STEPS) {
                    path.append('H').append(at(px)).append('V').append(at(py));
                } else {
                    path.append('L').append(at(px)).append(' ').append(at(py));
                }
                lastX = px;
                lastY = py;
            }
            return path.toString();
        }

        private String style(final Line line) {
            final int colour = plot.coloured().indexOf(line.name());
            return (line.style() == Style.BOUND ? "bound " : line.style() == Style.PUBLISHED ? "published " : "")
                + (colour < 0 || line.style() == Style.BOUND ? "ink" : "s" + colour % PlotFigure.COLOURS);
        }

        private double left(final double value) {
            return LEFT + x.place(value) * (width - LEFT - RIGHT);
        }

        /** Returns NaN for a value without a place on the axis. */
        private double top(final double value) {
            return !Double.isFinite(value) || y.logarithmic() && value <= 0 ? Double.NaN
                : HEIGHT - BOTTOM - y.place(value) * (HEIGHT - TOP - BOTTOM);
        }

        /** Returns a coordinate to a tenth. */
        private static String at(final double value) {
            final long tenths = Math.round(value * 10);
            return tenths % 10 == 0 ? Long.toString(tenths / 10) : Double.toString(tenths / 10.0);
        }
    }
}
