package dev.skerry.tools.plot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A plot on a page: for scripts, without them, in print, by keyboard, and read aloud. Pure function; any thread. */
public final class PlotFigure {
    private static final String HIDDEN = "hidden";

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
            .element("script", PlotJson.of(plot), "type", "application/json")
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
            Files.writeString(folder.resolve(plot.id() + ".svg"), svg(plot), StandardCharsets.UTF_8);
        }
    }
}
