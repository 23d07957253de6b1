package dev.skerry.tools.port;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** {@code live --real-time}, where the machine allows it and where it does not. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
final class RealTimeTest {
    private static final String LINE = "--nodes 4 --port 0=loop --port 1=loop";
    /** The policy in {@code /proc/PID/task/ID/stat}, counted after the name. */
    private static final int POLICY = 38;
    private static final int ROUND_ROBIN = 2;

    @TempDir
    private Path folder;

    @Test
    void shouldPutAllThreadsIntoTheRealTimeClassOrSayWhyNot() throws Exception {
        final boolean isAllowed = new ProcessBuilder("chrt", "--rr", "1", "true").redirectErrorStream(true).start()
            .waitFor() == 0;
        try (LiveProcess live = new LiveProcess(folder, LINE + " --real-time")) {
            if (isAllowed) {
                live.listening();
                final List<Integer> policies = policies(live.pid());
                assertTrue(policies.size() > 5, () -> "threads of the JVM are among them: " + policies);
                policies.forEach(policy -> assertEquals(ROUND_ROBIN, policy, policies::toString));
                final long budget = Long.parseLong(new String(new ProcessBuilder("cat",
                    "/proc/sys/kernel/sched_rt_runtime_us").start().getInputStream().readAllBytes(), UTF_8).strip());
                assertEquals(budget >= 0, live.errors().contains(String.format(Locale.ROOT,
                    "skerry: live: --real-time: the kernel stops real-time threads that have used %,d us", budget)),
                    live::errors);
                live.end();
            } else {
                assertEquals(2, live.exitCode());
                assertEquals("skerry: live: --real-time: the kernel does not allow this process a real-time class: "
                    + "errno=1, start as root, with CAP_SYS_NICE or after ulimit -r 1, or leave it out",
                    live.errors().strip());
            }
        }
    }

    @Test
    void shouldLeaveThreadsAsTheyAreOtherwise() throws Exception {
        try (LiveProcess live = new LiveProcess(folder, LINE).listening()) {
            final int ours = policyOf(Path.of("/proc/thread-self"));
            policies(live.pid()).forEach(policy -> assertEquals(ours, policy));
            live.end();
        }
    }

    private static List<Integer> policies(final long process) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process + "/task"))) {
            return threads.map(RealTimeTest::policyOf).filter(policy -> policy >= 0).toList();
        }
    }

    /** The policy of a thread, -1 if it has just ended. */
    private static int policyOf(final Path thread) {
        try {
            final String stat = Files.readString(thread.resolve("stat"));
            return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[POLICY]);
        } catch (final IOException ended) {
            return -1;
        }
    }
}
