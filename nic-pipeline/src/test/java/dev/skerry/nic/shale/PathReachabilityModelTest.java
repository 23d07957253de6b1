package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Which links a cell may take, a word of them, against the records themselves, link by link (docs/spec/shale.md §8.2).
 */
final class PathReachabilityModelTest {
    private static final int STEPS = 1_200;
    private static final int NODES = 3;

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
        try (Arena arena = Arena.ofConfined()) {
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
}
