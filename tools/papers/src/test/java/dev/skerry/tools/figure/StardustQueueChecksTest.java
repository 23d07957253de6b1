package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.StardustUtilization.Run;
import dev.skerry.tools.figure.StardustUtilization.Seeds;
import dev.skerry.tools.figure.StardustUtilization.Setup;
import dev.skerry.tools.resources.QueueModel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/**
 * The checks of Stardust Figure 9 pass where they should and fail where something is wrong: each mistake is one switch
 * here. A quarter of the figure's network, 32 adapters of 8 links.
 */
final class StardustQueueChecksTest {
    private static final FoldedClosConfig QUARTER = new FoldedClosConfig(16, 8, 1, 8, 8, List.of(4));
    private static final LinkRules BOUNDED = LinkRules.USUAL.marking(0);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldLoseNothingWithTheQueuesOfThePaper(final long seed) {
        final Run run = run(0.95, BOUNDED, 3000, seed);
        assertTrue(losses(run).accepted(), "seed=" + seed);
        assertEquals(0.95, run.lengths().atLeast(1, true, 1), 0.01, "seed=" + seed);
        // Three queues of one slot, one of an M/D/1 queue at most, and 24 slots of fibre.
        final double most = 4 + new QueueModel(0.95).mean() + 24;
        assertTrue(run.meanLatency() > 28 && run.meanLatency() < most, "seed=" + seed + " mean=" + run.meanLatency());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 4})
    void shouldMissWithQueuesOf16Cells(final long seed) {
        final LinkRules cut = new LinkRules(0, 0, 0, 16, 8, true, Spraying.RENEWED);
        final Findings found = losses(run(0.95, cut, 3000, seed));
        assertEquals(List.of("  slots in which a queue or pool was full"),
            found.checks().stream().filter(check -> !check.accepted()).map(Check::what).toList(), "seed=" + seed);
    }

    /** Marks keep the queues of too much demand short; without them they fill up. */
    @ParameterizedTest
    @ValueSource(longs = 4)
    void shouldMissWithoutMarksWhereDemandIsTooMuch(final long seed) {
        final Run marked = run(1.2, LinkRules.USUAL, 6000, seed);
        assertTrue(losses(marked).accepted() && marked.lengths().longest(1, true) < 128, "seed=" + seed + " longest="
            + marked.lengths().longest(1, true));
        final Run free = run(1.2, BOUNDED, 20_000, seed);
        assertTrue(!losses(free).accepted() && free.lengths().longest(1, true) >= 128, "seed=" + seed + " longest="
            + free.lengths().longest(1, true));
    }

    private static Run run(final double load, final LinkRules rules, final int slots, final long seed) {
        return new Setup(QUARTER, load, rules, seed).run(slots / 4, slots, new Effort(true, 1, 1));
    }

    private static Findings losses(final Run run) {
        final Findings found = new Findings();
        new Seeds(List.of(run)).addLosses(found);
        return found;
    }
}
