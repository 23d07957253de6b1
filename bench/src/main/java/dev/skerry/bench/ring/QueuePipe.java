package dev.skerry.bench.ring;

import java.util.Queue;

/**
 * A queue of references. Words are boxed ahead, so that nothing allocates and only references move; word {@code n} is
 * {@code n mod BOXED}. A burst is a loop of single operations, because the queues' batch calls take a lambda, which the
 * dataplane would not use.
 */
final class QueuePipe extends Pipe {
    private static final int BOXED = 4 * CAPACITY;

    private final Queue<Long> queue;
    private final Long[] words = new Long[BOXED];
    private final long[] sent = new long[32];
    private final long[] received = new long[32];

    QueuePipe(final Queue<Long> queue) {
        this.queue = queue;
        for (int i = 0; i < BOXED; i++) {
            words[i] = (long) i;
        }
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
}
