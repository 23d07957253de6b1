package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.shale.PathReachability.LostPaths;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Lost paths against a walk along every path. */
final class LostPathsModelTest {
    private static final int STEPS = 1_500;
    private static final int WORDS = 3;

    /** The direct paths behind a link of a word that enter a node. */
    private record Lost(int word, int link, int peer, int node) {
    }

    @ParameterizedTest
    @CsvSource({"1, 5, 1", "2, 3, 2", "2, 9, 3", "2, 70, 4", "3, 4, 5", "4, 3, 6", "5, 2, 7", "8, 2, 8"})
    void shouldKnowWhichPathsEnterALostNode(final int h, final int r, final long seed) {
        final Phased schedule = new Phased(h, r);
        final Coordinates coordinates = schedule.coordinates();
        final Random random = new Random(seed);
        final int phase = random.nextInt(h);
        // The ends of the links of a node each: a word is one node's, and here all are of one phase.
        final int links = Math.min(Long.SIZE, schedule.linksPerPhase());
        final LostPaths paths = new LostPaths(schedule);
        final List<Lost> model = new ArrayList<>();
        long found = 0;
        for (int step = 0; step < STEPS; step++) {
            final String where = "h=" + h + " r=" + r + " seed=" + seed + " step=" + step;
            final int word = random.nextInt(WORDS);
            final int link = random.nextInt(links);
            final int peer = schedule.peerOf(word, phase, link);
            final int node = near(schedule, peer, random);
            final Lost lost = new Lost(word, link, peer, node);
            if (random.nextInt(200) == 0) {
                model.removeIf(other -> {
                    final boolean goes = other.word == word && other.link == link;
                    if (goes) {
                        paths.note(word, phase, other.peer, other.node, -(1L << link));
                    }
                    return goes;
                });
            } else if (!model.isEmpty() && random.nextInt(5) < (step / 300 % 2 == 0 ? 1 : 3)) {
                final Lost back = model.remove(random.nextInt(model.size()));
                paths.note(back.word, phase, back.peer, back.node, -(1L << back.link));
            } else if (node != peer && !model.contains(lost)) {
                model.add(lost);
                paths.note(word, phase, peer, node, 1L << link);
            }
            final int to = random.nextBoolean() ? random.nextInt(schedule.nodes()) : node;
            for (int of = 0; of < WORDS; of++) {
                final long expected = to(model, coordinates, of, phase, to);
                assertEquals(expected, paths.to(of, phase, to), where);
                found += Long.bitCount(expected);
            }
        }
        assertTrue(found > STEPS / 50, "h=" + h + " r=" + r + " seed=" + seed + " found=" + found);
    }

    /** A node that differs from another in few phases as often as in many. */
    private static int near(final Phased schedule, final int node, final Random random) {
        int near = node;
        for (int digits = 1 + random.nextInt(schedule.phases()); digits > 0; digits--) {
            near = schedule.peerOf(near, random.nextInt(schedule.epochSlots()));
        }
        return near;
    }

    private static long to(final List<Lost> model, final Coordinates coordinates, final int word, final int phase,
        final int destination) {
        long links = 0;
        for (final Lost lost : model) {
            int at = lost.word == word ? lost.peer : destination;
            while (at != destination) {
                final int next = coordinates.nextDifference(at, destination, phase);
                at = coordinates.withDigit(at, next, coordinates.digit(destination, next));
                links |= at == lost.node ? 1L << lost.link : 0;
            }
        }
        return links;
    }
}
