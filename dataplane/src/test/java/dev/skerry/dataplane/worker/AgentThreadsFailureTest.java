package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Agents that throw or finish at random times, in every method: no hang, no lost cause. */
final class AgentThreadsFailureTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);
    private static final Idle[] IDLES = Idle.values();

    private final Set<Throwable> thrown = ConcurrentHashMap.newKeySet();

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
    @Timeout(300)
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
}
