package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.EnumSet;
import java.util.Set;

/** Faults and classes give the same in lock step, with any number of workers, and on threads of their own. */
@Timeout(300)
final class FaultsInBothEnginesTest {
    /** What goes on after the last cell has arrived, until the engine finds that out. */
    private static final Set<NicCounter> GO_ON = EnumSet.of(NicCounter.CELLS_DAMAGED, NicCounter.HEADERS_DAMAGED,
        NicCounter.NEIGHBOURS_DOWN, NicCounter.NEIGHBOURS_UP, NicCounter.TURNS_UNUSED, NicCounter.PROBES_SENT,
        NicCounter.NOTICES_SENT, NicCounter.NOTICES_IGNORED);

    @ParameterizedTest
    @CsvSource({"8, 1, 0, 4, 1, BACKOFF", "8, 2, 5, 4, 3, YIELD", "16, 4, 20, 8, 4, PARK"})
    void shouldGiveTheSame(final int nodes, final int channels, final int propagation, final int ports,
        final int threads, final Idle idle) {
        checkSame(nodes, channels, propagation, ports, threads, idle);
    }

    @Tag("long")
    @Test
    void shouldGiveTheSameInALargeFabric() {
        checkSame(64, 4, 20, 16, 4, Idle.PARK);
    }

    private static void checkSame(final int nodes, final int channels, final int propagation, final int ports,
        final int threads, final Idle idle) {
        final RoundRobin schedule = RoundRobin.plain(nodes, channels);
        final Shoal shoal = Shoal.of(schedule, ReleaseRule.EXACT, true, propagation);
        final Clos clos = Clos.of(schedule, ports);
        final long epoch = schedule.epochSlots();
        for (long seed = 1; seed <= 2; seed++) {
            final FlowSet flows = Flows.random(seed, nodes, nodes == 8 ? 64 : 128, 60 * epoch, 60)
                .classedBySize(seed == 1 ? new long[0] : new long[] {244 * 5, 244 * 20});
            final Faults faults = Scripts.random(seed, nodes, 80 * epoch, nodes / 4, 2, 0.001);
            for (final long limit : new long[] {0, 40 * epoch}) {
                final String where = "N=" + nodes + " C=" + channels + " P=" + propagation + " seed=" + seed
                    + " limit=" + limit;
                final Outcome expected = Outcomes.run(new LockStep(Parts.of(shoal), flows, faults, 1, nodes == 8),
                    limit);
                assertTrue(expected.count(NicCounter.NEIGHBOURS_DOWN) > 0, where);
                same(expected, Outcomes.run(new LockStep(Parts.of(shoal), flows, faults, 2, false), limit), limit,
                    where);
                same(expected, Outcomes.run(new FreeRunning(Parts.of(shoal), flows, faults, clos.wiring(),
                    Threading.shared(threads, idle), false), limit), limit, where + " shared");
                same(expected, Outcomes.run(new FreeRunning(Parts.of(shoal), flows, faults, clos.wiring(),
                    Threading.separate(1 + threads, threads, idle), false), limit), limit, where + " separate");
            }
        }
    }

    @Test
    void shouldRefuseWhatCannotFail() {
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 1, 56, 1, 0);
        final FlowSet classed = flows.classedBySize(10);
        final Faults faults = Scripts.of(new Fault.Node(3, 2, false));
        final Phased phased = new Phased(2, 3);
        final Shale shale = new Shale(phased, Population.complete(phased), Mechanisms.HBH, 1, 1, 0, 1);
        final Shoal small = Shoal.of(RoundRobin.plain(2, 1), ReleaseRule.EXACT, true, 0);
        final Shoal authors = Shoal.of(RoundRobin.plain(4, 1), ReleaseRule.AUTHORS_SIMULATOR, true, 0);
        refused("only Shoal has traffic classes", () -> new LockStep(Parts.of(shale), classed, Faults.NONE, 1, false));
        refused("no such node", () -> new LockStep(Parts.of(small), flows, faults, 1, false));
        refused("rule=authors-simulator", () -> new LockStep(Parts.of(authors), flows, faults, 1, false));
        refused("rule=authors-simulator", () -> new LockStep(Parts.of(authors), classed, Faults.NONE, 1, false));
    }

    private static void refused(final String why, final Runnable asked) {
        final String said = assertThrows(IllegalArgumentException.class, asked::run).getMessage();
        assertTrue(said.contains(why), said);
    }

    private static void same(final Outcome expected, final Outcome actual, final long limit, final String where) {
        assertEquals(expected.digest(), actual.digest(), where);
        assertEquals(expected.slots(), actual.slots(), where);
        assertEquals(expected.cellsHeld(), actual.cellsHeld(), where);
        assertArrayEquals(expected.completedIn(), actual.completedIn(), where);
        assertArrayEquals(expected.nodes().bufferOccupancy(), actual.nodes().bufferOccupancy(), where);
        assertArrayEquals(expected.nodes().queueLength(), actual.nodes().queueLength(), where);
        for (final NicCounter counter : NicCounter.values()) {
            if (limit > 0 || !GO_ON.contains(counter)) {
                assertEquals(expected.count(counter), actual.count(counter), where + " " + counter);
            }
        }
    }
}
