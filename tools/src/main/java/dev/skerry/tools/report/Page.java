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
 * One page that needs nothing else: its scripts are in it, and it forbids the browser to ask the network for anything.
 * It is HTML and well-formed XML, follows a light or dark screen, and prints. What is opened by a method is closed by
 * it, but for {@link #section} and {@link #columns}. One thread.
 */
public final class Page {
    /** Nothing may be fetched, from anywhere. Vega compiles the expressions of a specification. */
    private static final String POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
        + "style-src 'unsafe-inline'; img-src data: blob:";
    /** Light, dark and print from one set of colours; the reader's own fonts. Without characters that XML escapes. */
    static final String STYLE = PlotFigure.resource(Page.class, "page.css");
    /** Marks each table that is wider than its place, so that the style sheet can say that it scrolls. */
    private static final String WIDE_TABLES = "for (const box of document.querySelectorAll('.scroll')) new "
        + "ResizeObserver(() => box.classList.toggle('wide', box.scrollWidth - box.clientWidth > 1)).observe(box);";

    private final Markup out = new Markup();
    private final Machine machine;
    private boolean hasPlots;
    private boolean hasTables;
    private boolean inColumns;

    /**
     * A page without content.
     *
     * @param title of the page, for the browser.
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

    /** The name of the page, with what kind it is above. */
    public Page heading(final String kind, final String name) {
        out.element("p", kind, "class", "eyebrow").element("h1", Summary.clean(name));
        return this;
    }

    /** A warning that all of the page is under. */
    public Page alert(final String sentence) {
        out.element("p", Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1), "class", "partial", "role",
            "alert");
        return this;
    }

    /** A paragraph. */
    public Page text(final String sentences) {
        out.element("p", Summary.clean(sentences), "class", "soft");
        return this;
    }

    /** A command and its options; a line may break between them only. */
    public Page command(final String command, final List<String> options) {
        out.open("pre").open("code").element("span", command);
        for (final String option : options) {
            out.text(" ").element("span", option);
        }
        out.close().close();
        return this;
    }

    /** A section, to be ended. */
    public Page section(final String title, final String note) {
        out.open("section").element("h2", title).element("p", note, "class", "soft");
        return this;
    }

    /** Ends what was opened last. */
    public Page end() {
        out.close();
        inColumns = false;
        return this;
    }

    /** Opens columns beside each other, to be ended. */
    public Page columns() {
        out.open("div", "class", "pair");
        inColumns = true;
        return this;
    }

    /** What stands where there is nothing to show. */
    public Page none(final String why) {
        out.element("p", why, "class", "none");
        return this;
    }

    /** A table: its heads, and rows of as many cells; the last row stands out if it is a total. */
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
     * A number that stands out.
     *
     * @param name  what it is.
     * @param value the number, or a word.
     * @param note  its unit, and what else belongs to it.
     */
    public record Tile(String name, String value, String note) {
    }

    /** Numbers that stand out, beside each other. */
    public Page tiles(final List<Tile> tiles) {
        out.open("dl", "class", "tiles");
        for (final Tile tile : tiles) {
            out.open("div").element("dt", tile.name).element("dd", tile.value)
                .element("dd", tile.note, "class", "small").close();
        }
        out.close();
        return this;
    }

    /** A plot, with its numbers as a table that opens. */
    public Page plot(final Plot plot) {
        PlotFigure.write(out, plot, inColumns);
        hasPlots = true;
        return this;
    }

    /** What the page is still written to by those who know its elements. */
    Markup markup() {
        return out;
    }

    /** The finished page, to be stored as UTF-8. */
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
     * Where and when a run was made: without it a speed means nothing.
     *
     * @param when    date and time, UTC.
     * @param jdk     version and maker of the virtual machine.
     * @param system  operating system.
     * @param cpu     model of the processor.
     * @param cores   logical processors the process may use.
     * @param heapMiB largest heap, MiB.
     */
    record Machine(String when, String jdk, String system, String cpu, int cores, long heapMiB) {
        private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

        /** This machine, now. */
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

        /** Linux tells the model; elsewhere the architecture has to do. */
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
