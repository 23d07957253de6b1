package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

@Timeout(300)
final class AgentThreadsTest {
    private final AtomicInteger ready = new AtomicInteger();

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
        try (AgentThreads threads = SharedThreads.of(agents, 2, Idle.YIELD)) {
            threads.start();
            threads.await();
        }
        assertEquals("135135135", calls.toString());
    }

    @ParameterizedTest
    @EnumSource
    void shouldIdleAsAsked(final Idle idle) throws InterruptedException {
        final Counted[] agents = counted(40, 60);
        try (AgentThreads threads = SharedThreads.of(List.of(agents), 2, idle)) {
            threads.start();
            threads.await();
        }
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
        final Agent stopper = new Agent() {
            @Override
            public int doWork() throws InterruptedException {
                assertThrows(IllegalStateException.class, threads[0]::close);
                assertThrows(IllegalStateException.class, threads[0]::await);
                threads[0].stop();
                return 1;
            }

            @Override
            public String roleName() {
                return "stopper";
            }
        };
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
        try (AgentThreads threads = new AgentThreads(
            List.of(List.of(all[0]), List.of(all[1], all[2])), Idle.YIELD)) {
            threads.start();
            threads.await();
        }
        assertSame(all[1].thread, all[2].thread);
        assertFalse(all[0].thread == all[1].thread);
        assertThrows(IllegalArgumentException.class,
            () -> new AgentThreads(List.of(List.of(all[0]), List.of()), Idle.YIELD));
    }
}
