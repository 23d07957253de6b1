package dev.skerry.bench.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.ring.SpscRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZII_Result;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The guarantees of {@link SpscRing} between two threads. Handles are 1, 2, 3 in the order offered; -1 is an empty
 * ring.
 *
 * <p>{@code .ci/planted.sh} plants a mistake for every scenario and expects the test to fail. On x86 the test cannot
 * detect a release weakened to plain; such a fault is found in review, by the letters in the source.
 */
public final class SpscRingStress {
    private SpscRingStress() {
    }

    /** Single handles arrive in order, each once. */
    @JCStressTest
    @State
    @Outcome(id = {"-1, -1", "-1, 1", "1, -1", "1, 2"}, expect = ACCEPTABLE, desc = "A prefix of the handles offered.")
    @Outcome(expect = FORBIDDEN, desc = "Out of order, twice, or a handle never offered.")
    public static class Order {
        private final SpscRing ring = new SpscRing(Arena.ofAuto(), 2);

        /** Offers two handles. */
        @Actor
        public void produce() {
            final SpscRing.Producer producer = ring.producer();
            producer.offer(1);
            producer.offer(2);
        }

        /** Polls twice. */
        @Actor
        public void consume(final II_Result r) {
            final SpscRing.Consumer consumer = ring.consumer();
            r.r1 = consumer.poll();
            r.r2 = consumer.poll();
        }
    }

    /** The cell of a handle: written before the offer, read after the poll (R1, A1). */
    @JCStressTest
    @State
    @Outcome(id = {"-1, 0", "1, 7"}, expect = ACCEPTABLE, desc = "No handle, or the handle and its cell.")
    @Outcome(expect = FORBIDDEN, desc = "The handle came before its cell.")
    public static class CellBehindHandle {
        private final SpscRing ring = new SpscRing(Arena.ofAuto(), 2);
        private final MemorySegment cell = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);

        /** Writes the cell, then offers its handle. */
        @Actor
        public void produce() {
            cell.set(ValueLayout.JAVA_INT, 0, 7);
            ring.producer().offer(1);
        }

        /** Polls the handle, then reads the cell. */
        @Actor
        public void consume(final II_Result r) {
            r.r1 = ring.consumer().poll();
            r.r2 = r.r1 == SpscRing.NONE ? 0 : cell.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /** A full ring: a slot is overwritten only after it was read (R2, A2). */
    @JCStressTest
    @State
    @Outcome(id = {"false, 1, 2", "true, 1, 2"}, expect = ACCEPTABLE, desc = "Refused, or in the slot that was read.")
    @Outcome(expect = FORBIDDEN, desc = "A handle was overwritten before it was read.")
    public static class FullRing {
        private final SpscRing ring = new SpscRing(Arena.ofAuto(), 2);

        /** Fills the ring. */
        public FullRing() {
            ring.producer().offer(1);
            ring.producer().offer(2);
        }

        /** Offers one handle too many. */
        @Actor
        public void produce(final ZII_Result r) {
            r.r1 = ring.producer().offer(3);
        }

        /** Polls both. */
        @Actor
        public void consume(final ZII_Result r) {
            r.r2 = ring.consumer().poll();
            r.r3 = ring.consumer().poll();
        }
    }

    /** The cell of a handle in a full ring: read before the poll, overwritten after the slot became free (R2, A2). */
    @JCStressTest
    @State
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "Read before it was overwritten.")
    @Outcome(expect = FORBIDDEN, desc = "Overwritten while it was still the consumer's.")
    public static class CellOfFreedSlot {
        private final SpscRing ring = new SpscRing(Arena.ofAuto(), 1);
        private final MemorySegment cell = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);

        /** Offers one handle whose cell is written. */
        public CellOfFreedSlot() {
            cell.set(ValueLayout.JAVA_INT, 0, 7);
            ring.producer().offer(1);
        }

        /** Overwrites the cell after the consumer has freed the slot. */
        @Actor
        public void produce() {
            if (ring.producer().offer(2)) {
                cell.set(ValueLayout.JAVA_INT, 0, 8);
            }
        }

        /** Reads the cell, then frees the slot. */
        @Actor
        public void consume(final I_Result r) {
            r.r1 = cell.get(ValueLayout.JAVA_INT, 0);
            ring.consumer().poll();
        }
    }

    /** Bulks are published as a whole: a burst of the consumer receives none or all of it. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0, 0", "2, 1, 2"}, expect = ACCEPTABLE, desc = "Nothing, or the whole bulk.")
    @Outcome(expect = FORBIDDEN, desc = "A part of the bulk, or a slot before it was written.")
    public static class WholeBulk {
        private final SpscRing ring = new SpscRing(Arena.ofAuto(), 2);

        /** Offers two handles in one bulk. */
        @Actor
        public void produce() {
            ring.producer().offerBulk(new int[] {1, 2}, 0, 2);
        }

        /** Polls the available handles. */
        @Actor
        public void consume(final III_Result r) {
            final int[] into = new int[2];
            r.r1 = ring.consumer().pollBurst(into, 0, 2);
            r.r2 = into[0];
            r.r3 = into[1];
        }
    }

    /** Bursts over a nearly full ring: the consumer's handles and the remaining ones form one sequence. */
    @JCStressTest
    @State
    @Outcome(id = {"1, 1, 2", "1, 2, 23", "12, 1, 0"}, expect = ACCEPTABLE, desc = "One sequence.")
    @Outcome(expect = FORBIDDEN, desc = "A handle lost, doubled or out of order.")
    public static class Bursts {
        private final SpscRing ring = new SpscRing(Arena.ofAuto(), 2);
        private int sent;

        /** Offers one handle and leaves one slot free. */
        public Bursts() {
            ring.producer().offer(1);
        }

        /** Offers two more, of which one or two fit. */
        @Actor
        public void produce() {
            sent = ring.producer().offerBurst(new int[] {2, 3}, 0, 2);
        }

        /** Polls the available handles; digits are handles. */
        @Actor
        public void consume(final III_Result r) {
            r.r1 = poll(2);
        }

        /** Polls the remaining handles. */
        @Arbiter
        public void drain(final III_Result r) {
            r.r2 = sent;
            r.r3 = poll(4);
        }

        private int poll(final int count) {
            final int[] into = new int[count];
            final int there = ring.consumer().pollBurst(into, 0, count);
            int digits = 0;
            for (int i = 0; i < there; i++) {
                digits = digits * 10 + into[i];
            }
            return digits;
        }
    }
}
