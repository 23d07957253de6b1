package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.report.RunResult.Guarantee;
import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class TerminalReportTest {
    @Test
    void shouldPrintASmallRunExactly() {
        assertEquals("""
            Shale, 3 nodes, h = 2, hbh+spray, short
            250 slots of 5.632 ns = 1.408 us, propagation 10 slots = 56.32 ns

              ./skerry run --fabric shale --nodes 3 --h 2 --cc hbh+spray --tokens 1 --first-hop-tokens 1 \\
                --workload short --load 0.24 --slots 100000 --slot-ns 5.632 --cell-bytes 256 --header-bytes 12 \\
                --propagation-slots 13 --seed 1 --threads 1 --mode lockstep

            Normalised flow completion time: slots / (cells + 10)
              flow bytes           flows        mean         p50         p99       p99.9         max
              0 - 4k                   2       1.500       1.500           -           -       2.000
              4k - 16k                 1       2.000       2.000           -           -       2.000
              16k - 64k                0           -           -           -           -           -
              64k - 256k               1       2.000       2.000           -           -       2.000
              all flows                4       1.750       2.000           -           -       2.000

            Throughput   0.0440 cells per node and slot, 15.25 Gb/s of payload per node,
                         guarantee 1/(2h) = 0.2500
            Cells        40 injected, 33 delivered, 5 held, 2 dropped, 1 corrupted
            Flows        5 started, 4 completed, 1 unfinished
            Latency      p50 12, p99 -, p99.9 -, max 40 slots from source to destination, whole run
            Buffer       p50 3, p99 9, max 9 cells, over the nodes' maxima
            Maxima       queue 7 cells, 4 active buckets, reordering 6 cells
                         2 cells dropped as they came damaged
            Speed        1.50 k node-slots/s, 6.00 k link-slots/s, 0.50 s
            Digest       000000000000beef
            """, TerminalReport.of(Summary.of(Samples.small(false))));
    }

    @Test
    void shouldMarkAPartialRunInTheFirstLine() {
        final String first = TerminalReport.of(Summary.of(Samples.small(true))).lines().findFirst().orElseThrow();
        assertEquals("PARTIAL RESULT: interrupted after 250 slots; all numbers end there.", first);
    }

    @Test
    void shouldStayWithinAHundredAsciiColumns() {
        for (final RunResult result : List.of(Samples.plausible(256, 3_000, true), Samples.empty(), huge())) {
            TerminalReport.of(Summary.of(result)).lines().forEach(line -> {
                assertTrue(line.length() <= 100, line);
                assertTrue(line.chars().allMatch(c -> c >= ' ' && c < 127), line);
            });
        }
    }

    @Test
    void shouldQuoteTheCommandForAShell() {
        final RunResult some = Samples.small(false);
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("flows", "it's a trace.csv");
        settings.put("check", "true");
        settings.put("json", "false");
        settings.put("faults", "");
        settings.put("payload-bytes", "244");
        final Summary summary = Summary.of(new RunResult(settings, some.terms(), false, some.totals(), some.flows(),
            some.nodes(), some.timeline(), some.events(), some.latency(), List.of(), RunResult.Measured.ALL));
        assertEquals(List.of("--flows 'it'\\''s a trace.csv'", "--check"), summary.commandLine());
    }

    @Test
    void shouldLeaveOutAGuaranteeThatDoesNotHold() {
        final RunResult some = Samples.small(false);
        assertEquals(0.044 * 244 * 8 / 5.632, some.gigabitsPerSecondPerNode(), 1e-12);
        final RunResult none = new RunResult(some.settings(), new RunResult.Terms(1, 5.632, 244, Guarantee.NONE), false,
            some.totals(), some.flows(), some.nodes(), some.timeline(), some.events(), some.latency(), List.of(),
            RunResult.Measured.ALL);
        assertTrue(TerminalReport.of(Summary.of(some)).contains("guarantee"));
        assertFalse(TerminalReport.of(Summary.of(none)).contains("guarantee"));
    }

    private static RunResult huge() {
        final RunResult some = Samples.small(true);
        final long big = 123_456_789_012L;
        final RunResult.Totals totals = new RunResult.Totals(100_000, big, 1_000_000, big, big, big, big, big,
            big, 0, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 0.123456, 123_456.7,
            1e12, 1e12, -1);
        return new RunResult(some.settings(), some.terms(), true, totals, some.flows(),
            some.nodes(), some.timeline(), some.events(), some.latency(), List.of(), RunResult.Measured.ALL);
    }
}
