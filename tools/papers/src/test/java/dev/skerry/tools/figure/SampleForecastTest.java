package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Findings.Verdict;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** Samples of normal values hold what they promise, and are printed with the digits that count. */
final class SampleForecastTest {
    @Test
    void shouldHoldTheMeanAndExpectAnother() {
        final Random random = new Random(5);
        for (int size = 2; size <= 10; size++) {
            int holds = 0;
            int expects = 0;
            final int samples = 20_000;
            for (int i = 0; i < samples; i++) {
                final double[] values = new double[size];
                Arrays.setAll(values, n -> random.nextGaussian());
                final Sample sample = new Sample(values);
                holds += Math.abs(sample.mean()) <= sample.halfWidth() ? 1 : 0;
                expects += sample.expects(random.nextGaussian()) ? 1 : 0;
            }
            assertEquals(0.95, holds / (double) samples, 0.008, "size=" + size);
            assertEquals(0.95, expects / (double) samples, 0.008, "size=" + size);
        }
    }

    @Test
    void shouldPrintTheDigitsThatCount() {
        assertEquals("1604 \u00b1 35", text(1604.4, 35.2));
        assertEquals("14.27 \u00b1 0.31", text(14.2681, 0.3142));
        assertEquals("0.2071 \u00b1 0.0012", text(0.20714, 0.00121));
        assertEquals("7 \u00b1 0", text(7, 0));
    }

    private static String text(final double mean, final double interval) {
        return new Check("", "", "", mean, interval, Verdict.REPORTED).measuredText();
    }
}
