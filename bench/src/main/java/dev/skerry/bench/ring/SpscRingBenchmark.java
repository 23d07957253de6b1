package dev.skerry.bench.ring;

import dev.skerry.bench.Compare;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * The cost of a handle between a producer and a consumer on two cores, in bursts. The result is {@code handlesMoved} of
 * {@code poll}: handles received, each checked to be the next one. Calls that find the queue full ({@code offersFull})
 * or empty ({@code pollsEmpty}) take time and count nothing; JMH's own score counts them. {@link RingBurstBenchmark}
 * measures the work of both ends without the traffic between cores. On fewer than two cores the benchmark measures the
 * scheduler of the operating system.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 3, jvmArgsAppend = {"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Compare(question = "a handle received by another thread, sent in bursts", unit = "handle", by = "queue",
    ours = "skerry", counter = "handlesMoved", baselines = {"jctools", "jctools-batch", "varhandle",
    "varhandle-batch", "agrona", "agrona-batch", "disruptor", "array-blocking"})
public class SpscRingBenchmark {
    /** The queue; {@code -batch} uses the library's own batch calls, the others are called handle by handle. */
    @Param({"skerry", "jctools", "jctools-batch", "varhandle", "varhandle-batch", "agrona", "agrona-batch", "disruptor",
        "array-blocking"})
    public String queue;

    /** Maximum number of handles per call. */
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

    /** Closes the memory after both threads have ended. */
    @TearDown(Level.Trial)
    public void close() {
        arena.close();
    }

    /** The thread of the producer. */
    @Benchmark
    @Group("pipe")
    @GroupThreads(1)
    public int offer(final Offered counters) {
        final int count = pipe.offer(burst);
        counters.handlesOffered += count;
        if (count == 0) {
            counters.offersFull++;
            Thread.onSpinWait();
        }
        return count;
    }

    /** The thread of the consumer. */
    @Benchmark
    @Group("pipe")
    @GroupThreads(1)
    public int poll(final Polled counters) {
        final int count = pipe.poll(burst);
        counters.handlesMoved += count;
        if (count == 0) {
            counters.pollsEmpty++;
            Thread.onSpinWait();
        }
        return count;
    }

    /** Counts of the producer. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Offered {
        /** Handles accepted by the queue. */
        public long handlesOffered;

        /** Calls that found the queue full. */
        public long offersFull;
    }

    /** Counts of the consumer. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Polled {
        /** Handles received, in order. */
        public long handlesMoved;

        /** Calls that found the queue empty. */
        public long pollsEmpty;
    }
}
