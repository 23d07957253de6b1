package dev.skerry.bench.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.ring.PacketQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/** The guarantees of {@link PacketQueue} between two producers and the consumer. */
public final class PacketQueueStress {
    private PacketQueueStress() {
    }

    private static int next(final PacketQueue queue) {
        if (queue.peek() == PacketQueue.NONE) {
            return 0;
        }
        final int first = queue.bytes().get(ValueLayout.JAVA_BYTE, queue.offset());
        queue.release();
        return first;
    }

    /** Two producers and a queue of two: the consumer takes whole packets, each once, and none remains. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0, 12", "0, 0, 21", "1, 0, 2", "2, 0, 1", "0, 1, 2", "0, 2, 1", "1, 2, 0", "2, 1, 0"},
        expect = ACCEPTABLE, desc = "Both packets, each once.")
    @Outcome(expect = FORBIDDEN, desc = "A packet twice, not at all, or before its bytes.")
    public static class TwoProducers {
        private final PacketQueue queue = new PacketQueue(Arena.ofAuto(), 2, 8);

        /** Offers packet 1. */
        @Actor
        public void one() {
            queue.offer(new byte[] {1}, 0, 1);
        }

        /** Offers packet 2. */
        @Actor
        public void other() {
            queue.offer(new byte[] {2}, 0, 1);
        }

        /** Takes twice. */
        @Actor
        public void take(final III_Result r) {
            r.r1 = next(queue);
            r.r2 = next(queue);
        }

        /** Takes the remaining packets. */
        @Arbiter
        public void rest(final III_Result r) {
            final int first = next(queue);
            r.r3 = first * (queue.peek() == PacketQueue.NONE ? 1 : 10) + next(queue);
        }
    }

    /** A full queue: a place is written again only after it was released. */
    @JCStressTest
    @State
    @Outcome(id = {"1, 0", "1, 2"}, expect = ACCEPTABLE, desc = "The old packet, then the new one if it found room.")
    @Outcome(expect = FORBIDDEN, desc = "The new packet has overwritten the old one.")
    public static class FullQueue {
        private final PacketQueue queue = new PacketQueue(Arena.ofAuto(), 1, 8);

        /** Fills the queue. */
        public FullQueue() {
            queue.offer(new byte[] {1}, 0, 1);
        }

        /** Offers another packet. */
        @Actor
        public void produce() {
            queue.offer(new byte[] {2}, 0, 1);
        }

        /** Takes the first packet. */
        @Actor
        public void take(final II_Result r) {
            r.r1 = next(queue);
        }

        /** Takes the packets that arrived later. */
        @Arbiter
        public void rest(final II_Result r) {
            r.r2 = next(queue);
        }
    }
}
