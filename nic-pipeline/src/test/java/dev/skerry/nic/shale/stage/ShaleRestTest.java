package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;

/**
 * A fabric in which nothing is to be done goes from event to event. A checked run steps every slot, so both must give
 * the same.
 */
final class ShaleRestTest {
    private static final int FLOWS = 40;
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 2);
    private static final int MEETINGS = 1000;

    private static FlowSet withPauses(final Shale shale, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int endpoints = shale.population().endpoints();
        final int way = 4 * shale.schedule().epochSlots() + 8 * shale.propagationSlots();
        final FlowSet flows = new FlowSet();
        long start = random.nextInt(way);
        for (int flow = 0; flow < FLOWS; flow++) {
            final int from = random.nextInt(endpoints);
            final int cells = 1 + random.nextInt(9);
            flows.add(flow, from, (from + 1 + random.nextInt(endpoints - 1)) % endpoints, cells, cells, start);
            start += random.nextInt(3) == 0 ? random.nextInt(4 * way) : random.nextInt(way / 8);
        }
        return flows;
    }

    private static Shale shale(final int h, final int r, final int propagation, final MechanismSet control) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), control, 1, 2, propagation, 5);
    }

    @ParameterizedTest
    @CsvSource({"1, 4, 0", "2, 3, 1"})
    void shouldBeAsIfEverySlotWereStepped(final int h, final int r, final int propagation) {
        for (final MechanismSet control : Controls.ALL) {
            final Shale shale = shale(h, r, propagation, control);
            for (long seed = 1; seed <= SEEDS; seed++) {
                final FlowSet flows = withPauses(shale, seed);
                final Outcome stepped = run(shale, flows, 1, true);
                assertEquals(FLOWS, stepped.count(NicCounter.FLOWS_COMPLETED), control + " seed=" + seed);
                for (int workers = 1; workers <= 3; workers++) {
                    same(stepped, run(shale, flows, workers, false), control + " seed=" + seed + " workers=" + workers);
                }
            }
        }
    }

    /** Long phases; a delay longer than an epoch, four phases. */
    @Test
    @Tag("long")
    void shouldBeSoWithManyNodes() {
        shouldBeAsIfEverySlotWereStepped(2, 4, 16);
        shouldBeAsIfEverySlotWereStepped(3, 3, 2);
        shouldBeAsIfEverySlotWereStepped(2, 12, 5);
        shouldBeAsIfEverySlotWereStepped(4, 3, 40);
    }

    private static Outcome run(final Shale shale, final FlowSet flows, final int workers, final boolean check) {
        try (LockStep fabric = new LockStep(Parts.of(shale), flows, workers, check)) {
            fabric.run(0);
            return fabric.outcome();
        }
    }

    /** Two banks, asked before every slot and stepped only where one of them has to be. */
    @ParameterizedTest
    @CsvSource({"1, 4, 0", "2, 3, 1", "2, 4, 16", "2, 12, 5", "3, 3, 2"})
    void shouldRestOnlyWhereNothingHappens(final int h, final int r, final int propagation) {
        for (final MechanismSet control : Controls.ALL) {
            final Shale shale = shale(h, r, propagation, control);
            final FlowSet flows = withPauses(shale, 3);
            final long end = flows.startSlot(FLOWS - 1) + 3_000L;
            try (HandStepped stepped = new HandStepped(shale, flows, 2);
                HandStepped resting = new HandStepped(shale, flows, 2)) {
                long rests = 0;
                while (resting.slot < end) {
                    final long until = Math.min(end, Math.min(resting.banks[0].idleUntil(resting.slot),
                        resting.banks[1].idleUntil(resting.slot)));
                    rests += until - resting.slot;
                    resting.slot = until;
                    if (until < end) {
                        resting.move();
                    }
                    while (stepped.slot < resting.slot) {
                        stepped.move();
                    }
                    for (int bank = 0; bank < 2; bank++) {
                        assertEquals(stepped.banks[bank].deliveries().digest(),
                            resting.banks[bank].deliveries().digest(), control + " slot=" + until);
                    }
                }
                assertTrue(resting.drained(), control.toString());
                assertTrue(rests > 0 || control.endToEnd() != null, control.toString());
            }
        }
    }

    /** What may fail has records of every slot. */
    @Test
    void shouldNotRestWhereLinksMayFail() {
        final Shale shale = shale(2, 3, 2, Controls.ALL.getFirst());
        final Faults later = Scripts.of(new Fault.Node(100, 3, false));
        try (HandStepped fabric = new HandStepped(shale, later, withPauses(shale, 1), 1)) {
            assertEquals(0, fabric.banks[0].idleUntil(0));
        }
    }

    /** Millions of epochs without a flow are not stepped: the workers meet a few times only. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNotStepThroughAPause(final int workers) {
        final Shale shale = shale(2, 4, 7, Controls.ALL.getFirst());
        final long pause = 1L << 40;
        final FlowSet flows = new FlowSet();
        flows.add(0, 2, 5, 20, 20, 3);
        flows.add(1, 5, 2, 20, 20, pause);
        final long[] meetings = new long[1];
        try (LockStep fabric = new LockStep(Parts.of(shale), flows, workers, false)) {
            fabric.run(pause + 2_000, (slot, delivered, completed) -> ++meetings[0] < MEETINGS);
            assertEquals(2, fabric.outcome().count(NicCounter.FLOWS_COMPLETED));
        }
        assertTrue(meetings[0] < MEETINGS, "meetings=" + meetings[0]);
    }
}
