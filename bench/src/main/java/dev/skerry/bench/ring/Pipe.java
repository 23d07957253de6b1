package dev.skerry.bench.ring;

import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.jctools.queues.SpscArrayQueue;

import java.lang.foreign.Arena;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * A queue between two threads for the benchmarks: words 0, 1, 2, ... in order, at most a burst a call. Each benchmark
 * fork loads one implementation, so the calls stay monomorphic.
 */
abstract class Pipe {
    /** Capacity of every queue. */
    static final int CAPACITY = 1024;

    /** The implementation that a benchmark names. */
    static Pipe named(final String queue, final Arena arena, final int burst) {
        return switch (queue) {
            case "skerry" -> new RingPipe(arena, burst);
            case "jctools" -> new QueuePipe(new SpscArrayQueue<>(CAPACITY));
            case "jctools-batch" -> BatchPipe.jctools();
            case "agrona-batch" -> BatchPipe.agrona();
            case "disruptor" -> new DisruptorPipe();
            case "agrona" -> new QueuePipe(new OneToOneConcurrentArrayQueue<>(CAPACITY));
            case "array-blocking" -> new QueuePipe(new ArrayBlockingQueue<>(CAPACITY));
            default -> throw new IllegalArgumentException("no such queue: queue=" + queue);
        };
    }

    /** Offers up to {@code burst} next words; returns how many were accepted. The producer's thread calls. */
    abstract int offer(int burst);

    /**
     * Polls up to {@code burst} words and checks that they are the next ones; returns how many. The consumer's thread
     * calls.
     */
    abstract int poll(int burst);

    /** The failure for a word that is not the next one. */
    static IllegalStateException wrong(final long word, final long expected) {
        return new IllegalStateException("lost or reordered: word=" + word + " expected=" + expected);
    }
}
