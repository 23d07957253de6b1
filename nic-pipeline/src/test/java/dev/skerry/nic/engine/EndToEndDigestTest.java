package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.LocalRule.LocalChoice;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Messages beside the cells give the same result with any number of workers, and with threads; payloads too. */
@Timeout(300)
final class EndToEndDigestTest {
    private static final int CHECKED = 100;

    @ParameterizedTest
    @CsvSource({"2, 4, 0, 20", "2, 4, 7, 20", "3, 3, 5, 40"})
    void shouldNotDependOnWorkersOrThreads(final int h, final int radix, final int propagation, final int cells) {
        final Phased schedule = new Phased(h, radix);
        for (final MechanismSet control : Controls.END_TO_END) {
            final Shale shale = new Shale(schedule, Population.complete(schedule), control, 1, 2, propagation, 3);
            final FlowSet flows = Flows.random(3, shale.nodes(), 4 * shale.nodes(), 100, cells);
            final String where = "h=" + h + " r=" + radix + " P=" + propagation + " " + control;
            final Outcome one = lockStep(shale, flows, 1, false);
            assertEquals(flows.size(), one.count(NicCounter.FLOWS_COMPLETED), where);
            assertTrue(one.count(NicCounter.PULLS_SENT) > flows.size() / 4, where);
            same(one, lockStep(shale, flows, 2, false), where + " workers=2");
            same(one, lockStep(shale, flows, 3, false), where + " workers=3");
            // What is checked after every slot grows with the square of the nodes.
            if (shale.nodes() < CHECKED) {
                same(one, lockStep(shale, flows, 2, true), where + " checked");
            }
            same(one, free(shale, flows, 3), where + " threads");
        }
    }

    @Tag("long")
    @Test
    void shouldNotDependOnThemWithManyNodes() {
        shouldNotDependOnWorkersOrThreads(2, 16, 13, 30);
        shouldNotDependOnWorkersOrThreads(4, 4, 30, 30);
    }

    /** The rules that break ties: with pointers of a node, what it does depends on no other node. */
    @Test
    void shouldBreakTiesTheSameWay() {
        final Phased schedule = new Phased(2, 12);
        for (final TieRule rule : List.of(TieRule.LOWEST, TieRule.ROTATING)) {
            for (final MechanismSet control : List.of(Mechanisms.HBH_SPRAY, Mechanisms.of("hbh+spray-bucket"))) {
                final Shale shale = new Shale(schedule, Population.complete(schedule), control.with(rule), 1, 2, 5, 3);
                final FlowSet flows = Flows.random(3, shale.nodes(), 4 * shale.nodes(), 100, 20);
                final Outcome one = lockStep(shale, flows, 1, false);
                assertEquals(flows.size(), one.count(NicCounter.FLOWS_COMPLETED), control.label());
                same(one, lockStep(shale, flows, 3, false), control + " workers=3");
                same(one, lockStep(shale, flows, 2, true), control + " checked");
                same(one, free(shale, flows, 3), control + " threads");
            }
        }
    }

    /** Which local flow is next: the same over workers, threads and checks, and not what pointers of links choose. */
    @Test
    void shouldServeLocalFlowsTheSameWay() {
        final Phased schedule = new Phased(2, 12);
        final LocalRule own = (all, nodes) -> (id, node, link, flows) ->
            link % 3 == 0 ? LocalChoice.NONE : flows.count() - 1;
        for (final LocalRule rule : List.of(LocalRule.NODE, LocalRule.DESTINATION, own)) {
            for (final MechanismSet control : List.of(Mechanisms.HBH_SPRAY, Mechanisms.of("hbh+isd"))) {
                final Shale shale = new Shale(schedule, Population.complete(schedule), control.serving(rule), 1, 2, 5,
                    3);
                final FlowSet flows = Flows.random(3, shale.nodes(), 3 * shale.nodes(), 50, 12);
                final Outcome one = lockStep(shale, flows, 1, false);
                assertEquals(flows.size(), one.count(NicCounter.FLOWS_COMPLETED), control.label());
                assertNotEquals(lockStep(new Shale(schedule, Population.complete(schedule), control, 1, 2, 5, 3), flows,
                    1, false).digest(), one.digest(), control.label());
                same(one, lockStep(shale, flows, 3, false), control + " workers=3");
                same(one, lockStep(shale, flows, 2, true), control + " checked");
                if (control.endToEnd() == null) {
                    same(one, free(shale, flows, 3), control + " threads");
                }
            }
        }
    }

    private static Outcome lockStep(final Shale shale, final FlowSet flows, final int workers, final boolean check) {
        return Outcomes.run(new LockStep(Parts.of(shale), flows, workers, check), 0);
    }

    private static Outcome free(final Shale shale, final FlowSet flows, final int threads) {
        return Outcomes.run(new FreeRunning(Parts.of(shale), flows, PhaseGroupSwitches.wiring(shale.schedule()),
            Threading.shared(threads, Idle.BACKOFF), true), 0);
    }
}
