package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.command.Browser;
import dev.skerry.tools.command.Invocation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes the pictures of {@code docs/img}: {@code .ci/screenshots} asks for it. */
@Tag("long")
@Timeout(7200)
@EnabledIfSystemProperty(named = "skerry.screenshots", matches = ".+")
final class ScreenshotsTest {
    private static final Path OUT = Path.of(System.getProperty("skerry.screenshots", "."));

    @TempDir
    private Path folder;

    @Test
    void shouldTakeThem() throws Exception {
        Files.createDirectories(OUT);
        final Map<String, Path> pages = new TreeMap<>();
        page(pages, "run", "run");
        page(pages, "compare", "compare --nodes 64");
        page(pages, "figure-shale", "figures shale-fig10 --quick");
        page(pages, "figure-shoal", "figures shoal-rates --quick");
        page(pages, "figure-stardust", "figures stardust-fig11 --quick");
        if (isAskedFor("sweep")) {
            final Path sweep = folder.resolve("sweep");
            run("sweep --nodes 64 --slots 20000 --set load=0.05:0.25:0.05 --set cc=none,hbh,hbh+spray --seeds 1-3 "
                + "--out " + sweep);
            run("sweep report " + sweep);
            pages.put("sweep", sweep.resolve("report.html"));
        }
        try (Browser browser = Browser.start()) {
            for (final Map.Entry<String, Path> page : pages.entrySet()) {
                for (final Look look : Look.ALL) {
                    browser.look(look.width, look.height, look.dark);
                    browser.open(page.getValue().toUri().toString());
                    browser.await("document.documentElement.dataset.drawn > 0");
                    if (!page.getKey().equals("run")) {
                        browser.value("document.querySelector('figure').closest('section').scrollIntoView()");
                    }
                    Files.write(OUT.resolve(page.getKey() + look.suffix()), browser.screenshot());
                }
            }
            if (isAskedFor("watch")) {
                watch(browser);
            }
        }
    }

    private record Look(int width, int height, boolean dark) {
        private static final List<Look> ALL = List.of(new Look(1300, 900, false), new Look(1300, 900, true),
            new Look(390, 844, false), new Look(390, 844, true));

        String suffix() {
            return "-" + width + (dark ? "-dark" : "-light") + ".png";
        }
    }

    private static boolean isAskedFor(final String page) {
        final String pages = System.getProperty("skerry.screenshots.pages", "");
        return pages.isEmpty() || List.of(pages.split(" ")).contains(page);
    }

    private void page(final Map<String, Path> pages, final String name, final String line) {
        if (isAskedFor(name)) {
            final Path out = folder.resolve(name);
            run(line + " --out " + out);
            pages.put(name, out.resolve("report.html"));
        }
    }

    private static void run(final String line) {
        final Invocation run = Invocation.ofLine(line);
        assertTrue(run.code() == 0 || run.err().contains("miss a rule"), run.err());
    }

    private void watch(final Browser browser) throws IOException, InterruptedException {
        final Process fabric = Invocation.start("run --nodes 64 --load 0.2 --slots 100000000 --publish "
            + folder);
        final Process watch = Invocation.start("watch --dir " + folder);
        try (BufferedReader said = new BufferedReader(new InputStreamReader(watch.getInputStream(),
            StandardCharsets.UTF_8))) {
            browser.look(1300, 900, false);
            browser.open(said.readLine());
            browser.await("Number(document.documentElement.dataset.ticks) >= 25");
            for (final Look look : Look.ALL) {
                browser.look(look.width, look.height, look.dark);
                final String ticks = browser.value("document.documentElement.dataset.ticks").asText();
                browser.await("Number(document.documentElement.dataset.ticks) >= 2 + " + ticks);
                Files.write(OUT.resolve("watch" + look.suffix()), browser.screenshot());
            }
        } finally {
            fabric.destroyForcibly().waitFor();
            watch.destroyForcibly().waitFor();
        }
    }
}
