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
 * The promises of {@link SlotBarrier} between two parties.
 *
 * <p>Each scenario was seen red once, on two x86 cores in a quick run, with a bug planted in {@link SlotBarrier}:
 * <ul>
 *   <li>{@link BothMeet}, {@link Generations}: a party waited for the others' words of the generation before;
 *       {@code 0, 1} in 73 %, and {@code 23, 120} in 45 % among 44 others. If a party waits for exactly its own number
 *       instead of at least that, {@link Generations} never ends.</li>
 *   <li>{@link Abort}: {@code abort} set the mark before it kept the cause; {@code false, -1} in 0.2 %.</li>
 *   <li>{@link AbortAfterMeeting}: the mark was not read once more after the others' words; {@code true, false, true,
 *       true} in 85 %, {@code true, true, true, true} in 15 %.</li>
 *   <li>{@link TwoAborts}: {@code abort} overwrote an earlier cause; {@code left, right} in 98 %.</li>
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
            r.r1 = barrier.await(0) ? right : -1;
        }

        /** Writes its own, reads the other's. */
        @Actor
        public void right(final II_Result r) {
            right = 1;
            r.r2 = barrier.await(1) ? left : -1;
        }
    }

    /** Three generations in a row: nobody overtakes, and nobody waits for a number that has gone by. */
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
            r.r1 = meet(0, left, right);
        }

        /** Writes one value a generation, reads the other's: digits are generations. */
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

    /** An abort between two generations: whoever was released already may pass the first one, nobody the second. */
    @JCStressTest
    @State
    @Outcome(id = {"true, false, true, false", "false, false, true, false"}, expect = ACCEPTABLE,
        desc = "The aborting party had passed; afterwards nobody does.")
    @Outcome(expect = FORBIDDEN, desc = "Who aborts later did not pass, or one passed with a party that knew.")
    public static class AbortAfterMeeting {
        private final SlotBarrier barrier = new SlotBarrier(Arena.ofAuto(), 2);

        /** Meets, twice. */
        @Actor
        public void meets(final ZZZZ_Result r) {
            r.r1 = barrier.await(0);
            r.r2 = barrier.await(0);
        }

        /** Meets, aborts, and arrives all the same. */
        @Actor
        public void aborts(final ZZZZ_Result r) {
            r.r3 = barrier.await(1);
            barrier.abort(null);
            r.r4 = barrier.await(1);
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
            r.r1 = cause(0);
        }

        /** Aborts, reads the cause. */
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
