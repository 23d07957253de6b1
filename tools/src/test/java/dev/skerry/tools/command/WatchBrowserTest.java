package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The page of {@code watch} beside a run and beside packets, each in a process of its own, in a real Chromium. */
@Tag("long")
@Timeout(300)
final class WatchBrowserTest {
    private static final String LIVE = "live --fabric shoal --nodes 8 --warm-up 0 --duration 100000 "
        + "--port 0=gen:64B,20kpps,to=3 --port 3=gen:64B,20kpps,to=0 --dir ";
    private static final String RUN = "run --nodes 16 --workload permutation --slots 100000000000 --publish ";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {RUN, LIVE})
    void shouldShowWhatRuns(final String line) throws Exception {
        assumeTrue(Browser.isThere(), "chromium and chromium-driver are not installed");
        final Process fabric = Invocation.start(line + folder);
        final Process watch = Invocation.start("watch --dir " + folder);
        try (BufferedReader said = new BufferedReader(new InputStreamReader(watch.getInputStream(),
            StandardCharsets.UTF_8)); Browser browser = Browser.start()) {
            final String address = said.readLine();
            for (final int width : new int[] {1300, 390}) {
                for (final boolean dark : new boolean[] {false, true}) {
                    browser.look(width, 900, dark);
                    browser.open(address);
                    browser.await("Number(document.documentElement.dataset.ticks) >= 3");
                    assertTrue(fabric.isAlive());
                    assertEquals(List.of(), browser.console());
                    assertTrue(browser.requests().stream().allMatch(asked -> asked.startsWith(address)));
                    assertTrue(browser.value("document.documentElement.scrollWidth").asInt() <= width);
                    for (final String chart : List.of("throughput", "queues", "latency", "speed")) {
                        assertTrue(browser.value("document.querySelectorAll('#" + chart + " .role-axis-label').length")
                            .asInt() >= 2, chart);
                    }
                    assertTrue(browser.value("document.querySelectorAll('#now dd').length").asInt() >= 6);
                }
            }
            final String slot = browser.value("document.getElementById('slot').textContent").asText();
            assertTrue(slot.matches("Slot [0-9,]+, [0-9]+ of an epoch of [0-9]+: a row for each of (16|8) senders, .*"),
                slot);
            browser.await("document.getElementById('slot').textContent !== '" + slot + "'");
            assertTrue(browser.value("document.querySelector('#process option').textContent").asText()
                .contains(line.startsWith("run") ? "run --nodes 16" : "live "));
            fabric.destroyForcibly().waitFor();
            browser.await("document.getElementById('state').textContent.startsWith('No fabric is running')");
            watch.destroyForcibly().waitFor();
            browser.await("document.getElementById('state').textContent.startsWith('The server does not answer')");
        } finally {
            fabric.destroyForcibly().waitFor();
            watch.destroyForcibly().waitFor();
        }
    }
}
