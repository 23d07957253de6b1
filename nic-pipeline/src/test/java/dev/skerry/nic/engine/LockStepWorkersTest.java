package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.engine.LockStepWorkers.WorkerSums;
import dev.skerry.nic.fabric.Engine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** Workers that do nothing but meet; what all engines share is in {@link EngineContractTest}. */
@Timeout(300)
final class LockStepWorkersTest {
    private static final int MANY = 2_000;

    @Test
    void shouldJoinThoseStartedWhenThereAreNoMoreThreads() {
        final OutOfMemoryError planted = new OutOfMemoryError("no more threads");
        final List<Thread> started = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
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
    }

    @Test
    void shouldFailAgainAfterAFailure() {
        try (Arena arena = Arena.ofShared()) {
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
    }

    /** Whoever finds the end, all stop there, and at the limit at the latest. */
    @Test
    void shouldStopAtTheEndThatWorkersFind() {
        try (Arena arena = Arena.ofShared()) {
            final LockStepWorkers crew = new LockStepWorkers(arena, 3, 10, null, null);
            assertEquals(57, crew.run(0, 1_000, (slot, delivered, completed) -> true, worker -> new Idler(worker, 57)));
            assertEquals(64, crew.run(57, 64, (slot, delivered, completed) -> true, worker -> new Idler(worker, 99)));
            assertEquals(74, crew.run(64, 1_000, (slot, delivered, completed) -> false, Idler::new));
        }
    }

    /** One rests until 25, the other until 67, and both for good from 80 on. */
    @Test
    void shouldLeaveOutSlotsInWhichAllRest() {
        try (Arena arena = Arena.ofShared()) {
            final LockStepWorkers crew = new LockStepWorkers(arena, 2, 10, null, null);
            final List<List<Long>> stepped = List.of(new ArrayList<>(), new ArrayList<>());
            assertEquals(200, crew.run(3, 200, (slot, delivered, completed) -> true,
                worker -> new Sleeper(stepped.get(worker), worker == 0 ? 25 : 67)));
            final List<Long> expected = List.of(3L, 13L, 25L, 33L, 33L, 43L, 43L, 53L, 53L, 63L, 63L, 73L, 73L, 83L);
            assertEquals(List.of(expected, expected), stepped);
        }
    }

    /** Worker 1 comes to the meeting once worker 0 has been seen asleep there. */
    @Test
    void shouldCountTimeSleptAtBarriers() {
        final Thread worker0 = Thread.currentThread();
        try (Arena arena = Arena.ofShared()) {
            final LockStepWorkers crew = new LockStepWorkers(arena, 2, 10, null, null);
            assertEquals(0, crew.waitedNs());
            crew.run(0, 10, (slot, delivered, completed) -> true, worker -> new Late(worker == 1 ? worker0 : null));
            assertTrue(crew.waitedNs() > 0, "waitedNs=" + crew.waitedNs());
        }
    }

    /** By a clock that jumps, slots are cheap or dear at random, so workers go and come all the time. */
    @Test
    void shouldDoEverySlotOnceAloneOrTogether() {
        try (Arena arena = Arena.ofShared()) {
            for (int seed = 1; seed <= 8; seed++) {
                final LockStepWorkers crew = new LockStepWorkers(arena, 3, 1, null, JumpingClock.of(seed));
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
    }

    /** The first worker is alone when the run ends, fails, or is stopped; those who rest are joined. */
    @Test
    void shouldEndWhileOthersRest() {
        try (Arena arena = Arena.ofShared()) {
            final LockStepWorkers crew = new LockStepWorkers(arena, 3, 1, null, JumpingClock.of(7));
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

    /** Steps until another one sleeps; null: not at all. */
    private record Late(Thread other) implements LockStepWorkers.Worker {
        @Override
        public boolean step(final long first, final long end) {
            while (other != null && other.getState() != Thread.State.TIMED_WAITING) {
                Thread.yield();
            }
            return true;
        }

        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            return Long.MAX_VALUE;
        }
    }

    /** Notes the strides it is stepped through. */
    private record Sleeper(List<Long> stepped, long event) implements LockStepWorkers.Worker {
        @Override
        public boolean step(final long first, final long end) {
            return stepped.add(first) && stepped.add(end);
        }

        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            return Long.MAX_VALUE;
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
}
