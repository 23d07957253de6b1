package example;

import dev.skerry.dataplane.ring.SpscRing;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.lang.foreign.Arena;
import java.util.concurrent.ArrayBlockingQueue;

/** A handle in and a handle out, on one thread: Skerry's ring and a queue of the JDK. */
@State(Scope.Thread)
public class RingBenchmark {
    private static final int CAPACITY = 1024;

    private final SpscRing ring = new SpscRing(Arena.ofAuto(), CAPACITY);
    private final ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(CAPACITY);

    /** Half fills both. */
    @Setup
    public void fill() {
        for (int handle = 0; handle < CAPACITY / 2; handle++) {
            ring.producer().offer(handle);
            queue.offer(handle);
        }
    }

    /** The ring. */
    @Benchmark
    public int ring() {
        ring.producer().offer(7);
        return ring.consumer().poll();
    }

    /** The queue of the JDK. */
    @Benchmark
    public int queue() {
        queue.offer(7);
        return queue.poll();
    }
}
