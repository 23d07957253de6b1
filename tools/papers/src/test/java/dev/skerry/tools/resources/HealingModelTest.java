package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Appendix E (docs/spec/stardust.md §6, §10 row 18). */
final class HealingModelTest {
    @ParameterizedTest
    @CsvSource({"1, 70, 210", "2, 210, 630", "3, 350, 1050"})
    void shouldTakeSoLong(final int tiers, final double once, final double confirmed) {
        for (final long hosts : new long[] {32_000, 32_768}) {
            final HealingModel healing = new HealingModel(10_000, 1e9, 128, 40, hosts, tiers);
            assertEquals(7, healing.messages());
            assertEquals(once, healing.updateUs(), 1e-9);
            assertEquals(confirmed, healing.recoveryUs(3, new double[2 * tiers - 1]), 1e-9);
        }
    }

    @ParameterizedTest
    @CsvSource({"500, 500, 50, 652.05", "500, 50, 50, 642.6", "500, 500, 500, 661.5"})
    void shouldAddTheFibres(final double first, final double second, final double third, final double us) {
        assertEquals(us, HealingModel.PAPER.recoveryUs(3, first, second, third), 1e-9);
    }

    @Test
    void shouldCostLittle() {
        assertEquals(10, HealingModel.PAPER.intervalUs(), 1e-12);
        assertEquals(0.000384, HealingModel.PAPER.overhead(24, 50e9), 1e-9);
        assertEquals(2, new HealingModel(10_000, 1e9, 128, 40, 256 * 40, 2).messages(), "N62");
        assertEquals(189, new HealingModel(10_000, 1e9, 128, 40, 256 * 40, 2).recoveryUs(3, 500, 500, 500), 1e-9);
    }
}
