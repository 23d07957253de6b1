package dev.skerry.nic.shoal;

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
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Cells that come to a node they were not sent to, as a clock is whole slots late or a switch connects wrongly: where
 * a header tells, they are dropped by name, no cell is delivered where it does not belong, and all is
 * accounted for.
 */
@Timeout(120)
final class AstrayCellsTest {
    private static final NicCounter[] COUNTED = {NicCounter.WRONG_DESTINATION, NicCounter.CELLS_ASTRAY,
        NicCounter.GUARD_VIOLATION, NicCounter.CELLS_DELIVERED, NicCounter.DROPPED_DUPLICATE};

    /** Some clocks are late for a while, by other slots now and then, in the end none is. */
    private static Faults late(final Faults others, final int nodes, final long slots, final int clocks) {
        final Random random = new Random(others.seed() * 17);
        final List<Fault> faults = new ArrayList<>(others.plan().faults());
        for (int i = 0; i < clocks; i++) {
            final int node = (i * 5 + (int) others.seed()) % nodes;
            for (int change = 0; change < 3; change++) {
                faults.add(new Fault.Clock(random.nextLong(slots), node, true, random.nextInt(2 * nodes)));
            }
            faults.add(new Fault.Clock(slots, node, true));
        }
        return new Faults(new FaultPlan(faults), others.seed());
    }

    private static Shoal shoal(final int nodes, final int channels, final int propagation) {
        return Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, propagation);
    }

    /** Every law in every slot, a ledger at the end, and all connections up again. */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 1, 0, 0", "8, 2, 3, 2, 0, 0", "12, 1, 0, 3, 1, 0", "10, 4, 7, 2, 1, 0.01"})
    void shouldAccountForEveryCell(final int nodes, final int channels, final int propagation, final int clocks,
        final int crashes, final double damage) {
        long wrong = 0;
        for (long seed = 1; seed <= 2; seed++) {
            final Shoal shoal = shoal(nodes, channels, propagation);
            final long epoch = shoal.schedule().epochSlots();
            final Faults faults = late(Scripts.random(seed, nodes, 80 * epoch, crashes, crashes, damage), nodes,
                80 * epoch, clocks);
            final FlowSet flows = Flows.random(seed, nodes, 6 * nodes, 60 * epoch, 40);
            final String where = "nodes=" + nodes + " channels=" + channels + " P=" + propagation + " seed=" + seed;
            try (FaultyShoal fabric = new FaultyShoal(shoal, flows, faults, 1 + (int) seed % 2)) {
                assertTrue(fabric.settle(5000 * epoch), () -> where + ": " + fabric.counts());
                long cells = 0;
                for (int flow = 0; flow < flows.size(); flow++) {
                    cells += flows.cells(flow);
                    assertTrue(fabric.received(flow) <= flows.cells(flow), where + " flow=" + flow);
                }
                assertEquals(cells, fabric.count(NicCounter.CELLS_DELIVERED)
                    + fabric.count(NicCounter.CELLS_NOT_SENT) + fabric.lost(), () -> where + ": " + fabric.counts());
                assertTrue(fabric.count(NicCounter.WRONG_DESTINATION) <= fabric.count(NicCounter.CELLS_ASTRAY),
                    () -> where + ": " + fabric.counts());
                assertTrue(fabric.count(NicCounter.CELLS_ASTRAY) > 0, () -> where + ": " + fabric.counts());
                wrong += fabric.count(NicCounter.WRONG_DESTINATION);
                fabric.stepTo(Math.max(fabric.slot, (80L + 4 * 16) * epoch + 20L * propagation));
                assertEquals(nodes * (nodes - 1), fabric.up(), () -> where + ": " + fabric.counts());
            }
        }
        assertTrue(wrong > 0, "nodes=" + nodes + ": nothing came to a wrong node");
    }

    /** Late clocks give the same with any workers and on threads, dummies included. */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 4", "16, 4, 3, 8"})
    void shouldGiveTheSameInEveryEngine(final int nodes, final int channels, final int propagation, final int ports) {
        final Shoal shoal = shoal(nodes, channels, propagation);
        final FlowSet flows = Flows.random(3, nodes, 10 * nodes, 1500, 40);
        final Faults faults = late(Scripts.of(), nodes, 2000, 3);
        final Outcome one = Outcomes.run(new LockStep(Parts.of(shoal), flows, faults, 1, true), 0);
        assertTrue(one.count(NicCounter.WRONG_DESTINATION) > 0);
        same(one, Outcomes.run(new LockStep(Parts.of(shoal), flows, faults, 3, false), 0), "workers");
        same(one, Outcomes.run(new FreeRunning(Parts.of(shoal), flows, faults, Clos.of(shoal.schedule(),
            ports).wiring(), Threading.separate(3, 2, Idle.BACKOFF), false), 0), "threads");
    }

    /**
     * Switches that follow another order of columns than nodes: Appendix A's order of seven nodes, where all others
     * take the plain one. Half of the columns lead elsewhere, for ever.
     */
    @Test
    void shouldNoticeSwitchesThatConnectWrongly() {
        final Shoal shoal = shoal(7, 1, 0);
        final FlowSet flows = Flows.random(5, 7, 60, 400, 40);
        final Faults guarded = Scripts.of(new Fault.Corruption(0, 0));
        final Clos right = Clos.of(shoal.schedule(), 4);
        final Clos wrong = Clos.of(RoundRobin.rearranged(7, 1, 0), 4);
        final Outcome sound = Outcomes.run(threads(shoal, flows, guarded, right), 0);
        assertEquals(0, sound.count(NicCounter.WRONG_DESTINATION));
        assertEquals(Outcomes.run(new LockStep(Parts.of(shoal), flows, guarded, 1, false), 0).digest(), sound.digest());
        final Outcome astray = Outcomes.run(threads(shoal, flows, guarded, wrong), 0);
        assertTrue(astray.count(NicCounter.WRONG_DESTINATION) > 0, "nothing was noticed");
    }

    private static Engine threads(final Shoal shoal, final FlowSet flows, final Faults faults, final Clos clos) {
        return new FreeRunning(Parts.of(shoal), flows, faults, clos.wiring(), Threading.shared(2, Idle.BACKOFF), false);
    }

    private static void same(final Outcome expected, final Outcome actual, final String how) {
        assertEquals(expected.digest(), actual.digest(), how);
        assertEquals(expected.slots(), actual.slots(), how);
        assertEquals(expected.sampled().dummies(), actual.sampled().dummies(), how);
        assertTrue(actual.sampled().dummies() > 0, how);
        for (final NicCounter counter : COUNTED) {
            assertEquals(expected.count(counter), actual.count(counter), how + " " + counter);
        }
    }
}
