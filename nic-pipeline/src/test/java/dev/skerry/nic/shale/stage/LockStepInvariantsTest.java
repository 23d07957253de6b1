package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every law checked after every slot, to the last cell and beyond it to the last token (docs/spec/shale.md §5.5). */
@Sampled
final class LockStepInvariantsTest {
    private static final long TOO_LONG = 200_000;
    private static final int[][] BUDGETS = {{1, 1}, {1, 4}, {2, 2}, {2, 4}, {4, 4}};

    @ParameterizedTest
    @CsvSource({"2, 4, 0", "2, 4, 5", "4, 2, 0", "4, 2, 5", "3, 3, 0", "3, 3, 5", "1, 8, 0", "1, 8, 5"})
    void shouldCompleteEveryFlowAndDrain(final int h, final int r, final int propagation) {
        final Phased schedule = new Phased(h, r);
        for (final MechanismSet control : Controls.ALL) {
            for (final int[] budget : BUDGETS) {
                final Shale shale = new Shale(schedule, Population.complete(schedule), control, budget[0], budget[1],
                    propagation, 11);
                finish(shale, 2 * shale.nodes(), shale + "");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 5, 25, 2, 0", "2, 6, 36, 3, 7", "2, 9, 74, 3, 5", "1, 9, 9, 2, 3", "1, 16, 13, 0, 0"})
    void shouldGoRoundAbsentNodes(final int h, final int r, final int nodes, final int failed, final int propagation) {
        final Phased schedule = new Phased(h, r);
        final Population population = Population.of(schedule, nodes, failed);
        assertEquals(schedule.nodes() - nodes + failed, population.absent());
        for (final MechanismSet control : Controls.ALL) {
            final Shale shale = new Shale(schedule, population, control, 1, 2, propagation, 5);
            finish(shale, Math.min(2 * nodes, 200), "h=" + h + " r=" + r + " nodes=" + nodes + " failed=" + failed
                + " P=" + propagation + " " + control);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"3, 9, 729, 20, 0", "2, 9, 81, 6, 0", "2, 9, 70, 0, 0"})
    void shouldGoRoundAbsentNodesOfLargeFabrics(final int h, final int r, final int nodes, final int failed,
        final int propagation) {
        shouldGoRoundAbsentNodes(h, r, nodes, failed, propagation);
    }

    @ParameterizedTest
    @CsvSource({"2, 5, 20, 0", "3, 3, 20, 4"})
    void shouldForwardAcrossFillers(final int h, final int r, final int nodes, final int propagation) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.fill(schedule, nodes), Mechanisms.HBH_SPRAY, 1, 1,
            propagation, 5);
        finish(shale, 2 * nodes, shale + "");
    }

    private static void finish(final Shale shale, final int count, final String where) {
        final FlowSet flows = Flows.random(shale.nodes() + 31L * shale.propagationSlots(),
            shale.population().endpoints(), count, 60, 16);
        try (HandStepped fabric = new HandStepped(shale, flows, 2)) {
            assertTrue(fabric.stepToEnd(TOO_LONG), () -> "flows left: " + where);
            assertEquals(flows.size(), fabric.count(NicCounter.FLOWS_STARTED), where);
            assertEquals(0, fabric.count(NicCounter.DROPPED_NO_LINK), where);
            assertEquals(fabric.count(NicCounter.CELLS_INJECTED), fabric.count(NicCounter.CELLS_DELIVERED), where);
            // The last tokens ride back within a few epochs, as each link carries two a epoch.
            fabric.stepTo(fabric.slot + 100L * (shale.schedule().epochSlots() + shale.propagationSlots()));
            assertTrue(fabric.drained(), () -> "not drained: " + where);
            for (final ShaleBank bank : fabric.banks) {
                for (int node = 0; node < bank.range().size(); node++) {
                    if (!shale.population().present(bank.range().first() + node)) {
                        assertEquals(0, bank.maxima().maxHeld(node), "an absent node forwarded: " + where);
                    }
                }
            }
        }
    }
}
