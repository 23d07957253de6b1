package dev.skerry.bench.ring;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;

/**
 * The Disruptor's ring of preallocated events without its threads: the sender claims and publishes a burst at once, the
 * receiver reads up to the cursor and moves its gating sequence once a burst.
 */
final class DisruptorPipe extends Pipe {
    private final RingBuffer<Word> ring;
    private final Sequence taken = new Sequence(-1);
    private final long[] sent = new long[32];
    private final long[] received = new long[32];

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
