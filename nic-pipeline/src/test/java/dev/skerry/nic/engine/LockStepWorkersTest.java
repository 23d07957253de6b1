package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep.BankClaims;
import dev.skerry.nic.engine.LockStepWorkers.SpeedAccount;
import dev.skerry.nic.engine.LockStepWorkers.WorkerSums;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Workers that do nothing but synchronise, who takes which bank, and when the first one goes on alone; what all engines
 * share is in {@link EngineContractTest}.
 */
@Timeout(300)
final class LockStepWorkersTest {
    private static final int MANY = 2_000;
    private static final long ALONE_NS = 10_000;
    private static final long SECOND_NS = 1_000_000_000;

    @AutoClose
    private final Arena arena = Arena.ofShared();

    @Test
    void shouldJoinThoseStartedWhenThereAreNoMoreThreads() {
        final OutOfMemoryError planted = new OutOfMemoryError("no more threads");
        final List<Thread> started = new ArrayList<>();
        final LockStepWorkers crew = new LockStepWorkers(arena, 4, 10, null, null, task -> {
            if (started.size() == 2) {
                throw planted;
            }
            started.add(Thread.ofPlatform().daemon().unstarted(task));
            return started.getLast();
        });
        assertSame(planted, assertThrows(OutOfMemoryError.class,
            () -> crew.run(0, 1_000, (slot, delivered, completed) -> true, Idler::new)));
        assertEquals(2, started.size());
        started.forEach(thread -> assertFalse(thread.isAlive(), thread::getName));
    }

    @Test
    void shouldFailAgainAfterAFailure() {
        final LockStepWorkers crew = new LockStepWorkers(arena, 3, 10, null, null);
        for (int run = 0; run < 2; run++) {
            final IllegalStateException failure = assertThrows(IllegalStateException.class,
                () -> crew.run(0, 1_000, (slot, delivered, completed) -> true, worker -> {
                    if (worker == 2) {
                        throw new IllegalArgumentException("planted");
                    }
                    return new Idler(worker);
                }));
            assertEquals("worker 2 failed: java.lang.IllegalArgumentException: planted", failure.getMessage());
        }
    }

    /** Whoever finds the end, all stop there, and at the limit at the latest. */
    @Test
    void shouldStopAtTheEndThatWorkersFind() {
        final LockStepWorkers crew = new LockStepWorkers(arena, 3, 10, null, null);
        assertEquals(57, crew.run(0, 1_000, (slot, delivered, completed) -> true, worker -> new Idler(worker, 57)));
        assertEquals(64, crew.run(57, 64, (slot, delivered, completed) -> true, worker -> new Idler(worker, 99)));
        assertEquals(74, crew.run(64, 1_000, (slot, delivered, completed) -> false, Idler::new));
    }

    /** One rests until 25, the other until 67, and both for good from 80 on. */
    @Test
    void shouldLeaveOutSlotsInWhichAllRest() {
        final LockStepWorkers crew = new LockStepWorkers(arena, 2, 10, null, null);
        final List<List<Long>> stepped = List.of(new ArrayList<>(), new ArrayList<>());
        assertEquals(200, crew.run(3, 200, (slot, delivered, completed) -> true,
            worker -> new Sleeper(stepped.get(worker), worker == 0 ? 25 : 67)));
        final List<Long> expected = List.of(3L, 13L, 25L, 33L, 33L, 43L, 43L, 53L, 53L, 63L, 63L, 73L, 73L, 83L);
        assertEquals(List.of(expected, expected), stepped);
    }

    /** Worker 1 comes to the meeting once worker 0 has been seen asleep there. */
    @Test
    void shouldCountTimeSleptAtBarriers() {
        final Thread worker0 = Thread.currentThread();
        final LockStepWorkers crew = new LockStepWorkers(arena, 2, 10, null, null);
        assertEquals(0, crew.waitedNs());
        crew.run(0, 10, (slot, delivered, completed) -> true, worker -> new Late(worker == 1 ? worker0 : null));
        assertTrue(crew.waitedNs() > 0, "waitedNs=" + crew.waitedNs());
    }

    /** By a clock that jumps, slots are cheap or dear at random, so workers go and come all the time. */
    @Test
    void shouldDoEverySlotOnceAloneOrTogether() {
        for (int seed = 1; seed <= 8; seed++) {
            final LockStepWorkers crew = new LockStepWorkers(arena, 3, 1, null, jumpingClock(seed));
            final long[][] slots = new long[3][MANY];
            final boolean[] isAlone = new boolean[MANY];
            final String where = "seed=" + seed;
            assertEquals(MANY, crew.run(0, MANY, (slot, delivered, completed) -> true,
                worker -> new Marker(worker, slots[worker], isAlone)), where);
            assertTrue(crew.aloneNs() > 0, where);
            int changes = 0;
            for (int slot = 0; slot < MANY; slot++) {
                final String at = where + " slot=" + slot;
                assertEquals(1, slots[0][slot], at);
                assertEquals(isAlone[slot] ? 0 : 1, slots[1][slot], at);
                assertEquals(isAlone[slot] ? 0 : 1, slots[2][slot], at);
                changes += slot > 0 && isAlone[slot] != isAlone[slot - 1] ? 1 : 0;
            }
            assertTrue(changes > 10, where + " changes=" + changes);
        }
    }

    /** The first worker is alone when the run ends, fails, or is stopped; those who rest are joined. */
    @Test
    void shouldEndWhileOthersRest() {
        final LockStepWorkers crew = new LockStepWorkers(arena, 3, 1, null, jumpingClock(7));
        final long[] at = new long[1];
        final Engine.Watch watch = (slot, delivered, completed) -> {
            at[0] = slot;
            return true;
        };
        final boolean[] isAlone = new boolean[MANY];
        final IllegalStateException failure = assertThrows(IllegalStateException.class,
            () -> crew.run(0, MANY, watch, worker -> new Marker(worker, new long[MANY], isAlone) {
                @Override
                public void goOn(final boolean alone) {
                    super.goOn(alone);
                    if (alone && at[0] > MANY / 2) {
                        throw new IllegalArgumentException("planted");
                    }
                }
            }));
        assertEquals("worker 0 failed: java.lang.IllegalArgumentException: planted", failure.getMessage());
    }

    /** Notes who stepped a slot, and whether alone. */
    private static class Marker implements LockStepWorkers.Worker {
        private final int worker;
        private final long[] slots;
        private final boolean[] isAlone;
        private boolean alone;

        Marker(final int worker, final long[] slots, final boolean[] isAlone) {
            this.worker = worker;
            this.slots = slots;
            this.isAlone = isAlone;
        }

        @Override
        public void goOn(final boolean goesAlone) {
            alone = goesAlone;
        }

        @Override
        public boolean step(final long first, final long end) {
            for (long slot = first; slot < end; slot++) {
                slots[(int) slot]++;
                if (worker == 0) {
                    isAlone[(int) slot] = alone;
                }
            }
            return true;
        }

        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
            into.set(parity, worker, WorkerSums.SETTLED, alone ? 3 : 1);
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            assertEquals(3, settled);
            return Long.MAX_VALUE;
        }
    }

    /** Reports nothing and finds no end. */
    private interface Endless extends LockStepWorkers.Worker {
        @Override
        default void report(final WorkerSums into, final int parity, final long slot) {
        }

        @Override
        default long end(final long slot, final long settled, final long moves) {
            return Long.MAX_VALUE;
        }
    }

    /** Steps until another one sleeps; null: not at all. */
    private record Late(Thread other) implements Endless {
        @Override
        public boolean step(final long first, final long end) {
            while (other != null && other.getState() != Thread.State.TIMED_WAITING) {
                Thread.yield();
            }
            return true;
        }
    }

    /** Notes the strides it is stepped through. */
    private record Sleeper(List<Long> stepped, long event) implements Endless {
        @Override
        public boolean step(final long first, final long end) {
            return stepped.add(first) && stepped.add(end);
        }

        @Override
        public long idleUntil(final long slot) {
            return slot < event ? event : slot < 80 ? slot : Long.MAX_VALUE;
        }
    }

    /** Says where the end is after 30 slots. */
    private record Idler(int worker, long ends) implements LockStepWorkers.Worker {
        Idler(final int worker) {
            this(worker, Long.MAX_VALUE);
        }

        @Override
        public boolean step(final long first, final long end) {
            return true;
        }

        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
            into.set(parity, worker, WorkerSums.SETTLED, 1);
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            assertEquals(3, settled);
            return slot < 30 ? Long.MAX_VALUE : ends;
        }
    }

    /** The account of a run on a machine whose slots cost what a test says. */
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

    /** In the first 0.2 s, compilers use the other processors. */
    @Test
    void shouldTryAgainSoonAtTheStart() {
        final Machine machine = new Machine(16, now -> now < SECOND_NS / 5 ? 10 * ALONE_NS : ALONE_NS / 2);
        machine.until(SECOND_NS);
        assertTrue(machine.shareAlone() < 0.4, "alone=" + machine.shareAlone());
    }

    /** The end of a run may cut a measurement short; the next run measures again. */
    @Test
    void shouldMeasureAgainInTheNextRun() {
        final SpeedAccount account = new SpeedAccount();
        long round = 0;
        for (int run = 0; run < 5; run++) {
            account.begin(round * SpeedAccount.ROUND_NS);
            int together = 0;
            while (!account.goesAlone(1, ++round * SpeedAccount.ROUND_NS)) {
                assertTrue(++together < SpeedAccount.MEASURE_ROUNDS, "run=" + run);
            }
        }
    }

    /** Slots in which all rest are left out and cost nothing, so nothing can be said of them. */
    @Test
    void shouldStayAsItIsWhileNothingIsStepped() {
        final SpeedAccount account = new SpeedAccount();
        account.begin(0);
        for (int round = 1; round < 1_000; round++) {
            assertFalse(account.goesAlone(0, round * SpeedAccount.ROUND_NS));
        }
        assertEquals(0, account.aloneNs);
    }

    @Test
    void shouldGiveABankToOneWorkerPerStride() throws InterruptedException {
        final int banks = 50;
        final int strides = 200;
        final BankClaims claims = new BankClaims(banks);
        final int[] taken = new int[2];
        for (int stride = 1; stride <= strides; stride++) {
            final long end = 7L * stride;
            final Thread[] threads = new Thread[taken.length];
            for (int t = 0; t < threads.length; t++) {
                final int self = t;
                threads[t] = new Thread(() -> {
                    for (int i = 0; i < banks; i++) {
                        taken[self] += claims.take(self == 0 ? i : banks - 1 - i, end) ? 1 : 0;
                    }
                });
                threads[t].start();
            }
            for (final Thread thread : threads) {
                thread.join();
            }
            assertEquals(stride * banks, taken[0] + taken[1], "stride=" + stride);
        }
    }

    /**
     * Whoever has bank 0 is held up in it, in one stride of each ten, until the other has done bank 1. Both are worker
     * 0's own, so this run would never end if banks were not taken over.
     */
    @Test
    void shouldNotDependOnWhoTakesABank() {
        final int propagation = 5;
        final Shale shale = Parts.shale(2, 65, Mechanisms.HBH_SPRAY, 2, propagation, 6);
        final FlowSet flows = Flows.random(6, 4_225, 900, 150, 40);
        final Outcome one = Outcomes.lockStep(shale, flows, 1, false, 0);
        final HeldBanks held = new HeldBanks(propagation);
        // By a clock that stands still going together costs nothing, so the first worker never goes on alone.
        Outcomes.same(one, Outcomes.run(new LockStep(held.of(Parts.of(shale)), new Traffic(flows, Faults.NONE), 2,
            Idle.SPIN, false, () -> 0), 0), "seed=6");
        assertEquals(4, held.banks.size());
        assertTrue(held.takenOver >= one.slots() / (10 * propagation), "taken over=" + held.takenOver);
    }

    /** Banks of which the first waits, every tenth stride, until the second has begun. */
    private static final class HeldBanks {
        final int propagation;
        final List<Bank> banks = new ArrayList<>();
        volatile CountDownLatch second = new CountDownLatch(1);
        int takenOver;

        HeldBanks(final int propagation) {
            this.propagation = propagation;
        }

        FabricParts of(final FabricParts parts) {
            return proxy(FabricParts.class, (method, arguments) -> switch (method.getName()) {
                case "banks" -> banks((FabricParts.Banks) method.invoke(parts, arguments));
                case "laws" -> parts.laws(banks.toArray(Bank[]::new), (InFlightCells) arguments[1]);
                default -> method.invoke(parts, arguments);
            });
        }

        private FabricParts.Banks banks(final FabricParts.Banks maker) {
            return proxy(FabricParts.Banks.class, (method, arguments) -> {
                final Object made = method.invoke(maker, arguments);
                return method.getName().equals("of") ? held((Bank) made) : made;
            });
        }

        private Bank held(final Bank bank) {
            final int index = banks.size();
            banks.add(bank);
            return proxy(Bank.class, (method, arguments) -> {
                if (method.getName().equals("send")) {
                    before(index, (long) arguments[0]);
                }
                return method.invoke(bank, arguments);
            });
        }

        private void before(final int bank, final long slot) throws InterruptedException {
            if (slot % (10L * propagation) != 0) {
                return;
            }
            if (bank == 0) {
                second.await();
                second = new CountDownLatch(1);
                takenOver++;
            } else if (bank == 1) {
                second.countDown();
            }
        }
    }

    private interface Call {
        Object of(Method method, Object[] arguments) throws Exception;
    }

    private static <T> T proxy(final Class<T> type, final Call call) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (proxy, method, arguments) -> call.of(method, arguments)));
    }

    /** A clock that goes on by one to three rounds of a {@link SpeedAccount} at a look. The first worker's thread. */
    static LongSupplier jumpingClock(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final long[] now = new long[1];
        return () -> now[0] += random.nextLong(SpeedAccount.ROUND_NS, 3 * SpeedAccount.ROUND_NS);
    }
}
