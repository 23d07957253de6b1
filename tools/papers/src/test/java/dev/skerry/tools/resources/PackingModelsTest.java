package dev.skerry.tools.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.resources.CycleModel.Design;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Appendix B, Figure 3 and Figure 8a (docs/spec/stardust.md §0 E1, §9, §10 rows 2, 4 and 19). */
final class PackingModelsTest {
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
        assertEquals(gain, Parallelism.PAPER.gain(bytes), 1e-3);
        assertEquals(packed, Parallelism.PAPER.packedOnBus(bytes), 1e-3);
        assertEquals(gain * packed, Parallelism.PAPER.switchOnBus(bytes), 1e-2);
    }

    @Test
    void shouldCarryWhatThePrototypeCarries() {
        final CycleModel slow = CycleModel.prototype(150e6);
        final CycleModel fast = CycleModel.prototype(200e6);
        assertEquals(0.850, Design.REFERENCE.share(slow, 65), 1e-3);
        assertEquals(176.5e6, slow.referenceClockHz(65), 1e5);
        assertEquals(1, Design.REFERENCE.share(CycleModel.prototype(180e6), 65));
        assertEquals(0.702, Design.NDP.share(slow, 97), 1e-3);
        assertEquals(0.64, Design.NDP.share(slow, 65), 5e-3);
        assertEquals(0.850, Design.NDP.share(fast, 65), 1e-3);
        assertEquals(0.936, Design.NDP.share(fast, 97), 1e-3);
        assertEquals(0.993, Design.NDP.share(fast, 129), 1e-3);
        assertEquals(0.508, CycleModel.unpackedToPacked(65), 1e-3);
        assertEquals(59.52e6, slow.linePackets(64), 1e4);
        assertEquals(1, Design.PACKED.share(CycleModel.prototype(119.05e6), 64));
        assertTrue(Design.PACKED.share(CycleModel.prototype(119.0e6), 64) < 1);
        assertEquals(1, Design.PACKED.share(slow, 64));
        assertEquals(1, Design.PACKED.share(slow, 65));
    }

    /** Stepped clock by clock, a bus carries what the formulas say, whatever the size and the clock. */
    @Test
    void shouldCarryByClocksWhatTheFormulasSay() {
        for (final double hz : new double[] {20e6, 150e6, 200e6}) {
            final CycleModel model = CycleModel.prototype(hz);
            for (int bytes = 64; bytes <= 1_518; bytes += 31) {
                final String of = "bytes=" + bytes + " hz=" + hz;
                assertEquals(Design.REFERENCE.share(model, bytes), Design.REFERENCE.stepped(model, bytes), 2e-3, of);
                assertEquals(Design.NDP.share(model, bytes), Design.NDP.stepped(model, bytes), 2e-3, of);
                assertEquals(Design.UNPACKED.share(model, bytes), Design.UNPACKED.stepped(model, bytes), 2e-3, of);
                assertEquals(Design.PACKED.share(model, bytes), Design.PACKED.stepped(model, bytes), 2e-3, of);
            }
        }
    }

    /** Where neither carries the line, cells of their own carry what the ratio says; packing never carries less. */
    @Test
    void shouldNeverCarryLessByPacking() {
        final CycleModel tight = CycleModel.prototype(20e6);
        for (int bytes = 64; bytes <= 1_518; bytes++) {
            assertEquals(CycleModel.unpackedToPacked(bytes),
                Design.UNPACKED.share(tight, bytes) / Design.PACKED.share(tight, bytes), 1e-12);
            final CycleModel model = CycleModel.prototype(150e6);
            assertTrue(Design.PACKED.share(model, bytes) >= Design.REFERENCE.share(model, bytes), "bytes=" + bytes);
            assertTrue(Design.PACKED.share(model, bytes) >= Design.UNPACKED.share(model, bytes), "bytes=" + bytes);
            assertTrue(Design.REFERENCE.share(model, bytes) > Design.NDP.share(model, bytes), "bytes=" + bytes);
        }
    }
}
