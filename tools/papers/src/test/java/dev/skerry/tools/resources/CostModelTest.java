package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.resources.CostModel.AreaPart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Figure 11 and Appendix C (docs/spec/stardust.md §9, errata E8, §10 row 20). */
final class CostModelTest {
    private static final double WITHIN = 0.005;
    private static final CostModel MODEL = CostModel.PAPER;

    @ParameterizedTest
    @CsvSource({"2, 5121", "2, 7000", "2, 10240", "4, 2561", "4, 5120", "4, 10240"})
    void shouldSaveAQuarterOfThePower(final int bundle, final long hosts) {
        assertEquals(0.752, MODEL.stardustPower(hosts) / MODEL.fatTreePower(bundle, hosts), WITHIN);
        assertEquals(0.222, MODEL.stardustFabricPower(hosts) / MODEL.fatTreeFabricPower(bundle, hosts), WITHIN);
    }

    @Test
    void shouldSaveLessInNetworksOfAsManyTiers() {
        assertEquals(0.955, MODEL.stardustPower(10_240) / MODEL.fatTreePower(1, 10_240), WITHIN);
        assertEquals(0.667, MODEL.stardustFabricPower(10_240) / MODEL.fatTreeFabricPower(1, 10_240), 1e-9);
    }

    @ParameterizedTest
    @CsvSource({"81921", "500000", "1310720"})
    void shouldSaveMostBetweenTheTiersOfTheLargest(final long hosts) {
        assertEquals(1 - 0.263, MODEL.stardustPower(hosts) / MODEL.fatTreePower(4, hosts), WITHIN);
    }

    @ParameterizedTest
    @CsvSource({"2, 0.568, 0.333", "4, 0.644, 0.407", "1, 0.92, 0.815"})
    void shouldCostLess(final int bundle, final double total, final double fabric) {
        assertEquals(total, MODEL.stardustCost(10_240) / MODEL.fatTreeCost(bundle, 10_240), WITHIN);
        assertEquals(fabric, MODEL.stardustFabricCost(10_240) / MODEL.fatTreeFabricCost(bundle, 10_240), WITHIN);
    }

    @Test
    void shouldNeverCostMore() {
        for (long hosts = 10; hosts <= 2_000_000; hosts += hosts < 5_000 ? 1 : 39) {
            final double stardust = MODEL.stardustCost(hosts);
            for (final int bundle : new int[] {1, 2, 4}) {
                assertTrue(stardust < MODEL.fatTreeCost(bundle, hosts), "hosts=" + hosts + " bundle=" + bundle);
            }
        }
    }

    @Test
    void shouldAddUpArea() {
        assertEquals(0.5, AreaPart.element(List.of(new AreaPart("io", 0.2, 0), new AreaPart("all else", 0.8, 0.625))),
            1e-12);
        assertThrows(IllegalArgumentException.class, () -> AreaPart.element(List.of(new AreaPart("io", 0.2, 0))));
        assertThrows(IllegalArgumentException.class, () -> new AreaPart("io", 1.1, 0));
        assertThrows(IllegalArgumentException.class, () -> new AreaPart("io", 0.5, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> MODEL.fatTreeCost(8, 100));
    }
}
