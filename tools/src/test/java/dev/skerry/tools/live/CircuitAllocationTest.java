package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalParts;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

/** Slots make less than a byte of garbage each, whether something may fail, has failed, or neither. */
final class CircuitAllocationTest {
    private static final int NODES = 16;
    private static final int WINDOW_SLOTS = 2_000;
    /** Until then all code of a slot is compiled; code that is not may allocate. */
    private static final long MOST_SLOTS = 1_000_000;

    /** What fails before the first window. */
    private enum Failing {
        NOTHING,
        NOTHING_YET(new Fault.Corruption(0, 0)),
        A_NODE(new Fault.Node(100, 3, false)),
        A_LINK(new Fault.Link(100, 3, 4, false));

        private final Faults faults;

        Failing(final Fault... faults) {
            this.faults = faults.length == 0 ? Faults.NONE : new Faults(new FaultPlan(List.of(faults)), 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldMakeNoGarbageInShoal(final Failing failing) {
        check(new ShoalParts(Shoal.of(RoundRobin.plain(NODES, 2), ReleaseRule.EXACT, true, 3)), failing);
    }

    @ParameterizedTest
    @EnumSource
    void shouldMakeNoGarbageInShale(final Failing failing) {
        final Phased phased = new Phased(2, 4);
        check(new ShaleParts(new Shale(phased, Population.complete(phased), Mechanisms.HBH, 4, 4, 3, 1)), failing);
    }

    private static void check(final FabricParts fabric, final Failing failing) {
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < NODES; node++) {
            flows.add(node, node, (node + 5) % NODES, 1L << 40, 1 << 30, 0);
        }
        final LeastGarbage garbage = new LeastGarbage(WINDOW_SLOTS, WINDOW_SLOTS);
        try (LockStep engine = new LockStep(fabric, flows, failing.faults, 1, false)) {
            engine.run(MOST_SLOTS, garbage);
        }
        assertTrue(garbage.bytes() < WINDOW_SLOTS, () -> garbage.bytes() + " bytes in " + WINDOW_SLOTS + " slots");
    }
}
