package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.control.LimitedControl.TokenFifos;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** Return FIFOs of few places against two lists, one of the FIFO and one of the tokens outside it. */
final class TokenFifosModelTest {
    private static final int QUEUES = 3;
    private static final int STEPS = 20_000;

    /** Owes tokens in order, as much as anyone wants. */
    private static final class Owing implements CongestionControl {
        private final List<Deque<Integer>> owed = new ArrayList<>();

        Owing() {
            for (int queue = 0; queue < QUEUES; queue++) {
                owed.add(new ArrayDeque<>());
            }
        }

        @Override
        public int takeNotice(final int queue) {
            return owed.get(queue).isEmpty() ? Admission.NO_NOTICE : owed.get(queue).remove();
        }

        @Override
        public long takeFeedback(final int queue) {
            final int first = takeNotice(queue);
            return (long) takeNotice(queue) << Integer.SIZE | first & 0xFFFF_FFFFL;
        }

        @Override
        public void onReceive(final int link, final int first, final int count, final CellBatch joined,
            final long[] feedback) {
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void shouldLetOnlyTokensOfTheFifoLeave(final int places) {
        final SplittableRandom random = new SplittableRandom(places);
        final Owing control = new Owing();
        final TokenFifos fifos = new TokenFifos(control, QUEUES, places);
        final List<Deque<Integer>> inside = new Owing().owed;
        final List<Deque<Integer>> outside = new Owing().owed;
        final long[] into = new long[QUEUES];
        long overflowed = 0;
        for (int step = 0; step < STEPS; step++) {
            final String at = "places=" + places + " step=" + step;
            // More come than leave, then fewer.
            if (random.nextInt(100) < (step / 1_000 % 2 == 0 ? 88 : 70)) {
                final int queue = random.nextInt(QUEUES);
                final boolean waits = inside.get(queue).size() == places || !outside.get(queue).isEmpty();
                control.owed.get(queue).add(step);
                (waits ? outside : inside).get(queue).add(step);
                overflowed += waits ? 1 : 0;
                assertEquals(waits, fifos.owe(queue), at);
            } else {
                fifos.take(0, QUEUES, into);
                for (int queue = 0; queue < QUEUES; queue++) {
                    assertEquals(leaves(inside.get(queue)), into[queue], at);
                    final boolean comesIn = !outside.get(queue).isEmpty();
                    assertEquals(comesIn, into[queue] != InFlightCells.NO_FEEDBACK && fifos.took(queue, into[queue]),
                        at);
                    if (comesIn) {
                        inside.get(queue).add(outside.get(queue).remove());
                    }
                }
            }
            for (int queue = 0; queue < QUEUES; queue++) {
                assertEquals(inside.get(queue).size(), fifos.inside(queue), at);
                assertEquals(outside.get(queue).size(), fifos.outside(queue), at);
            }
            assertEquals(overflowed, fifos.overflowed, at);
        }
        assertTrue(fifos.overflowed > 100 && fifos.returned > 100, "places=" + places);
    }

    private static long leaves(final Deque<Integer> inside) {
        final int first = inside.isEmpty() ? Admission.NO_NOTICE : inside.remove();
        final int second = inside.isEmpty() ? Admission.NO_NOTICE : inside.remove();
        return (long) second << Integer.SIZE | first & 0xFFFF_FFFFL;
    }
}
