package dev.skerry.tools.plot;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The programs that draw plots on a page: Vega and Vega-Lite as their authors publish them, and ours. */
public final class PlotScripts {
    private PlotScripts() {
    }

    /**
     * The library, to stand before {@link #plots}.
     *
     * @return its licence and its program, without what would end an element of HTML or a section of XML early.
     */
    public static String library() {
        // A comparison that XML takes for the end of a section.
        return "/*\n" + text("vega-licence.txt") + "*/\n"
            + (text("vega.min.js") + "\n" + text("vega-lite.min.js")).replace("]]>", "]] >");
    }

    /** The program that draws each plot of a page. */
    public static String plots() {
        return text("plots.js");
    }

    private static String text(final String name) {
        try (InputStream in = PlotScripts.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not in the build; mvn package brings it");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
