package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figure 9 of the paper for short runs: the bands of docs/spec/stardust.md §8, the network of its §6.2. */
class StardustQueuesTest {
    @ParameterizedTest
    @CsvSource("0.80, 2.30, 1.1e-2, 6e-5")
    void shouldHaveTheQueuesOfTheModel(final double load, final double mean, final double ten, final double twenty) {
        final QueueLengths queues = run(load, 450, 150);
        assertEquals(load, queues.atLeast(1, true, 1), 0.005 * load);
        assertEquals(mean, Fabrics.mean(queues.stage(1, true)), 0.06 * mean);
        assertEquals(ten, queues.atLeast(1, true, 10), 0.25 * ten);
        assertEquals(twenty, queues.atLeast(1, true, 20), 0.5 * twenty + 1e-5);
        assertTrue(queues.longest(0, false) <= 3 && queues.longest(1, false) <= 3 && queues.longest(2, true) <= 3);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"0.66, 1.29, 2.8e-4, 0", "0.90, 4.56, 0.11, 9.6e-3"})
    void shouldHaveTheQueuesOfTheModelWithOtherLoads(final double load, final double mean, final double ten,
        final double twenty) {
        shouldHaveTheQueuesOfTheModel(load, mean, ten, twenty);
    }

    private static QueueLengths run(final double load, final int slots, final int warmUp) {
        final Stardust fabric = Fabrics.even(FoldedClosConfig.N62, load, LinkRules.UNLIMITED, 1);
        try (StardustEngine engine = new StardustEngine(fabric, Fabrics.allToAll(256, 2), 1)) {
            engine.advance(warmUp);
            engine.clearStatistics();
            engine.advance(slots - warmUp);
            engine.checkConserved();
            assertEquals(0, engine.count(NicCounter.PAUSES));
            return engine.lengths();
        }
    }
}
