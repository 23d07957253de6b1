package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.engine.LockStepWorkers.SpeedAccount;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/** The account on a machine whose slots cost what a test says. */
final class SpeedAccountTest {
    private static final long ALONE_NS = 10_000;
    private static final long SECOND_NS = 1_000_000_000;

    /** A run on that machine. */
    private static final class Machine {
        private final SpeedAccount account = new SpeedAccount();
        private final int stride;
        private final LongUnaryOperator togetherNs;
        /** So long after it went alone the first worker finds nodes in the caches of others: a slot costs half more. */
        private long coldNs;
        private long warmAt;
        private long nowNs;
        private long slots;
        private long slotsAlone;

        Machine(final int stride, final LongUnaryOperator togetherNs) {
            this.stride = stride;
            this.togetherNs = togetherNs;
            account.begin(0);
        }

        /** Goes on to a time; by time, what a slot costs all together. */
        Machine until(final long endNs) {
            boolean isAlone = false;
            while (nowNs < endNs) {
                warmAt = isAlone ? warmAt : nowNs + coldNs;
                nowNs += isAlone ? (nowNs < warmAt ? ALONE_NS * 3 / 2 : ALONE_NS) * stride
                    : togetherNs.applyAsLong(nowNs) * stride;
                slots += stride;
                slotsAlone += isAlone ? stride : 0;
                isAlone = account.goesAlone(stride, nowNs);
            }
            return this;
        }

        /** How many times the speed of the first worker alone. */
        double speed() {
            return (double) slots * ALONE_NS / nowNs;
        }

        double shareAlone() {
            return (double) slotsAlone / slots;
        }
    }

    @Test
    void shouldGoTogetherWhereThatSaves() {
        for (final int stride : new int[] {1, 16, 1_000}) {
            final Machine machine = new Machine(stride, now -> ALONE_NS * 3 / 5).until(10 * SECOND_NS);
            assertTrue(machine.shareAlone() > 0, "measures what a slot costs alone");
            assertTrue(machine.speed() > 1.63, "stride=" + stride + " speed=" + machine.speed());
        }
    }

    /** However much slower all together are, trying costs one 32nd. */
    @Test
    void shouldLoseNoMoreThanItsShare() {
        for (final int stride : new int[] {1, 16}) {
            for (final int slower : new int[] {1, 2, 10, 100}) {
                final Machine machine = new Machine(stride, now -> ALONE_NS * slower + 1).until(60 * SECOND_NS);
                assertTrue(machine.speed() > 1 - 1.0 / SpeedAccount.LOSS_SHARE - 0.005,
                    "stride=" + stride + " slower=" + slower + " speed=" + machine.speed());
            }
        }
    }

    /** What the first worker's first round alone costs it, with the others' nodes in their caches, is no measure. */
    @Test
    void shouldNotTakeColdCachesForWhatASlotCosts() {
        for (final int stride : new int[] {1, 16}) {
            final Machine machine = new Machine(stride, now -> ALONE_NS * 11 / 10);
            machine.coldNs = SpeedAccount.ROUND_NS;
            machine.until(60 * SECOND_NS);
            assertTrue(machine.speed() > 0.95, "stride=" + stride + " speed=" + machine.speed());
        }
    }

    /** Slots that now and then wait for a time slice, at random; rounds without one save. */
    @Test
    void shouldLoseNoMoreThanItsShareWhereStallsComeAtRandom() {
        for (int seed = 1; seed <= 20; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final int oneIn = random.nextInt(20, 2_000);
            final Machine machine = new Machine(16, now -> ALONE_NS * 3 / 4
                + (random.nextInt(oneIn) == 0 ? random.nextLong(4_000_000) : 0)).until(20 * SECOND_NS);
            final double together = 1 / (0.75 + 200.0 / oneIn);
            assertTrue(machine.speed() > Math.max(1, together * 0.9) - 1.0 / SpeedAccount.LOSS_SHARE - 0.02,
                "seed=" + seed + " speed=" + machine.speed() + " together=" + together);
        }
    }

    /** A kernel thread or another program has a processor for 3 ms thirty times a second; together saves a third. */
    @Test
    void shouldGoOnTogetherWhereTurnsOfOthersAreRare() {
        for (int seed = 1; seed <= 20; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final Machine machine = new Machine(1, now -> ALONE_NS * 2 / 3
                + (random.nextInt(4_000) == 0 ? 3_000_000 : 0)).until(20 * SECOND_NS);
            assertTrue(machine.shareAlone() < 0.1, "seed=" + seed + " alone=" + machine.shareAlone());
            assertTrue(machine.speed() > 1.3, "seed=" + seed + " speed=" + machine.speed());
        }
    }

    /** A caller that steps a fabric begins a run every few rounds, and its threads start late. */
    @Test
    void shouldKeepWhatWasSavedWhenARunBegins() {
        final Machine machine = new Machine(16, now -> now % 20_000_000 < 100_000 ? 16 * ALONE_NS : ALONE_NS * 2 / 3);
        for (int run = 1; run <= 500; run++) {
            machine.until(run * 20_000_000L).account.begin(machine.nowNs);
        }
        assertTrue(machine.shareAlone() < 0.1, "alone=" + machine.shareAlone());
    }

    /** Another program comes for a second and goes. */
    @Test
    void shouldTryAgainLater() {
        final Machine machine = new Machine(16, now -> now < SECOND_NS ? 10 * ALONE_NS : ALONE_NS / 2);
        machine.until(SECOND_NS);
        assertTrue(machine.shareAlone() > 0.9, "alone=" + machine.shareAlone());
        machine.until(10 * SECOND_NS);
        assertTrue(machine.speed() > 1.7, "speed=" + machine.speed());
    }

    /** Slots in which all rest are left out and cost nothing, so nothing can be said of them. */
    @Test
    void shouldStayAsItIsWhileNothingIsStepped() {
        final SpeedAccount account = new SpeedAccount();
        account.begin(0);
        for (int round = 1; round < 1_000; round++) {
            assertFalse(account.goesAlone(0, round * SpeedAccount.ROUND_NS));
        }
        assertEquals(0, account.aloneNs());
    }
}
