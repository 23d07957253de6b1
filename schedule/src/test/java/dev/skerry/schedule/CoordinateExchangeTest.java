package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.BitSet;
import java.util.Random;

/** Failed nodes exchange coordinates: every phase group lacks as few as can be (docs/spec/shale.md §8.7). */
class CoordinateExchangeTest {
    private static final int SCRIPTS = 200;

    @Test
    void shouldSpreadRandomFailuresAsFarAsTheyGo() {
        for (long seed = 1; seed <= SCRIPTS; seed++) {
            final Random random = new Random(seed);
            final int phases = 1 + random.nextInt(4);
            final int radix = 3 + random.nextInt(phases == 1 ? 40 : phases == 2 ? 9 : 3);
            final Phased schedule = new Phased(phases, radix);
            final int groups = schedule.nodes() / radix;
            final int holes = radix > 3 && random.nextInt(3) == 0 ? random.nextInt(groups + 1) : 0;
            final int nodes = schedule.nodes() - holes;
            final BitSet failed = new BitSet();
            // Two nodes of each group are left at least, so none is without a neighbour.
            final int most = Math.max(1, (radix - 2) * groups - holes);
            final int from = random.nextInt(nodes);
            for (int i = 0; i < 1 + random.nextInt(most); i++) {
                failed.set(random.nextInt(4) > 0 ? (from + i) % nodes : random.nextInt(nodes));
            }
            final String where = "seed=" + seed + " h=" + phases + " r=" + radix + " holes=" + holes + " failed="
                + failed;
            final Population even = Population.failing(schedule, nodes, failed, true);
            assertEquals(nodes - failed.cardinality(), even.endpoints(), where);
            final int absent = holes + failed.cardinality();
            assertEquals(Math.ceilDiv(absent, groups), even.mostAbsentOfGroup(), where);
            check(schedule, nodes, failed, even, where);
        }
    }

    /** Endpoints are the good nodes in ascending order; nodes without an exchange stay where they are. */
    private static void check(final Phased schedule, final int nodes, final BitSet failed, final Population even,
        final String where) {
        final Population whole = Population.of(schedule, nodes, 0);
        final BitSet taken = new BitSet();
        int moved = 0;
        int endpoint = 0;
        for (int user = 0; user < nodes; user++) {
            if (!failed.get(user)) {
                final int node = even.nodeOf(endpoint);
                assertEquals(endpoint++, even.endpointOf(node), where);
                assertTrue(even.present(node) && whole.present(node), where);
                assertFalse(taken.get(node), where);
                taken.set(node);
                if (node != whole.nodeOf(user)) {
                    moved++;
                    assertTrue(failed.get(whole.endpointOf(node)), where);
                }
            }
        }
        assertTrue(moved <= failed.cardinality(), where);
        assertEquals(schedule.nodes() - taken.cardinality(), even.absent(), where);
    }

    @ParameterizedTest
    @CsvSource({"2, 8, 0, 6, 6, 1", "2, 8, 0, 8, 1, 1", "4, 4, 0, 2, 2, 1", "2, 32, 0, 24, 24, 1",
        "2, 32, 32, 33, 1, 1"})
    void shouldHelpWhereFailuresLieTogether(final int h, final int r, final int from, final int end, final int apart,
        final int even) {
        final Phased schedule = new Phased(h, r);
        final BitSet failed = new BitSet();
        failed.set(from, end);
        assertEquals(apart, Population.failing(schedule, schedule.nodes(), failed, false).mostAbsentOfGroup());
        assertEquals(even, Population.failing(schedule, schedule.nodes(), failed, true).mostAbsentOfGroup());
    }

    @Test
    void shouldMoveNobodyWhereFailuresLieEvenly() {
        final Phased schedule = new Phased(2, 5);
        final BitSet failed = new BitSet();
        for (final int node : new int[] {4, 8, 12}) {
            failed.set(node);
        }
        final Population even = Population.failing(schedule, 25, failed, true);
        final Population apart = Population.failing(schedule, 25, failed, false);
        for (int endpoint = 0; endpoint < 22; endpoint++) {
            assertEquals(apart.nodeOf(endpoint), even.nodeOf(endpoint));
        }
        final Population without = Population.failing(schedule, 25, new BitSet(), false);
        assertTrue(without.allPresent());
        assertEquals(0, without.mostAbsentOfGroup());
    }

    @Test
    void shouldRefuseNodesWithoutNeighbours() {
        final Phased schedule = new Phased(2, 4);
        final BitSet failed = new BitSet();
        failed.set(0, 3);
        assertThrows(IllegalArgumentException.class, () -> Population.failing(schedule, 16, failed, false));
        assertEquals(13, Population.failing(schedule, 16, failed, true).endpoints());
        failed.set(0, 15);
        assertThrows(IllegalArgumentException.class, () -> Population.failing(schedule, 16, failed, true));
        final BitSet outside = new BitSet();
        outside.set(16);
        assertThrows(IllegalArgumentException.class, () -> Population.failing(schedule, 16, outside, true));
    }
}
