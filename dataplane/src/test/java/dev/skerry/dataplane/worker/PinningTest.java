package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@Timeout(300)
final class PinningTest {
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
