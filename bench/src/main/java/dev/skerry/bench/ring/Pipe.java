package dev.skerry.bench.ring;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;
import dev.skerry.dataplane.ring.SpscRing;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.SpscArrayQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Consumer;

/**
 * A queue between two threads for the benchmarks: words 0, 1, 2, ... in order, at most one burst per call. Each
 * benchmark fork loads one implementation, so that the calls stay monomorphic.
 */
abstract class Pipe {
    /** Capacity of every queue. */
    static final int CAPACITY = 1024;

    /** Words sent so far, in element 16, because the counts of the two threads must not share a cache line. */
    final long[] sent = new long[32];
    /** Words received so far, in element 16. */
    final long[] received = new long[32];

    /** Returns the implementation that a benchmark names. */
    static Pipe named(final String queue, final Arena arena, final int burst) {
        return switch (queue) {
            case "skerry" -> new RingPipe(arena, burst);
            case "jctools" -> new QueuePipe(new SpscArrayQueue<>(CAPACITY));
            case "jctools-batch" -> new JctoolsPipe<>(new SpscArrayQueue<>(CAPACITY));
            case "varhandle" -> new QueuePipe(new SpscVarHandleArrayQueue<>(CAPACITY));
            case "varhandle-batch" -> new JctoolsPipe<>(new SpscVarHandleArrayQueue<>(CAPACITY));
            case "agrona-batch" -> new AgronaPipe(new OneToOneConcurrentArrayQueue<>(CAPACITY));
            case "disruptor" -> new DisruptorPipe();
            case "agrona" -> new QueuePipe(new OneToOneConcurrentArrayQueue<>(CAPACITY));
            case "array-blocking" -> new QueuePipe(new ArrayBlockingQueue<>(CAPACITY));
            default -> throw new IllegalArgumentException("no such queue: queue=" + queue);
        };
    }

    /** Offers up to {@code burst} next words and returns how many were accepted. Called by the producer's thread. */
    abstract int offer(int burst);

    /**
     * Polls up to {@code burst} words, checks that they are the next ones, and returns their number. Called by the
     * consumer's thread.
     */
    abstract int poll(int burst);

    /** Returns the failure for a word that is not the next one. */
    static IllegalStateException wrong(final long word, final long expected) {
        return new IllegalStateException("lost or reordered: word=" + word + " expected=" + expected);
    }

    /**
     * The Disruptor's ring of preallocated events without its threads: the sender claims and publishes a burst at once,
     * the receiver reads up to the cursor and moves its gating sequence once per burst.
     */
    private static final class DisruptorPipe extends Pipe {
        private final RingBuffer<Word> ring;
        private final Sequence taken = new Sequence(-1);

        DisruptorPipe() {
            ring = RingBuffer.createSingleProducer(Word::new, CAPACITY, new YieldingWaitStrategy());
            ring.addGatingSequences(taken);
        }

        /** An event. */
        private static final class Word {
            private long value;
        }

        @Override
        int offer(final int burst) {
            if (!ring.hasAvailableCapacity(burst)) {
                return 0;
            }
            final long position = sent[16];
            final long last = ring.next(burst);
            final long first = last - burst + 1;
            for (int i = 0; i < burst; i++) {
                ring.get(first + i).value = position + i;
            }
            ring.publish(first, last);
            sent[16] = position + burst;
            return burst;
        }

        @Override
        int poll(final int burst) {
            final long from = taken.get();
            final int count = (int) Math.min(burst, ring.getCursor() - from);
            if (count == 0) {
                return 0;
            }
            final long expected = received[16];
            for (int i = 0; i < count; i++) {
                final long word = ring.get(from + 1 + i).value;
                if (word != expected + i) {
                    throw wrong(word, expected + i);
                }
            }
            taken.set(from + count);
            received[16] = expected + count;
            return count;
        }
    }

    /**
     * A queue of references. Words are boxed in advance, so that nothing is allocated and only references move; word
     * {@code n} is {@code n mod BOXED}. A burst is a loop of single operations, because the batch calls of the queues
     * take a lambda, which the dataplane would not use.
     */
    private static class QueuePipe extends Pipe {
        private static final int BOXED = 4 * CAPACITY;

        private final Queue<Long> queue;
        private final Long[] words = new Long[BOXED];

        QueuePipe(final Queue<Long> queue) {
            this.queue = queue;
            Arrays.setAll(words, i -> (long) i);
        }

        @Override
        int offer(final int burst) {
            final long position = sent[16];
            int count = 0;
            while (count < burst && queue.offer(words[(int) (position + count) & BOXED - 1])) {
                count++;
            }
            sent[16] = position + count;
            return count;
        }

        @Override
        int poll(final int burst) {
            final long expected = received[16];
            int count = 0;
            while (count < burst) {
                final Long word = queue.poll();
                if (word == null) {
                    break;
                }
                if (word != (expected + count & BOXED - 1)) {
                    throw wrong(word, expected + count & BOXED - 1);
                }
                count++;
            }
            received[16] = expected + count;
            return count;
        }

        final Long next() {
            return words[(int) sent[16]++ & BOXED - 1];
        }

        final void take(final Long word) {
            final long expected = received[16]++ & BOXED - 1;
            if (word != expected) {
                throw wrong(word, expected);
            }
        }
    }

    /**
     * A queue of JCTools with its batch calls.
     *
     * @param <Q> type of the queue.
     */
    private static final class JctoolsPipe<Q extends Queue<Long> & MessagePassingQueue<Long>> extends QueuePipe {
        private final Q queue;
        // Fields, because a method reference that captures this pipe allocates 16 B wherever it is evaluated.
        private final MessagePassingQueue.Supplier<Long> next = this::next;
        private final MessagePassingQueue.Consumer<Long> take = this::take;

        JctoolsPipe(final Q queue) {
            super(queue);
            this.queue = queue;
        }

        @Override
        int offer(final int burst) {
            return queue.fill(next, burst);
        }

        @Override
        int poll(final int burst) {
            return queue.drain(take, burst);
        }
    }

    /** The queue of Agrona, which polls in batches but has no batch offer. */
    private static final class AgronaPipe extends QueuePipe {
        private final OneToOneConcurrentArrayQueue<Long> queue;
        private final Consumer<Long> take = this::take;

        AgronaPipe(final OneToOneConcurrentArrayQueue<Long> queue) {
            super(queue);
            this.queue = queue;
        }

        @Override
        int poll(final int burst) {
            return queue.drain(take, burst);
        }
    }

    /**
     * Our ring: {@code offer} and {@code poll} for a burst of one, the burst operations for more. The arrays of handles
     * are longer than a burst, so that the two threads share no cache line.
     */
    private static final class RingPipe extends Pipe {
        private static final int MASK = Integer.MAX_VALUE;
        private static final int PAD = 32;

        private final SpscRing.Producer producer;
        private final SpscRing.Consumer consumer;
        private final int[] offered;
        private final int[] polled;

        RingPipe(final Arena arena, final int burst) {
            final SpscRing ring = new SpscRing(arena, CAPACITY);
            producer = ring.producer();
            consumer = ring.consumer();
            offered = new int[burst + PAD];
            polled = new int[burst + PAD];
        }

        @Override
        int offer(final int burst) {
            final long position = sent[16];
            final int count;
            if (burst == 1) {
                count = producer.offer((int) position & MASK) ? 1 : 0;
            } else {
                for (int i = 0; i < burst; i++) {
                    offered[i] = (int) position + i & MASK;
                }
                count = producer.offerBurst(offered, 0, burst);
            }
            sent[16] = position + count;
            return count;
        }

        @Override
        int poll(final int burst) {
            final int count;
            if (burst == 1) {
                polled[0] = consumer.poll();
                count = polled[0] == SpscRing.NONE ? 0 : 1;
            } else {
                count = consumer.pollBurst(polled, 0, burst);
            }
            final long expected = received[16];
            for (int i = 0; i < count; i++) {
                if (polled[i] != ((int) expected + i & MASK)) {
                    throw wrong(polled[i], (int) expected + i & MASK);
                }
            }
            received[16] = expected + count;
            return count;
        }
    }
}
