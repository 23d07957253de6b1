package dev.skerry.dataplane.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.worker.ProcessorSeparation.Affinity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;

final class ProcessorSeparationTest {
    /** A machine that runs several workers, one call at a time. */
    private static final class Machine extends Affinity {
        private final BitSet[] allowed;
        private final int[] runsOn;
        private final ProcessorSeparation separation;
        private int caller;
        private boolean refuses;
        private long nowNs;

        Machine(final int workers, final int processors) {
            allowed = new BitSet[workers];
            runsOn = new int[workers];
            for (int worker = 0; worker < workers; worker++) {
                allowed[worker] = new BitSet();
                allowed[worker].set(0, processors);
            }
            separation = new ProcessorSeparation(workers, this);
            nowNs = ProcessorSeparation.START_NS;
        }

        Machine onLongWait(final int... workers) {
            for (final int worker : workers) {
                caller = worker;
                separation.onLongWait(worker);
            }
            return this;
        }

        /** The scheduler moves a worker to any processor. */
        void schedule(final int worker, final SplittableRandom random) {
            runsOn[worker] = random.nextInt(allowed[worker].cardinality());
        }

        @Override
        boolean isKnown() {
            return true;
        }

        @Override
        int current() {
            return runsOn[caller];
        }

        @Override
        BitSet allowed() {
            return (BitSet) allowed[caller].clone();
        }

        @Override
        long nowNs() {
            return nowNs;
        }

        @Override
        void allow(final BitSet processors) {
            if (refuses) {
                throw new IllegalStateException("errno=1");
            }
            allowed[caller] = (BitSet) processors.clone();
            if (!processors.get(runsOn[caller])) {
                runsOn[caller] = processors.nextSetBit(0);
            }
        }
    }

    @Test
    void shouldMoveTheHigherOfTwoOnOneProcessor() {
        assertEquals("[0, 1]", on(new Machine(2, 2).onLongWait(0, 1)));
        assertEquals("[0, 0]", on(new Machine(2, 2).onLongWait(1, 0)));
        assertEquals("[0, 1]", on(new Machine(2, 2).onLongWait(1, 0, 1)));
    }

    @Test
    void shouldMoveNoneOfThoseApart() {
        final Machine machine = new Machine(2, 2);
        machine.runsOn[0] = 1;
        assertEquals("[1, 0]", on(machine.onLongWait(0, 1, 0, 1)));
    }

    @Test
    void shouldForgetWhereAWorkerWasLongAgo() {
        final Machine machine = new Machine(2, 2).onLongWait(0);
        machine.nowNs += ProcessorSeparation.RECENT_NS;
        assertEquals("[0, 0]", on(machine.onLongWait(1)));
    }

    @Test
    void shouldMoveNoneAtTheStart() {
        final Machine machine = new Machine(2, 2);
        machine.nowNs = ProcessorSeparation.START_NS - 1;
        assertEquals("[0, 0]", on(machine.onLongWait(0, 1)));
    }

    @Test
    void shouldStayWithinTheProcessorsAllowed() {
        assertEquals("[0, 0]", on(new Machine(2, 1).onLongWait(0, 1, 0, 1)));
    }

    @Test
    void shouldDoWithoutWhereTheKernelRefuses() {
        final Machine machine = new Machine(2, 2);
        machine.refuses = true;
        assertEquals("[0, 0]", on(machine.onLongWait(0, 1, 0, 1)));
    }

    /** The scheduler moves workers at random; when it stops, all are apart after some waits, allowed all as before. */
    @Test
    void shouldSeparateWhateverTheSchedulerDoes() {
        for (int seed = 1; seed <= 2_000; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final int workers = random.nextInt(2, 9);
            final Machine machine = new Machine(workers, random.nextInt(workers, 12));
            final String allowed = Arrays.toString(machine.allowed);
            for (int step = 0; step < 50; step++) {
                final int worker = random.nextInt(workers);
                machine.schedule(worker, random);
                machine.nowNs += random.nextLong(2 * ProcessorSeparation.RECENT_NS);
                machine.onLongWait(worker);
            }
            for (int round = 0; round < 2 * workers && apart(machine) < workers; round++) {
                for (int worker = 0; worker < workers; worker++) {
                    machine.onLongWait(worker);
                }
            }
            assertEquals(workers, apart(machine), "seed=" + seed + " on=" + on(machine));
            assertEquals(allowed, Arrays.toString(machine.allowed), "seed=" + seed);
        }
    }

    private static String on(final Machine machine) {
        return Arrays.toString(machine.runsOn);
    }

    private static long apart(final Machine machine) {
        return Arrays.stream(machine.runsOn).distinct().count();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldRestrictAThreadForAMomentOnly() {
        final BitSet allowed = Scheduling.allowed();
        final int here = allowed.nextSetBit(0);
        final List<BitSet> set = new ArrayList<>();
        final ProcessorSeparation separation = new ProcessorSeparation(2, new Affinity() {
            private long nowNs = -ProcessorSeparation.START_NS;

            @Override
            int current() {
                return here;
            }

            @Override
            void allow(final BitSet processors) {
                super.allow(processors);
                set.add(Scheduling.allowed());
            }

            @Override
            long nowNs() {
                nowNs += ProcessorSeparation.START_NS;
                return Math.min(nowNs, ProcessorSeparation.START_NS);
            }
        });
        separation.onLongWait(0);
        separation.onLongWait(1);
        final BitSet others = (BitSet) allowed.clone();
        others.clear(here);
        assertEquals(others.isEmpty() ? List.of() : List.of(others, allowed), set);
    }
}
