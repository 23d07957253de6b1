package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/** Schedules that share the slots (docs/spec/shale.md §2.4), over engines, shares, mechanisms and absent nodes. */
@Sampled
class InterleavedTest {
    private static final long CUTOFF = 2_000;

    /** Every engine gives the same, every payload arrives, every law holds after every slot. */
    @ParameterizedTest
    @CsvSource({"16, '4,2', '1,1', 5, hbh+spray, 0, 1", "16, '4,1', '2,3', 0, hbh, 0, 2",
        "64, '6,3,2', '1,2,3', 13, hbh+spray, 0, 3", "64, '3,2', '1,2', 1, spray-short, 0, 4",
        "64, '3,2', '3,1', 20, hbh+spray, 4, 5", "81, '4,2', '9,1', 7, none, 0, 6",
        "64, '3,2', '1,4', 9, hbh+spray-bucket, 0, 7"})
    void shouldGiveTheSameInEveryEngine(final int nodes, final String phases, final String slots,
        final int propagation, final String cc, final int failed, final long seed) {
        final Interleaved fabric = fabric(nodes, phases, slots, propagation, cc, failed, seed);
        final FlowSet flows = flows(fabric, seed);
        final Outcome expected = lockStep(fabric, flows, 1, false);
        assertEquals(flows.size(), expected.count(NicCounter.FLOWS_COMPLETED), "seed=" + seed);
        same(expected, lockStep(fabric, flows, 3, false), "three workers, seed=" + seed);
        same(expected, lockStep(fabric, flows, 1, true), "checked, seed=" + seed);
        for (final boolean check : new boolean[] {false, true}) {
            try (Engine threads = new FreeRunning(Parts.of(fabric), flows, Crossbar.wiring(fabric.schedule()),
                Threading.separate(2, 1, Idle.YIELD), check)) {
                threads.run(0);
                same(expected, threads.outcome(), "threads, seed=" + seed);
            }
        }
    }

    /** Flows of one schedule never meet those of another: each alone, in the same slots, does the same. */
    @Test
    void shouldKeepSchedulesApart() {
        final Interleaved fabric = fabric(64, "3,2", "2,3", 9, "hbh+spray", 0, 11);
        final FlowSet all = flows(fabric, 11);
        final long[] together = completions(fabric, all, -1);
        for (int number = 0; number < 2; number++) {
            final long[] alone = completions(fabric, all, number);
            int compared = 0;
            for (int flow = 0; flow < all.size(); flow++) {
                if (all.trafficClass(flow) == number) {
                    assertEquals(together[flow], alone[flow], "flow=" + flow);
                    compared++;
                }
            }
            assertTrue(compared > 50, "flows=" + compared);
        }
    }

    /** A fabric with one slot in two behaves as one with all slots, at half the pace. */
    @Test
    void shouldRunAScheduleInItsOwnSlotsAsIfAlone() {
        // Spraying draws by the slot; with two nodes in a phase group there is nothing to draw.
        final Interleaved narrow = fabric(16, "4,2", "1,1", 20, "hbh", 0, 12);
        final Phased binary = narrow.fabrics().getFirst().schedule();
        final FlowSet flows = new FlowSet();
        final FlowSet halved = new FlowSet();
        for (int flow = 0; flow < 300; flow++) {
            final int from = flow * 7 % 16;
            final int to = (from + 1 + flow * 5 % 15) % 16;
            flows.add(flow, from, to, 100, 1 + flow % 9, 2 * (flow / 3));
            halved.add(flow, from, to, 100, 1 + flow % 9, flow / 3);
        }
        final Shale alone = new Shale(binary, Population.complete(binary), Mechanisms.HBH, 1, 2, 10, 12);
        final Outcome expected = Outcomes.run(new LockStep(Parts.of(alone), halved, 1, false), 0);
        final Outcome actual = lockStep(narrow, flows, 1, false);
        assertArrayEquals(expected.completed(), actual.completed());
        for (int i = 0; i < expected.completed().length; i++) {
            assertEquals(2 * expected.completedIn()[i] + 1, actual.completedIn()[i], "flow=" + expected.completed()[i]);
        }
    }

    /** Faults hit every schedule: all laws hold in every slot, engines agree, nothing is left behind after repair. */
    @ParameterizedTest
    @CsvSource({"16, '4,2', '1,1', 5, hbh+spray, 1, 1", "64, '3,2', '1,2', 0, hbh, 1, 2",
        "64, '6,3,2', '1,2,3', 13, hbh+spray, 3, 3", "16, '4,1', '2,3', 7, spray-short, 2, 4"})
    void shouldFailAndMendInEverySchedule(final int nodes, final String phases, final String slots,
        final int propagation, final String cc, final int missLimit, final long seed) {
        final Interleaved fabric = fabric(nodes, phases, slots, propagation, cc, 0, seed,
            new FailureRules(missLimit, seed % 2 == 0));
        final FlowSet flows = flows(fabric, seed);
        final Faults faults = Scripts.random(seed, nodes, 900, nodes, 2, 0.003);
        final String where = "h=" + phases + " missLimit=" + missLimit + " seed=" + seed;
        final Outcome whole = Outcomes.run(new LockStep(Parts.of(fabric), flows, faults, 1, true), 0);
        assertTrue(whole.dropped() > 0, where);
        assertTrue(whole.count(NicCounter.NEIGHBOURS_UP) > 0, where);
        assertEquals(0, whole.cellsHeld(), where);
        assertEquals(0, whole.count(NicCounter.TOKEN_ANOMALY), where);
        assertEquals(whole.count(NicCounter.CELLS_INJECTED),
            whole.count(NicCounter.CELLS_DELIVERED) + whole.dropped(), where);
        // Before the end: after it, engines go on for as long as they take to find out.
        final long limit = 450;
        final Outcome expected = Outcomes.run(new LockStep(Parts.of(fabric), flows, faults, 1, false), limit);
        assertTrue(expected.cellsHeld() > 0, where);
        assertTrue(expected.count(NicCounter.NEIGHBOURS_DOWN) > 0, where);
        same(expected, Outcomes.run(new LockStep(Parts.of(fabric), flows, faults, 3, false), limit),
            "3 workers: " + where);
        same(expected, Outcomes.run(new FreeRunning(Parts.of(fabric), flows, faults, Crossbar.wiring(fabric.schedule()),
            Threading.separate(2, 1, Idle.YIELD), false), limit), "threads: " + where);
    }

    @Test
    void shouldRefuseClassesItDoesNotHave() {
        final Interleaved fabric = fabric(16, "4,2", "1,1", 5, "hbh", 0, 1);
        final FlowSet three = flows(fabric, 1).classedBySize(500, 1_000);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> lockStep(fabric, three, 1, false)).getMessage()
            .contains("classes=3"));
    }

    private static long[] completions(final Interleaved fabric, final FlowSet flows, final int only) {
        final FlowSet some = new FlowSet();
        final List<Integer> indices = new ArrayList<>();
        for (int flow = 0; flow < flows.size(); flow++) {
            if (only < 0 || flows.trafficClass(flow) == only) {
                some.add(flow, flows.source(flow), flows.destination(flow), flows.bytes(flow), flows.cells(flow),
                    flows.startSlot(flow));
                some.setClass(flows.trafficClass(flow));
                indices.add(flow);
            }
        }
        final long[] completed = new long[flows.size()];
        final Outcome outcome = lockStep(fabric, some, 1, false);
        for (int i = 0; i < outcome.completed().length; i++) {
            completed[indices.get(outcome.completed()[i])] = outcome.completedIn()[i];
        }
        return completed;
    }

    private static FlowSet flows(final Interleaved fabric, final long seed) {
        final int endpoints = fabric.population().endpoints();
        final FlowSet flows = Flows.random(seed, endpoints, 6 * endpoints, 400, 40);
        return switch (fabric.fabrics().size()) {
            case 2 -> flows.classedBySize(CUTOFF);
            default -> flows.classedBySize(CUTOFF, 2 * CUTOFF);
        };
    }

    private static Interleaved fabric(final int nodes, final String phases, final String slots, final int propagation,
        final String cc, final int failed, final long seed) {
        return fabric(nodes, phases, slots, propagation, cc, failed, seed, FailureRules.PAPER);
    }

    private static Interleaved fabric(final int nodes, final String phases, final String slots, final int propagation,
        final String cc, final int failed, final long seed, final FailureRules failures) {
        final String[] h = phases.split(",");
        final String[] each = slots.split(",");
        final int[] of = new int[each.length];
        for (int i = 0; i < of.length; i++) {
            of[i] = Integer.parseInt(each[i]);
        }
        final SlotShares shares = new SlotShares(of);
        final List<Shale> fabrics = new ArrayList<>();
        for (final SlotShare share : shares.shares()) {
            final int number = Integer.parseInt(h[share.number()]);
            final Phased schedule = new Phased(number, Population.radixFor(number, nodes));
            final Population population = fabrics.isEmpty() ? Population.of(schedule, nodes, failed)
                : fabrics.getFirst().population().in(schedule);
            fabrics.add(new Shale(schedule, population, Mechanisms.of(cc), 1, 2, propagation, seed, failures, share));
        }
        return new Interleaved(fabrics, shares);
    }

    private static Outcome lockStep(final Interleaved fabric, final FlowSet flows, final int workers,
        final boolean check) {
        return Outcomes.run(new LockStep(Parts.of(fabric), flows, workers, check), 0);
    }
}
