package dev.skerry.bench.ring;

import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.jctools.queues.SpscArrayQueue;

import java.util.function.IntUnaryOperator;

/**
 * A queue of references with its own batch calls: {@code fill} and {@code drain} of JCTools, {@code drain} of Agrona,
 * which has no batch offer. Words are boxed ahead, as in {@link QueuePipe}.
 */
final class BatchPipe extends Pipe {
    private static final int BOXED = 4 * CAPACITY;

    private final Long[] words = new Long[BOXED];
    private final long[] sent = new long[32];
    private final long[] received = new long[32];
    private final IntUnaryOperator offer;
    private final IntUnaryOperator poll;

    private BatchPipe(final SpscArrayQueue<Long> queue) {
        box();
        offer = burst -> queue.fill(this::next, burst);
        poll = burst -> queue.drain(this::take, burst);
    }

    private BatchPipe(final OneToOneConcurrentArrayQueue<Long> queue) {
        box();
        offer = burst -> {
            int count = 0;
            while (count < burst && queue.offer(words[(int) sent[16] & BOXED - 1])) {
                sent[16]++;
                count++;
            }
            return count;
        };
        poll = burst -> queue.drain(this::take, burst);
    }

    static BatchPipe jctools() {
        return new BatchPipe(new SpscArrayQueue<>(CAPACITY));
    }

    static BatchPipe agrona() {
        return new BatchPipe(new OneToOneConcurrentArrayQueue<>(CAPACITY));
    }

    private void box() {
        for (int i = 0; i < BOXED; i++) {
            words[i] = (long) i;
        }
    }

    private Long next() {
        return words[(int) sent[16]++ & BOXED - 1];
    }

    private void take(final Long word) {
        final long expected = received[16]++ & BOXED - 1;
        if (word != expected) {
            throw wrong(word, expected);
        }
    }

    @Override
    int offer(final int burst) {
        return offer.applyAsInt(burst);
    }

    @Override
    int poll(final int burst) {
        return poll.applyAsInt(burst);
    }
}
