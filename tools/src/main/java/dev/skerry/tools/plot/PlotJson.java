package dev.skerry.tools.plot;

import java.util.List;

/** A plot as one line of JSON for {@code plots.js}. It may stand in an element of HTML as it is. Pure functions. */
final class PlotJson {
    /** Places of an axis that are told apart: points nearer to each other are left out. */
    private static final double RESOLUTION = 2000;

    private PlotJson() {
    }

    static String of(final Plot plot) {
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
            .append(places.stream().map(PlotJson::text).toList()).append('}');
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
}
