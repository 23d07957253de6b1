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
import org.openjdk.jcstress.infra.results.ZZ_Result;

import java.lang.foreign.Arena;

/**
 * The promises of {@link SlotBarrier} between two parties.
 *
 * <p>Each scenario was seen red once, on two x86 cores in a quick run, with a bug planted in {@link SlotBarrier}:
 * <ul>
 *   <li>{@link BothMeet}, {@link Generations}: all but the last party returned at once; {@code 0, 1} in 73 %, and
 *       {@code 0, 123} in 61 % among some eighty others.</li>
 *   <li>{@link Abort}: {@code abort} broke the generation before it kept the cause; {@code false, -1} in 4 %.</li>
 *   <li>{@link AbortAfterMeeting}: the mark of a broken barrier was 1, a generation's number; {@code true, false} in
 *       4 %.</li>
 *   <li>{@link TwoAborts}: {@code abort} overwrote an earlier cause; {@code left, right} in 92 %.</li>
 * </ul>
 */
public final class SlotBarrierStress {
    private SlotBarrierStress() {
    }

    /** What each wrote before, the other sees after. */
    @JCStressTest
    @State
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both met, both saw.")
    @Outcome(expect = FORBIDDEN, desc = "One left before the other had arrived.")
    public static class BothMeet {
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private int left;
        private int right;

        /** Writes its own, reads the other's. */
        @Actor
        public void left(final II_Result r) {
            left = 1;
            r.r1 = barrier.await() ? right : -1;
        }

        /** Writes its own, reads the other's. */
        @Actor
        public void right(final II_Result r) {
            right = 1;
            r.r2 = barrier.await() ? left : -1;
        }
    }

    /** Three generations in a row: the counter starts anew, and nobody overtakes. */
    @JCStressTest
    @State
    @Outcome(id = "123, 123", expect = ACCEPTABLE, desc = "Each generation saw its own values.")
    @Outcome(expect = FORBIDDEN, desc = "A generation mixed with its neighbour.")
    public static class Generations {
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private final int[] left = new int[3];
        private final int[] right = new int[3];

        /** Writes one value a generation, reads the other's: digits are generations. */
        @Actor
        public void left(final II_Result r) {
            r.r1 = meet(left, right);
        }

        /** Writes one value a generation, reads the other's: digits are generations. */
        @Actor
        public void right(final II_Result r) {
            r.r2 = meet(right, left);
        }

        private int meet(final int[] own, final int[] other) {
            int digits = 0;
            for (int i = 0; i < own.length; i++) {
                own[i] = i + 1;
                digits = digits * 10 + (barrier.await() ? other[i] : 9);
            }
            return digits;
        }
    }

    /** An abort releases who waits, with the cause and what was written before it. */
    @JCStressTest
    @State
    @Outcome(id = "false, 7", expect = ACCEPTABLE, desc = "Released, told why.")
    @Outcome(expect = FORBIDDEN, desc = "Passed alone, or released before the cause was there.")
    public static class Abort {
        private static final Throwable CAUSE = new RuntimeException("planted");

        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);
        private int note;

        /** Waits for a party that never comes. */
        @Actor
        public void waits(final ZI_Result r) {
            r.r1 = barrier.await();
            r.r2 = barrier.failure() == CAUSE ? note : -1;
        }

        /** Aborts instead of arriving. */
        @Actor
        public void aborts() {
            note = 7;
            barrier.abort(CAUSE);
        }
    }

    /** An abort right behind the last arrival: whoever was released already may pass, nobody waits for ever. */
    @JCStressTest
    @State
    @Outcome(id = {"true, true", "false, true"}, expect = ACCEPTABLE, desc = "The aborting party had passed.")
    @Outcome(expect = FORBIDDEN, desc = "The party that aborts later did not pass.")
    public static class AbortAfterMeeting {
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);

        /** Meets. */
        @Actor
        public void meets(final ZZ_Result r) {
            r.r1 = barrier.await();
        }

        /** Meets, then aborts. */
        @Actor
        public void aborts(final ZZ_Result r) {
            r.r2 = barrier.await();
            barrier.abort(null);
        }
    }

    /** Two aborts: one cause is kept, and both see the same. */
    @JCStressTest
    @State
    @Outcome(id = {"left, left", "right, right"}, expect = ACCEPTABLE, desc = "One cause.")
    @Outcome(expect = FORBIDDEN, desc = "Two causes, or none.")
    public static class TwoAborts {
        private static final Throwable LEFT = new RuntimeException("left");
        private static final Throwable RIGHT = new RuntimeException("right");

        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);

        /** Aborts, reads the cause. */
        @Actor
        public void left(final LL_Result r) {
            barrier.abort(LEFT);
            r.r1 = cause();
        }

        /** Aborts, reads the cause. */
        @Actor
        public void right(final LL_Result r) {
            barrier.abort(RIGHT);
            r.r2 = cause();
        }

        private String cause() {
            final Throwable failure = barrier.failure();
            return barrier.await() || failure == null ? "none" : failure.getMessage();
        }
    }
}
