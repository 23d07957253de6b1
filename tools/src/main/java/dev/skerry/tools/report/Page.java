package dev.skerry.tools.report;

import dev.skerry.tools.plot.Markup;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.PlotFigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * A page as a self-contained file: it includes its scripts, and its content security policy blocks all network access.
 * It is HTML and well-formed XML, supports light and dark colour schemes, and can be printed. A method closes the
 * elements that it opens, except {@link #section} and {@link #columns}. Not thread-safe.
 */
public final class Page {
    /** Blocks all requests. {@code unsafe-eval} is needed because Vega compiles the expressions of a specification. */
    private static final String POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
        + "style-src 'unsafe-inline'; img-src data: blob:";
    /**
     * Style for light and dark schemes and for print, with one set of colours and the reader's own fonts. It must not
     * contain characters that XML escapes.
     */
    static final String STYLE = PlotFigure.resource(Page.class, "page.css");
    /** Marks each table that is wider than its container, so that the style sheet can show that it scrolls. */
    private static final String WIDE_TABLES = "for (const box of document.querySelectorAll('.scroll')) new "
        + "ResizeObserver(() => box.classList.toggle('wide', box.scrollWidth - box.clientWidth > 1)).observe(box);";

    private final Markup out = new Markup();
    private final Machine machine;
    private boolean hasPlots;
    private boolean hasTables;
    private boolean inColumns;

    /**
     * Creates a page without content.
     *
     * @param title title of the page, shown by the browser.
     */
    public Page(final String title) {
        this(title, Machine.here());
    }

    Page(final String title, final Machine machine) {
        this.machine = machine;
        out.doctype().open("html", "lang", "en").open("head")
            .empty("meta", "charset", "utf-8")
            .empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
            .empty("meta", "http-equiv", "Content-Security-Policy", "content", POLICY)
            .element("title", Summary.clean(title))
            .element("style", PlotFigure.STYLE + STYLE)
            .close().open("body").open("main");
    }

    /** Writes the title of the page, with its kind above. */
    public Page heading(final String kind, final String name) {
        out.element("p", kind, "class", "eyebrow").element("h1", Summary.clean(name));
        return this;
    }

    /** Writes a warning that applies to the whole page. */
    public Page alert(final String sentence) {
        out.element("p", Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1), "class", "partial", "role",
            "alert");
        return this;
    }

    /** Writes a paragraph. */
    public Page text(final String sentences) {
        out.element("p", Summary.clean(sentences), "class", "soft");
        return this;
    }

    /** Writes a command with its options. Lines may break only between options. */
    public Page command(final String command, final List<String> options) {
        out.open("pre").open("code").element("span", command);
        for (final String option : options) {
            out.text(" ").element("span", option);
        }
        out.close().close();
        return this;
    }

    /** Opens a section, which {@link #end} closes. */
    public Page section(final String title, final String note) {
        out.open("section").element("h2", title).element("p", note, "class", "soft");
        return this;
    }

    /** Closes the innermost section or columns. */
    public Page end() {
        out.close();
        inColumns = false;
        return this;
    }

    /** Opens columns side by side, which {@link #end} closes. */
    public Page columns() {
        out.open("div", "class", "pair");
        inColumns = true;
        return this;
    }

    /** Writes the reason why there are no data. */
    public Page none(final String why) {
        out.element("p", why, "class", "none");
        return this;
    }

    /**
     * Writes a table. All rows have as many cells as there are heads; with {@code total}, the last row is emphasised.
     */
    public Page table(final List<String> heads, final List<List<String>> rows, final boolean total) {
        hasTables = true;
        out.open("div", "class", "scroll").open("table").heads(heads).open("tbody");
        for (int i = 0; i < rows.size(); i++) {
            out.open("tr", "class", total && i == rows.size() - 1 ? "total" : "");
            for (final String cell : rows.get(i)) {
                out.element("td", Summary.clean(cell));
            }
            out.close();
        }
        out.close().close().close();
        return this;
    }

    /**
     * An emphasised number.
     *
     * @param name  its name.
     * @param value the number, or a word.
     * @param note  its unit and further remarks.
     */
    public record Tile(String name, String value, String note) {
    }

    /** Writes emphasised numbers side by side. */
    public Page tiles(final List<Tile> tiles) {
        out.open("dl", "class", "tiles");
        for (final Tile tile : tiles) {
            out.open("div").element("dt", tile.name).element("dd", tile.value)
                .element("dd", tile.note, "class", "small").close();
        }
        out.close();
        return this;
    }

    /** Writes a plot, with its numbers in a collapsible table. */
    public Page plot(final Plot plot) {
        PlotFigure.write(out, plot, inColumns);
        hasPlots = true;
        return this;
    }

    /** Returns the markup of the page, for callers that write elements of their own. */
    Markup markup() {
        return out;
    }

    /** Returns the finished page, to be stored in UTF-8. */
    public String finish() {
        out.element("footer", "Written by skerry, " + machine.when() + ". Speed measured on " + machine.cpu() + ", "
            + machine.cores() + " logical cores, JDK " + machine.jdk() + "."
            + (hasPlots ? " Plots by Vega and Vega-Lite (BSD-3-Clause)." : ""));
        out.close();
        if (hasTables) {
            out.script(WIDE_TABLES);
        }
        if (hasPlots) {
            out.script(PlotFigure.library()).script(PlotFigure.plots());
        }
        out.close().close();
        return out.finish();
    }

    /**
     * Place and time of a run, without which a speed cannot be interpreted.
     *
     * @param when    date and time in UTC.
     * @param jdk     version and vendor of the JVM.
     * @param system  operating system.
     * @param cpu     processor model.
     * @param cores   logical cores available to the process.
     * @param heapMiB maximum heap size in MiB.
     */
    record Machine(String when, String jdk, String system, String cpu, int cores, long heapMiB) {
        private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

        /** Returns this machine and the present time. */
        static Machine here() {
            final Runtime runtime = Runtime.getRuntime();
            return new Machine(
                DateTimeFormatter.ISO_INSTANT.format(ZonedDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS)),
                property("java.runtime.version") + ", " + property("java.vm.name") + ", " + property("java.vendor"),
                property("os.name") + " " + property("os.version") + ", " + property("os.arch"),
                cpuModel(), runtime.availableProcessors(), runtime.maxMemory() >> 20);
        }

        private static String property(final String key) {
            return System.getProperty(key, "unknown");
        }

        /** Returns the processor model on Linux; on other systems, the architecture. */
        private static String cpuModel() {
            try (var lines = Files.lines(CPU_INFO)) {
                return lines.filter(line -> line.startsWith("model name") && line.indexOf(':') > 0)
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst().orElseGet(() -> property("os.arch"));
            } catch (final IOException | UncheckedIOException e) {
                return property("os.arch");
            }
        }
    }
}
