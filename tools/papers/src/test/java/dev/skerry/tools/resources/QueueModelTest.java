package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.Stream;

/** The table of docs/spec/stardust.md §8, and the queue walked through slot by slot. */
final class QueueModelTest {
    /** By utilization: 2 ln fs, θ, A, mean, P at 10, 20, 40 cells, fs^-40 (0: none), where the tail meets 1e-6. */
    @ParameterizedTest
    @CsvSource({"0.66, 0.8310 0.7805 1.685 1.301 6.87e-4 2.8e-7 0 6.1e-8 18",
        "0.80, 0.4463 0.4308 1.333 2.400 1.79e-2 2.41e-4 4.4e-8 1.3e-4 33",
        "0.90, 0.2107 0.2072 1.148 4.950 0.145 1.82e-2 2.9e-4 1.5e-2 67",
        "0.92, 0.1668 0.1645 1.116 6.210 0.215 4.16e-2 1.55e-3 3.6e-2 85",
        "0.95, 0.1026 0.1017 1.070 9.975 0.387 0.140 1.83e-2 0.129 137"})
    void shouldAgreeWithTheTable(final double utilization, final String row) {
        final QueueModel model = new QueueModel(utilization);
        final double[] expected = Stream.of(row.split(" ")).mapToDouble(Double::parseDouble).toArray();
        final double[] got = {model.paperRate(), model.rate(), model.factor(), model.mean(), model.atLeast(10),
            model.atLeast(20), model.atLeast(40), model.paperAtLeast(20)};
        for (int i = 0; i < got.length; i++) {
            final boolean rounded = i == 5 && utilization == 0.66 || i >= 6;
            assertTrue(expected[i] == 0 || Math.abs(got[i] / expected[i] - 1) < (rounded ? 0.03 : 0.004),
                "rho=" + utilization + " column=" + i + " expected=" + expected[i] + " got=" + got[i]);
        }
        // The table rounds the last column to either side.
        assertEquals(expected[8], model.cellsAt(1e-6), 1);
    }

    @Test
    void shouldLeaveSomethingToTheMarks() {
        assertEquals(2.4e-6, new QueueModel(0.95).atLeast(128), 0.05e-6);
    }

    /** The distribution reproduces itself, sums to one, and has the mean that the formula says. */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5, 0.66, 0.8, 0.95, 0.99})
    void shouldBeStationary(final double utilization) {
        final QueueModel model = new QueueModel(utilization);
        double mean = 0;
        for (int n = 1; n < 3_000; n++) {
            mean += model.atLeast(n);
        }
        assertEquals(model.mean(), mean, 1e-9);
        assertEquals(1, model.atLeast(0), 1e-12);
        assertEquals(utilization, model.atLeast(1), 1e-12);
        for (int n = 0; n < 60; n++) {
            double arrivals = Math.exp(-utilization);
            double chance = 0;
            for (int a = 0; a <= n; a++) {
                chance += arrivals * (a == n ? point(model, 0) + point(model, 1) : point(model, n + 1 - a));
                arrivals *= utilization / (a + 1);
            }
            assertEquals(point(model, n), chance, 1e-13, "n=" + n);
        }
        final int far = (int) (12 / model.rate()) + 30;
        assertEquals(1, model.atLeast(far) / (model.factor() * Math.exp(-model.rate() * far)), 1e-6);
        assertTrue(model.rate() < model.paperRate(), "the paper's tail is too light");
    }

    private static double point(final QueueModel model, final int cells) {
        return model.atLeast(cells) - model.atLeast(cells + 1);
    }
}
