package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle.Backoff;
import dev.skerry.dataplane.worker.Idle.RealTimeBackoff;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

@Timeout(300)
final class AgentThreadsTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);
    private static final Idle[] IDLES = Idle.values();
    private static final long LATENCY_NS = 5_000;

    private final AtomicInteger ready = new AtomicInteger();
    private final Set<Throwable> thrown = ConcurrentHashMap.newKeySet();
    private final List<Long> parks = new ArrayList<>();
    private long nowNs;
    private long parkedNs;
    private final RealTimeBackoff realTime = new RealTimeBackoff(() -> nowNs, ns -> {
        parks.add(ns);
        nowNs += ns + LATENCY_NS;
        parkedNs += ns + LATENCY_NS;
    });
    private final List<String> did = new ArrayList<>();
    private long yieldNs = 500;
    private final Backoff backoff = new Backoff(() -> nowNs, () -> {
        did.add("yield");
        nowNs += yieldNs;
    }, ns -> did.add("park " + ns));

    /** Works some rounds, then is done; checks the order of its calls. */
    private class Counted implements Agent {
        final int rounds;
        int agents;
        int worked;
        int closed;
        Thread thread;

        Counted(final int rounds) {
            this.rounds = rounds;
        }

        @Override
        public void onStart() {
            thread = Thread.currentThread();
            ready.incrementAndGet();
        }

        @Override
        public int doWork() {
            assertEquals(agents, ready.get(), "agents that were ready before the first work");
            assertSame(thread, Thread.currentThread());
            assertTrue(worked < rounds, "called again after it was done");
            worked++;
            return worked == rounds ? -1 : worked & 1;
        }

        @Override
        public void onClose() {
            assertSame(thread, Thread.currentThread());
            closed++;
        }

        @Override
        public String roleName() {
            return "counted-" + rounds;
        }
    }

    private Counted[] counted(final int... rounds) {
        final Counted[] agents = Arrays.stream(rounds).mapToObj(Counted::new).toArray(Counted[]::new);
        Arrays.stream(agents).forEach(agent -> agent.agents = agents.length);
        return agents;
    }

    private static void run(final AgentThreads started) throws InterruptedException {
        try (AgentThreads threads = started) {
            threads.start();
            threads.await();
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "7", "16"})
    void shouldRunEveryAgentToItsEnd(final int count) throws InterruptedException {
        final Counted[] agents = counted(1, 1000, 20, 3, 500, 1, 77);
        try (AgentThreads threads = SharedThreads.of(List.of(agents), count, Idle.YIELD)) {
            threads.start();
            threads.await();
            assertFalse(threads.isStopping());
        }
        for (int a = 0; a < agents.length; a++) {
            assertEquals(agents[a].rounds, agents[a].worked);
            assertEquals(1, agents[a].closed);
            assertFalse(agents[a].thread.isAlive());
            assertEquals("skerry-agents-" + a % Math.min(count, agents.length), agents[a].thread.getName());
            assertSame(agents[a % Math.min(count, agents.length)].thread, agents[a].thread, "one thread a share");
        }
    }

    @Test
    void shouldCallTheAgentsOfAThreadInTheOrderGiven() throws InterruptedException {
        final StringBuilder calls = new StringBuilder();
        final List<Agent> agents = IntStream.range(0, 6).<Agent>mapToObj(a -> new Counted(3) {
            @Override
            public int doWork() {
                if (thread.getName().endsWith("-1")) {
                    calls.append(a);
                }
                worked++;
                return worked == rounds ? -1 : 1;
            }
        }).toList();
        run(SharedThreads.of(agents, 2, Idle.YIELD));
        assertEquals("135135135", calls.toString());
    }

    @ParameterizedTest
    @EnumSource
    void shouldIdleAsAsked(final Idle idle) throws InterruptedException {
        final Counted[] agents = counted(40, 60);
        run(SharedThreads.of(List.of(agents), 2, idle));
        assertEquals(100, agents[0].worked + agents[1].worked);
        assertTrue(idle.strategy() != idle.strategy(), "a strategy has state, so each thread needs its own");
    }

    @Test
    void shouldStopAgentsThatWouldGoOnForEver() throws InterruptedException {
        final Counted[] agents = counted(Integer.MAX_VALUE, Integer.MAX_VALUE, 5);
        final AgentThreads threads = SharedThreads.of(List.of(agents), 2, Idle.PARK);
        threads.start();
        assertFalse(threads.await(Duration.ofMillis(20)));
        threads.stop();
        threads.stop();
        threads.await();
        threads.close();
        threads.close();
        for (final Counted agent : agents) {
            assertEquals(1, agent.closed);
            assertFalse(agent.thread.isAlive());
        }
    }

    @Test
    void shouldLetAnAgentStopAllButNotWaitForItself() throws InterruptedException {
        final AgentThreads[] threads = new AgentThreads[1];
        final Counted[] agents = counted(Integer.MAX_VALUE, Integer.MAX_VALUE);
        final Agent stopper = agent("stopper", () -> {
            assertThrows(IllegalStateException.class, threads[0]::close);
            assertThrows(IllegalStateException.class, threads[0]::await);
            threads[0].stop();
        });
        Arrays.stream(agents).forEach(agent -> agent.agents = 2);
        threads[0] = SharedThreads.of(List.of(agents[0], stopper, agents[1]), 3, Idle.BACKOFF);
        threads[0].start();
        threads[0].await();
        assertEquals(2, agents[0].closed + agents[1].closed);
        threads[0].close();
    }

    @Test
    void shouldNotStartWhatWasStoppedBefore() throws InterruptedException {
        final Counted[] agents = counted(10);
        try (AgentThreads threads = SharedThreads.of(List.of(agents), 1, Idle.SPIN)) {
            assertThrows(IllegalStateException.class, threads::await);
            threads.stop();
            threads.start();
            assertThrows(IllegalStateException.class, threads::start);
            threads.await();
        }
        assertEquals(0, agents[0].worked + agents[0].closed + ready.get());
        SharedThreads.of(List.of(agents), 1, Idle.SPIN).close();
    }

    @Test
    void shouldStopAndJoinWhenItsOwnerIsInterrupted() {
        final Counted[] agents = counted(Integer.MAX_VALUE, Integer.MAX_VALUE);
        final AgentThreads threads = SharedThreads.of(List.of(agents), 2, Idle.PARK);
        threads.start();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, threads::await);
        assertFalse(Thread.currentThread().isInterrupted());
        for (final Counted agent : agents) {
            assertFalse(agent.thread != null && agent.thread.isAlive());
        }
        Thread.currentThread().interrupt();
        threads.close();
        assertTrue(Thread.interrupted(), "close keeps the interrupt for later");
    }

    @Test
    void shouldKeepAnInterruptThatComesWhileItCloses() {
        final Counted slow = new Counted(Integer.MAX_VALUE) {
            @Override
            public void onClose() {
                super.onClose();
                for (final long start = System.nanoTime(); System.nanoTime() - start < 50_000_000;) {
                    Thread.onSpinWait();
                }
            }
        };
        slow.agents = 1;
        final AgentThreads threads = SharedThreads.of(List.of(slow), 1, Idle.YIELD);
        threads.start();
        while (ready.get() == 0) {
            Thread.onSpinWait();
        }
        Thread.currentThread().interrupt();
        threads.close();
        assertTrue(Thread.interrupted());
        assertEquals(1, slow.closed);
        assertFalse(slow.thread.isAlive());
    }

    @Test
    void shouldNotWaitForThreadsThatCouldNotBeStarted() {
        final Counted[] agents = counted(9, 9, 9, 9);
        final List<Thread> made = new ArrayList<>();
        final AgentThreads threads = new AgentThreads(SharedThreads.shares(List.of(agents), 4), Idle.YIELD, work -> {
            final boolean fails = made.size() == 2;
            made.add(new Thread(work) {
                @Override
                public void start() {
                    if (fails) {
                        throw new OutOfMemoryError("planned");
                    }
                    super.start();
                }
            });
            return made.getLast();
        });
        assertThrows(OutOfMemoryError.class, threads::start);
        assertTrue(made.stream().noneMatch(Thread::isAlive));
        assertEquals(ready.get(), Arrays.stream(agents).mapToInt(agent -> agent.closed).sum());
        assertEquals(0, Arrays.stream(agents).mapToInt(agent -> agent.worked).sum());
        threads.close();
    }

    @Test
    void shouldWakeAnAgentThatIsHeldUpWhenAnotherFails() throws InterruptedException {
        final AtomicInteger asleep = new AtomicInteger();
        final AtomicInteger woken = new AtomicInteger();
        final Agent sleeper = agent("sleeper", () -> {
            try {
                asleep.incrementAndGet();
                Thread.sleep(1_000_000);
            } catch (final InterruptedException e) {
                woken.incrementAndGet();
            }
        });
        final RuntimeException cause = new RuntimeException("broken");
        final Agent breaker = agent("breaker", () -> {
            if (asleep.get() > 0) {
                throw cause;
            }
        });
        final AgentThreads threads = SharedThreads.of(List.of(sleeper, breaker), 2, Idle.YIELD);
        threads.start();
        final IllegalStateException failure = assertThrows(IllegalStateException.class, threads::await);
        assertSame(cause, failure.getCause());
        assertEquals("breaker failed in doWork: java.lang.RuntimeException: broken", failure.getMessage());
        assertEquals(1, woken.get());
        assertThrows(IllegalStateException.class, threads::await, "a failure does not go away");
        threads.close();
    }

    @Test
    void shouldTellAFailureOnCloseIfNobodyAskedBefore() throws InterruptedException {
        final AssertionError cause = new AssertionError("invariant");
        final AgentThreads threads = SharedThreads.of(List.of(agent("nic", () -> {
            throw cause;
        })), 1, Idle.YIELD);
        threads.start();
        while (!threads.isStopping()) {
            Thread.onSpinWait();
        }
        final IllegalStateException failure = assertThrows(IllegalStateException.class, threads::close);
        assertInstanceOf(AssertionError.class, failure.getCause());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void shouldRefuseNoThreads(final int threads) {
        final List<Agent> agents = List.of(counted(1));
        assertThrows(IllegalArgumentException.class, () -> SharedThreads.of(agents, threads, Idle.SPIN));
    }

    @Test
    void shouldRefuseNoAgentsAndTooFewProcessors() {
        assertThrows(IllegalArgumentException.class, () -> SharedThreads.of(List.of(), 1, Idle.SPIN));
        final List<Agent> agents = List.of(counted(1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> SharedThreads.of(agents, 3, Idle.SPIN, 0, 1));
    }

    private static Agent agent(final String name, final Runnable work) {
        return new Agent() {
            @Override
            public int doWork() {
                work.run();
                return 1;
            }
            @Override
            public String roleName() {
                return name;
            }
        };
    }

    @Test
    void shouldRunAgentsOnTheThreadsTheyAreGivenTo() throws InterruptedException {
        final Counted[] all = {new Counted(5), new Counted(9), new Counted(2)};
        for (final Counted agent : all) {
            agent.agents = all.length;
        }
        run(new AgentThreads(List.of(List.of(all[0]), List.of(all[1], all[2])), Idle.YIELD));
        assertSame(all[1].thread, all[2].thread);
        assertFalse(all[0].thread == all[1].thread);
        assertThrows(IllegalArgumentException.class,
            () -> new AgentThreads(List.of(List.of(all[0]), List.of()), Idle.YIELD));
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 100 * SEEDS);
    }

    private final class Fragile implements Agent {
        private final boolean failsInStart;
        private final boolean failsInClose;
        private final boolean failsInName;
        private final int failsAt;
        private final int doneAt;
        private final boolean error;
        private int started;
        private int worked;
        private int closed;

        Fragile(final Random random) {
            failsInStart = random.nextInt(60) == 0;
            failsInClose = random.nextInt(30) == 0;
            failsInName = random.nextInt(4) == 0;
            failsAt = random.nextInt(4) == 0 ? random.nextInt(400) : -1;
            doneAt = random.nextInt(3) == 0 ? random.nextInt(20) : random.nextInt(600);
            error = random.nextBoolean();
        }

        @Override
        public void onStart() {
            started++;
            fail(failsInStart);
        }

        @Override
        public int doWork() {
            worked++;
            fail(worked == failsAt);
            return worked > doneAt ? -1 - worked : worked % 3;
        }

        @Override
        public void onClose() {
            closed++;
            fail(failsInClose);
        }

        @Override
        public String roleName() {
            if (failsInName) {
                throw new IllegalStateException("no name");
            }
            return "fragile";
        }

        private void fail(final boolean now) {
            if (!now) {
                return;
            }
            if (error) {
                final AssertionError e = new AssertionError("planned");
                thrown.add(e);
                throw e;
            }
            final RuntimeException e = new RuntimeException("planned");
            thrown.add(e);
            throw e;
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldEndAllThreadsAndTellEveryCause(final long seed) throws InterruptedException {
        final Random random = new Random(seed);
        final Fragile[] agents = IntStream.range(0, 1 + random.nextInt(24))
            .mapToObj(a -> new Fragile(random)).toArray(Fragile[]::new);
        final int count = 1 + random.nextInt(16);
        final String where = "seed=" + seed + " agents=" + agents.length + " threads=" + count;
        final Thread[] before = live();
        final AgentThreads threads = SharedThreads.of(List.of(agents), count, IDLES[random.nextInt(4)]);
        IllegalStateException failure = null;
        threads.start();
        try {
            threads.await();
        } catch (final IllegalStateException e) {
            failure = e;
        }
        threads.close();
        assertEquals(List.of(before), List.of(live()), where);
        check(agents, failure, where);
    }

    private void check(final Fragile[] agents, final IllegalStateException failure, final String where) {
        if (thrown.isEmpty()) {
            assertNull(failure, where);
            assertTrue(Arrays.stream(agents).allMatch(agent -> agent.worked == agent.doneAt + 1), where);
        } else {
            assertNotNull(failure, where);
            final Set<Throwable> told = new HashSet<>(Arrays.asList(failure.getSuppressed()));
            assertEquals(thrown.size() - 1, told.size(), where);
            told.add(failure.getCause());
            assertEquals(thrown, told, where);
        }
        final boolean allStarted = Arrays.stream(agents).allMatch(agent -> agent.started == 1 && !agent.failsInStart);
        for (final Fragile agent : agents) {
            assertTrue(agent.started <= 1, where);
            assertEquals(agent.started == 1 && !agent.failsInStart ? 1 : 0, agent.closed, where);
            assertFalse(agent.worked > 0 && !allStarted, where + ": worked before all were ready");
            assertTrue(agent.worked <= agent.doneAt + 1, where);
        }
    }

    private static Thread[] live() {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("skerry-agents-")).toArray(Thread[]::new);
    }

    @Test
    void shouldSpinThenParkForLongerAndLonger() {
        for (int wait = 0; wait < 2; wait++) {
            parks.clear();
            final long beganNs = nowNs;
            while (parks.isEmpty()) {
                realTime.idle(0);
                nowNs += parks.isEmpty() ? 100 : 0;
            }
            assertTrue(nowNs - parkedNs - beganNs >= RealTimeBackoff.SPIN_NS || wait > 0);
            for (int i = 0; i < 12; i++) {
                realTime.idle(0);
            }
            assertEquals(List.of(20_000L, 20_000L, 20_000L, 20_000L, 20_000L, 40_000L, 80_000L, 160_000L, 320_000L,
                640_000L, 1_000_000L, 1_000_000L, 1_000_000L), parks);
            realTime.idle(1);
        }
    }

    /** The kernel stops a thread that has used 95 % of a second. */
    @ParameterizedTest
    @CsvSource({"1000, 0, 0.81", "9000, 1000, 0.70", "5000, 5000, 0.70", "500000, 1000, 0.81"})
    void shouldStayBelowItsShareHoweverItsWorkComes(final long workNs, final long waitNs, final double share) {
        for (int second = 0; second < 3; second++) {
            final long beganNs = nowNs;
            final long before = parkedNs;
            while (nowNs - beganNs < 1_000_000_000) {
                nowNs += workNs;
                realTime.idle(1);
                for (final long endNs = nowNs + waitNs; nowNs < endNs;) {
                    nowNs += 100;
                    realTime.idle(0);
                }
            }
            final double used = 1 - (double) (parkedNs - before) / (nowNs - beganNs);
            assertTrue(used <= share + 0.005, "used=" + used);
            assertTrue(used > share - 0.3, "it rests no more than it has to: used=" + used);
        }
    }

    @Test
    void shouldNotRestWhereWorkComesNowAndThen() {
        for (int i = 0; i < 1_000; i++) {
            nowNs += 10_000;
            realTime.idle(1);
            final int before = parks.size();
            for (final long endNs = nowNs + 200_000; nowNs < endNs;) {
                nowNs += 100;
                realTime.idle(0);
            }
            assertTrue(parks.size() > before);
            parks.clear();
            realTime.idle(1);
            assertEquals(List.of(), parks, "work is not made to wait");
        }
    }

    /** What a wait of some turns does after its spins, and then there is work. */
    private List<String> wait(final int turns) {
        did.clear();
        for (int i = 0; i < Backoff.SPINS + turns; i++) {
            backoff.idle(0);
        }
        backoff.idle(1);
        return List.copyOf(did);
    }

    @Test
    void shouldYieldAndThenParkForLongerAndLonger() {
        final List<String> expected = new ArrayList<>(Collections.nCopies(Backoff.YIELDS, "yield"));
        for (long ns = Backoff.SHORTEST_PARK_NS; ns < Backoff.LONGEST_PARK_NS; ns *= 2) {
            expected.add("park " + ns);
        }
        expected.addAll(Collections.nCopies(3, "park " + Backoff.LONGEST_PARK_NS));
        assertEquals(expected, wait(expected.size()));
        assertEquals(expected, wait(expected.size()), "the next wait begins anew");
    }

    @Test
    void shouldLeaveYieldsOutAfterALongOneAndForTwiceAsManyWaitsAfterTheNext() {
        yieldNs = Backoff.LONG_YIELD_NS + 1;
        for (int waits = 16; waits <= 1 << 14; waits *= 2) {
            assertEquals(List.of("yield", "park 1000"), wait(2));
            for (int i = 1; i < waits; i++) {
                assertEquals(List.of("park 1000", "park 2000"), wait(2));
            }
        }
        assertEquals(List.of("yield", "park 1000"), wait(2), "16,384 waits are the most");
        for (int i = 1; i < 1 << 14; i++) {
            wait(1);
        }
        yieldNs = 500;
        for (int waits = 1 << 14; waits > 8; waits /= 2) {
            assertEquals(Collections.nCopies(Backoff.YIELDS, "yield"), wait(Backoff.YIELDS));
        }
        yieldNs = Backoff.LONG_YIELD_NS + 1;
        assertEquals(List.of("yield", "park 1000"), wait(2));
        for (int i = 1; i < 16; i++) {
            assertEquals(List.of("park 1000"), wait(1), "short yields have made it few again");
        }
        assertEquals(List.of("yield"), wait(1));
    }

    @Test
    void shouldCountNoWaitThatEndsWhileItSpins() {
        yieldNs = Backoff.LONG_YIELD_NS + 1;
        wait(2);
        for (int i = 0; i < 1_000; i++) {
            assertEquals(List.of(), wait(0));
        }
        assertEquals(List.of("park 1000"), wait(1));
    }
}
