package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.PathReachability.BucketSets;
import dev.skerry.nic.shale.PathReachability.LostPaths;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which links a cell may take, a word of them, against the records themselves, link by link (docs/spec/shale.md §8.2).
 */
final class PathReachabilityModelTest {
    private static final int STEPS = 1_200;
    private static final int NODES = 3;
    private static final int LOST_STEPS = 1_500;
    private static final int WORDS = 3;
    private static final int NOTICE_STEPS = 20_000;
    private static final int LINKS = 3;
    private static final int BUCKETS = 12;

    private final Arena arena = Arena.ofAuto();

    @ParameterizedTest
    @CsvSource({"1, 6, 1", "2, 4, 2", "2, 70, 3", "3, 3, 4", "4, 3, 5", "5, 2, 6"})
    void shouldNameTheLinksThatNoRecordBlocks(final int h, final int r, final long seed) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 0, 1);
        final Random random = new Random(seed);
        // Records of few links, so that a link has many.
        final int busy = Math.min(4, schedule.epochSlots() * NODES);
        final List<Set<Integer>> records = new ArrayList<>();
        for (int queue = 0; queue < schedule.epochSlots() * NODES; queue++) {
            records.add(new HashSet<>());
        }
        final PathReachability reach = new PathReachability(arena, shale, 0, NODES, new SpillPool(arena, 1 << 10));
        long blocked = 0;
        for (int step = 0; step < STEPS; step++) {
            final int queue = random.nextInt(3) == 0 ? random.nextInt(records.size()) : random.nextInt(busy);
            final int node = queue % NODES;
            final int destination = random.nextInt(schedule.nodes());
            final int bucket = Route.bucket(destination, random.nextInt(h));
            if (random.nextInt(100) == 0) {
                reach.onNodeDown(node);
                for (int of = node; of < records.size(); of += NODES) {
                    records.get(of).clear();
                }
            } else if (!reach.states.isUp(queue)) {
                for (int heard = 0; heard < LinkStates.HEARD_ENOUGH && !reach.states.isUp(queue); heard++) {
                    final long says = reach.states.probe(queue);
                    reach.states.onProbe(queue, says < 0 ? 0 : says);
                }
                if (reach.states.isUp(queue)) {
                    reach.onUp(node, queue);
                }
            } else if (random.nextInt(40) == 0) {
                reach.states.giveUp(queue);
                reach.onDown(node, queue);
                records.get(queue).clear();
            } else if (random.nextInt(3) == 0 && !records.get(queue).isEmpty()) {
                final int old = records.get(queue).iterator().next();
                reach.onRegained(node, queue, old);
                records.get(queue).remove(old);
            } else if (destination != node && destination != schedule.peerOf(node, queue / NODES)) {
                assertEquals(records.get(queue).add(bucket), reach.onLost(node, queue, bucket), "seed=" + seed);
            }
            blocked += compare(reach, schedule, records, random, "h=" + h + " r=" + r + " seed=" + seed + " step="
                + step);
        }
        assertTrue(blocked > STEPS / 20, "h=" + h + " r=" + r + " seed=" + seed + " blocked=" + blocked);
        assertEquals(0, reach.errors(), "seed=" + seed);
    }

    /** How many links that are up some cell may not take. */
    private static int compare(final PathReachability reach, final Phased schedule, final List<Set<Integer>> records,
        final Random random, final String where) {
        final int node = random.nextInt(NODES);
        final int phase = random.nextInt(schedule.phases());
        final int sprays = random.nextInt(schedule.phases());
        final int word = random.nextInt(schedule.linkWords());
        final long among = random.nextInt(4) > 0 ? -1 : random.nextLong();
        int blocked = 0;
        for (int n = 0; n < 8; n++) {
            final List<Integer> known = List.copyOf(records.get(random.nextInt(4) % records.size()));
            final int destination = known.isEmpty() || random.nextBoolean() ? random.nextInt(schedule.nodes())
                : Route.bucketDestination(known.get(random.nextInt(known.size())));
            long expected = 0;
            final int end = Math.min(schedule.linksPerPhase(), (word + 1) * Long.SIZE);
            for (int link = word * Long.SIZE; link < end; link++) {
                final int queue = (phase * schedule.linksPerPhase() + link) * NODES + node;
                final boolean open = reach.states.isUp(queue) && !isBlocked(schedule, records.get(queue), phase,
                    schedule.peerOf(node, phase, link), destination, sprays);
                expected |= open ? 1L << link : 0;
                blocked += reach.states.isUp(queue) && !open ? 1 : 0;
                assertEquals(open, reach.usable(queue, destination, sprays), where);
            }
            assertEquals(expected & among, reach.usable(node, phase, word, among, destination, sprays), where);
        }
        return blocked;
    }

    private static boolean isBlocked(final Phased schedule, final Set<Integer> records, final int phase,
        final int peer, final int destination, final int sprays) {
        if (sprays > 0) {
            return peer != destination && records.contains(Route.bucket(destination, sprays));
        }
        final Coordinates coordinates = schedule.coordinates();
        int at = peer;
        while (at != destination) {
            final int next = coordinates.nextDifference(at, destination, phase);
            at = coordinates.withDigit(at, next, coordinates.digit(destination, next));
            if (records.contains(Route.bucket(at, 0))) {
                return true;
            }
        }
        return false;
    }

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
        for (int step = 0; step < LOST_STEPS; step++) {
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
        assertTrue(found > LOST_STEPS / 50, "h=" + h + " r=" + r + " seed=" + seed + " found=" + found);
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

    /** Losses and gains told in turn, taken out now and then: who listens knows what is lost once nothing waits. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTellWhatIsLostAndNoMoreThanThat(final long seed) {
        final Random random = new Random(seed);
        final SpillPool pool = new SpillPool(arena, 1);
        final FailureNotices notices = new FailureNotices(arena, LINKS, pool);
        final List<List<Integer>> waiting = new ArrayList<>();
        final List<Set<Integer>> lost = new ArrayList<>();
        final List<Set<Integer>> told = new ArrayList<>();
        for (int link = 0; link < LINKS; link++) {
            waiting.add(new ArrayList<>());
            lost.add(new HashSet<>());
            told.add(new HashSet<>());
        }
        for (int step = 0; step < NOTICE_STEPS; step++) {
            final int link = random.nextInt(LINKS);
            final int bucket = Route.bucket(random.nextInt(BUCKETS) << 16, random.nextInt(8));
            if (random.nextInt(3) > 0) {
                final boolean isLost = lost.get(link).add(bucket) || !lost.get(link).remove(bucket);
                final int notice = FailureNotices.of(bucket, isLost);
                notices.add(link, notice);
                if (!waiting.get(link).remove((Integer) FailureNotices.of(bucket, !isLost))) {
                    waiting.get(link).add(notice);
                }
            } else {
                take(notices, link, waiting.get(link), told.get(link), "seed=" + seed + " step=" + step);
            }
            final int first = random.nextInt(LINKS);
            final int count = random.nextInt(LINKS - first + 1);
            assertEquals(waiting.subList(first, first + count).stream().allMatch(List::isEmpty),
                notices.areEmpty(first, count), "seed=" + seed + " step=" + step);
        }
        for (int link = 0; link < LINKS; link++) {
            while (!notices.isEmpty(link)) {
                take(notices, link, waiting.get(link), told.get(link), "seed=" + seed);
            }
            assertEquals(lost.get(link), told.get(link), "seed=" + seed);
            assertEquals(FailureNotices.NONE, notices.poll(link));
        }
        assertEquals(0, pool.used());
    }

    private static void take(final FailureNotices notices, final int link, final List<Integer> waiting,
        final Set<Integer> told, final String where) {
        assertEquals(waiting.isEmpty(), notices.isEmpty(link), where);
        final int notice = notices.poll(link);
        assertEquals(waiting.isEmpty() ? FailureNotices.NONE : waiting.removeFirst(), notice, where);
        if (notice != FailureNotices.NONE) {
            assertFalse(FailureNotices.isToken(notice) || FailureNotices.isMissing(notice), where);
            final int bucket = FailureNotices.bucket(notice);
            assertTrue(FailureNotices.isLoss(notice) ? told.add(bucket) : told.remove(bucket), where);
        }
    }

    @Test
    void shouldTellOfAMissingCellBeforeAnythingElse() {
        final SpillPool pool = new SpillPool(arena, 1);
        final FailureNotices notices = new FailureNotices(arena, 1, pool);
        notices.add(0, FailureNotices.of(Route.bucket(7, 0), true));
        notices.addFirst(0, FailureNotices.missing(9));
        assertTrue(FailureNotices.isMissing(notices.peek(0)));
        assertFalse(FailureNotices.isToken(notices.peek(0)));
        assertEquals(FailureNotices.missing(9), notices.poll(0));
        notices.clear(0);
        notices.addFirst(0, FailureNotices.missing(9));
        notices.add(0, FailureNotices.of(Route.bucket(7, 0), true));
        notices.add(0, FailureNotices.of(Route.bucket(8, 0), true));
        assertFalse(notices.areEmpty(0, 1));
        assertEquals(FailureNotices.missing(9), notices.poll(0));
        assertEquals(FailureNotices.of(Route.bucket(7, 0), true), notices.poll(0));
        assertEquals(FailureNotices.of(Route.bucket(8, 0), true), notices.poll(0));
        assertTrue(notices.areEmpty(0, 1));
        assertEquals(FailureNotices.NONE, notices.peek(0));
        assertEquals(0, pool.used());
        assertFalse(FailureNotices.isMissing(FailureNotices.NONE));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldKeepSetsOfBuckets(final long seed) {
        final Random random = new Random(seed);
        final BucketSets sets = new BucketSets(LINKS);
        final List<TreeSet<Integer>> model = new ArrayList<>();
        for (int index = 0; index < LINKS; index++) {
            model.add(new TreeSet<>());
        }
        for (int step = 0; step < NOTICE_STEPS; step++) {
            final String where = "seed=" + seed + " step=" + step;
            final int index = random.nextInt(LINKS);
            final int bucket = random.nextInt(40);
            switch (random.nextInt(4)) {
                case 0 -> assertEquals(model.get(index).add(bucket), sets.add(index, bucket), where);
                case 1 -> assertEquals(model.get(index).remove(bucket), sets.remove(index, bucket), where);
                case 2 -> assertEquals(model.get(index).contains(bucket), sets.contains(index, bucket), where);
                default -> {
                    if (random.nextInt(100) == 0) {
                        sets.clear(index);
                        model.get(index).clear();
                    }
                }
            }
            assertEquals(new ArrayList<>(model.get(index)), Arrays.stream(sets.of(index)).boxed().toList(), where);
            assertEquals(model.get(index).size(), sets.size(index), where);
        }
    }
}
