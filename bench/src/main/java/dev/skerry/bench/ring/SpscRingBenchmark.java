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
 * The number of words per second from one thread to another. The result is {@code cellsMoved} of {@code poll}: words
 * received, each checked to be the next one. The score counts calls; most calls of an unbalanced pair find the queue
 * full ({@code offersFull}) or empty ({@code pollsEmpty}). On fewer than two cores the benchmark measures the scheduler
 * of the operating system.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 3, jvmArgsAppend = {"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Compare(question = "words a second from thread to thread", by = "queue", ours = "skerry", counter = "cellsMoved",
    baselines = {"jctools", "jctools-batch", "agrona", "agrona-batch", "disruptor", "array-blocking"})
public class SpscRingBenchmark {
    /** The queue; {@code -batch} uses the library's own batch calls, the others are called word by word. */
    @Param({"skerry", "jctools", "jctools-batch", "agrona", "agrona-batch", "disruptor", "array-blocking"})
    public String queue;

    /** Maximum number of words per call. */
    @Param({"1", "8", "32"})
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
        counters.cellsOffered += count;
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
        counters.cellsMoved += count;
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
        /** Words accepted by the queue. */
        public long cellsOffered;

        /** Calls that found the queue full. */
        public long offersFull;
    }

    /** Counts of the consumer. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Polled {
        /** Words received, in order. */
        public long cellsMoved;

        /** Calls that found the queue empty. */
        public long pollsEmpty;
    }
}
