package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** A fit finds the numbers that runs were made with, says how far off it is, and refuses what tells nothing. */
final class ScaleFitTest {
    /** Runs of a made-up machine; a share of its memory and time is noise of alternating sign. */
    private static List<ScaleRun> runs(final double noise) {
        final List<ScaleRun> runs = new ArrayList<>();
        for (final int h : new int[] {2, 4}) {
            for (final int radix : new int[] {4, 6, 9}) {
                for (final double load : new double[] {0.03, 0.1}) {
                    final double sign = runs.size() % 3 - 1;
                    runs.add(truth(Math.round(Math.pow(radix, h)), h, load, 1 + sign * noise));
                }
            }
        }
        return runs;
    }

    private static ScaleRun truth(final long nodes, final int h, final double load, final double factor) {
        final double links = h * (Math.pow(nodes, 1.0 / h) - 1);
        final double cells = 2 * h * load;
        final double flows = 40 + 1000 * load;
        final double bytes = 11_000 + 112 * links + 50 * flows;
        final double lg = Math.log(nodes * bytes) / Math.log(2);
        return new ScaleRun(nodes, h, load, flows, bytes * factor,
            (5 + 20 * cells + 0.5 * lg + 3 * cells * lg) * factor);
    }

    @Test
    void shouldFindTheNumbersBehindExactRuns() {
        final ScaleFit fit = ScaleFit.of(runs(0));
        assertTrue(fit.bytesError() < 1e-6, "memory " + fit.bytesError());
        assertTrue(fit.nsError() < 1e-6, "time " + fit.nsError());
        final ScaleRun far = fit.forecast(10_000_000, 4, 0.12, 160);
        final ScaleRun truth = truth(10_000_000, 4, 0.12, 1);
        assertEquals(truth.bytes(), far.bytes(), 1e-3 * truth.bytes());
        assertEquals(truth.nsPerNodeSlot(), far.nsPerNodeSlot(), 1e-3 * truth.nsPerNodeSlot());
    }

    @Test
    void shouldSayHowFarOffItIs() {
        final double error = ScaleFit.of(runs(0.05)).nsError();
        assertTrue(error > 0.05 && error < 0.5, "error " + error);
    }

    @Test
    void shouldRefuseRunsThatTellNothing() {
        assertThrows(IllegalArgumentException.class, () -> ScaleFit.of(runs(0).subList(0, 5)));
        final List<ScaleRun> same = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            same.add(truth(256, 2, 0.1, 1));
        }
        assertThrows(IllegalArgumentException.class, () -> ScaleFit.of(same));
    }

    @Test
    void shouldReckonMachinesAndHours() {
        final ScaleFit fit = ScaleFit.of(runs(0));
        final List<String> row = ScaleTables.of(fit, new ScaleTables.Question(new long[] {1_000_000}, new int[] {4},
            0.1, 140, 8, 2)).getFirst().rows().getFirst();
        final ScaleRun truth = truth(1_000_000, 4, 0.1, 1);
        final double gib = truth.bytes() * 1e6 / (1L << 30);
        final long machines = (long) Math.ceil(gib / 8);
        assertEquals(machines, Long.parseLong(row.get(5).replace(",", "")));
        assertTrue(machines > 1, "machines " + machines);
        final double hours = truth.nsPerNodeSlot() * 1e12 / 3600e9;
        assertEquals(hours, Double.parseDouble(row.get(8).replace(",", "")), 0.01 * hours);
    }
}
