package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run in which workers go and come all the time has the result of one worker. */
@Timeout(300)
@Sampled(2)
final class AloneDigestTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 30})
    void shouldNotDependOnWhenTheFirstWorkerIsAlone(final int propagation) {
        final Phased schedule = new Phased(2, 8);
        final FabricParts shale = Parts.of(new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1,
            2, propagation, 5));
        final FabricParts shoal = Parts.of(Shoal.of(RoundRobin.plain(64, 2), ReleaseRule.EXACT, true,
            propagation));
        for (final FabricParts parts : new FabricParts[] {shale, shoal}) {
            final FlowSet flows = Flows.random(5, 64, 150, 100, 20);
            for (final boolean check : new boolean[] {false, true}) {
                final Outcome one = run(parts, flows, 1, check, 0);
                for (int seed = 1; seed <= 2; seed++) {
                    same(one, run(parts, flows, 1 + seed, check, seed),
                        parts.fabric() + " workers=" + (1 + seed) + " check=" + check + " seed=" + seed);
                }
            }
        }
    }

    private static Outcome run(final FabricParts parts, final FlowSet flows, final int workers, final boolean check,
        final int seed) {
        try (LockStep engine = new LockStep(parts, new Traffic(flows, Faults.NONE), workers, Idle.SPIN, check,
            JumpingClock.of(seed))) {
            final long[] last = new long[2];
            engine.run(0, (slot, delivered, completed) -> {
                assertTrue(delivered >= last[0] && completed >= last[1], "slot=" + slot + " seed=" + seed);
                last[0] = delivered;
                last[1] = completed;
                return true;
            });
            assertEquals(workers > 1, engine.aloneNs() > 0, parts.fabric() + " seed=" + seed);
            return engine.outcome();
        }
    }
}
