package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.worker.Idle.Backoff;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.util.Arrays;
import java.util.List;

@Timeout(300)
@EnabledOnOs(OS.LINUX)
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
            sliceNs = Scheduling.sliceNs();
            policy = Scheduling.policy();
            return -1;
        }

        @Override
        public String roleName() {
            return "sleeper";
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
    void shouldGetShortSlicesOnceAThreadHasParked() throws InterruptedException {
        final int[] version = Arrays.stream(System.getProperty("os.version").split("[^0-9]+")).limit(2)
            .mapToInt(Integer::parseInt).toArray();
        assumeTrue(version[0] > 6 || version[0] == 6 && version[1] >= 12, "Linux takes notice from 6.12 on");
        assumeTrue(Scheduling.policy() == Scheduling.USUAL, "these tests run in the usual class");
        final long before = Scheduling.sliceNs();
        assertEquals(before, run(1).sliceNs, "a thread that always has work does not ask");
        final Sleeper sleeper = run(0);
        assertEquals(Scheduling.SHORTEST_SLICE_NS, sleeper.sliceNs);
        assertEquals(Scheduling.USUAL, sleeper.policy);
        assertEquals(before, Scheduling.sliceNs(), "the owner's own thread is left alone");
    }
}
