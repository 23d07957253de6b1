package dev.skerry.tools.report;

import java.util.ArrayList;
import java.util.List;

/**
 * One line chart as inline SVG. Colours and fonts come from the page's style sheet by class ({@link ReportStyle}), so a
 * chart follows light, dark and print. No AWT, no fonts, no scripts. One thread.
 */
final class Chart {
    /** How a series is drawn. */
    enum Mark {
        /** Straight lines with a dot at every value, which tells its number when pointed at. */
        DOTS,
        /** Straight lines. */
        LINE,
        /** Every value holds until the next x. */
        STEPS,
        /** A dashed line for a bound or a promise. */
        BOUND
    }

    /** One line; y may hold NaN, which interrupts it. Its style class decides the colour. */
    record Series(String name, Mark mark, String style, double[] x, double[] y) {
    }

    static final int WIDE = 960;
    static final int NARROW = 460;

    private static final int HEIGHT = 340;
    private static final int LEFT = 52;
    private static final int RIGHT = 18;
    private static final int TOP = 40;
    private static final int BOTTOM = 46;
    private static final double LETTER = 6.6;
    private static final int LEGEND_SAMPLE = 22;
    private static final int LEGEND_GAP = 16;
    /** Points nearer than this to the last drawn one are left out: a CDF of millions stays a small page. */
    private static final double RESOLUTION = 0.7;

    private final String id;
    private final String title;
    private final int width;
    private final Axis x;
    private final Axis y;
    private final List<Series> series = new ArrayList<>();

    Chart(final String id, final String title, final int width, final Axis x, final Axis y) {
        this.id = id;
        this.title = title;
        this.width = width;
        this.x = x;
        this.y = y;
    }

    Chart add(final String name, final Mark mark, final String style, final double[] xs, final double[] ys) {
        series.add(new Series(name, mark, style, xs, ys));
        return this;
    }

    void draw(final Markup out) {
        out.open("div", "class", "chart")
            .open("svg", "viewBox", "0 0 " + width + " " + HEIGHT, "role", "img", "aria-labelledby", id + "-title",
                "style", "min-width:" + width * 2 / 3 + "px")
            .element("title", title, "id", id + "-title");
        axes(out);
        legend(out);
        for (final Series one : series) {
            line(out, one);
        }
        out.close().close();
    }

    private void axes(final Markup out) {
        final String left = at(LEFT);
        final String right = at(width - RIGHT);
        final String bottom = at(HEIGHT - BOTTOM);
        out.open("g", "class", "grid");
        for (final double tick : y.ticks()) {
            out.empty("line", "x1", left, "x2", right, "y1", at(top(tick)), "y2", at(top(tick)));
        }
        out.close().open("g", "class", "axis");
        out.empty("line", "x1", left, "x2", right, "y1", bottom, "y2", bottom);
        for (final double tick : x.ticks()) {
            out.empty("line", "x1", at(left(tick)), "x2", at(left(tick)), "y1", bottom,
                "y2", at(HEIGHT - BOTTOM + 5));
        }
        out.close().open("g", "class", "ticks");
        for (int i = 0; i < y.ticks().size(); i++) {
            out.element("text", y.label(i), "x", at(LEFT - 8), "y", at(top(y.ticks().get(i)) + 4),
                "text-anchor", "end");
        }
        for (int i = 0; i < x.ticks().size(); i++) {
            out.element("text", x.label(i), "x", at(left(x.ticks().get(i))), "y", at(HEIGHT - BOTTOM + 19),
                "text-anchor", "middle");
        }
        out.close().open("g", "class", "titles")
            .element("text", y.title(), "x", "0", "y", "16")
            .element("text", x.title(), "x", right, "y", at(HEIGHT - 6), "text-anchor", "end")
            .close();
    }

    /** Right of the y axis' title, from the right edge; nothing to tell apart needs no legend. */
    private void legend(final Markup out) {
        if (series.size() < 2) {
            return;
        }
        double total = -LEGEND_GAP;
        for (final Series one : series) {
            total += LEGEND_SAMPLE + one.name().length() * LETTER + LEGEND_GAP;
        }
        double place = width - RIGHT - total;
        out.open("g", "class", "legend");
        for (final Series one : series) {
            out.empty("line", "class", style(one), "x1", at(place), "x2", at(place + LEGEND_SAMPLE - 6),
                "y1", "12", "y2", "12");
            out.element("text", one.name(), "x", at(place + LEGEND_SAMPLE), "y", "16");
            place += LEGEND_SAMPLE + one.name().length() * LETTER + LEGEND_GAP;
        }
        out.close();
    }

    private void line(final Markup out, final Series one) {
        final StringBuilder path = new StringBuilder();
        double lastX = Double.NaN;
        double lastY = Double.NaN;
        final int last = one.x().length - 1;
        for (int i = 0; i <= last; i++) {
            final double px = left(one.x()[i]);
            final double py = top(one.y()[i]);
            if (Double.isNaN(py)) {
                lastX = Double.NaN;
                continue;
            }
            if (Double.isNaN(lastX)) {
                path.append('M').append(at(px)).append(' ').append(at(py));
            } else if (i < last && Math.abs(px - lastX) < RESOLUTION && Math.abs(py - lastY) < RESOLUTION) {
                continue;
            } else if (one.mark() == Mark.STEPS) {
                path.append('H').append(at(px)).append('V').append(at(py));
            } else {
                path.append('L').append(at(px)).append(' ').append(at(py));
            }
            lastX = px;
            lastY = py;
        }
        out.empty("path", "class", style(one), "d", path.toString());
        if (one.mark() == Mark.DOTS) {
            dots(out, one);
        }
    }

    private void dots(final Markup out, final Series one) {
        out.open("g", "class", "dot " + one.style());
        for (int i = 0; i < one.x().length; i++) {
            if (!Double.isNaN(one.y()[i])) {
                out.open("circle", "cx", at(left(one.x()[i])), "cy", at(top(one.y()[i])), "r", "3.2")
                    .element("title", one.name() + ": " + Numbers.plain(one.y()[i]))
                    .close();
            }
        }
        out.close();
    }

    private static String style(final Series one) {
        return (one.mark() == Mark.BOUND ? "line bound " : "line ") + one.style();
    }

    private double left(final double value) {
        return LEFT + x.place(value) * (width - LEFT - RIGHT);
    }

    private double top(final double value) {
        return Double.isNaN(value) ? value : HEIGHT - BOTTOM - y.place(value) * (HEIGHT - TOP - BOTTOM);
    }

    /** A coordinate to a tenth. */
    private static String at(final double value) {
        final long tenths = Math.round(value * 10);
        return tenths % 10 == 0 ? Long.toString(tenths / 10) : Double.toString(tenths / 10.0);
    }
}
