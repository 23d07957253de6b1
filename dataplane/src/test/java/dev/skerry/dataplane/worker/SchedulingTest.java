package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.worker.Idle.Backoff;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

@Timeout(300)
final class SchedulingTest {
    /** Works, or waits, in its first turns and then asks for its slice. */
    private static final class Sleeper implements Agent {
        private static final int TURNS = Backoff.SPINS + Backoff.YIELDS + 1;
        private final int work;
        private int turn;
        private long sliceNs;
        private int policy;
        Sleeper(final int work) {
            this.work = work;
        }

        @Override
        public int doWork() {
            if (turn++ < TURNS) {
                return work;
            }
            sliceNs = sliceNs();
            policy = policy();
            return -1;
        }

        @Override
        public String roleName() {
            return "sleeper";
        }
    }

    private static int policy() {
        try (Arena arena = Arena.ofConfined()) {
            return Scheduling.read(arena, Scheduling.CALLER).get(ValueLayout.JAVA_INT, Scheduling.POLICY);
        }
    }

    private static long sliceNs() {
        try (Arena arena = Arena.ofConfined()) {
            return Scheduling.read(arena, Scheduling.CALLER).get(ValueLayout.JAVA_LONG, Scheduling.SLICE_NS);
        }
    }

    private static Sleeper run(final int work) throws InterruptedException {
        final Sleeper sleeper = new Sleeper(work);
        final AgentThreads threads = SharedThreads.of(List.of(sleeper), 1, Idle.BACKOFF);
        threads.start();
        threads.await();
        return sleeper;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldGetShortSlicesOnceAThreadHasParked() throws InterruptedException {
        final int[] version = Arrays.stream(System.getProperty("os.version").split("[^0-9]+")).limit(2)
            .mapToInt(Integer::parseInt).toArray();
        assumeTrue(version[0] > 6 || version[0] == 6 && version[1] >= 12, "Linux takes notice from 6.12 on");
        assumeTrue(policy() == Scheduling.USUAL, "these tests run in the usual class");
        final long before = sliceNs();
        assertEquals(before, run(1).sliceNs, "a thread that always has work does not ask");
        final Sleeper sleeper = run(0);
        assertEquals(Scheduling.SHORTEST_SLICE_NS, sleeper.sliceNs);
        assertEquals(Scheduling.USUAL, sleeper.policy);
        assertEquals(before, sliceNs(), "the owner's own thread is left alone");
    }

    /** The processors that the kernel allows it. */
    private static final class Reader implements Agent {
        private String allowed;

        @Override
        public int doWork() throws IOException {
            allowed = allowed(Path.of("/proc/thread-self/status"));
            return -1;
        }

        @Override
        public String roleName() {
            return "reader";
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldPinEachThreadToItsProcessor() throws IOException, InterruptedException {
        final String[] ours = allowed(Path.of("/proc/thread-self/status")).split("[-,]");
        final int first = Integer.parseInt(ours[0]);
        final int last = Integer.parseInt(ours[ours.length - 1]);
        final Reader[] readers = {new Reader(), new Reader()};
        final AgentThreads threads = SharedThreads.of(List.of(readers), 2, Idle.YIELD, first, last);
        threads.start();
        threads.await();
        assertEquals(Integer.toString(first), readers[0].allowed);
        assertEquals(Integer.toString(last), readers[1].allowed);
        assertEquals(String.join("", ours), allowed(Path.of("/proc/thread-self/status")).replaceAll("[-,]", ""),
            "the owner's own thread is left alone");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldFailWhereThereIsNoSuchProcessor() {
        final AgentThreads threads = SharedThreads.of(
            List.of(new Reader(), new Reader()), 2, Idle.YIELD, 0, Scheduling.MAX_CPUS - 1);
        threads.start();
        final IllegalStateException failure = assertThrows(IllegalStateException.class, threads::await);
        assertTrue(failure.getCause().getMessage().endsWith("cpu=1023 errno=22"), failure.getMessage());
    }

    @Test
    void shouldRefuseOtherSystemsAndOtherNumbers() {
        Scheduling.checkPin(new int[0], "Mac OS X");
        final UnsupportedOperationException refused =
            assertThrows(UnsupportedOperationException.class, () -> Scheduling.checkPin(new int[] {0}, "Mac OS X"));
        assertTrue(refused.getMessage().endsWith("os.name=Mac OS X"));
        assertThrows(IllegalArgumentException.class, () -> Scheduling.checkPin(new int[] {0, -1}, "Linux"));
        assertThrows(IllegalArgumentException.class, () -> Scheduling.checkPin(new int[] {1024}, "Linux"));
    }

    private static String allowed(final Path status) throws IOException {
        return Files.readAllLines(status).stream().filter(line -> line.startsWith("Cpus_allowed_list:"))
            .map(line -> line.substring(line.indexOf(':') + 1).trim()).findFirst().orElseThrow();
    }
}
