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
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.shale.FailureProbe;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random scripts of faults in random fabrics, {@code -Dscripts=N} of them from {@code -DfirstScript=SEED} on: every law
 * holds, nothing is lost without a name, engines agree, and after the last repair every link is up and the throughput
 * is what it would be if nothing had failed.
 */
@Timeout(7200)
final class FaultScriptsTest {
    private static final int SCRIPTS = Integer.getInteger("skerry.test.scripts", 4);
    private static final long FIRST = Long.getLong("skerry.test.firstScript", 1);
    /** Epochs between the last probes of a link that has been down for long, and what news need to spread. */
    private static final int EPOCHS_TO_MEND = 256 + 60;
    /** In fabrics up to this size every slot of a script is checked, in others some epochs of each period. */
    private static final int SMALL_NODES = 27;
    private static final int CHECKED_EPOCHS = 2;
    private static final int PERIOD_EPOCHS = 40;
    /** Epochs after which what waited meanwhile has gone on. */
    private static final int EPOCHS_TO_SETTLE = 200;
    /** Epochs in which throughput is measured. */
    private static final int EPOCHS_OF_RATE = 150;
    private static final int OTHER_STARTS = 12;

    @Test
    void shouldKeepEveryLawAndGetItsThroughputBack() {
        for (long seed = FIRST; seed < FIRST + SCRIPTS; seed++) {
            final FaultyRun run = FaultyRun.of(seed);
            try {
                keepLawsAndMend(run);
            } catch (final IllegalStateException | AssertionError broken) {
                throw new AssertionError(run + ": " + broken.getMessage(), broken);
            }
        }
    }

    @Test
    void shouldGiveTheSameInEveryEngine() {
        for (long seed = FIRST; seed < FIRST + SCRIPTS; seed++) {
            final FaultyRun run = FaultyRun.of(seed);
            final long limit = run.mended() + 10L * run.shale().schedule().epochSlots();
            final Outcome expected = Outcomes.run(lockStep(run, 1), limit);
            final long in = expected.count(NicCounter.CELLS_INJECTED);
            assertEquals(in, expected.count(NicCounter.CELLS_DELIVERED) + expected.dropped() + expected.cellsHeld(),
                run::toString);
            same(expected, Outcomes.run(lockStep(run, 2), limit), "2 workers: " + run);
            same(expected, Outcomes.run(lockStep(run, 3), limit), "3 workers: " + run);
            final Wiring wiring = seed % 2 == 0 ? Crossbar.wiring(run.shale().schedule())
                : PhaseGroupSwitches.wiring(run.shale().schedule());
            same(expected, Outcomes.run(new FreeRunning(Parts.of(run.shale()), run.flows(), run.faults(), wiring,
                Threading.shared(1 + (int) (seed % 4), Idle.YIELD), false), limit), "threads: " + run);
        }
    }

    private static void keepLawsAndMend(final FaultyRun run) {
        final int epoch = run.shale().schedule().epochSlots();
        try (HandStepped fabric = stepped(run); HandStepped sound = stepped(run.sound())) {
            step(fabric, run.mended() + 10L * epoch, run.shale().nodes() <= SMALL_NODES ? PERIOD_EPOCHS
                : CHECKED_EPOCHS);
            final long patience = run.mended() + (long) EPOCHS_TO_MEND * (epoch + run.shale().propagationSlots());
            while (fabric.slot < patience && !isMended(run, fabric)) {
                step(fabric, fabric.slot + 10L * epoch, CHECKED_EPOCHS);
            }
            assertTrue(isMended(run, fabric), () -> "not mended: " + run);
            step(fabric, fabric.slot + (long) EPOCHS_TO_SETTLE * epoch, 0);
            fabric.audit.check(fabric.slot - 1);
            final double whole = settledRate(run, sound);
            final double mended = rate(fabric, epoch);
            if (mended <= 0.95 * whole) {
                final double least = leastRate(run);
                assertTrue(mended > 0.95 * least, () -> "throughput " + mended + " after " + whole + ", least "
                    + least + ": " + run);
            }
            assertEquals(0, fabric.count(NicCounter.TOKEN_ANOMALY), run::toString);
        }
    }

    private static double settledRate(final FaultyRun run, final HandStepped fabric) {
        final int epoch = run.shale().schedule().epochSlots();
        step(fabric, run.mended() + (long) EPOCHS_TO_SETTLE * epoch, 0);
        return rate(fabric, epoch);
    }

    /**
     * The least throughput of the sound fabric when its flows start a little later. With too much to do and no tokens,
     * queues keep for ever what came of the start: with seed 683 a sound fabric delivers 3.44 to 4.01 cells a slot.
     */
    private static double leastRate(final FaultyRun run) {
        double least = Double.MAX_VALUE;
        for (int start = 1; start <= OTHER_STARTS; start++) {
            try (HandStepped fabric = stepped(run.startedLater(start))) {
                least = Math.min(least, settledRate(run, fabric));
            }
        }
        return least;
    }

    /** Whether every link is up and, where all nodes are there, nothing is recorded of any failure. */
    private static boolean isMended(final FaultyRun run, final HandStepped fabric) {
        final int epoch = run.shale().schedule().epochSlots();
        boolean mended = true;
        for (final ShaleBank bank : fabric.banks) {
            assertEquals(0, bank.reach().errors(), run::toString);
            assertTrue(FailureProbe.isEmptinessKept(bank.parts().router(), bank.parts().queues().queues(),
                bank.range().size(), epoch), run::toString);
            // With h of 3 and more, absent nodes leave some last spraying hops without a link, which is recorded.
            mended &= run.shale().schedule().phases() > 2 && !run.shale().population().allPresent()
                ? FailureProbe.linksDown(bank.reach()) == 0
                : FailureProbe.isMended(bank.reach(), bank.range().size(), epoch);
        }
        return mended;
    }

    private static HandStepped stepped(final FaultyRun run) {
        return new HandStepped(run.shale(), run.faults(), run.flows(), 1 + (int) (run.seed() % 3));
    }

    /** Steps up to a slot, the first epochs of each period with a look at every law. */
    private static void step(final HandStepped fabric, final long end, final int checkedEpochs) {
        final int epoch = fabric.shale.schedule().epochSlots();
        while (fabric.slot < end) {
            if (fabric.slot / epoch % PERIOD_EPOCHS < checkedEpochs) {
                fabric.step();
            } else {
                fabric.move();
            }
        }
    }

    private static double rate(final HandStepped fabric, final int epoch) {
        final long slots = (long) EPOCHS_OF_RATE * epoch;
        final long delivered = fabric.count(NicCounter.CELLS_DELIVERED);
        step(fabric, fabric.slot + slots, 0);
        return (fabric.count(NicCounter.CELLS_DELIVERED) - delivered) / (double) slots;
    }

    private static Engine lockStep(final FaultyRun run, final int workers) {
        return new LockStep(Parts.of(run.shale()), run.flows(), run.faults(), workers, false);
    }
}
