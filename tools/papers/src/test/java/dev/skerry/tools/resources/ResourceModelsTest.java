package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.resources.CostModel.AreaPart;
import dev.skerry.tools.resources.CycleModel.Design;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/**
 * What the formulas of Stardust give beyond what its figures check (docs/spec/stardust.md §1 to §6, §9, errata E1 and
 * E8, §10 rows 2, 4, 11, 18 to 20): stardust-scaling has the hosts of each bundle, stardust-fig11
 * what is said of cost, stardust-packing and stardust-resources the printed values (FigureCatalogueTest runs them).
 */
final class ResourceModelsTest {
    private static final double WITHIN = 0.005;
    private static final CostModel MODEL = CostModel.PAPER;

    @Test
    void shouldSizeAnElementAndItsTables() {
        assertEquals(43.52, Buffers.serialisationNs(272, 50e9), 1e-9);
        assertEquals(87.04, Buffers.serialisationNs(272, 25e9), 1e-9);
        assertEquals(40.96, Buffers.serialisationNs(256, 50e9), 1e-9);
        assertEquals(81.92, Buffers.serialisationNs(256, 25e9), 1e-9);
        assertEquals(4 << 20, Buffers.voqBytes(128 << 10));
        assertEquals(1_280_000, Buffers.routeTableBits(32_000, 256));
        assertEquals(6_400, Buffers.elementTableBits(32_000, 256));
        assertEquals(1, Buffers.minCreditBytes(10, 1, 8));
    }

    @Test
    void shouldSizeReassembly() {
        final double reorder = Buffers.reorderNs(3, 256, 81.92);
        assertEquals(62_900, reorder, 50);
        assertEquals(4_096, Buffers.windowCells(reorder, 50e9));
        assertEquals(8_192, Buffers.windowCells(reorder, 100e9));
        assertEquals(1_024, Buffers.windowCells(1024 * 8 * 256 / 2.0, 1e9));
        assertEquals(1, Buffers.windowCells(0, 50e9));
        assertEquals(252_000, Buffers.timerNs(reorder), 500);
        assertEquals(50_000, Buffers.timerNs(1));
        assertEquals(22, Buffers.openPackets(50e9, 0.02, 13_000, 4_096));
    }

    @ParameterizedTest
    @CsvSource({"10e9, 0.03, 3181359", "50e9, 0.02, 642510", "100e9, 0.02, 321255"})
    void shouldPaceCredits(final double bps, final double surcharge, final double ps) {
        assertEquals(ps, Buffers.creditIntervalPs(4096, bps, surcharge), 1);
    }

    @Test
    void shouldKeepAPortBusy() {
        assertEquals(1.02 * 272 / 256, Buffers.neededSpeedUp(256, 0.02), 1e-12);
        assertEquals(62_500, Buffers.leastHighBytes(50e9, 10_000), 1e-9);
        assertEquals(62_500 * 2.02 + 22 * 9_215, Buffers.leastEgressBytes(62_500, 50e9, 0.02, 10_000, 22, 9_216), 1e-6);
        assertTrue(Buffers.leastEgressBytes(1, 50e9, 0.03, 10_000, 22, 9_216)
            > Buffers.leastEgressBytes(1, 50e9, 0.02, 10_000, 22, 9_216));
    }

    @ParameterizedTest
    @CsvSource({"2, 5121", "2, 7000", "2, 10240", "4, 2561", "4, 5120", "4, 10240"})
    void shouldSaveAQuarterOfThePower(final int bundle, final long hosts) {
        assertEquals(0.752, MODEL.stardustPower(hosts) / MODEL.fatTreePower(bundle, hosts), WITHIN);
        assertEquals(0.222, MODEL.stardustFabricPower(hosts) / MODEL.fatTreeFabricPower(bundle, hosts), WITHIN);
        assertEquals(0.667, MODEL.stardustFabricPower(10_240) / MODEL.fatTreeFabricPower(1, 10_240), 1e-9);
    }

    /** By bundle: cost in that of a fat tree of 10,240 hosts, and that of the fabric alone. */
    @ParameterizedTest
    @CsvSource({"1, 0.92, 0.815", "2, 0.568, 0.333", "4, 0.644, 0.407"})
    void shouldCostByBundle(final int bundle, final double cost, final double fabric) {
        assertEquals(cost, MODEL.stardustCost(10_240) / MODEL.fatTreeCost(bundle, 10_240), WITHIN);
        assertEquals(fabric, MODEL.stardustFabricCost(10_240) / MODEL.fatTreeFabricCost(bundle, 10_240), WITHIN);
    }

    /** By hosts: devices and links of bundles of 1 and 8. */
    @ParameterizedTest
    @CsvSource({"10000, 79, 20000, 235, 40000", "100000, 2344, 400000, 3907, 600000",
        "1000000, 23438, 4000000, 54688, 8000000"})
    void shouldCountDevicesAndLinks(final long hosts, final long few, final long links, final long many,
        final long more) {
        final NetworkPlan single = NetworkPlan.figure2(1, hosts);
        final NetworkPlan bundled = NetworkPlan.figure2(8, hosts);
        assertEquals(List.of(few, links, many, more), List.of(single.elements(), single.serialLinks(),
            bundled.elements(), bundled.serialLinks()));
    }

    @ParameterizedTest
    @CsvSource({"81921", "1310720"})
    void shouldSaveMostBetweenTheTiersOfTheLargest(final long hosts) {
        assertEquals(1 - 0.263, MODEL.stardustPower(hosts) / MODEL.fatTreePower(4, hosts), WITHIN);
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

    @ParameterizedTest
    @CsvSource({"1, 70, 210", "2, 210, 630", "3, 350, 1050"})
    void shouldHealWithin(final int tiers, final double once, final double confirmed) {
        for (final long hosts : new long[] {32_000, 32_768}) {
            final HealingModel healing = new HealingModel(10_000, 1e9, 128, 40, hosts, tiers);
            assertEquals(7, healing.messages());
            assertEquals(once, healing.updateUs(), 1e-9);
            assertEquals(confirmed, healing.recoveryUs(3, new double[2 * tiers - 1]), 1e-9);
        }
    }

    @Test
    void shouldAddTheFibres() {
        assertEquals(652.05, HealingModel.PAPER.recoveryUs(3, 500, 500, 50), 1e-9);
        assertEquals(642.6, HealingModel.PAPER.recoveryUs(3, 500, 50, 50), 1e-9);
        assertEquals(661.5, HealingModel.PAPER.recoveryUs(3, 500, 500, 500), 1e-9);
        assertEquals(10, HealingModel.PAPER.intervalUs(), 1e-12);
        assertEquals(0.000384, HealingModel.PAPER.overhead(24, 50e9), 1e-9);
        final HealingModel n62 = new HealingModel(10_000, 1e9, 128, 40, 256 * 40, 2);
        assertEquals(2, n62.messages());
        assertEquals(189, n62.recoveryUs(3, 500, 500, 500), 1e-9);
    }

    @ParameterizedTest
    @CsvSource({"1, 10240, 167772160", "2, 5120, 20971520", "4, 2560, 2621440", "8, 1280, 327680"})
    void shouldTakeAsFewTiersAsWillDo(final int bundle, final long one, final long three) {
        assertEquals(1, NetworkPlan.figure2(bundle, one).tiers());
        assertEquals(2, NetworkPlan.figure2(bundle, one + 1).tiers());
        assertEquals(3, NetworkPlan.figure2(bundle, three).tiers());
        for (int tiers = 1; tiers <= 3; tiers++) {
            final long hosts = NetworkPlan.figure2(bundle, 1).maxHosts(tiers);
            assertEquals((2 * tiers - 1) * 0.3125, NetworkPlan.figure2(bundle, hosts).elementsPerAdapter(), 1e-12);
        }
        for (final long hosts : new long[] {10_000, 100_000, 1_000_000}) {
            assertEquals(hosts / 40, NetworkPlan.figure2(bundle, hosts).adapters());
        }
        assertEquals(5, NetworkPlan.figure2(8, 80_000_000).tiers());
    }

    @ParameterizedTest
    @CsvSource({"64, 20, 19.0476", "256, 20, 5.797", "256, 8, 6.0606", "1500, 20, 1.0526"})
    void shouldNeedSoManyPipelines(final int bytes, final int gap, final double pipelines) {
        assertEquals(pipelines, new Parallelism(12.8e12, gap, 1e9, 1).pipelines(bytes), 5e-4);
        assertEquals(2 * pipelines, new Parallelism(12.8e12, gap, 1e9, 2).pipelines(bytes), 1e-3);
        assertEquals(pipelines * 1e9, new Parallelism(12.8e12, gap, 1e9, 1).packetsPerSecond(bytes), 5e5);
    }

    @ParameterizedTest
    @CsvSource({"64, 4.000, 4.762", "513, 1.412, 6.379", "1025, 1.176, 6.507"})
    void shouldGainByPacking(final int bytes, final double gain, final double packed) {
        assertEquals(gain * packed, Parallelism.PAPER.switchOnBus(bytes), 1e-2);
    }

    @ParameterizedTest
    @CsvSource({"REFERENCE, 150, 65, 0.850, 1e-3", "REFERENCE, 180, 65, 1, 1e-12", "NDP, 150, 97, 0.702, 1e-3",
        "NDP, 150, 65, 0.64, 5e-3", "NDP, 200, 65, 0.850, 1e-3", "NDP, 200, 97, 0.936, 1e-3",
        "NDP, 200, 129, 0.993, 1e-3", "PACKED, 119.05, 64, 1, 1e-12", "PACKED, 119.0, 64, 0.9996, 3e-4",
        "PACKED, 150, 64, 1, 1e-12", "PACKED, 150, 65, 1, 1e-12"})
    void shouldCarryWhatThePrototypeCarries(final Design design, final double megahertz, final int bytes,
        final double share, final double within) {
        assertEquals(share, design.share(CycleModel.prototype(megahertz * 1e6), bytes), within);
    }

    @Test
    void shouldCarryTheLineFromAClockOn() {
        assertEquals(176.5e6, CycleModel.prototype(150e6).referenceClockHz(65), 1e5);
        assertEquals(59.52e6, CycleModel.prototype(150e6).linePackets(64), 1e4);
        assertTrue(Design.PACKED.share(CycleModel.prototype(119.0e6), 64) < 1);
    }

    /** Where neither carries the line, cells of their own carry what the ratio says; packing never carries less. */
    @Test
    void shouldNeverCarryLessByPacking() {
        final CycleModel tight = CycleModel.prototype(20e6);
        final CycleModel model = CycleModel.prototype(150e6);
        for (int bytes = 64; bytes <= 1_518; bytes++) {
            assertEquals(CycleModel.unpackedToPacked(bytes),
                Design.UNPACKED.share(tight, bytes) / Design.PACKED.share(tight, bytes), 1e-12);
            assertTrue(Design.PACKED.share(model, bytes) >= Design.REFERENCE.share(model, bytes), "bytes=" + bytes);
            assertTrue(Design.PACKED.share(model, bytes) >= Design.UNPACKED.share(model, bytes), "bytes=" + bytes);
            assertTrue(Design.REFERENCE.share(model, bytes) > Design.NDP.share(model, bytes), "bytes=" + bytes);
        }
    }
}
