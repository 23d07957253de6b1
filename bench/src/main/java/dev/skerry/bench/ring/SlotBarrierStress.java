package dev.skerry.bench.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.circuit.SlotBarrier;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZZZ_Result;

import java.lang.foreign.Arena;

/**
 * The guarantees of {@link SlotBarrier} between two parties.
 *
 * <p>{@code .ci/planted.sh} plants a mistake for every scenario and expects the test to fail.
 */
public final class SlotBarrierStress {
    private SlotBarrierStress() {
    }

    /** After the barrier each party sees what the other wrote before it. */
    @JCStressTest
    @State
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both met, both saw.")
    @Outcome(expect = FORBIDDEN, desc = "One left before the other had arrived.")
    public static class BothMeet {
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private int left;
        private int right;

        /** Writes its own value, then reads the other's. */
        @Actor
        public void left(final II_Result r) {
            left = 1;
            r.r1 = barrier.await(0) ? right : -1;
        }

        /** Writes its own value, then reads the other's. */
        @Actor
        public void right(final II_Result r) {
            right = 1;
            r.r2 = barrier.await(1) ? left : -1;
        }
    }

    /** Three generations in succession: no party overtakes, and none waits for a number that has passed. */
    @JCStressTest
    @State
    @Outcome(id = "123, 123", expect = ACCEPTABLE, desc = "Each generation saw its own values.")
    @Outcome(expect = FORBIDDEN, desc = "A generation mixed with its neighbour.")
    public static class Generations {
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private final int[] left = new int[3];
        private final int[] right = new int[3];

        /** Writes one value per generation, then reads the other's; the digits are generations. */
        @Actor
        public void left(final II_Result r) {
            r.r1 = meet(0, left, right);
        }

        /** Writes one value per generation, then reads the other's; the digits are generations. */
        @Actor
        public void right(final II_Result r) {
            r.r2 = meet(1, right, left);
        }

        private int meet(final int party, final int[] own, final int[] other) {
            int digits = 0;
            for (int i = 0; i < own.length; i++) {
                own[i] = i + 1;
                digits = digits * 10 + (barrier.await(party) ? other[i] : 9);
            }
            return digits;
        }
    }

    /** An abort releases a waiting party, and passes on the cause and everything written before it. */
    @JCStressTest
    @State
    @Outcome(id = "false, 7", expect = ACCEPTABLE, desc = "Released, told why.")
    @Outcome(expect = FORBIDDEN, desc = "Passed alone, or released before the cause was there.")
    public static class Abort {
        private static final Throwable CAUSE = new RuntimeException("planted");

        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private int note;

        /** Waits for a party that never arrives. */
        @Actor
        public void waits(final ZI_Result r) {
            r.r1 = barrier.await(0);
            r.r2 = barrier.failure() == CAUSE ? note : -1;
        }

        /** Aborts instead of arriving. */
        @Actor
        public void aborts() {
            note = 7;
            barrier.abort(CAUSE);
        }
    }

    /**
     * An abort between two generations: a party that was already released may pass the first one, none passes the
     * second.
     */
    @JCStressTest
    @State
    @Outcome(id = {"true, false, true, false", "false, false, true, false"}, expect = ACCEPTABLE,
        desc = "The aborting party had passed; afterwards none does.")
    @Outcome(expect = FORBIDDEN, desc = "The aborting party did not pass, or one passed with a party that knew.")
    public static class AbortAfterBarrier {
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);

        /** Arrives at the barrier twice. */
        @Actor
        public void meets(final ZZZZ_Result r) {
            r.r1 = barrier.await(0);
            r.r2 = barrier.await(0);
        }

        /** Arrives, aborts, and arrives again. */
        @Actor
        public void aborts(final ZZZZ_Result r) {
            r.r3 = barrier.await(1);
            barrier.abort(null);
            r.r4 = barrier.await(1);
        }
    }

    /** Two aborts: one cause is kept, and both parties see the same. */
    @JCStressTest
    @State
    @Outcome(id = {"left, left", "right, right"}, expect = ACCEPTABLE, desc = "One cause.")
    @Outcome(expect = FORBIDDEN, desc = "Two causes, or none.")
    public static class TwoAborts {
        private static final Throwable LEFT = new RuntimeException("left");
        private static final Throwable RIGHT = new RuntimeException("right");

        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);

        /** Aborts, then reads the cause. */
        @Actor
        public void left(final LL_Result r) {
            barrier.abort(LEFT);
            r.r1 = cause(0);
        }

        /** Aborts, then reads the cause. */
        @Actor
        public void right(final LL_Result r) {
            barrier.abort(RIGHT);
            r.r2 = cause(1);
        }

        private String cause(final int party) {
            final Throwable failure = barrier.failure();
            return barrier.await(party) || failure == null ? "none" : failure.getMessage();
        }
    }
}
