package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The invariants of docs/spec/shale.md §2.2 in every fabric of up to 512 nodes and in the largest of more phases; in
 * the long test in every fabric of up to 4096 nodes.
 *
 * <p>With one phase the work grows with the cube of the largest radix, so above {@link #WHOLE_RADIX} most radixes are
 * checked in some slots for all nodes and for some nodes in all slots; those of {@link #LARGE_RADIXES} entirely.
 */
class PhasedInvariantsTest {
    private static final int WHOLE_RADIX = 150;
    private static final BitSet LARGE_RADIXES = of(511, 512, 1023, 1024);
    private static final long DISTANT_EPOCH = 1L << 40;
    private static final Phased NINE = new Phased(2, 3);
    private static final Phased SIXTEEN = new Phased(2, 4);
    private static final int EXHAUSTIVE_NODES = 256;
    /**
     * Up to this size every destination is tried; beyond it only node 0, because the schedule is the same from every
     * node.
     */
    private static final int ALL_DESTINATIONS = 256;
    /**
     * With radix 2 the sprays end at the complement of the source, so all h direct hops follow only if a cell goes back
     * to its source, which the table allows; to any other node one is skipped: 3 * 9 + 10 + 9 + 9 + 7 slots.
     */
    private static final int WORST_OF_TWO = 62;
    private static final int CYCLIC = -1;

    @Test
    void shouldHoldInEveryFabric() {
        // radix 2 .. 512, 22, 8, 4, 3, 2, 2, 2
        assertEquals(511 + 21 + 7 + 3 + 2 + 1 + 1 + 1, checkFabrics(512));
    }

    @Tag("long")
    @Test
    void shouldHoldInEveryLargeFabric() {
        // radix 2 .. 4096, 64, 16, 8, 5, 4, 3, 2
        assertEquals(4095 + 63 + 15 + 7 + 4 + 3 + 2 + 1, checkFabrics(4096));
    }

    private static int checkFabrics(final int most) {
        int fabrics = 0;
        for (int phases = 1; phases <= Phased.MAX_PHASES; phases++) {
            for (int radix = 2; Math.pow(radix, phases) <= most; radix++) {
                final Phased schedule = new Phased(phases, radix);
                final boolean whole = phases > 1 || radix <= WHOLE_RADIX || LARGE_RADIXES.get(radix);
                final int slots = schedule.epochSlots();
                for (int slot = 0; slot < slots; slot = whole ? slot + 1 : next(slot, slots)) {
                    checkSlot(schedule, slot);
                }
                checkNodes(schedule, whole);
                fabrics++;
            }
        }
        return fabrics;
    }

    @ParameterizedTest
    @CsvSource({"2, 64", "3, 16", "4, 8", "5, 5", "6, 4", "7, 3"})
    void shouldHoldInTheLargestFabrics(final int phases, final int radix) {
        checkWhole(new Phased(phases, radix));
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {2048, 3001, 4096})
    void shouldHoldInEverySlotOfALargeFabric(final int radix) {
        checkWhole(new Phased(1, radix));
    }

    private static void checkWhole(final Phased schedule) {
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            checkSlot(schedule, slot);
        }
        checkNodes(schedule, true);
    }

    /** Invariants 1, 3, 4 and 5: a permutation without fixed points, its inverse, the way back, the period. */
    private static void checkSlot(final Phased schedule, final int slot) {
        final int phase = slot / schedule.linksPerPhase();
        final int link = slot % schedule.linksPerPhase();
        final int back = schedule.reverseLink(link);
        final long later = slot + DISTANT_EPOCH * schedule.epochSlots();
        final BitSet reached = new BitSet(schedule.nodes());
        final long[] senders = new long[schedule.nodes()];
        schedule.senders(slot, 0, schedule.nodes(), senders);
        for (int node = 0; node < schedule.nodes(); node++) {
            final int peer = schedule.peerOf(node, (long) slot);
            reached.set(peer);
            if (peer == node || schedule.peerOf(node, phase, link) != peer || schedule.peerOf(node, later) != peer
                || schedule.senderTo(peer, (long) slot) != node || schedule.senderTo(peer, phase, link) != node
                || senders[peer] != node || schedule.senderTo(peer, later) != node
                || schedule.peerOf(peer, phase, back) != node || schedule.linkTowards(node, peer, phase) != link
                || schedule.linkTowards(peer, node, phase) != back) {
                fail(describe(schedule) + " slot=" + slot + " node=" + node + " peer=" + peer);
            }
        }
        // as many peers as nodes: every node receives exactly one cell, and none beyond the last node does
        if (reached.cardinality() != schedule.nodes() || reached.length() != schedule.nodes()) {
            fail(describe(schedule) + " slot=" + slot + " is no permutation");
        }
    }

    /** Invariant 2: in an epoch a node meets each node at distance 1 once, and no other. */
    private static void checkNodes(final Phased schedule, final boolean whole) {
        final Coordinates coordinates = schedule.coordinates();
        final int[] metBy = new int[schedule.nodes()];
        Arrays.fill(metBy, -1);
        for (int node = 0; node < schedule.nodes(); node = whole ? node + 1 : next(node, schedule.nodes())) {
            for (int phase = 0; phase < schedule.phases(); phase++) {
                for (int link = 0; link < schedule.linksPerPhase(); link++) {
                    final int peer = schedule.peerOf(node, phase, link);
                    final int weight = coordinates.weight(phase);
                    final boolean neighbour = peer % weight == node % weight && peer != node
                        && peer / weight / schedule.radix() == node / weight / schedule.radix();
                    if (!neighbour || metBy[peer] == node) {
                        fail(describe(schedule) + " node=" + node + " phase=" + phase + " link=" + link);
                    }
                    // E different neighbours are all of them
                    metBy[peer] = node;
                }
            }
        }
    }

    /** Visits 0, 1, 2, the middle and the last two of {@code end} numbers. */
    private static int next(final int at, final int end) {
        if (at < 2 || at >= end - 2) {
            return at + 1;
        }
        return at < end / 2 ? end / 2 : end - 2;
    }

    private static String describe(final Phased schedule) {
        return "phases=" + schedule.phases() + " radix=" + schedule.radix();
    }

    private static BitSet of(final int... numbers) {
        final BitSet set = new BitSet();
        for (final int number : numbers) {
            set.set(number);
        }
        return set;
    }

    /** The worked examples of docs/spec/shale.md §2.3. */
    @Test
    void shouldConnectNineNodesAsInTheExample() {
        assertEquals(4, NINE.epochSlots());
        assertArrayEquals(new int[]{1, 2, 0, 4, 5, 3, 7, 8, 6}, peers(NINE, 0));
        assertArrayEquals(new int[]{2, 0, 1, 5, 3, 4, 8, 6, 7}, peers(NINE, 1));
        assertArrayEquals(new int[]{3, 4, 5, 6, 7, 8, 0, 1, 2}, peers(NINE, 2));
        assertArrayEquals(new int[]{6, 7, 8, 0, 1, 2, 3, 4, 5}, peers(NINE, 3));
        assertArrayEquals(new int[]{1, 0, 3, 2}, reverseSlots(NINE));
    }

    @Test
    void shouldConnectSixteenNodesAsInTheExample() {
        assertEquals(6, SIXTEEN.epochSlots());
        for (int slot = 0; slot < 6; slot++) {
            final int up = slot % 3 + 1;
            final boolean low = slot < 3;
            final int[] expected = IntStream.range(0, 16)
                .map(node -> low ? node / 4 * 4 + (node + up) % 4 : (node + 4 * up) % 16).toArray();
            assertArrayEquals(expected, peers(SIXTEEN, slot));
        }
        assertArrayEquals(new int[]{7, 4, 5, 10, 14, 2},
            IntStream.range(0, 6).map(slot -> SIXTEEN.peerOf(6, (long) slot)).toArray());
        assertArrayEquals(new int[]{5, 4, 7, 2, 14, 10},
            IntStream.range(0, 6).map(slot -> SIXTEEN.senderTo(6, (long) slot)).toArray());
        assertArrayEquals(new int[]{2, 1, 0, 5, 4, 3}, reverseSlots(SIXTEEN));
    }

    /** Senders to consecutive nodes, for every beginning and end, and no others. */
    @Test
    void shouldListTheSendersToSomeNodes() {
        for (int slot = 0; slot < 6; slot++) {
            for (int first = 0; first <= 16; first++) {
                for (int count = 0; count <= 16 - first; count++) {
                    final long[] senders = new long[count + 1];
                    senders[count] = -1;
                    SIXTEEN.senders(slot, first, count, senders);
                    for (int i = 0; i < count; i++) {
                        assertEquals(SIXTEEN.senderTo(first + i, (long) slot), senders[i], "slot=" + slot);
                    }
                    assertEquals(-1, senders[count]);
                }
            }
        }
    }

    /** AA, BA, BB, CB, CC of the paper: one hop every second slot without propagation delay. */
    @Test
    void shouldLeadAlongThePathOfThePaper() {
        final int[] path = {0, 1, 4, 5, 8};
        for (int hop = 0; hop < 4; hop++) {
            assertEquals(path[hop + 1], NINE.peerOf(path[hop], 2L * hop));
            assertEquals(path[hop], NINE.senderTo(path[hop + 1], 2L * hop));
            assertEquals(0, NINE.linkTowards(path[hop], path[hop + 1], hop % 2));
        }
        // sprayed to node 4 in phase 1: the direct hops follow in phases 0 and 1
        assertEquals(0, NINE.coordinates().nextDifference(4, 8, 1));
        assertEquals(1, NINE.coordinates().nextDifference(5, 8, 0));
    }

    /** The first slot in which each node of that path can return a token after it has forwarded the cell. */
    @Test
    void shouldReachBackInTheSlotsOfTheExample() {
        assertArrayEquals(new long[] {5, 7, 9}, new long[] {firstSlotTo(1, 0, 2), firstSlotTo(4, 1, 4),
            firstSlotTo(5, 4, 6)});
    }

    private static int[] peers(final Phased schedule, final long slot) {
        return IntStream.range(0, schedule.nodes()).map(node -> schedule.peerOf(node, slot)).toArray();
    }

    /** By slot of the epoch: the slot in which the receiver sends back. */
    private static int[] reverseSlots(final Phased schedule) {
        final int links = schedule.linksPerPhase();
        return IntStream.range(0, schedule.epochSlots())
            .map(slot -> slot / links * links + schedule.reverseLink(slot % links)).toArray();
    }

    private static long firstSlotTo(final int node, final int peer, final long from) {
        long slot = from;
        while (NINE.peerOf(node, slot) != peer) {
            slot++;
        }
        return slot;
    }

    @Test
    void shouldNumberDigitsFromTheLeastSignificant() {
        final Coordinates coordinates = new Coordinates(4, 10);
        assertArrayEquals(new int[] {10_000, 4, 3, 2, 1, 1000, 1294, 234}, new int[] {coordinates.nodes(),
            coordinates.digit(1234, 0), coordinates.digit(1234, 1), coordinates.digit(1234, 2),
            coordinates.digit(1234, 3), coordinates.weight(3), coordinates.withDigit(1234, 1, 9),
            coordinates.withDigit(1234, 3, 0)});
    }

    /** The largest fabric of every number of phases: the widest digits that a lane must hold. */
    @ParameterizedTest
    @CsvSource({"1, 1048575", "2, 1023", "3, 101", "4, 31", "5, 15", "6, 10", "7, 7", "8, 5"})
    void shouldHoldTheDigitsOfTheLargestFabrics(final int phases, final int radix) {
        final Coordinates coordinates = new Coordinates(phases, radix);
        final SplittableRandom random = new SplittableRandom(phases);
        final int last = coordinates.nodes() - 1;
        for (int i = 0; i < 20_000; i++) {
            final int node = i < 2 ? i * last : random.nextInt(last + 1);
            int rest = node;
            for (int phase = 0; phase < phases; phase++) {
                assertEquals(rest % radix, coordinates.digit(node, phase));
                rest /= radix;
            }
            checkNextDifference(coordinates, node, random.nextInt(last + 1));
            final int near = coordinates.withDigit(node, random.nextInt(phases), random.nextInt(radix));
            checkNextDifference(coordinates, node, near);
        }
    }

    @Test
    void shouldFindTheNextDifferenceThatALoopFinds() {
        int fabrics = 0;
        for (int phases = 1; phases <= Phased.MAX_PHASES; phases++) {
            for (int radix = 2; Math.pow(radix, phases) <= EXHAUSTIVE_NODES; radix++) {
                final Coordinates coordinates = new Coordinates(phases, radix);
                for (int node = 0; node < coordinates.nodes(); node++) {
                    for (int destination = 0; destination < coordinates.nodes(); destination++) {
                        checkNextDifference(coordinates, node, destination);
                    }
                }
                fabrics++;
            }
        }
        // radix 2 .. 256, 16, 6, 4, 3, 2, 2, 2
        assertEquals(255 + 15 + 5 + 3 + 2 + 1 + 1 + 1, fabrics);
    }

    @ParameterizedTest
    @CsvSource({"0, 4, phases=0", "9, 2, phases=9", "2, 1, radix=1", "2, -3, radix=-3", "1, 1048576, radix=1048576",
        "2, 1024, radix=1024", "4, 32, radix=32", "8, 2147483647, radix=2147483647"})
    void shouldRefuseFabricsThatNoHeaderCanName(final int phases, final int radix, final String named) {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> new Phased(phases, radix)).getMessage();
        assertTrue(message.contains(named), message);
    }

    private static void checkNextDifference(final Coordinates coordinates, final int node, final int destination) {
        if (node == destination) {
            return;
        }
        for (int phase = 0; phase < coordinates.phases(); phase++) {
            checkDiffersOnlyIn(coordinates, phase, node, destination);
            int expected = (phase + 1) % coordinates.phases();
            while (coordinates.digit(node, expected) == coordinates.digit(destination, expected)) {
                expected = (expected + 1) % coordinates.phases();
            }
            final int found = coordinates.nextDifference(node, destination, phase);
            if (found != expected) {
                fail("phases=" + coordinates.phases() + " radix=" + coordinates.radix() + " node=" + node
                    + " destination=" + destination + " phase=" + phase + ": " + found + " instead of " + expected);
            }
            int last = phase;
            while (coordinates.digit(node, last) == coordinates.digit(destination, last)) {
                last = Math.floorMod(last - 1, coordinates.phases());
            }
            if (coordinates.lastDifference(node, destination, phase) != last) {
                fail("phases=" + coordinates.phases() + " radix=" + coordinates.radix() + " node=" + node
                    + " other=" + destination + " phase=" + phase + ": last is " + last);
            }
        }
    }

    private static void checkDiffersOnlyIn(final Coordinates coordinates, final int phase, final int node,
        final int other) {
        boolean only = true;
        for (int others = 0; others < coordinates.phases(); others++) {
            only &= others == phase || coordinates.digit(node, others) == coordinates.digit(other, others);
        }
        final boolean sameLane = (coordinates.digits(node) & coordinates.lane(phase))
            == (coordinates.digits(other) & coordinates.lane(phase));
        if (coordinates.differOnlyIn(phase, node, other) != only
            || coordinates.oneIfDifferOnlyIn(phase, node, other) != (only ? 1 : 0)
            || sameLane != (coordinates.digit(node, phase) == coordinates.digit(other, phase))) {
            fail("phases=" + coordinates.phases() + " radix=" + coordinates.radix() + " node=" + node + " other="
                + other + " phase=" + phase + ": only there is " + only);
        }
    }

    /**
     * The worst flow completion time of one cell that waits for no other, over all paths (table of docs/spec/shale.md
     * §3), by dynamic programming over sprays left, slot of the last hop and node reached, from the delivery back.
     */
    @ParameterizedTest
    @CsvSource({"1, 9, 0, 9", "1, 9, 8, 25", "2, 3, 0, 8", "2, 3, 4, 24", "2, 3, 6, 37", "2, 4, 0, 12", "2, 4, 6, 36",
        "3, 5, 7, 91", "2, 16, 13, 143", "4, 4, 30, 306", "4, 2, 6, 70", "2, 100, 0, 396", "2, 100, 89, 951",
        "4, 10, 0, 72", "4, 10, 89, 917"})
    void shouldBeAsInTheTable(final int phases, final int radix, final int propagationSlots, final int worstSlots) {
        final Phased schedule = new Phased(phases, radix);
        final int destinations = schedule.nodes() <= ALL_DESTINATIONS ? schedule.nodes() : 1;
        for (int destination = 0; destination < destinations; destination++) {
            final String what = "destination=" + destination;
            final int toOthers = radix == 2 ? WORST_OF_TWO : worstSlots;
            assertEquals(worstSlots, worst(schedule, propagationSlots, destination, true), what);
            assertEquals(toOthers, worst(schedule, propagationSlots, destination, false), what);
        }
    }

    private static int worst(
        final Phased schedule, final int propagationSlots, final int destination, final boolean toItself) {
        final int nodes = schedule.nodes();
        final int[][] gapTo = gaps(schedule, propagationSlots);
        int[] left = direct(schedule, gapTo, destination);
        for (int sprays = 1; sprays < schedule.phases(); sprays++) {
            left = spray(schedule, gapTo, destination, left);
        }
        int worst = 0;
        for (int sent = 0; sent < schedule.epochSlots(); sent++) {
            for (int source = 0; source < nodes; source++) {
                if (toItself || source != destination) {
                    worst = Math.max(worst, left[sent * nodes + schedule.peerOf(source, (long) sent)]);
                }
            }
        }
        return worst + propagationSlots + 1;
    }

    /** {@code [to][from]}: slots from a send on link {@code from} to the next on {@code to} that can follow it. */
    private static int[][] gaps(final Phased schedule, final int propagationSlots) {
        final int slots = schedule.epochSlots();
        final int[][] gapTo = new int[slots][slots];
        for (int from = 0; from < slots; from++) {
            final int first = from + propagationSlots + 1;
            for (int slot = first; slot < first + slots; slot++) {
                gapTo[schedule.slotInEpoch(slot)][from] = slot - from;
            }
        }
        return gapTo;
    }

    /** {@code [slot sent * nodes + node reached]}: slots until the last hop is sent, with direct hops only. */
    private static int[] direct(final Phased schedule, final int[][] gapTo, final int destination) {
        final int nodes = schedule.nodes();
        final int[] left = new int[schedule.epochSlots() * nodes];
        for (int sent = 0; sent < schedule.epochSlots(); sent++) {
            for (int node = 0; node < nodes; node++) {
                int slots = 0;
                int last = sent;
                for (int at = node; at != destination;) {
                    final int phase = schedule.coordinates()
                        .nextDifference(at, destination, last / schedule.linksPerPhase());
                    final int link = schedule.linkTowards(at, destination, phase);
                    final int next = phase * schedule.linksPerPhase() + link;
                    slots += gapTo[next][last];
                    at = schedule.peerOf(at, phase, link);
                    last = next;
                }
                left[sent * nodes + node] = slots;
            }
        }
        return left;
    }

    /** The same with one spraying hop before {@code after}, over the worst link. */
    private static int[] spray(
        final Phased schedule, final int[][] gapTo, final int destination, final int[] after) {
        final int nodes = schedule.nodes();
        final int links = schedule.linksPerPhase();
        final int[] left = new int[after.length];
        final int[] worst = new int[links];
        for (int phase = 0; phase < schedule.phases(); phase++) {
            final int nextPhase = (phase + 1) % schedule.phases();
            for (int node = 0; node < nodes; node++) {
                if (node == destination) {
                    continue;
                }
                Arrays.fill(worst, 0);
                for (int link = 0; link < links; link++) {
                    final int next = nextPhase * links + link;
                    final int rest = after[next * nodes + schedule.peerOf(node, nextPhase, link)];
                    for (int sent = 0; sent < links; sent++) {
                        worst[sent] = Math.max(worst[sent], gapTo[next][phase * links + sent] + rest);
                    }
                }
                for (int sent = 0; sent < links; sent++) {
                    left[(phase * links + sent) * nodes + node] = worst[sent];
                }
            }
        }
        return left;
    }

    /**
     * Hop-by-hop control cannot deadlock (docs/spec/shale.md §5.6): the graph of buckets {@code <destination, sprays
     * left>} at nodes, with edges to those at neighbours of which a cell may need a token, has no cycle.
     */
    @ParameterizedTest
    @CsvSource({"1, 9, 72, 0, 0", "2, 3, 144, 324, 2", "2, 4, 480, 1632, 2", "3, 3, 2106, 9396, 4",
        "4, 2, 960, 3136, 6", "4, 3, 25920, 170424, 6"})
    void shouldHaveNoCycle(final int phases, final int radix, final int buckets, final int edges, final int longest) {
        final int[][] graph = graph(new Phased(phases, radix), phases);
        assertEquals(buckets, Arrays.stream(graph).filter(to -> to != null).count());
        assertEquals(edges, Arrays.stream(graph).filter(to -> to != null).mapToInt(to -> to.length).sum());
        assertEquals(longest, longestPath(graph));
        assertEquals(2 * phases - 2, longest);
    }

    /** If spraying and direct cells to a destination shared their tokens, they could wait for each other. */
    @ParameterizedTest
    @CsvSource({"2, 3", "2, 4", "3, 3", "4, 2", "4, 3"})
    void shouldHaveACycleWithOneBucketPerDestination(final int phases, final int radix) {
        assertEquals(CYCLIC, longestPath(graph(new Phased(phases, radix), 1)));
    }

    /**
     * The edges of every vertex {@code (node * nodes + destination) * kept + min(sprays, kept - 1)}.
     *
     * @param kept how many numbers of sprays left are distinguished.
     */
    private static int[][] graph(final Phased schedule, final int kept) {
        final int nodes = schedule.nodes();
        final int[][] graph = new int[nodes * nodes * kept][];
        for (int node = 0; node < nodes; node++) {
            for (int destination = 0; destination < nodes; destination++) {
                if (node == destination) {
                    continue;
                }
                for (int level = 0; level < kept; level++) {
                    final Set<Integer> edges = new HashSet<>();
                    final int mostSprays = level == kept - 1 ? schedule.phases() - 1 : level;
                    for (int sprays = level; sprays <= mostSprays; sprays++) {
                        final int next = Math.min(Math.max(sprays - 1, 0), kept - 1);
                        for (final int neighbour : nextHops(schedule, node, destination, sprays)) {
                            if (neighbour != destination) {
                                edges.add((neighbour * nodes + destination) * kept + next);
                            }
                        }
                    }
                    graph[(node * nodes + destination) * kept + level] =
                        edges.stream().mapToInt(Integer::intValue).toArray();
                }
            }
        }
        return graph;
    }

    private static int[] nextHops(final Phased schedule, final int node, final int destination, final int sprays) {
        if (sprays > 0) {
            return IntStream.range(0, schedule.epochSlots()).map(slot -> schedule.peerOf(node, (long) slot)).toArray();
        }
        return IntStream.range(0, schedule.phases())
            .map(phase -> schedule.coordinates().nextDifference(node, destination, phase))
            .map(phase -> schedule.peerOf(node, phase, schedule.linkTowards(node, destination, phase)))
            .toArray();
    }

    /** Edges of the longest path, found by a topological sort; {@link #CYCLIC} if there is none. */
    private static int longestPath(final int[][] graph) {
        final int[] waiting = new int[graph.length];
        int vertices = 0;
        for (final int[] edges : graph) {
            vertices += edges == null ? 0 : 1;
            for (final int to : edges == null ? new int[0] : edges) {
                waiting[to]++;
            }
        }
        final int[] sorted = new int[vertices];
        final int[] length = new int[graph.length];
        int found = 0;
        for (int vertex = 0; vertex < graph.length; vertex++) {
            if (graph[vertex] != null && waiting[vertex] == 0) {
                sorted[found++] = vertex;
            }
        }
        int longest = 0;
        for (int next = 0; next < found; next++) {
            final int from = sorted[next];
            longest = Math.max(longest, length[from]);
            for (final int to : graph[from]) {
                length[to] = Math.max(length[to], length[from] + 1);
                if (--waiting[to] == 0) {
                    sorted[found++] = to;
                }
            }
        }
        return found == vertices ? longest : CYCLIC;
    }
}
