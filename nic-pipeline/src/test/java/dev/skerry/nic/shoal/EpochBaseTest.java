package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.SplittableRandom;

/** Moving on the base of epochs changes nothing, however often. */
final class EpochBaseTest {
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 2", "8, 4, 3, 2", "16, 2, 40, 3", "24, 1, 5, 20"})
    void shouldChangeNothing(final int nodes, final int channels, final int propagationSlots, final int flowsOfNode) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, propagationSlots);
        final SplittableRandom random = new SplittableRandom(nodes);
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < nodes * flowsOfNode; flow++) {
            final int from = flow % nodes;
            flows.add(flow, from, (from + 1 + random.nextInt(nodes - 1)) % nodes, Long.MAX_VALUE,
                random.nextInt(3) == 0 ? FlowSet.ENDLESS : 1 + random.nextInt(200), flow / 4);
        }
        try (HandSteppedShoal usual = new HandSteppedShoal(shoal, flows);
            HandSteppedShoal moving = new HandSteppedShoal(shoal, flows, 40, ShoalBank.Density.MEASURED)) {
            for (int step = 0; step < 60; step++) {
                usual.stepTo(usual.slot + 100);
                moving.stepTo(moving.slot + 100);
                final int at = step;
                assertArrayEquals(usual.received(), moving.received(), () -> "step=" + at);
                assertEquals(usual.bank.deliveries().digest(), moving.bank.deliveries().digest(),
                    () -> "step=" + at);
            }
        }
    }
}
