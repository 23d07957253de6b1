package dev.skerry.bench.nic;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.nic.engine.LockStep;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import java.lang.foreign.Arena;

/**
 * The guarantees of {@link LockStep.BankClaims} between two workers, and of the barrier that ends a stride.
 *
 * <p>{@code .ci/planted.sh} plants a mistake for every scenario and expects the test to fail.
 */
public final class BankClaimsStress {
    private BankClaimsStress() {
    }

    /** Two workers try to take a bank in the same stride: exactly one of them gets it. */
    @JCStressTest
    @State
    @Outcome(id = {"true, false", "false, true"}, expect = ACCEPTABLE, desc = "One has it.")
    @Outcome(expect = FORBIDDEN, desc = "Both have it, or none.")
    public static class OneTaker {
        private final LockStep.BankClaims claims = new LockStep.BankClaims(1);

        /** Takes the bank. */
        @Actor
        public void owner(final ZZ_Result r) {
            r.r1 = claims.take(0, 16);
        }

        /** Takes the bank. */
        @Actor
        public void other(final ZZ_Result r) {
            r.r2 = claims.take(0, 16);
        }
    }

    /** Three strides: each is executed once, by the worker that takes the bank, on the state that the last one left. */
    @JCStressTest
    @State
    @Outcome(id = "3, 3", expect = ACCEPTABLE, desc = "Every stride once, in order.")
    @Outcome(expect = FORBIDDEN, desc = "A stride done twice, left out, or on a bank as it was before.")
    public static class HandOver {
        private static final int STRIDES = 3;

        private final LockStep.BankClaims claims = new LockStep.BankClaims(1);
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private int bank;

        /** Takes the bank whenever it can. */
        @Actor
        public void left(final II_Result r) {
            r.r1 = strides(0);
        }

        /** Takes the bank whenever it can. */
        @Actor
        public void right(final II_Result r) {
            r.r2 = strides(1);
        }

        private int strides(final int worker) {
            for (int stride = 1; stride <= STRIDES; stride++) {
                if (claims.take(0, stride)) {
                    bank++;
                }
                if (!barrier.await(worker)) {
                    return -1;
                }
            }
            return bank;
        }
    }
}
