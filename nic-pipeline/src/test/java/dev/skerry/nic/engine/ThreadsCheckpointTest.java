package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Threads that were stopped, written and made anew end as lock step that was never stopped. */
@Timeout(300)
final class ThreadsCheckpointTest {
    private static final long PART = 400;
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);

    @TempDir
    private Path folder;

    @Test
    void shouldGoOnWithShale() throws IOException {
        for (final MechanismSet control : List.of(Mechanisms.HBH_SPRAY, Mechanisms.of("priority+hbh+spray-short"))) {
            for (final int propagation : new int[] {0, 7, 89}) {
                final Phased schedule = new Phased(2, 8);
                final Shale shale = new Shale(schedule, Population.complete(schedule), control, 1, 1, propagation, 3);
                check(shale, PhaseGroupSwitches.wiring(schedule), Faults.NONE, control + " P=" + propagation);
            }
        }
    }

    @Test
    void shouldGoOnWithShoalAndFaults() throws IOException {
        final Shoal shoal = Shoal.of(RoundRobin.plain(16, 2), ReleaseRule.EXACT, true, 3);
        check(shoal, Clos.of(RoundRobin.plain(16, 2), 8).wiring(), new Faults(new FaultPlan(List.of(
            new Fault.Corruption(0, 1e-3), new Fault.Node(300, 5, false), new Fault.Node(900, 5, true))), 3), "Shoal");
    }

    @Test
    void shouldGoOnWithStardust() throws IOException {
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Corruption(100, 1e-3),
            new Fault.Node(300, 5, false), new Fault.Node(900, 5, true))), 3);
        for (final HostModel hosts : new HostModel[] {HostModel.IDEAL, new Reno(40, 4, 600, 40, 12, 3)}) {
            final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2, new HostSide(4, 4, 1, 230, 1 << 16,
                1 << 15, hosts), new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(2048, 235, 0, 0, 1,
                true), LinkRules.USUAL, true, 7);
            final FlowSet endless = endless(64);
            final long end = stops(() -> new StardustThreads(fabric, endless, faults, HEALING, null,
                Threading.separate(2, 3, Idle.YIELD)), at -> lockStep(fabric, endless, faults, at), hosts.toString());
            assertTrue(end > 3 * PART);
        }
    }

    /** A run that ends by itself, with an end that threads find some time after it. */
    @Test
    void shouldFindTheEndOfFlows() throws IOException {
        final Stardust fabric = Fabrics.packed(3, LinkRules.USUAL, true);
        final FlowSet flows = Fabrics.mixed(64, 900);
        final Path file = folder.resolve("checkpoint");
        try (StardustThreads first = new StardustThreads(fabric, flows, Faults.NONE, HEALING, null,
            Threading.shared(3, Idle.YIELD)); StardustThreads second = new StardustThreads(fabric, flows, Faults.NONE,
            HEALING, null, Threading.shared(3, Idle.YIELD))) {
            first.run(0, (slot, delivered, completed) -> false);
            first.state().save(file, "");
            second.state().restore(Checkpoint.open(file));
            second.run(0);
            assertTrue(second.state().isOver());
            same(lockStep(fabric, flows, Faults.NONE, 0), second.outcome(), "stopped at " + first.state().slots());
        }
    }

    private void check(final CircuitFabric fabric, final Wiring wiring, final Faults faults, final String where)
        throws IOException {
        final FlowSet flows = endless(fabric.nodes());
        stops(() -> new FreeRunning(Parts.of(fabric), flows, faults, wiring, Threading.shared(3, Idle.YIELD), false),
            end -> {
                return Outcomes.run(new LockStep(Parts.of(fabric), flows, faults, 1, false), end);
            }, where);
    }

    private interface LockStepRun {
        Outcome to(long end);
    }

    /** Stops twice at slots that threads decide, each time to go on in another engine; returns the slot of the end. */
    private long stops(final Supplier<Resumable> engines, final LockStepRun lockStep, final String where)
        throws IOException {
        final Path file = folder.resolve("checkpoint");
        long slot = 0;
        for (int part = 0; part < 2; part++) {
            try (Resumable engine = engines.get()) {
                resume(engine, file, part);
                final long until = slot + PART;
                engine.run(0, (done, delivered, completed) -> done < until);
                assertFalse(engine.state().isOver(), where);
                slot = engine.state().slots();
                assertTrue(slot >= until, where + " slot=" + slot);
                engine.state().save(file, "");
            }
        }
        try (Resumable engine = engines.get()) {
            resume(engine, file, 2);
            engine.run(slot + PART);
            assertTrue(engine.state().isOver(), where);
            same(lockStep.to(slot + PART), engine.outcome(), where + " stopped at " + slot);
        }
        return slot + PART;
    }

    private static void resume(final Resumable engine, final Path file, final int part) throws IOException {
        if (part > 0) {
            engine.state().restore(Checkpoint.open(file));
        }
    }

    private static Outcome lockStep(final Stardust fabric, final FlowSet flows, final Faults faults, final long end) {
        return Outcomes.run(new StardustEngine(fabric, flows, faults, HEALING, 1, false), end);
    }

    private static FlowSet endless(final int nodes) {
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < nodes; node++) {
            flows.add(node, node, (node + nodes / 3) % nodes, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }
}
