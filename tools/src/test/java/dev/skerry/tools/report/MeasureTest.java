package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.tools.report.Page.Machine;
import dev.skerry.tools.report.RunResult.Measure;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Every report prints a measure that it has no place for: adding one touches no printer. */
class MeasureTest {
    private static final RunResult RESULT =
        with(new Measure("longestStall", "slots", 1234L, "longest stall of a link"));

    private static RunResult with(final Measure measure) {
        final RunResult some = Samples.small(false);
        final List<Measure> events = new ArrayList<>(some.events());
        events.add(measure);
        return new RunResult(some.settings(), some.terms(), false, some.totals(), some.flows(), some.nodes(),
            some.timeline(), events, some.latency(), List.of(), RunResult.Measured.ALL);
    }

    @Test
    void shouldReachJson() throws IOException {
        final JsonNode json = new ObjectMapper().readTree(Summary.of(RESULT).json());
        assertEquals(1234, json.get("events").get("longestStall").asLong());
    }

    @Test
    void shouldReachTheTerminalWithItsUnit() {
        final String report = TerminalReport.of(Summary.of(RESULT));
        assertTrue(report.contains("\n             longest stall of a link 1,234 slots\n"), report);
        assertTrue(report.contains("\n             2 cells dropped as they came damaged\n"), report);
    }

    @Test
    void shouldReachThePage() {
        final String page = HtmlReport.of(Summary.of(RESULT), Machine.here());
        assertTrue(page.contains(">longest stall of a link</th><td>1,234 slots<"), page);
    }

    @Test
    void shouldHaveAKeyEach() {
        final List<String> keys = RESULT.measures().stream().map(Measure::key).toList();
        assertEquals(keys.size(), keys.stream().distinct().count(), keys.toString());
    }
}
