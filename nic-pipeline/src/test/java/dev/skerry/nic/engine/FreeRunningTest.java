package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Threads give what lock step gives, whoever runs when. */
@Timeout(300)
final class FreeRunningTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);

    @ParameterizedTest
    @CsvSource({
        "2, 4, 0, 1, SPIN", "2, 4, 0, 2, PARK", "2, 4, 7, 4, YIELD", "2, 4, 89, 14, BACKOFF", "4, 2, 5, 3, PARK",
        "2, 16, 13, 1, BACKOFF", "2, 16, 13, 4, YIELD", "4, 4, 30, 2, BACKOFF", "4, 4, 30, 14, PARK"
    })
    void shouldGiveWhatLockStepGives(final int h, final int radix, final int propagation, final int threads,
        final Idle idle) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final Shale shale = shale(h, radix, propagation, seed);
            final FlowSet flows = Flows.random(seed, shale.nodes(), 200, 200, 30);
            final Wiring wiring = PhaseGroupSwitches.wiring(shale.schedule());
            final String where = "h=" + h + " r=" + radix + " P=" + propagation + " threads=" + threads + " " + idle
                + " seed=" + seed;
            for (final long limit : new long[] {0, 150}) {
                final Outcome expected = lockStep(shale, flows, limit);
                same(expected, free(shale, flows, wiring, Threading.shared(threads, idle), limit), where);
                same(expected, free(shale, flows, wiring, Threading.separate(1 + threads / 2, threads, idle), limit),
                    where + " separate");
            }
        }
    }

    /** With payloads checked, too, where nodes find the flow of a cell in its payload. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldRankAsLockStepDoes(final int threads) {
        final Phased schedule = new Phased(2, 8);
        for (final MechanismSet control : List.of(Mechanisms.of("priority"),
            Mechanisms.of("priority+hbh+spray-short"))) {
            for (final boolean byBucket : new boolean[] {true, false}) {
                final Shale shale = new Shale(schedule, Population.complete(schedule),
                    control.with(new Priority(0.5, FlowLength.SIZE, byBucket)), 1, 2, 9, threads);
                final FlowSet flows = Flows.random(threads, shale.nodes(), 400, 200, 30);
                final Wiring wiring = PhaseGroupSwitches.wiring(schedule);
                final Outcome expected = lockStep(shale, flows, 0);
                final String where = control + " threads=" + threads + " byBucket=" + byBucket;
                same(expected, free(shale, flows, wiring, Threading.shared(threads, Idle.YIELD), 0), where);
                for (final boolean check : new boolean[] {false, true}) {
                    try (Engine engine = new LockStep(Parts.of(shale), flows, threads, check)) {
                        engine.run(0);
                        same(expected, engine.outcome(), where + " check=" + check);
                    }
                }
            }
        }
    }

    @Test
    void shouldRefuseWhatNoNetworkCanDo() {
        final Phased schedule = new Phased(2, 4);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.of("isd"), 1, 1, 3, 1);
        final FlowSet flows = Flows.random(1, 16, 10, 10, 10);
        final Wiring wiring = PhaseGroupSwitches.wiring(schedule);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new FreeRunning(Parts.of(shale), flows, wiring,
            Threading.shared(1, Idle.YIELD), false)).getMessage().startsWith("nodes would have to know of each other"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> new NodeModel(Parts.of(shale), flows, 0))
            .getMessage().startsWith("a node alone cannot know at once"));
    }

    @Test
    void shouldNotDependOnTheSwitches() {
        final Shale shale = shale(2, 5, 11, 4);
        final FlowSet flows = Flows.random(4, 25, 150, 100, 20);
        final Outcome expected = lockStep(shale, flows, 0);
        same(expected, free(shale, flows, Crossbar.wiring(shale.schedule()), Threading.shared(2, Idle.YIELD), 0),
            "one switch");
        same(expected, free(shale, flows, PhaseGroupSwitches.wiring(shale.schedule()),
            Threading.separate(25, 10, Idle.PARK), 0), "a thread for each NIC and each switch");
    }

    @Test
    void shouldGiveTheSameAgainAndAgain() {
        final Shale shale = shale(2, 4, 3, 9);
        final FlowSet flows = Flows.random(9, 16, 300, 50, 10);
        final Wiring wiring = PhaseGroupSwitches.wiring(shale.schedule());
        final Outcome expected = lockStep(shale, flows, 0);
        for (int run = 0; run < 5 * SEEDS; run++) {
            same(expected, free(shale, flows, wiring, Threading.shared(1 + run % 5, Idle.values()[run % 4]), 0),
                "run=" + run);
        }
    }

    @Test
    void shouldStopBetweenTwoSlotsWhenToldTo() {
        final Shale shale = shale(2, 4, 7, 1);
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < 16; node++) {
            flows.add(node, node, (node + 1) % 16, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final Wiring wiring = PhaseGroupSwitches.wiring(shale.schedule());
        try (Engine engine = new FreeRunning(Parts.of(shale), flows, wiring, Threading.shared(3, Idle.BACKOFF),
            false)) {
            engine.run(0, (slot, delivered, completed) -> slot < 1000);
            final Outcome outcome = engine.outcome();
            assertTrue(outcome.slots() >= 1000, "slots=" + outcome.slots());
            assertEquals(outcome.count(NicCounter.CELLS_INJECTED),
                outcome.count(NicCounter.CELLS_DELIVERED) + outcome.cellsHeld());
            final Outcome expected = lockStep(shale, flows, outcome.slots() - 7);
            assertEquals(expected.digest(), outcome.digest(), "slots=" + outcome.slots());
        }
    }

    @Test
    void shouldCheckEveryPayload() {
        final Shale shale = shale(2, 4, 7, 1);
        final FlowSet flows = Flows.random(1, 16, 200, 200, 30);
        final Wiring wiring = PhaseGroupSwitches.wiring(shale.schedule());
        try (Engine engine = new FreeRunning(Parts.of(shale), flows, wiring, Threading.shared(3, Idle.BACKOFF), true)) {
            engine.run(0);
            same(lockStep(shale, flows, 0), engine.outcome(), "checked");
        }
    }

    private static Outcome lockStep(final Shale shale, final FlowSet flows, final long limit) {
        return Outcomes.run(new LockStep(Parts.of(shale), flows, 1, false), limit);
    }

    private static Outcome free(final Shale shale, final FlowSet flows, final Wiring wiring,
        final Threading threading, final long limit) {
        return Outcomes.run(new FreeRunning(Parts.of(shale), flows, wiring, threading, false), limit);
    }

    private static Shale shale(final int h, final int radix, final int propagation, final long seed) {
        final Phased schedule = new Phased(h, radix);
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 2, propagation,
            seed);
    }
}
