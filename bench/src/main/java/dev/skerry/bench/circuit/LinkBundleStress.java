package dev.skerry.bench.circuit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.ring.LinkBundle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;

import java.lang.foreign.Arena;

/**
 * The guarantees of {@link LinkBundle} between two threads. Handles are 3, 4, ...; -9 is a slot not published, -2 a
 * lane without a word of its slot.
 *
 * <p>{@code .ci/planted.sh} plants a mistake for every scenario and expects the test to fail.
 */
public final class LinkBundleStress {
    private static final int NOT_COME = -9;

    private LinkBundleStress() {
    }

    private static int read(final LinkBundle.Consumer consumer, final long slot, final int lane) {
        return consumer.readableUntil(slot) > slot ? consumer.handle(slot, lane) : NOT_COME;
    }

    /** A row is received completely, with all lanes and the count of dropped cells, or not at all (R1, A1). */
    @JCStressTest
    @State
    @Outcome(id = {"-9, -9, -9", "-9, 4, 1", "3, 4, 1"}, expect = ACCEPTABLE, desc = "Not come, or whole.")
    @Outcome(expect = FORBIDDEN, desc = "A part of a row.")
    public static class WholeRow {
        private final LinkBundle link = new LinkBundle(Arena.ofAuto(), 2, 2, 0);

        /** Fills both lanes, one of them twice. */
        @Actor
        public void produce() {
            final LinkBundle.Producer producer = link.producer();
            producer.put(0, 0, 3);
            producer.put(0, 1, 4);
            producer.put(0, 1, 5);
            producer.publish(1);
        }

        /** Reads the lanes in the order written. */
        @Actor
        public void consume(final III_Result r) {
            final LinkBundle.Consumer consumer = link.consumer();
            r.r1 = read(consumer, 0, 0);
            r.r2 = read(consumer, 0, 1);
            r.r3 = r.r2 == NOT_COME ? NOT_COME : consumer.surplus(0);
        }
    }

    /** Slots published one by one arrive in order, each once. */
    @JCStressTest
    @State
    @Outcome(id = {"-9, -9", "3, -9", "3, 4"}, expect = ACCEPTABLE, desc = "The slots so far.")
    @Outcome(expect = FORBIDDEN, desc = "A slot before its turn.")
    public static class Order {
        private final LinkBundle link = new LinkBundle(Arena.ofAuto(), 1, 2, 0);

        /** Publishes two slots one by one. */
        @Actor
        public void produce() {
            final LinkBundle.Producer producer = link.producer();
            producer.put(0, 0, 3);
            producer.publish(1);
            producer.put(1, 0, 4);
            producer.publish(2);
        }

        /** Reads the first, then the second. */
        @Actor
        public void consume(final II_Result r) {
            final LinkBundle.Consumer consumer = link.consumer();
            r.r1 = read(consumer, 0, 0);
            r.r2 = r.r1 == NOT_COME ? NOT_COME : read(consumer, 1, 0);
        }
    }

    /** Slots published together arrive together. */
    @JCStressTest
    @State
    @Outcome(id = {"0, -9, -9", "2, 3, 4"}, expect = ACCEPTABLE, desc = "Both slots, or none.")
    @Outcome(expect = FORBIDDEN, desc = "One slot of two, or one that is not whole.")
    public static class Batch {
        private final LinkBundle link = new LinkBundle(Arena.ofAuto(), 1, 2, 0);

        /** Publishes two slots at once. */
        @Actor
        public void produce() {
            final LinkBundle.Producer producer = link.producer();
            producer.put(0, 0, 3);
            producer.put(1, 0, 4);
            producer.publish(2);
        }

        /** Asks once for the number of slots that have arrived, and reads as many. */
        @Actor
        public void consume(final III_Result r) {
            final LinkBundle.Consumer consumer = link.consumer();
            r.r1 = (int) consumer.readableUntil(0);
            r.r2 = r.r1 > 0 ? consumer.handle(0, 0) : NOT_COME;
            r.r3 = r.r1 > 1 ? consumer.handle(1, 0) : NOT_COME;
        }
    }

    /** Rows freed together are not written while the consumer holds any of them. */
    @JCStressTest
    @State
    @Outcome(id = {"2, 3, 4", "4, 3, 4"}, expect = ACCEPTABLE, desc = "Both read before their rows were used again.")
    @Outcome(expect = FORBIDDEN, desc = "Overwritten while it was still the consumer's, or freed one by one.")
    public static class FreedTogether {
        private final LinkBundle link = new LinkBundle(Arena.ofAuto(), 1, 2, 0);

        /** Both rows hold slots. */
        public FreedTogether() {
            link.producer().put(0, 0, 3);
            link.producer().put(1, 0, 4);
            link.producer().publish(2);
        }

        /** Writes as many slots as there is room for. */
        @Actor
        public void produce(final III_Result r) {
            final LinkBundle.Producer producer = link.producer();
            r.r1 = (int) producer.writableUntil(2);
            for (int slot = 2; slot < r.r1; slot++) {
                producer.put(slot, 0, slot + 3);
            }
        }

        /** Reads both slots, then frees their rows. */
        @Actor
        public void consume(final III_Result r) {
            final LinkBundle.Consumer consumer = link.consumer();
            r.r2 = read(consumer, 0, 0);
            r.r3 = read(consumer, 1, 0);
            consumer.free(2);
        }
    }

    /** A row is not written while the consumer holds it (R2, A2). */
    @JCStressTest
    @State
    @Outcome(id = {"false, 3", "true, 3"}, expect = ACCEPTABLE, desc = "Read before its row was used again.")
    @Outcome(expect = FORBIDDEN, desc = "Overwritten while it was still the consumer's.")
    public static class FullLink {
        private final LinkBundle link = new LinkBundle(Arena.ofAuto(), 1, 1, 0);

        /** The only row holds slot 0. */
        public FullLink() {
            link.producer().put(0, 0, 3);
            link.producer().publish(1);
        }

        /** Writes slot 1 if there is room. */
        @Actor
        public void produce(final ZI_Result r) {
            final LinkBundle.Producer producer = link.producer();
            r.r1 = producer.writableUntil(1) > 1;
            if (r.r1) {
                producer.put(1, 0, 4);
            }
        }

        /** Reads slot 0, then frees its row. */
        @Actor
        public void consume(final ZI_Result r) {
            final LinkBundle.Consumer consumer = link.consumer();
            r.r2 = read(consumer, 0, 0);
            consumer.free(1);
        }
    }
}
