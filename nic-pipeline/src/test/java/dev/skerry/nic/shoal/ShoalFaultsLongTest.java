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
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/**
 * A rack of 64 nodes on a Clos in which one cell in a thousand is damaged while links and nodes go down and up, run in
 * lock step and on threads: both give the same, no cell is lost but the ones left to the layers above, and
 * when all is mended the throughput is that of a rack in which nothing ever failed.
 */
@Timeout(300)
final class ShoalFaultsLongTest {
    private static final int NODES = 64;
    private static final RoundRobin SCHEDULE = RoundRobin.rearranged(NODES, 4, 6);
    private static final int EPOCH = SCHEDULE.epochSlots();
    private static final Shoal SHOAL = Shoal.of(SCHEDULE, ReleaseRule.EXACT, true, 6);
    private static final double DAMAGE = 0.001;
    private static final int[] CRASHES = {7, 30, 31};
    /** In epochs: the first thing goes down, the last comes up, all that was given up starts anew, damage ends. */
    private static final long FIRST = 50;
    private static final long MENDED = 250;
    private static final long ANEW = 300;
    private static final long CLEAN = 420;
    /** A feedback that was read wrong can hold a flow back from a relay for 2N - 2 epochs. */
    private static final long CALM = CLEAN + 2 * NODES;
    private static final long END = CALM + 80;

    private static Faults script() {
        final List<Fault> faults = new ArrayList<>();
        faults.add(new Fault.Corruption(0, DAMAGE));
        faults.add(new Fault.Corruption(CLEAN * EPOCH, 0));
        for (int i = 0; i < 12; i++) {
            final int from = i * 5 % NODES;
            final int to = (i * 11 + 33) % NODES;
            faults.add(new Fault.Link((FIRST + 9 * i) * EPOCH + i, from, to, false));
            faults.add(new Fault.Link((MENDED - 4 * i) * EPOCH + 3 * i, from, to, true));
            if (i % 2 == 0) {
                faults.add(new Fault.Link((FIRST + 9 * i) * EPOCH + i, to, from, false));
                faults.add(new Fault.Link((MENDED - 4 * i) * EPOCH + 3 * i, to, from, true));
            }
        }
        for (int i = 0; i < CRASHES.length; i++) {
            faults.add(new Fault.Node((FIRST + 20 + 30 * i) * EPOCH + 7, CRASHES[i], false));
            faults.add(new Fault.Node((FIRST + 60 + 40 * i) * EPOCH + 7, CRASHES[i], true));
        }
        return new Faults(new FaultPlan(faults), 3);
    }

    /** Every node sends to another without end; what a crash ends is sent anew when all is mended. */
    private static FlowSet permutation() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < NODES; from++) {
            flows.add(from, from, (from + 21) % NODES, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        for (int from = 0; from < NODES; from++) {
            for (final int crash : CRASHES) {
                if (from == crash || (from + 21) % NODES == crash) {
                    flows.add(NODES + from, from, (from + 21) % NODES, Long.MAX_VALUE, FlowSet.ENDLESS, ANEW * EPOCH);
                }
            }
        }
        return flows;
    }

    /** Cells delivered in a stretch of epochs. */
    private static long delivered(final LockStep fabric, final long fromEpoch, final long toEpoch) {
        fabric.advance(fromEpoch * EPOCH - fabric.outcome().slots());
        final long before = fabric.count(NicCounter.CELLS_DELIVERED);
        fabric.advance((toEpoch - fromEpoch) * EPOCH);
        return fabric.count(NicCounter.CELLS_DELIVERED) - before;
    }

    @Test
    void shouldRecoverItsThroughput() {
        try (LockStep sound = new LockStep(Parts.of(SHOAL), permutation(), 1, false);
            LockStep fabric = new LockStep(Parts.of(SHOAL), permutation(), script(), 2, false)) {
            final long full = delivered(sound, ANEW + 40, CLEAN);
            final long fullAgain = delivered(sound, CALM, END);
            final double shaken = delivered(fabric, FIRST, MENDED) / (double) (MENDED - FIRST) * (CLEAN - ANEW - 40);
            final double damaged = delivered(fabric, ANEW + 40, CLEAN);
            final long unused = fabric.count(NicCounter.TURNS_UNUSED);
            final double mended = delivered(fabric, CALM, END);
            final String said = "full=" + full + " shaken=" + shaken + " damaged=" + damaged + "; full again="
                + fullAgain + " mended=" + mended;
            assertTrue(shaken > 0.75 * full && shaken < 0.99 * full, said);
            assertTrue(damaged > 0.96 * full, said);
            assertEquals(fullAgain, mended, 0.0005 * fullAgain, said);
            assertEquals(2 * CRASHES.length, fabric.count(NicCounter.FLOWS_FAILED));
            assertEquals(unused, fabric.count(NicCounter.TURNS_UNUSED), "everybody has found everybody");
        }
    }

    @Test
    void shouldLoseNothingElseAndGiveTheSameInBothEngines() {
        final FlowSet flows = Flows.random(11, NODES, 3000, 300L * EPOCH, 120);
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            cells += flows.cells(flow);
        }
        final Outcome lockStep = run(new LockStep(Parts.of(SHOAL), flows, script(), 1, false));
        final Outcome threads = run(new FreeRunning(Parts.of(SHOAL), flows, script(), Clos.of(SCHEDULE, 16).wiring(),
            Threading.separate(5, 2, Idle.BACKOFF), false));
        assertEquals(lockStep.digest(), threads.digest());
        assertEquals(lockStep.slots(), threads.slots());
        assertEquals(0, lockStep.cellsHeld());
        assertTrue(lockStep.slots() > MENDED * EPOCH, "slots=" + lockStep.slots());
        long dropped = 0;
        for (final NicCounter drop : NicCounter.DROPS) {
            assertEquals(lockStep.count(drop), threads.count(drop), drop.name());
            dropped += lockStep.count(drop);
        }
        final long lost = dropped - lockStep.count(NicCounter.CELLS_RESENT) - lockStep.count(NicCounter.CELLS_REFUSED)
            - lockStep.count(NicCounter.CELLS_REROUTED);
        assertEquals(cells, lockStep.count(NicCounter.CELLS_DELIVERED) + lockStep.count(NicCounter.CELLS_NOT_SENT)
            + lost);
        assertTrue(lost <= lockStep.count(NicCounter.DROPPED_WITH_LINK) + lockStep.count(NicCounter.DROPPED_NODE_DOWN)
            + lockStep.count(NicCounter.DROPPED_ON_WAY), "lost=" + lost);
        assertTrue(lockStep.count(NicCounter.DROPPED_DAMAGED) > 50);
        assertTrue(lost < 0.01 * cells, "lost=" + lost + " of " + cells);
    }

    private static Outcome run(final Engine started) {
        return Outcomes.run(started, 0);
    }
}
