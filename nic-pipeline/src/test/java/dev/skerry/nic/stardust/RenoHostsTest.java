package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Hosts that speak TCP across a fabric (docs/spec/stardust.md §10, rows 12 to 14). */
class RenoHostsTest {
    private static final Reno RULES = new Reno(24, 2, 12, 40, 3000, 3);

    private static Stardust fabric(final Reno rules) {
        final Stardust packed = Fabrics.packed(2, LinkRules.USUAL, true);
        return new Stardust(packed.deployment(), packed.linkSlots(),
            new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, rules), packed.cut(), packed.credits(), packed.links(), true,
            7);
    }

    private static StardustEngine run(final FlowSet flows, final int workers, final Fault... faults) {
        final StardustEngine engine = new StardustEngine(fabric(RULES), flows,
            new Faults(new FaultPlan(List.of(faults)), 3), ReachTiming.USUAL, workers, false);
        engine.run(0, (slot, delivered, done) -> true);
        return engine;
    }

    /** A flow alone takes the time of its bytes at the rate of its port, and the waits of its window. */
    @Test
    void shouldTakeTheTimeOfAFlowThatIsAlone() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 33, 1500, 1, 5);
        try (StardustEngine engine = run(flows, 1)) {
            final Outcome outcome = engine.outcome();
            // Out of the host: 7 slots. Request and credit: 8 each. Over the fabric: 8. To the host: 7, the wires 3.
            assertEquals(5 + 7 + 2 * 8 + 8 + 7 + 3, outcome.completedIn()[0], 4);
            assertEquals(1500, engine.receivedOf(0));
        }
        final FlowSet longer = new FlowSet();
        longer.add(0, 0, 33, 1_500_000, 1, 0);
        try (StardustEngine engine = run(longer, 1)) {
            final double slots = engine.outcome().completedIn()[0];
            assertTrue(slots > 1_500_000 / 230.0 && slots < 1.1 * 1_500_000 / 230 + 400, "slots=" + slots);
            assertEquals(0, engine.count(NicCounter.TIMEOUTS));
        }
    }

    /** Queues of 12 packets before a port that 40 hosts send to: segments are lost, and sent until they are there. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldDeliverAllOfAnIncastWhateverTheWorkers(final int workers) {
        final FlowSet flows = new FlowSet();
        for (int sender = 0; sender < 40; sender++) {
            flows.add(sender, sender + 8, 3, 90_000 + sender, 1, sender);
        }
        try (StardustEngine one = run(flows, 1); StardustEngine many = run(flows, workers)) {
            assertEquals(40, many.outcome().completed().length);
            assertTrue(many.count(NicCounter.PACKETS_REFUSED) > 0);
            assertTrue(many.count(NicCounter.PACKETS_RESENT) > 0);
            assertEquals(one.digest(), many.digest());
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(one.count(counter), many.count(counter), counter.name());
            }
            for (int flow = 0; flow < 40; flow++) {
                assertEquals(flows.bytes(flow), many.receivedOf(flow));
            }
            for (final NicCounter drop : NicCounter.DROPS) {
                assertEquals(0, many.count(drop), drop.name());
            }
        }
    }

    /** Cells are lost on their way and an adapter is gone for a while: what it takes is time. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldDeliverAllOverFaultsWhateverTheWorkers(final int workers) {
        final Fault[] faults = {new Fault.Corruption(50, 1e-3), new Fault.Node(700, 5, false),
            new Fault.Node(3000, 5, true), new Fault.Corruption(9000, 0)};
        final FlowSet flows = Fabrics.mixed(64, 400);
        try (StardustEngine one = run(flows, 1, faults); StardustEngine many = run(flows, workers, faults)) {
            assertEquals(400, many.outcome().completed().length);
            assertEquals(one.digest(), many.digest());
            assertTrue(many.count(NicCounter.PACKETS_LOST) > 0);
            assertTrue(many.count(NicCounter.TIMEOUTS) > 0);
            many.checkConserved();
        }
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> new Reno(1, 1, 100, 40, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 11, 100, 40, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 1, 40, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 100, 65, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 100, 40, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reno(10, 2, 100, 40, 1, -1));
        final FoldedClosConfig clos = new FoldedClosConfig(3, 2, 1, 3, 0, List.of());
        assertThrows(IllegalArgumentException.class, () -> new Stardust(Fabrics.full(clos), 2,
            new HostSide(2, 2, 1, 512, 1 << 16, 1 << 15, RULES), new CellCut(512, 512, false, Packing.CONTINUOUS),
            Credits.paced(512).of(512), LinkRules.USUAL, false, 1));
    }
}
