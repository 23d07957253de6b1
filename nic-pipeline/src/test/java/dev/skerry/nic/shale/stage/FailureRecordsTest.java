package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.FreeRunning;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.FailureProbe;
import dev.skerry.nic.shale.PathReachability;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.LanedSchedule;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What nodes know of failures once all notices have arrived, against the failed links themselves (docs/spec/shale.md
 * §8.4): a link's records block exactly the direct paths that cross a failed link, no more, no less.
 */
final class FailureRecordsTest {
    private static final int CHANGES = 10;
    /** Epochs between the last probes of a link that has been down for long, and what news need to spread. */
    private static final int EPOCHS_TO_MEND = 256 + 60;

    private final List<Fault> faults = new ArrayList<>();
    private final Set<Long> cut = new HashSet<>();
    private final Set<Integer> down = new HashSet<>();

    @ParameterizedTest
    @CsvSource({"1, 5", "1, 8", "2, 3", "2, 5", "3, 3", "4, 2", "4, 3"})
    void shouldBlockExactlyThePathsThatCrossAFailedLink(final int h, final int r) {
        for (final String what : new String[] {"one link", "three links", "one node"}) {
            for (int seed = 1; seed <= 2; seed++) {
                faults.clear();
                cut.clear();
                down.clear();
                final Phased schedule = new Phased(h, r);
                final Random random = new Random(seed);
                if ("one node".equals(what)) {
                    fail(random.nextInt(schedule.nodes()), 7);
                } else {
                    for (int link = 0; link < ("one link".equals(what) ? 1 : 3); link++) {
                        cut(schedule, random, 7);
                    }
                }
                final Faults plan = new Faults(new FaultPlan(faults), seed);
                try (HandStepped fabric = new HandStepped(shale(schedule, seed), plan, new FlowSet(), 2)) {
                    fabric.stepTo(settled(schedule, 7));
                    final int blocked = compare(fabric, schedule, "h=" + h + " r=" + r + " " + what + " seed=" + seed);
                    assertTrue(blocked > 0, "nothing is blocked: h=" + h + " r=" + r + " " + what);
                }
            }
        }
    }

    /** Failures and repairs at random times, some before the news of the one before have spread. */
    @ParameterizedTest
    @CsvSource({"1, 5, 1", "2, 4, 1", "2, 4, 2", "3, 3, 3", "4, 2, 4", "4, 3, 5"})
    void shouldForgetWhatIsMended(final int h, final int r, final long seed) {
        final Phased schedule = new Phased(h, r);
        final Random random = new Random(seed);
        long slot = 0;
        for (int change = 0; change < CHANGES; change++) {
            slot += random.nextInt(40 * schedule.epochSlots());
            if (random.nextInt(3) == 0) {
                mendOne(slot);
            } else if (random.nextInt(3) == 0) {
                fail(random.nextInt(schedule.nodes()), slot);
            } else {
                cut(schedule, random, slot);
            }
        }
        final Set<Long> cutNow = new HashSet<>(cut);
        final Set<Integer> downNow = new HashSet<>(down);
        final long all = settled(schedule, slot) + 1;
        while (!cut.isEmpty() || !down.isEmpty()) {
            mendOne(all);
        }
        final Faults plan = new Faults(new FaultPlan(faults), seed);
        final String where = "h=" + h + " r=" + r + " seed=" + seed + " " + faults;
        try (HandStepped fabric = new HandStepped(shale(schedule, seed), plan, new FlowSet(), 3)) {
            fabric.stepTo(all - 1);
            cut.addAll(cutNow);
            down.addAll(downNow);
            compare(fabric, schedule, where);
            fabric.stepTo(settled(schedule, all));
            for (final ShaleBank bank : fabric.banks) {
                assertTrue(FailureProbe.isMended(bank.reach(), bank.range().size(), schedule.epochSlots()), where);
            }
            assertEquals(fabric.count(NicCounter.NEIGHBOURS_UP) > 0, fabric.count(NicCounter.NEIGHBOURS_DOWN) > 0);
        }
    }

    /** Long enough for probes that have waited longest, and for the news to spread. */
    private static long settled(final Phased schedule, final long from) {
        return from + (256 + 60) * (long) schedule.epochSlots();
    }

    private static Shale shale(final Phased schedule, final long seed) {
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 3, seed);
    }

    private void fail(final int node, final long slot) {
        if (down.add(node)) {
            faults.add(new Fault.Node(slot, node, false));
        }
    }

    /** One direction only: the nodes make it both. */
    private void cut(final Phased schedule, final Random random, final long slot) {
        final int from = random.nextInt(schedule.nodes());
        final int to = schedule.peerOf(from, random.nextInt(schedule.epochSlots()));
        if (cut.add((long) from << 32 | to)) {
            faults.add(new Fault.Link(slot, from, to, false));
        }
    }

    private void mendOne(final long slot) {
        if (!down.isEmpty()) {
            final int node = down.iterator().next();
            down.remove(node);
            faults.add(new Fault.Node(slot, node, true));
        } else if (!cut.isEmpty()) {
            final long way = cut.iterator().next();
            cut.remove(way);
            faults.add(new Fault.Link(slot, (int) (way >>> 32), (int) way, true));
        }
    }

    private boolean failed(final int from, final int to) {
        return down.contains(from) || down.contains(to) || cut.contains((long) from << 32 | to)
            || cut.contains((long) to << 32 | from);
    }

    /** Compares every link of every node with every destination; returns how many are blocked. */
    private int compare(final HandStepped fabric, final Phased schedule, final String where) {
        int blocked = 0;
        for (final ShaleBank bank : fabric.banks) {
            final PathReachability reach = bank.reach();
            assertEquals(0, reach.errors(), where);
            for (int node = 0; node < bank.range().size(); node++) {
                final int id = bank.range().first() + node;
                for (int queue = 0; queue < schedule.epochSlots() && !down.contains(id); queue++) {
                    final int phase = queue / schedule.linksPerPhase();
                    final int link = queue % schedule.linksPerPhase();
                    for (int to = 0; to < schedule.nodes(); to++) {
                        final boolean whole = whole(schedule, id, phase, link, to);
                        assertEquals(whole, FailureProbe.usable(reach, node, phase, link, to, 0),
                            () -> where + " from=" + id + " phase=" + phase + " link=" + link);
                        blocked += whole ? 0 : 1;
                    }
                }
            }
        }
        return blocked;
    }

    /** Whether a link and the direct path behind it are: digits in phase order, the obvious way. */
    private boolean whole(final Phased schedule, final int id, final int phase, final int link, final int to) {
        final Coordinates digits = schedule.coordinates();
        int at = schedule.peerOf(id, phase, link);
        boolean whole = !failed(id, at);
        for (int step = 1; step <= schedule.phases(); step++) {
            final int of = (phase + step) % schedule.phases();
            final int next = digits.withDigit(at, of, digits.digit(to, of));
            whole &= next == at || !failed(at, next);
            at = next;
        }
        assertEquals(to, at);
        return whole;
    }

    /** A clock that is off cuts every link from its node, and none to it, under a name of its own. */
    @ParameterizedTest
    @CsvSource({"2, 4, 5, 1", "3, 3, 0, 2", "1, 8, 12, 3", "4, 2, 3, 4"})
    void shouldLoseWhatLinksThatAreDownWouldLose(final int h, final int r, final int propagation, final long seed) {
        final Shale shale = delayed(h, r, propagation, seed);
        final FlowSet flows = Flows.random(seed, shale.nodes(), 20 * shale.nodes(), 1500, 30);
        final List<Fault> clocks = clocks(shale, seed, 1600);
        final List<Fault> cuts = new ArrayList<>();
        for (final Fault fault : clocks) {
            final Fault.Clock clock = (Fault.Clock) fault;
            for (int link = 0; link < shale.schedule().epochSlots(); link++) {
                cuts.add(new Fault.Link(clock.slot(), clock.node(), shale.schedule().peerOf(clock.node(), link),
                    clock.inWindow()));
            }
        }
        final Outcome expected = lockStep(shale, flows, cuts, 1, 5000);
        final Outcome actual = lockStep(shale, flows, clocks, 1, 5000);
        final String where = "seed=" + seed;
        assertTrue(actual.count(NicCounter.GUARD_VIOLATION) > 0, where);
        for (final NicCounter counter : NicCounter.values()) {
            final NicCounter there = switch (counter) {
                case GUARD_VIOLATION -> NicCounter.DROPPED_ON_WAY;
                case DROPPED_ON_WAY -> NicCounter.GUARD_VIOLATION;
                default -> counter;
            };
            assertEquals(expected.count(there), actual.count(counter), where + " " + counter);
        }
        assertEquals(expected.digest(), actual.digest(), where);
        assertEquals(expected.firstDrop(), actual.firstDrop(), where);
    }

    @ParameterizedTest
    @CsvSource({"2, 5, 13, 1", "4, 2, 30, 3"})
    void shouldGiveTheSameInBothEnginesAndWithLanes(final int h, final int r, final int propagation, final long seed) {
        final Shale shale = delayed(h, r, propagation, seed);
        final FlowSet flows = Flows.random(seed, shale.nodes(), 600, 1500, 40);
        final List<Fault> clocks = clocks(shale, seed, 1600);
        final Outcome expected = lockStep(shale, flows, clocks, 1, 2500);
        final String where = "h=" + h + " r=" + r + " seed=" + seed;
        final long dropped = NicCounter.DROPS.stream().mapToLong(expected::count).sum();
        assertTrue(expected.count(NicCounter.GUARD_VIOLATION) > 0, where);
        assertEquals(expected.count(NicCounter.CELLS_INJECTED),
            expected.count(NicCounter.CELLS_DELIVERED) + dropped + expected.cellsHeld(), where);
        same(expected, lockStep(shale, flows, clocks, 3, 2500), where + " 3 workers");
        for (final int lanes : new int[] {3, 8}) {
            same(expected, Outcomes.run(new FreeRunning(Parts.of(shale), flows, faultsOf(clocks), Crossbar.lanes(
                new LanedSchedule(shale.schedule(), lanes)), Threading.shared(2, Idle.YIELD), true), 2500),
                where + " lanes=" + lanes);
        }
    }

    @ParameterizedTest
    @CsvSource("2, 4, 5, 1")
    void shouldKeepEveryLawAndBeWellAgain(final int h, final int r, final int propagation, final long seed) {
        final Shale shale = delayed(h, r, propagation, seed);
        final int epoch = shale.schedule().epochSlots();
        final FlowSet flows = Flows.random(seed, shale.nodes(), 12 * shale.nodes(), 40L * epoch, 30);
        final long end = 80L * epoch;
        try (HandStepped fabric = new HandStepped(shale, faultsOf(clocks(shale, seed, end)), flows, 2)) {
            fabric.stepTo(end + (long) (EPOCHS_TO_MEND + 40) * (epoch + propagation));
            fabric.assertMended("seed=" + seed);
            assertTrue(fabric.count(NicCounter.GUARD_VIOLATION) > 0, "seed=" + seed);
        }
    }

    @Test
    void shouldChangeNothingWithinTheWindow() {
        final Shale shale = delayed(2, 4, 5, 1);
        final FlowSet flows = Flows.random(1, shale.nodes(), 300, 1500, 30);
        final Outcome expected = Outcomes.run(new LockStep(Parts.of(shale), flows, 1, false), 3000);
        final Outcome actual = lockStep(shale, flows, List.of(new Fault.Clock(200, 3, true)), 1, 3000);
        assertEquals(expected.digest(), actual.digest());
        assertEquals(0, actual.count(NicCounter.GUARD_VIOLATION));
        assertEquals(0, actual.count(NicCounter.NEIGHBOURS_DOWN));
    }

    private static Shale delayed(final int h, final int r, final int propagation, final long seed) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 2, propagation, seed);
    }

    private static List<Fault> clocks(final Shale shale, final long seed, final long end) {
        final Random random = new Random(seed);
        final List<Fault> clocks = new ArrayList<>();
        for (int clock = 0; clock < 2; clock++) {
            final int node = random.nextInt(shale.nodes() / 2) * 2 + clock;
            final long from = end / 8 + random.nextLong(end / 4);
            clocks.add(new Fault.Clock(from, node, false));
            clocks.add(new Fault.Clock(from + 1 + random.nextLong(end / 2), node, true));
        }
        return clocks;
    }

    private static Faults faultsOf(final List<Fault> plan) {
        return new Faults(new FaultPlan(plan), 1);
    }

    private static Outcome lockStep(final Shale shale, final FlowSet flows, final List<Fault> plan, final int workers,
        final long slots) {
        return Outcomes.run(new LockStep(Parts.of(shale), flows, faultsOf(plan), workers, false), slots);
    }
}
