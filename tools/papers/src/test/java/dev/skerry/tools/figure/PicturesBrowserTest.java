package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.tools.command.Browser;
import dev.skerry.tools.command.Invocation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The pages of every command in a real Chromium: on a wide screen and a phone, light and dark. */
@Tag("long")
@Timeout(600)
final class PicturesBrowserTest {
    /** What is cut off or lies outside: texts of pictures, by the boxes that the browser gives them. */
    private static final String CUT_OFF = """
        [...document.querySelectorAll('figure.plot .live svg')].flatMap(svg => {
          const outer = svg.getBoundingClientRect();
          return [...svg.querySelectorAll('text')].filter(text => {
            const box = text.getBoundingClientRect();
            return box.width > 0 && (box.left < outer.left - 1 || box.right > outer.right + 1
              || box.top < outer.top - 1 || box.bottom > outer.bottom + 1 || box.right > innerWidth + 1);
          }).map(text => text.textContent + ' of ' + svg.closest('figure').id);
        })""";
    private static final String WITHOUT_PARTS = """
        [...document.querySelectorAll('figure.plot')].filter(figure => {
          const plot = JSON.parse(figure.querySelector('script').textContent);
          const svg = figure.querySelector('.live svg');
          const names = [...svg.querySelectorAll('text')].map(text => text.textContent).join(' ');
          const has = words => words.split(' ').every(word => names.includes(word));
          const axes = [...svg.querySelectorAll('.role-axis-label')];
          return axes.length < 2 || axes.some(axis => axis.querySelectorAll('text').length < 2)
            || !has(plot.x.title) || !has(plot.y.title)
            || !has(plot.title) || plot.lines.length > 1 && plot.lines.some(line => !has(line.legend))
            || svg.querySelectorAll('.role-mark').length === 0;
        }).map(figure => figure.id)""";
    private static final Map<String, Path> PAGES = new TreeMap<>();

    @TempDir
    private static Path folder;
    private static Browser browser;

    @BeforeAll
    static void open() throws IOException {
        assumeTrue(Browser.isThere(), "chromium and chromium-driver are not installed");
        page("run", "run --nodes 16 --slots 4000 --drain --out ");
        page("stardust", "run --fabric stardust --topology n62 --workload incast --incast-senders 9 --slots 0 --out ");
        page("compare", "compare --nodes 16 --out ");
        page("figures", "figures shale-fig7 stardust-fig11 stardust-scaling shoal-rates --quick --out ");
        final Path sweep = folder.resolve("sweep");
        run("sweep --nodes 16 --slots 2000 --set load=0.1,0.2 --set tokens=1,2 --seeds 1-3 --out " + sweep);
        run("sweep report " + sweep);
        PAGES.put("sweep", sweep.resolve("report.html"));
        browser = Browser.start();
    }

    private static void page(final String name, final String line) {
        run(line + folder.resolve(name));
        PAGES.put(name, folder.resolve(name).resolve("report.html"));
    }

    private static void run(final String line) {
        final Invocation run = Invocation.ofLine(line);
        assertTrue(run.code() == 0 || run.err().contains("miss a rule"), run.err());
    }

    @AfterAll
    static void close() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @Test
    void shouldShowEveryPictureWholeAndAskForNothing() throws Exception {
        for (final Map.Entry<String, Path> page : PAGES.entrySet()) {
            for (final int width : new int[] {1300, 390}) {
                for (final boolean dark : new boolean[] {false, true}) {
                    final String where = page.getKey() + " at " + width + (dark ? ", dark" : "");
                    show(page.getValue(), width, dark);
                    assertEquals(List.of(), browser.console(), where);
                    assertEquals(List.of(page.getValue().toUri().toString()), browser.requests(), where);
                    assertEquals("[]", browser.value(CUT_OFF).toString(), where);
                    assertEquals("[]", browser.value(WITHOUT_PARTS).toString(), where);
                    assertTrue(browser.value("document.documentElement.scrollWidth").asInt() <= width, where);
                    assertEquals(dark ? "rgb(18, 23, 29)" : "rgb(255, 255, 255)",
                        browser.value("getComputedStyle(document.body).backgroundColor").asText(), where);
                }
            }
        }
    }

    private static void show(final Path page, final int width, final boolean dark) throws Exception {
        browser.look(width, 900, dark);
        browser.open(page.toUri().toString());
        browser.await("document.documentElement.dataset.drawn === String("
            + "document.querySelectorAll('figure.plot').length)");
        assertTrue(browser.value("document.querySelectorAll('figure.plot .live svg').length").asInt() > 0);
    }

    @Test
    void shouldBeReadAndZoomedByKeyboard() throws Exception {
        show(PAGES.get("compare"), 1300, false);
        final String live = "figure#throughput .live";
        browser.type(live, "\uE014\uE014");
        final String read = browser.value("document.querySelector('figure#throughput output').textContent").asText();
        assertTrue(read.matches("[0-9.,]+: Shoal [0-9.,]+, Shale [0-9.,]+, Stardust [0-9.,]+, fat tree [0-9.,]+"),
            "read: " + read + browser.value("document.activeElement.outerHTML").asText().substring(0, 200));
        final JsonNode before = labels();
        browser.type(live, "+");
        while (labels().equals(before)) {
            Thread.onSpinWait();
        }
        browser.type(live, "0");
        while (!labels().equals(before)) {
            Thread.onSpinWait();
        }
        assertEquals(List.of(), browser.console());
    }

    private static JsonNode labels() throws Exception {
        return browser.value("[...document.querySelectorAll('figure#throughput .role-axis-label')]"
            + ".map(label => label.textContent)");
    }

    @Test
    void shouldSaveEveryPictureAsWhatTheButtonSays() throws Exception {
        show(PAGES.get("run"), 1300, true);
        browser.value("(() => { window.saved = []; HTMLAnchorElement.prototype.click = function() { "
            + "const name = this.download; const put = text => saved.push([name, text]); "
            + "if (this.href.startsWith('data:')) { put(this.href.slice(0, 40)); } "
            + "else { const ask = new XMLHttpRequest(); put('blob'); } }; })()");
        browser.value("[...document.querySelectorAll('figure#fct button')].forEach(button => button.click())");
        browser.await("saved.length === 4");
        final String names = browser.value("saved.map(one => one[0] + '=' + one[1]).sort()").toString();
        assertEquals("[\"fct.csv=blob\",\"fct.png=data:image/png;base64,iVBORw0KGgoAAAANSU\","
            + "\"fct.svg=blob\",\"fct.vl.json=blob\"]", names);
        assertEquals(List.of(), browser.console());
    }

    /** A page is whole without scripts: each picture is drawn in it. */
    @Test
    void shouldHaveAPictureForPrint() throws Exception {
        final String page = Files.readString(PAGES.get("figures"));
        final int figures = page.split("<figure class=\"plot\"", -1).length - 1;
        assertTrue(figures > 3);
        assertEquals(figures, page.split("<div class=\"static\"><svg ", -1).length - 1);
        show(PAGES.get("figures"), 1300, true);
        assertNotEquals("none", browser.value("(() => { document.querySelector('.static').hidden = false; "
            + "return getComputedStyle(document.querySelector('.static')).display; })()").asText());
    }
}
