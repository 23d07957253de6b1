package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shoal.ShoalBank.EpochBase;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a row is taken in columns or node by node, and how often that changes, makes no difference. */
final class ShoalDensityTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 2);
    /** No row is sparse, all are, and those in which nothing or little is to be done. */
    private static final ShoalBank.Density[] DENSITIES = {
        new ShoalBank.Density(-2000, 1), new ShoalBank.Density(2000, 1), new ShoalBank.Density(0, 1 << 20),
        new ShoalBank.Density(1, 4), ShoalBank.Density.MEASURED,
    };

    @ParameterizedTest
    @CsvSource({
        "2, 1, 0, EXACT", "8, 1, 0, EXACT", "8, 1, 16, EXACT", "8, 7, 2, EXACT", "9, 2, 4, PAPER_LITERAL",
        "16, 1, 0, AUTHORS_SIMULATOR", "33, 1, 0, EXACT", "70, 3, 5, EXACT",
    })
    void shouldMakeNoDifference(final int nodes, final int channels, final int propagationSlots,
        final ReleaseRule rule) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), rule, true, propagationSlots);
        for (long seed = 1; seed <= SEEDS; seed++) {
            final FlowSet flows = Flows.random(seed, nodes, 10 * nodes, 60L * nodes, 40);
            try (HandSteppedShoal first = new HandSteppedShoal(shoal, flows, EpochBase.EPOCHS, DENSITIES[0])) {
                first.stepTo(200L * nodes);
                assertTrue(first.bank.deliveries().delivered() > 0);
                for (final ShoalBank.Density density : DENSITIES) {
                    try (HandSteppedShoal other = new HandSteppedShoal(shoal, flows, EpochBase.EPOCHS, density)) {
                        other.stepTo(200L * nodes);
                        final String where = "seed=" + seed + " " + density;
                        assertEquals(first.bank.deliveries().digest(), other.bank.deliveries().digest(), where);
                        assertArrayEquals(first.received(), other.received(), where);
                        assertArrayEquals(maxima(first.bank), maxima(other.bank), where);
                    }
                }
            }
        }
    }

    private static int[] maxima(final ShoalBank bank) {
        final int nodes = bank.range().size();
        final int[] maxima = new int[2 * nodes];
        for (int node = 0; node < nodes; node++) {
            maxima[node] = bank.maxima().maxHeld(node);
            maxima[nodes + node] = bank.maxima().maxQueue(node);
        }
        return maxima;
    }
}
