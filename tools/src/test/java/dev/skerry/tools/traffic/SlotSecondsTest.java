package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.util.SplittableRandom;

class SlotSecondsTest {
    @Test
    void shouldBeTheDoubleNearestToTheDecimalNumber() {
        assertEquals(5.8125e-9, TraceReader.slotSeconds(5.8125));
        final SplittableRandom random = new SplittableRandom(20);
        for (int i = 0; i < 20_000; i++) {
            // Of every size, with few digits and with all.
            final double any = Math.pow(10, random.nextDouble(-12, 9)) * random.nextDouble(0.1, 1);
            for (final double ns : new double[] {any, Double.parseDouble(String.format("%.3e", any)), i + 1}) {
                assertEquals(BigDecimal.valueOf(ns).movePointLeft(9).doubleValue(), TraceReader.slotSeconds(ns),
                    "seed 20, " + ns);
            }
        }
    }
}
