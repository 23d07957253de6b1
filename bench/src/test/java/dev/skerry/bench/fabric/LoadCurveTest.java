package dev.skerry.bench.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.bench.fabric.Load.LoadCurve;
import org.junit.jupiter.api.Test;

import java.util.List;

final class LoadCurveTest {
    private static final double EXACT = 1e-9;

    @Test
    void shouldFindALine() {
        final LoadCurve line = LoadCurve.fit(List.of(point(0.01, 2 + 40 * 0.01), point(0.1, 2 + 40 * 0.1),
            point(0.9, 2 + 40 * 0.9)));
        assertEquals(2, line.a(), EXACT);
        assertEquals(40, line.b(), EXACT);
        assertEquals(0, line.excess(point(0.5, 22)), EXACT);
        assertEquals(0.5, line.excess(point(0.5, 33)), EXACT);
    }

    @Test
    void shouldWeighSmallCostsAsMuchAsLargeOnes() {
        final LoadCurve line = LoadCurve.fit(List.of(point(0.001, 1), point(0.01, 1.1), point(1, 200)));
        assertTrue(Math.abs(line.excess(point(0.001, 1))) < 0.5, line.toString());
    }

    @Test
    void shouldHaveNoNegativePart() {
        assertEquals(new LoadCurve(0, 10), rounded(LoadCurve.fit(List.of(point(0.1, 1), point(0.5, 5), point(1, 10)))));
        assertEquals(0, LoadCurve.fit(List.of(point(0.1, 1), point(1, 100))).a());
        assertEquals(0, LoadCurve.fit(List.of(point(0.1, 9), point(1, 1))).b());
    }

    @Test
    void shouldCountTheLinksThatCellsCross() {
        try (LoadRun idle = new LoadRun("--nodes 16 --propagation-slots 6", 0);
            LoadRun half = new LoadRun("--nodes 16 --propagation-slots 6 --first-hop-tokens 4", 0.5)) {
            assertEquals(0, idle.advance(1_000));
            // Half of a quarter of the slots bring a cell, which crosses up to four links.
            final double hops = half.advance(100_000) / (100_000.0 * half.links());
            assertTrue(hops > 0.3 && hops <= 0.5, "hops=" + hops);
        }
    }

    @Test
    void shouldBeginAnewAfterTheLastFlow() {
        try (LoadRun run = new LoadRun("--fabric stardust --nodes 16", 0.96)) {
            for (int part = 0; part < 8; part++) {
                run.prepare(200_000);
                assertTrue(run.advance(100) > 0, "part=" + part);
            }
        }
    }

    private static LoadCurve.Point point(final double hops, final double ns) {
        return new LoadCurve.Point(hops, hops, ns);
    }

    private static LoadCurve rounded(final LoadCurve line) {
        return new LoadCurve(Math.rint(line.a()), Math.rint(line.b()));
    }
}
