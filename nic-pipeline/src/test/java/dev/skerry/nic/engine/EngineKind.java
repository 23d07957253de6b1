package dev.skerry.nic.engine;

import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Wiring;

import java.util.List;

/** Every engine with every fabric it runs. */
enum EngineKind {
    SHALE_LOCKSTEP(true, 1, shale(7)),
    SHALE_LOCKSTEP_3(true, 3, shale(7)),
    SHALE_LOCKSTEP_NO_DELAY(true, 1, shale(0)),
    SHALE_LOCKSTEP_NO_DELAY_3(true, 3, shale(0)),
    SHOAL_LOCKSTEP_3(true, 3, Shoal.of(RoundRobin.plain(8, 2), ReleaseRule.EXACT, true, 3)),
    SHALE_THREADS(false, 3, shale(7)),
    SHOAL_THREADS(false, 3, Shoal.of(RoundRobin.plain(8, 2), ReleaseRule.EXACT, true, 3)),
    STARDUST_LOCKSTEP(true, 1, stardust()),
    STARDUST_LOCKSTEP_3(true, 3, stardust()),
    STARDUST_THREADS(false, 3, stardust());

    final boolean lockStep;
    final int workers;
    final Fabric fabric;

    EngineKind(final boolean lockStep, final int workers, final Fabric fabric) {
        this.lockStep = lockStep;
        this.workers = workers;
        this.fabric = fabric;
    }

    boolean isStardust() {
        return fabric instanceof Stardust;
    }

    /** Slots done beyond the limit of a run. */
    long slotsMore() {
        return isStardust() ? 0 : fabric.propagationSlots();
    }

    /** What the message of a failure calls whoever runs a bank. */
    String worker(final int bank, final int firstEndpoint) {
        return lockStep ? "worker " + bank + " failed" : (isStardust() ? "adapters-" : "nic-")
            + (isStardust() ? firstEndpoint / 2 : firstEndpoint) + " failed";
    }

    Engine of(final FlowSet flows) {
        return of(flows, workers, Faults.NONE);
    }

    Engine of(final FlowSet flows, final int threads, final Faults faults) {
        if (fabric instanceof final Stardust of) {
            return lockStep ? new StardustEngine(of, flows, faults, ReachTiming.USUAL, threads, false)
                : new StardustThreads(of, flows, faults, ReachTiming.USUAL, null, threading(threads));
        }
        return lockStep ? new LockStep(Parts.of(circuits()), flows, faults, threads, false)
            : new FreeRunning(Parts.of(circuits()), flows, faults, wiring(), threading(threads), false);
    }

    Engine of(final FlowSet flows, final Edges edges) {
        if (fabric instanceof final Stardust of) {
            return lockStep ? new StardustEngine(of, flows, Faults.NONE, ReachTiming.USUAL, workers, false, edges,
                Idle.YIELD)
                : new StardustThreads(of, flows, Faults.NONE, ReachTiming.USUAL, edges, threading(workers));
        }
        final Traffic traffic = new Traffic(flows, Faults.NONE, edges);
        return lockStep ? new LockStep(Parts.of(circuits()), traffic, workers, Idle.YIELD, false)
            : new FreeRunning(Parts.of(circuits()), traffic, wiring(), threading(workers), false);
    }

    /** Lock step over the same fabric, one worker. */
    Engine reference(final FlowSet flows) {
        return fabric instanceof final Stardust of ? new StardustEngine(of, flows, 1)
            : new LockStep(Parts.of(circuits()), flows, 1, false);
    }

    /** Goes on by some slots; lock step only. */
    static void advance(final Engine engine, final long slots) {
        switch (engine) {
            case final LockStep circuits -> circuits.advance(slots);
            case final StardustEngine stardust -> stardust.advance(slots);
            default -> throw new IllegalArgumentException("not in lock step: " + engine);
        }
    }

    private CircuitFabric circuits() {
        return (CircuitFabric) fabric;
    }

    private Wiring wiring() {
        return fabric instanceof final Shale shale ? PhaseGroupSwitches.wiring(shale.schedule())
            : Clos.of(((Shoal) fabric).schedule(), 4).wiring();
    }

    private static Threading threading(final int threads) {
        return Threading.shared(threads, Idle.YIELD);
    }

    private static Shale shale(final int propagation) {
        final Phased phased = new Phased(2, 4);
        return new Shale(phased, Population.complete(phased), Mechanisms.HBH_SPRAY, 1, 1, propagation, 1);
    }

    private static Stardust stardust() {
        return new Stardust(Deployment.full(new FoldedClos(new FoldedClosConfig(8, 4, 1, 4, 4, List.of(4)))), 3,
            new HostSide(2, 2, 1, 460, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, CellPacker.Packing.NONE), new Credits(4096, 470, 0, 0, 1, true),
            LinkRules.USUAL, true, 7);
    }
}
