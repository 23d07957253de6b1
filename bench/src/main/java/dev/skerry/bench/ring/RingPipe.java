package dev.skerry.bench.ring;

import dev.skerry.dataplane.ring.SpscRing;

import java.lang.foreign.Arena;

/** Ours: {@code offer} and {@code poll} for a burst of one, the burst operations for more. */
final class RingPipe extends Pipe {
    private static final int MASK = Integer.MAX_VALUE;

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
        private final int[] handles;
        private final long[] next = new long[32];

        Sender(final SpscRing.Producer producer, final int burst) {
            this.producer = producer;
            this.handles = new int[burst];
        }

        int offer(final int burst) {
            final long position = next[16];
            final int sent;
            if (burst == 1) {
                sent = producer.offer((int) position & MASK) ? 1 : 0;
            } else {
                for (int i = 0; i < burst; i++) {
                    handles[i] = (int) position + i & MASK;
                }
                sent = producer.offerBurst(handles, 0, burst);
            }
            next[16] = position + sent;
            return sent;
        }
    }

    private static final class Receiver {
        private final SpscRing.Consumer consumer;
        private final int[] handles;
        private final long[] next = new long[32];

        Receiver(final SpscRing.Consumer consumer, final int burst) {
            this.consumer = consumer;
            this.handles = new int[burst];
        }

        int poll(final int burst) {
            final int count;
            if (burst == 1) {
                handles[0] = consumer.poll();
                count = handles[0] == SpscRing.NONE ? 0 : 1;
            } else {
                count = consumer.pollBurst(handles, 0, burst);
            }
            final long expected = next[16];
            for (int i = 0; i < count; i++) {
                if (handles[i] != ((int) expected + i & MASK)) {
                    throw wrong(handles[i], (int) expected + i & MASK);
                }
            }
            next[16] = expected + count;
            return count;
        }
    }
}
