package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

@Timeout(300)
final class SlotBarrierTest {
    private static final int STRIDE = 16;

    private final Arena arena = Arena.ofAuto();
    private final SlotCounts counts = new SlotCounts(Arena.ofAuto(), 3);

    @Test
    void shouldLetASinglePartyPass() {
        final SlotBarrier barrier = new SlotBarrier(arena, 1);
        for (int generation = 0; generation < 100; generation++) {
            assertEquals(generation, barrier.generation());
            assertTrue(barrier.await(0));
        }
        assertNull(barrier.failure());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void shouldRefuseNoParties(final int parties) {
        assertThrows(IllegalArgumentException.class, () -> new SlotBarrier(arena, parties));
    }

    /** The other party arrives only when it has been told of the wait. */
    @Test
    void shouldTellOnceThatAPartyWaitsLong() throws InterruptedException {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "a party that never spins is not told of");
        final List<Integer> told = new CopyOnWriteArrayList<>();
        final CountDownLatch waits = new CountDownLatch(1);
        final SlotBarrier barrier = new SlotBarrier(arena, 2, party -> {
            told.add(party);
            waits.countDown();
        });
        final Thread other = new Thread(() -> {
            try {
                waits.await();
                Thread.sleep(20);
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
            barrier.await(0);
        });
        other.start();
        assertTrue(barrier.await(1));
        other.join();
        assertEquals(1, told.stream().filter(party -> party == 1).count());
    }

    /** Plain longs, one a party: in each generation a party sums up what all wrote, so a stale value shows. */
    @ParameterizedTest
    @CsvSource({"2, 10000", "3, 1000", "8, 1000"})
    void shouldShowEveryPartyWhatAllWroteBefore(final int parties, final int generations) throws InterruptedException {
        final SlotBarrier barrier = new SlotBarrier(arena, parties);
        final long[] written = new long[parties * STRIDE];
        final long[] wrong = new long[parties];
        final Thread[] threads = new Thread[parties];
        for (int party = 0; party < parties; party++) {
            final int self = party;
            threads[party] = new Thread(() -> {
                for (long generation = 1; generation <= generations; generation++) {
                    written[self * STRIDE] = generation;
                    boolean passed = barrier.await(self);
                    for (int other = 0; other < parties; other++) {
                        passed &= written[other * STRIDE] == generation;
                    }
                    passed &= barrier.await(self);
                    wrong[self] += passed ? 0 : 1;
                }
            });
            threads[party].start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        for (int party = 0; party < parties; party++) {
            assertEquals(0, wrong[party], "generations that party " + party + " saw wrong");
            assertEquals(generations, written[party * STRIDE]);
        }
        assertEquals(2L * generations, barrier.generation());
    }

    @Test
    void shouldHoldPartiesUntilTheLastOneArrives() throws InterruptedException {
        final SlotBarrier barrier = new SlotBarrier(arena, 3);
        final Thread[] early = {new Thread(() -> barrier.await(0)), new Thread(() -> barrier.await(2))};
        for (final Thread thread : early) {
            thread.start();
        }
        for (final Thread thread : early) {
            thread.join(50);
            assertTrue(thread.isAlive());
        }
        assertEquals(0, barrier.generation());
        assertTrue(barrier.await(1));
        for (final Thread thread : early) {
            thread.join();
        }
        assertEquals(1, barrier.generation());
    }

    @Test
    void shouldReleaseEverybodyWhenAborted() throws InterruptedException {
        final int parties = 4;
        final SlotBarrier barrier = new SlotBarrier(arena, parties);
        final RuntimeException cause = new RuntimeException("planted");
        final Throwable[] seen = new Throwable[parties];
        final Thread[] threads = new Thread[parties];
        for (int party = 0; party < parties; party++) {
            final int self = party;
            threads[party] = new Thread(() -> {
                while (barrier.await(self)) {
                    if (self == 2 && barrier.generation() >= 100) {
                        barrier.abort(cause);
                    }
                }
                seen[self] = barrier.failure();
            });
            threads[party].start();
        }
        for (int party = 0; party < parties; party++) {
            threads[party].join();
            assertSame(cause, seen[party]);
        }
        assertEquals(-1, barrier.generation());
        assertTrue(barrier.isBroken());
        assertFalse(barrier.await(0));
    }

    @Test
    void shouldKeepTheFirstCause() {
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        final Error first = new Error("first");
        barrier.abort(first);
        barrier.abort(new Error("second"));
        assertSame(first, barrier.failure());
        assertFalse(barrier.await(1));
    }

    @Test
    void shouldBreakWithoutACause() {
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        assertFalse(barrier.isBroken());
        barrier.abort(null);
        assertTrue(barrier.isBroken());
        assertFalse(barrier.await(0));
        assertNotNull(barrier.failure());
    }

    /** All words reach the generation; the mark, read last, says that it is void. */
    @Test
    void shouldLetNobodyPassWhenAllArriveAfterAnAbort() {
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        barrier.abort(null);
        for (int generation = 0; generation < 3; generation++) {
            assertFalse(barrier.await(0));
            assertFalse(barrier.await(1));
        }
        assertEquals(-1, barrier.generation());
    }

    /** In each generation another thread comes for party 1, as when a run is continued. */
    @Test
    void shouldLetAPartyBePassedOn() throws InterruptedException {
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        for (int generation = 0; generation < 20; generation++) {
            final Thread thread = new Thread(() -> barrier.await(1));
            thread.start();
            assertTrue(barrier.await(0));
            thread.join();
            assertEquals(generation + 1, barrier.generation());
        }
    }

    /** One party does nothing between generations, so it arrives while the others still leave the last one. */
    @Test
    void shouldKeepAFastPartyLessThanTwoAhead() throws InterruptedException {
        final int generations = 20_000;
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        final Thread fast = new Thread(() -> {
            for (int generation = 0; generation < generations; generation++) {
                barrier.await(1);
            }
        });
        fast.start();
        for (int generation = 1; generation <= generations; generation++) {
            assertTrue(barrier.await(0));
            assertEquals(generation, barrier.generation());
        }
        fast.join();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 2})
    void shouldKnowNoOtherParties(final int party) {
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        final AssertionError error = assertThrows(AssertionError.class, () -> barrier.await(party));
        assertEquals("no such party: party=" + party + " parties=2", error.getMessage());
        assertEquals(0, barrier.generation());
    }

    @Test
    void shouldNoticeTwoThreadsForOneParty() throws InterruptedException {
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        final AssertionError[] errors = new AssertionError[2];
        final Thread[] threads = new Thread[errors.length];
        for (int t = 0; t < threads.length; t++) {
            final int self = t;
            threads[t] = new Thread(() -> {
                try {
                    barrier.await(0);
                } catch (final AssertionError e) {
                    errors[self] = e;
                    barrier.abort(e);
                }
            });
            threads[t].start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        final AssertionError error = errors[0] != null ? errors[0] : errors[1];
        assertEquals("two threads for one party: party=0", error.getMessage());
        assertSame(error, barrier.failure());
        assertTrue(errors[0] == null || errors[1] == null);
    }

    /** A party that waits for long counts its sleep, and keeps the interrupt that it ignores. */
    @Test
    void shouldCountTheSleepOfAPartyThatWaitsForLong() throws InterruptedException {
        final SlotBarrier barrier = new SlotBarrier(arena, 2);
        final boolean[] kept = new boolean[1];
        final Thread waiting = new Thread(() -> {
            Thread.currentThread().interrupt();
            assertTrue(barrier.await(1));
            kept[0] = Thread.interrupted();
        });
        waiting.start();
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertEquals(0, barrier.waitedNs(1), "still waiting");
        assertTrue(barrier.await(0));
        waiting.join();
        assertTrue(kept[0], "interrupt");
        assertTrue(barrier.waitedNs(1) > 0, "waitedNs=" + barrier.waitedNs(1));
    }

    @Test
    void shouldGoAheadByTheDelayAndNoFurther() {
        final SlotGate gate = new SlotGate(counts, new int[] {1, 2}, new int[] {3, 5});
        assertTrue(gate.isOpen(0));
        assertTrue(gate.isOpen(2));
        assertFalse(gate.isOpen(3));
        counts.publish(1, 4);
        assertTrue(gate.isOpen(3));
        assertTrue(gate.isOpen(4));
        assertFalse(gate.isOpen(5));
        counts.publish(2, 1);
        assertTrue(gate.isOpen(5));
        assertFalse(gate.isOpen(6));
        assertEquals(4, counts.slots(1));
        assertEquals(0, counts.slots(0));
    }

    /** Parties that step in any order: none reads a slot before it is complete, or overwrites one before it is read. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 4", "3, 2", "7, 3"})
    void shouldKeepEveryWindowOfTwoDelaysWhole(final int delay, final long seed) {
        final int parties = 6;
        final SlotCounts all = new SlotCounts(Arena.ofAuto(), parties);
        final SlotGate[] gates = new SlotGate[parties];
        for (int party = 0; party < parties; party++) {
            gates[party] = new SlotGate(all, new int[] {(party + 1) % parties, (party + parties - 1) % parties},
                new int[] {delay, delay});
        }
        final long[][] sent = new long[parties][2 * delay];
        final long[] slots = new long[parties];
        final Random random = new Random(seed);
        long least = 0;
        for (int step = 0; least < 300; step++) {
            assertTrue(step < 100_000, "nobody may go on: seed=" + seed);
            final int party = random.nextInt(parties);
            final long slot = slots[party];
            if (!gates[party].isOpen(slot)) {
                continue;
            }
            if (slot >= delay) {
                final int row = (int) ((slot - delay) % (2 * delay));
                assertEquals(slot - delay, sent[(party + 1) % parties][row], "seed=" + seed);
                assertEquals(slot - delay, sent[(party + parties - 1) % parties][row], "seed=" + seed);
            }
            sent[party][(int) (slot % (2 * delay))] = slot;
            all.publish(party, ++slots[party]);
            least = Long.MAX_VALUE;
            for (final long done : slots) {
                least = Math.min(least, done);
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNoGate() {
        assertThrows(IllegalArgumentException.class, () -> new SlotCounts(Arena.ofAuto(), 0));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[0], new int[0]));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[] {1}, new int[] {0}));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[] {3}, new int[] {1}));
        assertThrows(IllegalArgumentException.class, () -> new SlotGate(counts, new int[] {1}, new int[] {1, 2}));
    }
}
