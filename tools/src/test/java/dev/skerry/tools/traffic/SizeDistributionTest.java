package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

class SizeDistributionTest {
    /**
     * Short and heavy: docs/spec/shale.md §10.2 gives the first digits; all three: exact fractions, summed elsewhere.
     */
    @ParameterizedTest
    @CsvSource({
        "SHORT, 134.05625, 195722.125, 802.262181229097, 3076220",
        "HEAVY, 5116.85, 7470601.0, 30617.3395173951, 973333820",
        "WEB, 1141.405, 1666451.3, 6830.1344038311445, 29200000",
    })
    void shouldHaveTheMeansOfThePapers(final SizeDistribution sizes, final double packets, final double bytes,
        final double cells, final long maxBytes) {
        assertEquals(packets, sizes.meanPackets(), 1e-9 * packets);
        assertEquals(bytes, sizes.meanBytes(), 1e-9 * bytes);
        assertEquals(cells, sizes.meanCells(244), 1e-9 * cells);
        assertEquals(maxBytes, sizes.maxBytes());
        assertEquals(maxBytes, sizes.bytes(1));
    }

    @Test
    void shouldGiveTheFlowRatesOfThePaper() {
        assertEquals(2.992e-4, .24 / SizeDistribution.SHORT.meanCells(244), 5e-8);
        assertEquals(7.839e-6, .24 / SizeDistribution.HEAVY.meanCells(244), 5e-10);
    }

    @Test
    void shouldCountTheLastCellWhole() {
        assertEquals(SizeDistribution.SHORT.meanBytes(), SizeDistribution.SHORT.meanCells(1), 1e-6);
        assertEquals(SizeDistribution.SHORT.meanPackets(), SizeDistribution.SHORT.meanCells(1460), 1e-9);
        // One cell holds any flow; one byte less, and only the largest flow needs a second.
        assertEquals(1, SizeDistribution.SHORT.meanCells(3_076_220));
        assertEquals(1 + .05 / (2107 - 1187), SizeDistribution.SHORT.meanCells(3_076_219), 1e-12);
    }

    @Test
    void shouldInvertTheTable() {
        final SizeDistribution sizes = SizeDistribution.SHORT;
        assertEquals(1, sizes.packets(0));
        assertEquals(1, sizes.packets(.5));
        assertEquals(2, sizes.packets(Math.nextUp(.5)));
        assertEquals(2, sizes.packets(.6));
        assertEquals(3, sizes.packets(Math.nextUp(.6)));
        assertEquals(4, sizes.packets(.72));
        assertEquals(5, sizes.packets(.73));
        assertEquals(5, sizes.packets(.75));
        assertEquals(1187, sizes.packets(.95));
        assertEquals(1188, sizes.packets(Math.nextUp(.95)));
        assertEquals(1187 + 460, sizes.packets(.97499999));
        assertEquals(2107, sizes.packets(Math.nextDown(1.0)));
        assertEquals(6 * 1460, SizeDistribution.WEB.bytes(.15));
        assertEquals(7 * 1460, SizeDistribution.WEB.bytes(Math.nextUp(.15)));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBeMonotone(final SizeDistribution sizes) {
        int last = sizes.packets(0);
        for (int i = 1; i <= 1_000_000; i++) {
            final int next = sizes.packets(i * 1e-6);
            assertTrue(next >= last, "i=" + i);
            last = next;
        }
        assertEquals(sizes.maxBytes() / 1460, last);
    }

    @ParameterizedTest
    @EnumSource
    void shouldMeetItsMeanWhenSampled(final SizeDistribution sizes) {
        final int samples = 1_000_000;
        final Random random = new Random(3);
        double sum = 0;
        double squares = 0;
        double cells = 0;
        for (int i = 0; i < samples; i++) {
            final double packets = sizes.packets(random.nextDouble());
            sum += packets;
            squares += packets * packets;
            cells += Math.ceil(packets * 1460 / 244);
        }
        final double mean = sum / samples;
        final double fourSigma = 4 * Math.sqrt((squares / samples - mean * mean) / samples);
        assertEquals(sizes.meanPackets(), mean, fourSigma, "seed=3");
        assertEquals(sizes.meanCells(244), cells / samples, fourSigma * 1460 / 244, "seed=3");
        assertTrue(fourSigma < .04 * mean, "tolerance " + fourSigma + " of " + mean);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1e-9, 1.0000001, Double.NaN})
    void shouldRefuseWhatIsNoQuantile(final double uniform) {
        assertThrows(IllegalArgumentException.class, () -> SizeDistribution.HEAVY.packets(uniform));
    }

    @Test
    void shouldRefuseCellsWithoutPayload() {
        assertThrows(IllegalArgumentException.class, () -> SizeDistribution.HEAVY.meanCells(0));
    }
}
