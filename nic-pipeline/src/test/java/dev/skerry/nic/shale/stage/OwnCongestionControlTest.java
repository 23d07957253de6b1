package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.CongestionControl.ControlFactory;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** A congestion control of one's own needs nothing but its own file: it marks what arrives, or drops some of it. */
final class OwnCongestionControlTest {
    private static final long TOO_LONG = 20_000;

    /** Admits everything; marks cells that arrive, and drops one in every {@code dropEvery} of them, none if 0. */
    private static final class Marking implements CongestionControl {
        private final int dropEvery;
        private long marked;
        private long joined;

        Marking(final int dropEvery) {
            this.dropEvery = dropEvery;
        }

        @Override
        public void onArrive(final int first, final CellBatch arriving, final DroppedCells drops) {
            final long before = marked;
            marked += arriving.count();
            if (dropEvery > 0 && before / dropEvery < marked / dropEvery) {
                final int last = arriving.count() - 1;
                arriving.count(last);
                drops.onDrop(arriving.node()[last], arriving.cell()[last], NicCounter.DROPPED_NO_LINK);
            }
        }

        @Override
        public void onReceive(final int link, final int first, final int count, final CellBatch cells,
            final long[] feedback) {
            joined += cells.count();
        }
    }

    /** Makes it, keeps each that it made, and counts how often its law is checked. */
    private static final class Factory implements ControlFactory {
        private final List<Marking> made = new ArrayList<>();
        private final int dropEvery;
        private long checks;

        Factory(final int dropEvery) {
            this.dropEvery = dropEvery;
        }

        @Override
        public CongestionControl begin(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
            made.add(new Marking(dropEvery));
            return made.getLast();
        }

        @Override
        public FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
            return slot -> {
                checks++;
                for (final BankState bank : banks) {
                    final Marking control = (Marking) bank.control();
                    if (control.joined > control.marked) {
                        throw new IllegalStateException("a cell joined unmarked: node=" + bank.range().first());
                    }
                }
            };
        }

        long marked() {
            return made.stream().mapToLong(control -> control.marked).sum();
        }

        long joined() {
            return made.stream().mapToLong(control -> control.joined).sum();
        }
    }

    @Test
    void shouldAdmitAsMuchAsNone() {
        final Factory factory = new Factory(0);
        try (HandStepped own = run(new MechanismSet("mark", factory, SprayRule.RANDOM));
            HandStepped none = run(Mechanisms.NONE)) {
            assertTrue(own.stepToEnd(TOO_LONG) && none.stepToEnd(TOO_LONG));
            assertEquals(none.slot, own.slot);
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(none.count(counter), own.count(counter), counter.toString());
            }
            assertEquals(2, factory.made.size());
            assertTrue(factory.marked() > 1_000, "marked=" + factory.marked());
            assertEquals(own.count(NicCounter.CELLS_FORWARDED), factory.marked());
            assertEquals(own.slot, factory.checks);
        }
    }

    @Test
    void shouldDropWhatItDoesNotAccept() {
        final Factory factory = new Factory(10);
        try (HandStepped own = run(new MechanismSet("drop", factory, SprayRule.SHORTEST_QUEUE))) {
            own.stepTo(2_000);
            final long dropped = own.count(NicCounter.DROPPED_NO_LINK);
            assertTrue(dropped > 50, "dropped=" + dropped);
            assertEquals(factory.marked(), factory.joined() + dropped);
            assertEquals(own.count(NicCounter.CELLS_INJECTED), own.count(NicCounter.CELLS_DELIVERED) + dropped);
        }
    }

    private static HandStepped run(final MechanismSet mechanisms) {
        final Phased schedule = new Phased(2, 4);
        final FlowSet flows = Flows.random(3, schedule.nodes(), 100, 60, 16);
        return new HandStepped(new Shale(schedule, Population.complete(schedule), mechanisms, 1, 1, 5, 1), flows, 2);
    }
}
