package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Unlimited;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Which of several equally good links a spraying hop takes. */
final class TieRuleTest {
    /** Lowest, rotating and a rule of one's own, among the candidates of the obvious scan. */
    @ParameterizedTest
    @CsvSource({"hbh+spray, 4, 16, 0", "hbh+spray, 65, 4225, 0", "spray-short, 9, 75, 4", "hbh+spray, 130, 16900, 0"})
    void shouldBreakTiesByTheRule(final String control, final int r, final int wanted, final int failed) {
        final TieRule highest = (shale, nodes) -> (id, node, phase, links, count, random) -> {
            final int[] set = IntStream.range(0, links.length)
                .flatMap(word -> IntStream.range(0, 64).filter(bit -> (links[word] >>> bit & 1) != 0)
                    .map(bit -> word * 64 + bit)).toArray();
            assertEquals(count, set.length);
            return set[count - 1];
        };
        for (final TieRule rule : List.of(TieRule.LOWEST, TieRule.ROTATING, highest)) {
            breakTies(control, r, wanted, failed, rule, rule == TieRule.ROTATING ? 0 : rule == highest ? 1 : -1);
        }
    }

    /** @param side -1 the lowest, 1 the highest, 0 the next after the last in turn. */
    private static void breakTies(final String control, final int r, final int wanted, final int failed,
        final TieRule rule, final int side) {
        final Phased schedule = new Phased(2, r);
        final Population population = Population.of(schedule, wanted, failed);
        final Shale shale = new Shale(schedule, population, Mechanisms.of(control).with(rule), 1, 1, 0, 1);
        final Random random = new Random(r);
        final int nodes = 3;
        final int[][] last = new int[nodes][2];
        Arrays.stream(last).forEach(of -> Arrays.fill(of, -1));
        try (Arena arena = Arena.ofConfined()) {
            final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
                new SpillPool(arena, 1 << 16));
            final IdleLinks idle = new IdleLinks(arena, shale, nodes);
            final Spray spray = new Spray(shale, nodes, queues, Unlimited.INSTANCE, null, idle);
            for (int round = 0; round < 60; round++) {
                final int node = random.nextInt(nodes);
                final int id = population.nodeOf(node);
                final int phase = random.nextInt(2);
                SprayTest.stir(queues, idle, schedule, nodes, random, round);
                final int destination = population.nodeOf(population.endpoints() - 1 - random.nextInt(5));
                final List<Integer> candidates = SprayTest.candidates(shale, queues, id, node, nodes, phase, true,
                    destination);
                final int before = last[node][phase];
                final int expected = side < 0 ? candidates.getFirst() : side > 0 ? candidates.getLast()
                    : candidates.stream().filter(link -> link > before).findFirst().orElse(candidates.getFirst());
                last[node][phase] = expected;
                assertEquals(expected, spray.choose(id, node, phase, destination, 0, round), "r=" + r + " side=" + side
                    + " round=" + round + " before=" + before + " among " + candidates);
            }
        }
    }
}
