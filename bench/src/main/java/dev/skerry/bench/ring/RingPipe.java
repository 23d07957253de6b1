package dev.skerry.bench.ring;

import dev.skerry.dataplane.ring.SpscRing;

import java.lang.foreign.Arena;

/** Ours: {@code offer} and {@code poll} for a burst of one, the burst operations for more. */
final class RingPipe extends Pipe {
    private final Sender sender;
    private final Receiver receiver;

    RingPipe(final Arena arena, final int burst) {
        final SpscRing ring = new SpscRing(arena, CAPACITY);
        this.sender = new Sender(ring.producer(), burst);
        this.receiver = new Receiver(ring.consumer(), burst);
    }

    @Override
    int offer(final int burst) {
        return sender.offer(burst);
    }

    @Override
    int poll(final int burst) {
        return receiver.poll(burst);
    }

    /** The position in element 0 of an array as long as two blocks: the two threads' fields must not share a line. */
    private static final class Sender {
        private final SpscRing.Producer producer;
        private final long[] words;
        private final long[] next = new long[32];

        Sender(final SpscRing.Producer producer, final int burst) {
            this.producer = producer;
            this.words = new long[burst];
        }

        int offer(final int burst) {
            final long position = next[16];
            final int sent;
            if (burst == 1) {
                sent = producer.offer(position) ? 1 : 0;
            } else {
                for (int i = 0; i < burst; i++) {
                    words[i] = position + i;
                }
                sent = producer.offerBurst(words, 0, burst);
            }
            next[16] = position + sent;
            return sent;
        }
    }

    private static final class Receiver {
        private final SpscRing.Consumer consumer;
        private final long[] words;
        private final long[] next = new long[32];

        Receiver(final SpscRing.Consumer consumer, final int burst) {
            this.consumer = consumer;
            this.words = new long[burst];
        }

        int poll(final int burst) {
            final int count;
            if (burst == 1) {
                words[0] = consumer.poll();
                count = words[0] == SpscRing.NONE ? 0 : 1;
            } else {
                count = consumer.pollBurst(words, 0, burst);
            }
            final long expected = next[16];
            for (int i = 0; i < count; i++) {
                if (words[i] != expected + i) {
                    throw wrong(words[i], expected + i);
                }
            }
            next[16] = expected + count;
            return count;
        }
    }
}
