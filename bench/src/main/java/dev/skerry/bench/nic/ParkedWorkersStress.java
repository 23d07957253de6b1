package dev.skerry.bench.nic;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.nic.engine.LockStepWorkers;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.foreign.Arena;

/**
 * The guarantees of {@link LockStepWorkers.ParkedWorkers} between the first worker and a parked one.
 *
 * <p>{@code .ci/planted.sh} plants a mistake for every scenario and expects the test to fail.
 */
public final class ParkedWorkersStress {
    private ParkedWorkersStress() {
    }

    /** The first worker runs alone, calls the other, and both continue from there, three times; then the run ends. */
    @JCStressTest
    @State
    @Outcome(id = "6, 6", expect = ACCEPTABLE, desc = "Every call answered once, after what was done alone.")
    @Outcome(expect = FORBIDDEN, desc = "A call missed or answered twice, or a bank as it was before.")
    public static class GoAndCome {
        private static final int TIMES = 3;

        private final Thread[] threads = new Thread[2];
        private final LockStepWorkers.ParkedWorkers parked = new LockStepWorkers.ParkedWorkers(threads);
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private int bank;

        /** Runs alone, then calls the other. */
        @Actor
        public void first(final II_Result r) {
            barrier.await(0);
            for (int time = 0; time < TIMES; time++) {
                bank++;
                parked.call();
                barrier.await(0);
                // The other worker's step; then both leave, one to park.
                barrier.await(0);
            }
            r.r1 = bank;
            parked.dismiss();
        }

        /** Parks and steps. */
        @Actor
        public void other(final II_Result r) {
            threads[1] = Thread.currentThread();
            barrier.await(1);
            for (int time = 0; time < TIMES && parked.park(1); time++) {
                r.r2 = ++bank;
                barrier.await(1);
                barrier.await(1);
            }
            if (parked.park(1)) {
                r.r2 = -1;
            }
        }
    }
}
