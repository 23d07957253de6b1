package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.ProbeLayout.GeneratorFlows.FlowMeter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

final class FlowMeterTest {
    @Test
    void shouldTellLossFromOrderFromDuplicates() {
        final FlowMeter meter = new FlowMeter(5 << 16 | 7, 3);
        for (final long sequence : new long[] {0, 1, 4, 3, 3, 4, 6}) {
            meter.accept(sequence, 1_000 + sequence);
        }
        meter.damaged();
        final FlowReport report = meter.report();
        assertEquals(5, report.id());
        assertEquals(7, report.flow());
        assertEquals(new FlowReport.Counts(7, 5, 1, 2, 0, 1), report.counts());
        assertEquals(2, report.counts().lost());
        assertEquals(5, report.latency().getTotalCount());
        assertEquals(1_006, report.latency().getMaxValue(), 1);
    }

    @Test
    void shouldNotGuessAboutWhatIsTooOld() {
        final FlowMeter meter = new FlowMeter(0, 2);
        meter.accept(FlowMeter.WINDOW, 0);
        meter.accept(0, 0);
        meter.accept(1, 0);
        meter.accept(1, 0);
        assertEquals(new FlowReport.Counts(FlowMeter.WINDOW + 1, 2, 1, 1, 1, 0), meter.report().counts());
    }

    /** Compares with a set of all sequence numbers seen. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldCountAsASetWould(final long seed) {
        final Random random = new Random(seed);
        final int spread = 1 << 1 + random.nextInt(15);
        final FlowMeter meter = new FlowMeter(0, 2);
        final Set<Long> seen = new HashSet<>();
        long next = 0;
        FlowReport.Counts expected = new FlowReport.Counts(0, 0, 0, 0, 0, 0);
        for (int i = 0; i < 100_000; i++) {
            final long back = random.nextInt(4) == 0 ? random.nextInt(spread) : 0;
            final long ahead = random.nextInt(1_000) == 0 ? random.nextInt(spread) : random.nextInt(2);
            final long sequence = Math.max(0, next - back + ahead);
            meter.accept(sequence, 5);
            final boolean stale = next - sequence > FlowMeter.WINDOW;
            final boolean fresh = !stale && seen.add(sequence);
            expected = expected.plus(new FlowReport.Counts(Math.max(0, sequence + 1 - next), fresh ? 1 : 0,
                fresh && sequence < next ? 1 : 0, fresh || stale ? 0 : 1, stale ? 1 : 0, 0));
            next = Math.max(next, sequence + 1);
            if ((i & 0x3FF) == 0) {
                assertEquals(expected, meter.report().counts(), "seed=" + seed + " i=" + i);
            }
        }
        assertEquals(expected, meter.report().counts(), "seed=" + seed);
    }
}
