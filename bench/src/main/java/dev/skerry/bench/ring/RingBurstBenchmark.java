package dev.skerry.bench.ring;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;

/**
 * The cost of a word at both ends of a ring, offered and polled in bursts. One thread is both ends, so that only the
 * work is measured; {@link SpscRingBenchmark} measures the traffic between two cores. The time is per word; each word
 * is checked to be the next one.
 */
@Fork(value = 3, jvmArgsAppend = {"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"})
@Compare(question = "a handle offered and polled in bursts by one thread", unit = "handle",
    by = "queue", ours = "skerry", baselines = {"jctools-batch", "varhandle-batch", "agrona-batch", "disruptor"})
public class RingBurstBenchmark extends PerOperation {
    private static final int WORDS = 1024;

    /** The queue, used by its own batch calls. */
    @Param({"skerry", "jctools-batch", "varhandle-batch", "agrona-batch", "disruptor"})
    public String queue;

    /** Handles per call. */
    @Param({"1", "2", "4", "8", "16", "32", "64"})
    public int burst;

    private Arena arena;
    private Pipe pipe;

    /** Creates the queue. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofShared();
        pipe = Pipe.named(queue, arena, burst);
    }

    /** Checks that the queue is empty, and closes the memory. */
    @TearDown(Level.Trial)
    public void close() {
        if (pipe.poll(burst) != 0) {
            throw new IllegalStateException("words are left");
        }
        arena.close();
    }

    /** Offers and polls words. */
    @Benchmark
    @OperationsPerInvocation(WORDS)
    public int burst() {
        int moved = 0;
        while (moved < WORDS) {
            final int sent = pipe.offer(burst);
            if (pipe.poll(burst) != sent) {
                throw new IllegalStateException("not all that went in came out");
            }
            moved += sent;
        }
        return moved;
    }
}
