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
 * A page that is one self-contained file: its scripts are part of it, and it forbids the browser any request to the
 * network. It is HTML and well-formed XML, follows a light or dark screen, and can be printed. A method closes the
 * elements that it opens, except {@link #section} and {@link #columns}. One thread.
 */
public final class Page {
    /**
     * Forbids every request. {@code unsafe-eval} is needed because Vega compiles the expressions of a specification.
     */
    private static final String POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
        + "style-src 'unsafe-inline'; img-src data: blob:";
    /**
     * Style for light, dark and print from one set of colours, with the reader's own fonts. Without characters that XML
     * escapes.
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

    /** Writes the name of the page, with its kind above. */
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

    /** Writes a command and its options; a line may break only between these. */
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

    /** Closes the section or the columns that were opened last. */
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

    /** Writes the reason why there is nothing to show. */
    public Page none(final String why) {
        out.element("p", why, "class", "none");
        return this;
    }

    /** Writes a table of heads and of rows with as many cells; the last row is emphasised if it is a total. */
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
     * @param name its name.
     * @param value the number, or a word.
     * @param note its unit and further remarks.
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

    /** Writes a plot, with its numbers in a table that unfolds. */
    public Page plot(final Plot plot) {
        PlotFigure.write(out, plot, inColumns);
        hasPlots = true;
        return this;
    }

    /** Returns the markup of the page, for callers that write elements of their own. */
    Markup markup() {
        return out;
    }

    /** Returns the finished page, to be stored as UTF-8. */
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
     * Where and when a run was made; a speed means nothing without it.
     *
     * @param when date and time, UTC.
     * @param jdk version and vendor of the virtual machine.
     * @param system operating system.
     * @param cpu model of the processor.
     * @param cores logical processors available to the process.
     * @param heapMiB largest heap, MiB.
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

        /** Returns the model that Linux states; on other systems, the architecture. */
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
