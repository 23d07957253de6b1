package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

class PopulationTest {
    private static final int SCRIPTS = 200;

    @ParameterizedTest
    @CsvSource({"0, 4, phases=0", "9, 4, phases=9", "2, 1, nodes=1", "2, -5, nodes=-5", "1, 1048576, nodes=1048576",
        "2, 1046530, nodes=1046530", "8, 390626, nodes=390626", "4, 2147483647, nodes=2147483647"})
    void shouldRefuseWhatNoRadixHolds(final int phases, final int nodes, final String named) {
        checkRefusal(() -> Population.radixFor(phases, nodes), named);
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 17, 0, nodes=17", "2, 4, 1, 0, nodes=1", "2, 4, -1, 0, nodes=-1", "2, 4, 16, 16, failedNodes=16",
        "2, 4, 12, 12, failedNodes=12", "2, 4, 12, -1, failedNodes=-1", "4, 4, 100, 0, nodes=100",
        "2, 3, 5, 0, nodes=5"})
    void shouldRefuse(
        final int phases, final int radix, final int nodes, final int failed, final String named) {
        checkRefusal(() -> Population.of(new Phased(phases, radix), nodes, failed), named);
    }

    @Test
    void shouldFailTheNodesThatTheAuthorsSimulatorFails() throws IOException {
        int lines = 0;
        for (final String[] line : ReferenceData.lines("failed-nodes.txt")) {
            final int[] fabric = ReferenceData.numbers(Arrays.copyOf(line, 3), 0);
            final Phased schedule = new Phased(fabric[0], fabric[1]);
            final Population population = Population.of(schedule, schedule.nodes(), fabric[2]);
            final int[] failed = absent(schedule, population);
            final int[] expected = ReferenceData.numbers(line, 4);
            assertEquals(fabric[2], failed.length);
            assertArrayEquals(expected, Arrays.copyOf(failed, expected.length), () -> Arrays.toString(fabric));
            assertEquals(line[3], ReferenceData.hash(failed), () -> Arrays.toString(fabric));
            lines++;
        }
        assertEquals(24, lines);
    }

    /** Layers of h=2, r=100: 100, 99, 99, 98 nodes; of h=4, r=10: 670, 660, 660 (docs/spec/shale.md §8.6). */
    @ParameterizedTest
    @CsvSource({"2, 100, 100, 99, 99", "2, 100, 199, 99, 100", "2, 100, 298, 98, 100", "2, 100, 396, 98, 101",
        "4, 10, 670, 18, 18", "4, 10, 1330, 18, 19", "4, 10, 1990, 17, 19"})
    void shouldFailWholeLayersFirst(
        final int phases, final int radix, final int failed, final int lowestSum, final int highestSum) {
        final Phased schedule = new Phased(phases, radix);
        final Population population = Population.of(schedule, schedule.nodes(), failed);
        for (int node = 0; node < schedule.nodes(); node++) {
            final int sum = digitSum(schedule.coordinates(), node);
            assertEquals(sum < lowestSum || sum > highestSum, population.present(node), "node=" + node);
        }
    }

    @Test
    void shouldMakeEveryNodeAnEndpointOfACompleteFabric() {
        final Phased schedule = new Phased(3, 4);
        final Population population = Population.complete(schedule);
        assertEquals(64, population.endpoints());
        assertTrue(population.allPresent());
        assertEquals(0, population.absent());
        checkMapping(schedule, population);
        for (int node = 0; node < 64; node++) {
            assertEquals(node, population.nodeOf(node));
            assertTrue(population.present(node));
        }
        assertEquals(64, Population.of(schedule, 64, 0).endpoints());
        assertTrue(Population.of(schedule, 64, 0).allPresent());
    }

    @Test
    void shouldLetFillersForwardOnly() {
        final Phased schedule = new Phased(2, 5);
        final Population population = Population.fill(schedule, 19);
        assertEquals(19, population.endpoints());
        assertTrue(population.allPresent());
        checkMapping(schedule, population);
        for (int node = 0; node < 25; node++) {
            assertTrue(population.present(node));
            assertEquals(node < 19 ? node : Population.NONE, population.endpointOf(node));
        }
    }

    /** Every number of nodes up to 600 of every number of phases that leaves every node a neighbour in every phase. */
    @Test
    void shouldSpreadHolesEvenlyOverPhaseGroups() {
        int populations = 0;
        for (int phases = 1; phases <= 4; phases++) {
            for (int nodes = 2; nodes <= 600; nodes++) {
                final Phased schedule = new Phased(phases, Population.radixFor(phases, nodes));
                final int holes = schedule.nodes() - nodes;
                final int layer = schedule.nodes() / schedule.radix();
                final int most = Math.ceilDiv(holes, layer);
                if (schedule.radix() - most < 2) {
                    continue;
                }
                final Population population = Population.of(schedule, nodes, 0);
                assertEquals(nodes, population.endpoints());
                assertEquals(holes, population.absent());
                assertEquals(holes == 0, population.allPresent());
                assertTrue(population.present(0));
                assertTrue(most <= phases);
                checkMapping(schedule, population);
                checkGroups(schedule, population, holes / layer, most);
                populations++;
            }
        }
        assertTrue(populations > 1500, "populations=" + populations);
    }

    @Test
    void shouldFailNodesBesideHoles() {
        final Phased schedule = new Phased(2, 16);
        final Population holes = Population.of(schedule, 230, 0);
        for (int failed = 1; failed < 230; failed++) {
            final Population population = Population.of(schedule, 230, failed);
            assertEquals(230 - failed, population.endpoints());
            assertEquals(26 + failed, population.absent());
            checkMapping(schedule, population);
            for (final int hole : absent(schedule, holes)) {
                assertFalse(population.present(hole));
            }
        }
        // holes are the layer of sum 15 and 10 nodes of sums 14 and 30, so the first to fail are of sum 16
        final Population two = Population.of(schedule, 230, 2);
        final int[] sums = IntStream.of(absent(schedule, two)).filter(holes::present)
            .map(node -> digitSum(schedule.coordinates(), node)).toArray();
        assertArrayEquals(new int[]{16, 16}, sums);
    }

    /** Up to two words of links; every hop from the end of a link is checked as it is made. */
    @ParameterizedTest
    @CsvSource({"2, 4, 16, 3", "2, 5, 22, 4", "3, 3, 27, 4", "4, 2, 16, 3", "4, 3, 81, 9", "1, 7, 7, 2", "3, 4, 60, 5",
        "1, 130, 128, 7", "2, 67, 4480, 40"})
    void shouldKnowTheLinksThatMeetPresentNodesOnly(final int phases, final int radix, final int nodes,
        final int failed) {
        final Phased schedule = new Phased(phases, radix);
        final Population population = Population.of(schedule, nodes, failed);
        final int[] joined = new int[schedule.nodes()];
        int absent = 0;
        int blocked = 0;
        for (int phase = 0; phase < phases; phase++) {
            final int links = schedule.linksPerPhase();
            for (int node = 0; links % Long.SIZE != 0 && node < joined.length; node++) {
                assertEquals(0, population.presentLinks(node, phase, links >>> 6) >>> links, "bits of no link");
            }
            for (int link = 0; link < links; link++) {
                population.joined(0, joined.length, phase, link, joined);
                for (int node = 0; node < joined.length; node += radix > 10 ? 97 : 1) {
                    final String where = "phase=" + phase + " link=" + link + " node=" + node;
                    final int peer = schedule.peerOf(node, phase, link);
                    final boolean there = population.present(peer);
                    assertEquals(there, isSet(population.presentLinks(node, phase, link >>> 6), link), where);
                    assertEquals(there && population.present(node) ? 1 : 0, joined[node], where);
                    absent += there ? 0 : 1;
                    for (int to = 0; to < joined.length; to += radix > 10 ? 89 : 1) {
                        final int destination = to;
                        final boolean open = there && population.present(to)
                            && isDirectPathPresent(schedule, population, peer, to, phase);
                        assertEquals(open, isSet(population.lastSprayLinks(node, phase, destination, link >>> 6), link),
                            () -> where + " destination=" + destination);
                        blocked += there && !open ? 1 : 0;
                    }
                }
            }
        }
        assertTrue(absent > 0);
        assertTrue(phases == 1 || blocked > 0);
    }

    @Test
    void shouldFindDeadEnds() {
        final SplittableRandom random = new SplittableRandom(47);
        int dead = 0;
        int free = 0;
        for (int i = 0; i < 300; i++) {
            final Phased schedule = new Phased(2 + random.nextInt(3), 2 + random.nextInt(3));
            final int nodes = schedule.nodes() - random.nextInt(schedule.nodes() / 3 + 1);
            final Population population;
            try {
                population = Population.of(schedule, nodes, random.nextInt(nodes / 3 + 1));
            } catch (final IllegalArgumentException e) {
                continue;
            }
            final boolean expected = hasUnreachable(schedule, population);
            assertEquals(expected, population.hasDeadEnds(), () -> schedule + ": " + population);
            dead += expected ? 1 : 0;
            free += expected || population.allPresent() ? 0 : 1;
        }
        assertTrue(dead > 20 && free > 20, "dead=" + dead + " free=" + free);
    }

    private static boolean hasUnreachable(final Phased schedule, final Population population) {
        for (int node = 0; node < schedule.nodes(); node++) {
            for (int to = 0; to < schedule.nodes(); to++) {
                for (int phase = 0; phase < schedule.phases(); phase++) {
                    boolean open = !population.present(node) || !population.present(to) || node == to;
                    for (int link = 0; link < schedule.linksPerPhase() && !open; link++) {
                        final int peer = schedule.peerOf(node, phase, link);
                        open = population.present(peer) && isDirectPathPresent(schedule, population, peer, to, phase);
                    }
                    if (!open) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean isSet(final long word, final int bit) {
        return (word >>> bit & 1) != 0;
    }

    private static boolean isDirectPathPresent(final Phased schedule, final Population population, final int node,
        final int destination, final int phase) {
        final Coordinates coordinates = schedule.coordinates();
        boolean present = true;
        int at = node;
        for (int step = 1; step <= schedule.phases(); step++) {
            final int turned = (phase + step) % schedule.phases();
            final int entered = coordinates.withDigit(at, turned, coordinates.digit(destination, turned));
            present &= entered == at || population.present(entered);
            at = entered;
        }
        return present;
    }

    @Test
    void shouldFindTheSmallestRadix() {
        for (int phases = 1; phases <= Phased.MAX_PHASES; phases++) {
            for (int nodes = 2; nodes < 5000; nodes++) {
                final int radix = Population.radixFor(phases, nodes);
                assertTrue(radix >= 2 && Math.pow(radix, phases) >= nodes, "phases=" + phases + " nodes=" + nodes);
                assertTrue(radix == 2 || Math.pow(radix - 1, phases) < nodes, "phases=" + phases + " nodes=" + nodes);
            }
        }
        // a cube root in floating point may come out as 5.000000000000001 or 4.999999999999999
        assertArrayEquals(new int[] {5, 6, 10, 100, 5, 1_048_575}, new int[] {Population.radixFor(3, 125),
            Population.radixFor(3, 126), Population.radixFor(4, 10_000), Population.radixFor(2, 10_000),
            Population.radixFor(8, 390_625), Population.radixFor(1, 1_048_575)});
    }

    @Test
    void shouldRefuseMoreEndpointsThanNodes() {
        checkRefusal(() -> Population.fill(new Phased(2, 4), 17), "nodes=17");
        checkRefusal(() -> Population.fill(new Phased(2, 4), 1), "nodes=1");
    }

    private static void checkRefusal(final Runnable made, final String named) {
        final String message = assertThrows(IllegalArgumentException.class, made::run).getMessage();
        assertTrue((message + " ").contains(named + " "), message);
    }

    private static void checkMapping(final Phased schedule, final Population population) {
        int endpoint = 0;
        for (int node = 0; node < schedule.nodes(); node++) {
            if (population.endpointOf(node) != Population.NONE) {
                assertEquals(endpoint, population.endpointOf(node));
                assertEquals(node, population.nodeOf(endpoint++));
                assertTrue(population.present(node));
            }
        }
        assertEquals(population.endpoints(), endpoint);
        assertEquals(population.absent(), absent(schedule, population).length);
    }

    private static void checkGroups(
        final Phased schedule, final Population population, final int fewest, final int most) {
        for (int node = 0; node < schedule.nodes(); node++) {
            for (int phase = 0; phase < schedule.phases(); phase++) {
                int missing = population.present(node) ? 0 : 1;
                for (int link = 0; link < schedule.linksPerPhase(); link++) {
                    missing += population.present(schedule.peerOf(node, phase, link)) ? 0 : 1;
                }
                assertTrue(missing >= fewest && missing <= most, "node=" + node + " phase=" + phase);
            }
        }
    }

    private static int[] absent(final Phased schedule, final Population population) {
        return IntStream.range(0, schedule.nodes()).filter(node -> !population.present(node)).toArray();
    }

    private static int digitSum(final Coordinates coordinates, final int node) {
        return IntStream.range(0, coordinates.phases()).map(phase -> coordinates.digit(node, phase)).sum();
    }

    /** Failed nodes exchange coordinates: every phase group lacks as few as can be (docs/spec/shale.md §8.7). */
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
        checkRefusal(() -> Population.failing(schedule, 16, failed, true), "last=14");
        final BitSet outside = new BitSet();
        outside.set(16);
        assertThrows(IllegalArgumentException.class, () -> Population.failing(schedule, 16, outside, true));
        checkRefusal(() -> Population.failing(schedule, 1, new BitSet(), true), "nodes=1");
        failed.clear(6, 16);
        assertEquals(2, Population.failing(new Phased(1, 8), 8, failed, false).endpoints());
    }

    /** Endpoints under their own numbers, fillers under those of their nodes. */
    @Test
    void shouldNumberTheNodesThatStatisticsList() {
        final Population filled = Population.fill(new Phased(2, 4), 14);
        assertEquals(16, filled.listed());
        assertArrayEquals(identity(16), IntStream.range(0, 16).map(filled::numberOf).toArray());
        final Population holes = Population.of(new Phased(2, 8), 62, 1);
        assertEquals(61, holes.listed());
        final Population other = holes.in(new Phased(3, 4));
        for (int node = 0; node < 64; node++) {
            assertEquals(holes.endpointOf(node), holes.numberOf(node));
            assertEquals(holes.endpointOf(node), other.endpointOf(node));
            assertEquals(holes.present(node), other.present(node));
        }
        assertEquals(holes.listed(), other.listed());
        checkRefusal(() -> holes.in(new Phased(6, 2)), "radix=2,");
    }

    @Test
    void shouldGiveTheTenThousandthNumberOfTheStandard() {
        final Mt19937 generator = new Mt19937(5489);
        for (int i = 1; i < 10_000; i++) {
            generator.next();
        }
        assertEquals(4_123_659_995L, Integer.toUnsignedLong(generator.next()));
    }

    @Test
    void shouldShuffleAsLibstdcxx() throws IOException {
        int lines = 0;
        for (final String[] line : ReferenceData.lines("std-shuffle.txt")) {
            final int length = Integer.parseInt(line[0]);
            final int[] order = identity(length);
            new Mt19937(1).shuffle(order, length);
            final int[] expected = ReferenceData.numbers(line, 2);
            assertArrayEquals(expected, Arrays.copyOf(order, expected.length), () -> "length=" + length);
            assertEquals(line[1], ReferenceData.hash(order), () -> "length=" + length);
            lines++;
        }
        assertEquals(21, lines);
    }

    @Test
    void shouldLeaveWhatLiesBeyondTheLengthAlone() {
        final int[] values = identity(40);
        new Mt19937(1).shuffle(values, 0);
        new Mt19937(1).shuffle(values, 1);
        assertArrayEquals(identity(40), values);
        new Mt19937(1).shuffle(values, 16);
        final int[] first = Arrays.copyOf(values, 16);
        Arrays.sort(first);
        assertArrayEquals(identity(16), first);
        assertArrayEquals(Arrays.copyOfRange(identity(40), 16, 40), Arrays.copyOfRange(values, 16, 40));
    }

    @Test
    void shouldDrawEveryValueBelowTheBoundAboutEquallyOften() {
        final Mt19937 generator = new Mt19937(7);
        final int[] drawn = new int[12];
        for (int i = 0; i < 120_000; i++) {
            drawn[(int) generator.below(12)]++;
        }
        for (final int times : drawn) {
            assertTrue(times > 9_500 && times < 10_500, () -> Arrays.toString(drawn));
        }
    }

    private static int[] identity(final int length) {
        final int[] values = new int[length];
        Arrays.setAll(values, i -> i);
        return values;
    }
}
