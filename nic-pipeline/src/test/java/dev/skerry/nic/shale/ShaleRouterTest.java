package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Unlimited;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The rules of docs/spec/shale.md §3, with digits in arrays, for every node, destination, link of arrival and n. */
final class ShaleRouterTest {
    private static final int[] DESTINATIONS = {0, 1, 0x55555, (1 << 20) - 2, (1 << 20) - 1};
    private static final int[] SPRAYS = {0, 1, 6, 7};
    private static final int[] LINKS = {0, 1, 0x1555, Route.MAX_LINKS - 1};
    private static final long[] SLOTS = {0, 1, 0x2AAAAA, Route.SENT_SLOTS - 2, Route.SENT_SLOTS, 3L << 40 | 5};
    private static final int DRAWS_A_LINK = 200;

    private final Arena arena = Arena.ofAuto();

    @ParameterizedTest
    @CsvSource({"1, 2", "1, 7", "2, 3", "2, 5", "3, 3", "4, 2", "5, 2"})
    void shouldFollowTheRules(final int h, final int r) {
        final Phased schedule = new Phased(h, r);
        final int nodes = schedule.nodes();
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH, 1, 1, 0, 9);
        final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
            new SpillPool(arena, 1));
        final ShaleRouter router = new ShaleRouter(arena, shale, nodes, queues, Unlimited.INSTANCE, null);
        for (int inEpoch = 0; inEpoch < schedule.epochSlots(); inEpoch++) {
            router.turnToReceiving(1000 + inEpoch, inEpoch);
            for (int id = 0; id < nodes; id++) {
                for (int destination = 0; destination < nodes; destination++) {
                    for (int n = 0; id != destination && n < h; n++) {
                        check(router, h, r, inEpoch, id, destination, n);
                    }
                }
            }
        }
    }

    /** The cells of a block by lists of nodes, in any order, as each of them alone. */
    @ParameterizedTest
    @CsvSource({"hbh+spray, 2, 5, 1", "hbh+spray, 3, 3, 2", "hbh+spray, 2, 70, 3", "hbh+spray, 2, 12, 6",
        "hbh+spray, 3, 5, 7", "hbh, 2, 12, 4", "none, 4, 2, 5"})
    void shouldRouteListsLikeCellAfterCell(final String control, final int h, final int r, final long seed) {
        final Phased schedule = new Phased(h, r);
        final int nodes = CellBatch.block(schedule.nodes());
        final int firstId = (schedule.nodes() - nodes) / 2;
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.of(control), 1, 1, 0, 9);
        final Random random = new Random(seed);
        final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
            new SpillPool(arena, 1));
        final ShaleRouter router = new ShaleRouter(arena, shale, nodes, queues, Unlimited.INSTANCE, null);
        for (int slot = 0; slot < (nodes > 64 ? 100 : 300); slot++) {
            router.turnToReceiving(slot, slot % schedule.epochSlots());
            final List<Integer> cells = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
            Collections.shuffle(cells, random);
            final int[] which = cells.stream().mapToInt(i -> i).toArray();
            final int sprays = random.nextInt(nodes + 1);
            final int end = sprays + random.nextInt(nodes + 1 - sprays);
            final long[] routes = new long[nodes];
            for (int k = 0; k < end; k++) {
                final int away = 1 + random.nextInt(schedule.nodes() - 1);
                routes[which[k]] = Route.first((firstId + which[k] + away) % schedule.nodes(),
                    k < sprays ? 1 + random.nextInt(h - 1) : 0, slot);
            }
            final CellBatch batch = new CellBatch(nodes);
            assertEquals(0, router.spray(firstId, 0, which, sprays, routes, batch));
            router.direct(firstId, 0, Arrays.copyOfRange(which, sprays, end), end - sprays, routes, batch);
            assertEquals(end, batch.count());
            for (int k = 0; k < end; k++) {
                final int i = which[k];
                final int next = k < sprays ? router.spray(firstId + i, i, routes[i])
                    : router.direct(firstId + i, routes[i]);
                final String where = "seed=" + seed + " slot=" + slot + " node=" + i;
                assertArrayEquals(new long[] {i, next, next * nodes + i, router.entry()},
                    new long[] {batch.node()[k], batch.hop()[k], batch.queue()[k], batch.word()[k]}, where);
            }
        }
    }

    private static void check(final ShaleRouter router, final int h, final int r, final int inEpoch, final int id,
        final int destination, final int n) {
        final String where = "h=" + h + " r=" + r + " sent=" + inEpoch + " id=" + id + " d=" + destination + " n=" + n;
        final long arrived = Route.first(destination, n, 77);
        final int next = n > 0 ? router.spray(id, id, arrived) : router.direct(id, arrived);
        assertTrue(next >= 0 && next < h * (r - 1), where);
        final int phase = next / (r - 1);
        final int up = next % (r - 1) + 1;
        final int came = inEpoch / (r - 1);
        final int[] mine = digits(id, h, r);
        final int[] theirs = digits(destination, h, r);
        if (n > 0) {
            assertEquals((came + 1) % h, phase, where);
        } else {
            int expected = (came + 1) % h;
            while (mine[expected] == theirs[expected]) {
                expected = (expected + 1) % h;
            }
            assertEquals(expected, phase, where);
            assertEquals(theirs[phase], (mine[phase] + up) % r, where);
        }
        mine[phase] = (mine[phase] + up) % r;
        final long entry = router.entry();
        assertEquals(Arrays.equals(mine, theirs), Route.isFinal(entry), where);
        assertArrayEquals(new int[] {Math.max(0, n - 1), destination, Route.bucket(destination, n), 3}, new int[] {
            Route.sprays(entry), Route.destination(entry), Route.owedBucket(entry), Route.age(entry, 80)}, where);
        // The sender reached us by going up; the owed link goes up the rest of the way round.
        final int owed = Route.owedLink(entry);
        assertEquals(owed, router.owedLink(), where);
        assertEquals(came, owed / (r - 1), where);
        assertEquals(0, (inEpoch % (r - 1) + 1 + owed % (r - 1) + 1) % r, where);
    }

    private static int[] digits(final int node, final int h, final int r) {
        final int[] digits = new int[h];
        for (int phase = 0, rest = node; phase < h; phase++, rest /= r) {
            digits[phase] = rest % r;
        }
        return digits;
    }

    @Test
    void shouldKeepAllFieldsApart() {
        for (final int destination : DESTINATIONS) {
            for (final int came : SPRAYS) {
                for (final long slot : SLOTS) {
                    final long first = Route.first(destination, came, slot);
                    check(first, destination, came, slot);
                    for (final int sprays : SPRAYS) {
                        for (final int link : LINKS) {
                            for (final boolean last : new boolean[] {false, true}) {
                                final long queued = Route.queued(first, sprays, last, link);
                                check(queued, destination, sprays, slot);
                                assertEquals(last, Route.isFinal(queued));
                                assertEquals(link, Route.owedLink(queued));
                                assertEquals(Route.bucket(destination, came), Route.owedBucket(queued));
                                assertEquals(Route.first(destination, sprays, slot), Route.forwarded(queued));
                            }
                        }
                    }
                }
            }
        }
    }

    @Test
    void shouldTellAgesUpToItsWindow() {
        for (final long slot : SLOTS) {
            for (final int age : new int[] {0, 1, 1000, Route.SENT_SLOTS - 1}) {
                assertEquals(age, Route.age(Route.first(7, 1, slot), slot + age));
            }
            assertEquals(0, Route.age(Route.first(7, 1, slot), slot + Route.SENT_SLOTS));
        }
    }

    private static void check(final long route, final int destination, final int sprays, final long slot) {
        assertArrayEquals(new int[] {destination, sprays, Route.bucket(destination, sprays), destination, 0},
            new int[] {Route.destination(route), Route.sprays(route), Route.bucket(route),
                Route.bucketDestination(Route.bucket(route)), Route.age(route, slot)});
    }

    /** The schedule stays below 2^20 nodes, so a real cell has not all bits set. */
    @Test
    void shouldNeverLookLikeAnIdleSlot() {
        final long extreme = Route.first((1 << 20) - 2, 7, Route.SENT_SLOTS - 1);
        assertNotEquals(InFlightCells.NO_CELL, extreme);
    }

    /** The candidates are those of the obvious scan, and each is drawn as often as any other. */
    @ParameterizedTest
    @CsvSource({"hbh, 4, 16, 0", "hbh, 70, 4900, 0", "none, 9, 75, 4", "hbh+spray, 4, 16, 0", "hbh+spray, 65, 4225, 0",
        "spray-short, 66, 4356, 0", "hbh+spray, 9, 75, 4", "spray-short, 6, 36, 3"})
    void shouldChooseEvenlyAmongTheCandidates(final String control, final int r, final int wanted, final int failed) {
        final Phased schedule = new Phased(2, r);
        final Population population = Population.of(schedule, wanted, failed);
        final Shale shale = new Shale(schedule, population, Mechanisms.of(control), 1, 1, 0, 1);
        final Random random = new Random(r);
        final int nodes = 3;
        final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
            new SpillPool(arena, 1 << 16));
        final IdleLinks idle = new IdleLinks(arena, shale, nodes);
        final Spray spray = new Spray(shale, nodes, queues, Unlimited.INSTANCE, null, idle);
        for (int round = 0; round < 12; round++) {
            final int node = random.nextInt(nodes);
            final int id = population.nodeOf(node);
            final int phase = random.nextInt(2);
            stir(queues, idle, schedule, nodes, random, round);
            final int destination = population.nodeOf(population.endpoints() - 1 - random.nextInt(5));
            final boolean last = random.nextInt(3) > 0;
            final List<Integer> candidates = candidates(shale, queues, id, node, nodes, phase, last, destination);
            final int[] drawn = new int[schedule.linksPerPhase()];
            final int draws = DRAWS_A_LINK * candidates.size();
            for (int draw = 0; draw < draws; draw++) {
                drawn[spray.choose(id, node, phase, destination, last ? 0 : 1,
                    CounterRandom.bits(5, draw, round, 1))]++;
            }
            even(drawn, candidates, "r=" + r + " " + control + " round=" + round);
        }
    }

    /** The candidates of bucket spray are those of the obvious scan, and each is drawn as often as any other. */
    @ParameterizedTest
    @CsvSource({"6, 36, 0", "9, 75, 4", "66, 4356, 0"})
    void shouldChooseEvenlyAmongTheLinksWithTheLeastOfABucket(final int r, final int wanted, final int failed) {
        final Phased schedule = new Phased(2, r);
        final Population population = Population.of(schedule, wanted, failed);
        final Shale shale = new Shale(schedule, population, Mechanisms.of("hbh+spray-bucket"), 1, 1, 0, 1);
        final Random random = new Random(r);
        final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots(),
            new SpillPool(arena, 1 << 16));
        final SomeTokens tokens = new SomeTokens(new int[schedule.epochSlots()]);
        final IdleLinks idle = new IdleLinks(arena, shale, 1);
        final Spray spray = new Spray(shale, 1, queues, tokens, null, idle);
        for (int round = 0; round < 12; round++) {
            final int id = population.nodeOf(random.nextInt(population.endpoints()));
            final int phase = random.nextInt(2);
            final int destination = population.nodeOf(population.endpoints() - 1 - random.nextInt(5));
            final int sprays = random.nextInt(2);
            fill(queues, tokens, schedule, destination, random, round % 3);
            note(idle, queues, schedule);
            final Map<Integer, Long> keys = new HashMap<>();
            for (final int link : usable(shale, id, phase, sprays == 0, destination)) {
                final int queue = phase * schedule.linksPerPhase() + link;
                final long[] ofBucket = {tokens.outstanding(queue, Route.bucket(destination, sprays))};
                queues.forEach(queue, (word, cell) -> ofBucket[0] += !Route.isFinal(word)
                    && Route.destination(word) == destination && Route.sprays(word) == sprays ? 1 : 0);
                keys.put(link, ofBucket[0] << 32 | queues.length(queue));
            }
            final List<Integer> candidates = keys.entrySet().stream()
                .filter(e -> e.getValue().equals(Collections.min(keys.values()))).map(Map.Entry::getKey).toList();
            final int[] drawn = new int[schedule.linksPerPhase()];
            for (int draw = 0; draw < DRAWS_A_LINK * candidates.size(); draw++) {
                drawn[spray.choose(id, 0, phase, destination, sprays, CounterRandom.bits(5, draw, round, 1))]++;
            }
            even(drawn, candidates, "r=" + r + " failed=" + failed + " round=" + round);
        }
    }

    /**
     * Each queue gets some cells of a few buckets, some on their last hop, and some get a token. No link is idle with
     * kind 0, some are with 1; with 2 each of them has a token, so that it is not the best.
     */
    private static void fill(final EligibilityQueues queues, final SomeTokens tokens, final Phased schedule,
        final int destination, final Random random, final int kind) {
        for (int queue = 0; queue < schedule.epochSlots(); queue++) {
            while (queues.dequeue(queue, Eligibility.ALWAYS)) {
                tokens.ofQueue[queue] = 0;
            }
            for (int cells = random.nextInt(4) + (kind == 0 ? 1 : 0); cells > 0; cells--) {
                final int to = random.nextInt(3) == 0 ? 1 - Math.min(destination, 1) : destination;
                queues.enqueue(queue, Route.queued(Route.first(to, 1, 0), random.nextInt(2),
                    random.nextInt(4) == 0, 0), cells);
            }
            final boolean isHeld = kind == 2 && queues.length(queue) == 0;
            tokens.ofQueue[queue] = isHeld || random.nextInt(3) == 0 ? 1 : 0;
        }
    }

    /** Notes the links of node 0 whose queue is empty. */
    private static void note(final IdleLinks idle, final EligibilityQueues queues, final Phased schedule) {
        for (int queue = 0; queue < schedule.epochSlots(); queue++) {
            final int phase = queue / schedule.linksPerPhase();
            final int link = queue % schedule.linksPerPhase();
            idle.onEmptiness(queue, 0, (idle.word(0, phase, link >>> 6) >>> link & 1) != 0
                != (queues.length(queue) == 0));
        }
    }

    /** Congestion control with tokens of every bucket outstanding, as many as a queue is given. */
    private record SomeTokens(int[] ofQueue) implements CongestionControl {
        @Override
        public int outstanding(final int queue, final int bucket) {
            return ofQueue[queue] * (1 + (bucket & 1));
        }
    }

    @Test
    void shouldSayWhenNoLinkIsLeft() {
        final Phased schedule = new Phased(2, 4);
        final Population population = Population.of(schedule, 16, 4);
        final Shale shale = new Shale(schedule, population, Mechanisms.HBH, 1, 1, 0, 1);
        int none = 0;
        final EligibilityQueues queues = new EligibilityQueues(arena, 6, new SpillPool(arena, 1));
        final IdleLinks idle = new IdleLinks(arena, shale, 1);
        final Spray spray = new Spray(shale, 1, queues, Unlimited.INSTANCE, null, idle);
        for (int id = 0; id < 16; id++) {
            for (int destination = 0; destination < 16; destination++) {
                for (int phase = 0; phase < 2; phase++) {
                    final boolean any = !candidates(shale, queues, id, 0, 1, phase, true, destination).isEmpty();
                    assertEquals(any, spray.choose(id, 0, phase, destination, 0, id) != Spray.NONE);
                    none += any ? 0 : 1;
                }
            }
        }
        assertTrue(none > 0, "absent destinations have no path");
    }

    /** Where links fail and neighbours report failures, a link is a candidate only if it is usable. */
    @ParameterizedTest
    @CsvSource({"2, 4, 5, 0, hbh+spray", "2, 10, 90, 0, hbh+spray", "2, 66, 30, 0, hbh+spray",
        "3, 4, 60, 0, spray-short", "2, 10, 60, 30, hbh+spray",
        "2, 80, 20, 0, spray-short", "2, 150, 6, 900, hbh+spray", "4, 3, 70, 0, hbh+spray"})
    void shouldChooseAmongUsableLinks(final int h, final int r, final int nodes, final int failed,
        final String control) {
        final Phased schedule = new Phased(h, r);
        final Population population = Population.of(schedule, schedule.nodes(), failed);
        final Shale shale = new Shale(schedule, population, Mechanisms.of(control), 1, 1, 0, 1);
        final Random random = new Random(r);
        final SpillPool pool = new SpillPool(arena, 1 << 16);
        final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes, pool);
        final PathReachability reach = new PathReachability(arena, shale, 0, nodes, pool);
        final IdleLinks idle = new IdleLinks(arena, shale, nodes);
        final Spray spray = new Spray(shale, nodes, queues, Unlimited.INSTANCE, reach, idle);
        final int[] which = IntStream.range(0, nodes).filter(population::present).toArray();
        for (int round = 0; round < 12; round++) {
            final String where = "h=" + h + " r=" + r + " nodes=" + nodes + " round=" + round;
            stir(queues, idle, schedule, nodes, random, round);
            fail(reach, schedule, nodes, random, round);
            final int phase = random.nextInt(h);
            final long key = random.nextLong();
            final long[] routes = LongStream.generate(() -> Route.first(
                population.nodeOf(random.nextInt(population.endpoints())), 1 + random.nextInt(h - 1), 0))
                .limit(nodes).toArray();
            for (final int node : which) {
                final long bits = CounterRandom.bits(key, node, Spray.USE);
                final int to = Route.destination(routes[node]);
                final int sprays = Route.sprays(routes[node]) - 1;
                final List<Integer> candidates = usable(shale, reach, queues, nodes, node, phase, sprays, to);
                final int expected = candidates.isEmpty() ? Spray.NONE
                    : candidates.get(CounterRandom.below(bits, candidates.size()));
                assertEquals(expected, spray.choose(node, node, phase, to, sprays, bits), where + " node=" + node);
            }
        }
        assertTrue(IntStream.of(which).allMatch(reach::isTroubled), "nodes that nothing hinders");
    }

    /** Puts some links down, and has neighbours tell of lost paths over others. */
    private static void fail(final PathReachability reach, final Phased schedule, final int nodes, final Random random,
        final int round) {
        for (int n = 0; n < nodes * round; n++) {
            final int queue = random.nextInt(schedule.epochSlots() * nodes);
            if (!reach.states.isUp(queue)) {
                continue;
            }
            if (random.nextInt(4) == 0) {
                reach.states.giveUp(queue);
                reach.onDown(queue % nodes, queue);
            } else {
                final int bucket = Route.bucket(random.nextInt(schedule.nodes()), random.nextInt(schedule.phases()));
                reach.onLost(queue % nodes, queue, bucket);
                if (random.nextInt(3) == 0) {
                    reach.onRegained(queue % nodes, queue, bucket);
                }
            }
        }
    }

    /** Of the links that meet no absent node and are usable those with the shortest queues. */
    private static List<Integer> usable(final Shale shale, final PathReachability reach, final EligibilityQueues queues,
        final int nodes, final int node, final int phase, final int sprays, final int to) {
        final int links = shale.schedule().linksPerPhase();
        final Population population = shale.population();
        final List<Integer> open = IntStream.range(0, links)
            .filter(link -> population.allPresent()
                || ((sprays > 0 ? population.presentLinks(node, phase, link / Long.SIZE)
                : population.lastSprayLinks(node, phase, to, link / Long.SIZE)) >>> link & 1) != 0)
            .filter(link -> reach.usable(reach.numbers.queue(phase, link, node), to, sprays)).boxed().toList();
        final int fewest = open.stream().mapToInt(link -> queues.length((phase * links + link) * nodes + node)).min()
            .orElse(0);
        return open.stream().filter(link -> queues.length((phase * links + link) * nodes + node) == fewest).toList();
    }

    /** Every fourth round leaves no queue empty, so that the choice cannot rest on the bits. */
    static void stir(final EligibilityQueues queues, final IdleLinks idle, final Phased schedule,
        final int nodes, final Random random, final int round) {
        for (int queue = 0; queue < schedule.epochSlots() * nodes; queue++) {
            final int inEpoch = queue / nodes;
            while (queues.dequeue(queue, Eligibility.ALWAYS)) {
                idle.onEmptiness(inEpoch, queue % nodes, queues.length(queue) == 0);
            }
            final int target = round % 4 == 0 ? 1 + random.nextInt(3) : Math.max(0, random.nextInt(5) - 2);
            for (int length = 0; length < target; length++) {
                idle.onEmptiness(inEpoch, queue % nodes, queues.enqueue(queue, 1, 1) == 1);
            }
        }
    }

    static List<Integer> candidates(final Shale shale, final EligibilityQueues queues, final int id,
        final int node, final int nodes, final int phase, final boolean last, final int destination) {
        final List<Integer> candidates = new ArrayList<>();
        int fewest = Integer.MAX_VALUE;
        for (final int link : usable(shale, id, phase, last, destination)) {
            final int length = shale.mechanisms().spraying() == SprayRule.SHORTEST_QUEUE
                ? queues.length((phase * shale.schedule().linksPerPhase() + link) * nodes + node) : 0;
            if (length < fewest) {
                candidates.clear();
                fewest = length;
            }
            if (length == fewest) {
                candidates.add(link);
            }
        }
        return candidates;
    }

    private static List<Integer> usable(final Shale shale, final int id, final int phase, final boolean last,
        final int destination) {
        final Phased schedule = shale.schedule();
        final List<Integer> usable = new ArrayList<>();
        for (int link = 0; link < schedule.linksPerPhase(); link++) {
            final int peer = schedule.peerOf(id, phase, link);
            // Two phases: from the last spraying hop, one direct hop in the other phase, then one in this.
            final int corner = schedule.coordinates().withDigit(peer, 1 - phase,
                schedule.coordinates().digit(destination, 1 - phase));
            if (shale.population().present(peer) && (!last || peer == destination
                || (peer == corner || shale.population().present(corner)) && shale.population().present(destination))) {
                usable.add(link);
            }
        }
        return usable;
    }

    private static void even(final int[] drawn, final List<Integer> candidates, final String where) {
        double chiSquare = 0;
        int total = 0;
        for (final int link : candidates) {
            chiSquare += Math.pow(drawn[link] - DRAWS_A_LINK, 2) / DRAWS_A_LINK;
            total += drawn[link];
        }
        assertEquals(DRAWS_A_LINK * candidates.size(), total, () -> "a link that is no candidate was chosen: " + where);
        final int freedom = candidates.size() - 1;
        assertTrue(chiSquare <= freedom + 4.5 * Math.sqrt(2.0 * freedom) + 1e-9, where + " chi2=" + chiSquare);
    }

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
        final Arena arena = Arena.ofAuto();
        final EligibilityQueues queues = new EligibilityQueues(arena, schedule.epochSlots() * nodes,
            new SpillPool(arena, 1 << 16));
        final IdleLinks idle = new IdleLinks(arena, shale, nodes);
        final Spray spray = new Spray(shale, nodes, queues, Unlimited.INSTANCE, null, idle);
        for (int round = 0; round < 60; round++) {
            final int node = random.nextInt(nodes);
            final int id = population.nodeOf(node);
            final int phase = random.nextInt(2);
            ShaleRouterTest.stir(queues, idle, schedule, nodes, random, round);
            final int destination = population.nodeOf(population.endpoints() - 1 - random.nextInt(5));
            final List<Integer> candidates = ShaleRouterTest.candidates(shale, queues, id, node, nodes, phase, true,
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
