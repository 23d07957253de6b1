package dev.skerry.bench.fabric;

import dev.skerry.bench.Compare;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.FreeRunning;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.traffic.Workload.WorkloadChoice;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.util.concurrent.TimeUnit;

/**
 * What do circuit switches on threads of their own cost? The same fabric runs in lock step and with NICs and switches
 * on threads, on two threads either way. Read {@code nodeSlots}. Both runs must give the same digest.
 */
@OutputTimeUnit(TimeUnit.SECONDS)
@Compare(question = "node-slots with NICs and switches on threads of their own", by = "mode", ours = "threads",
    baselines = "lockstep", counter = "nodeSlots")
public class EngineBenchmark extends PerSecond {
    private static final int THREADS = 2;
    private static final int SLOTS = 5_000;

    /** The fabric: Shale of 256 nodes, h = 2; Shoal of 64 nodes and 12 switches. */
    @Param({"shale", "shoal"})
    public String fabric;

    /** The engine that runs it. */
    @Param({"lockstep", "threads"})
    public String mode;

    private CircuitFabric built;
    private FlowSet flows;
    private Wiring wiring;
    private long digest;
    private Engine engine;

    /** The work of one invocation. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Nodes times slots. */
        public long nodeSlots;
    }

    /** Chooses the fabric and runs it once in lock step, for the digest. */
    @Setup(Level.Trial)
    public void build() {
        if (fabric.equals("shale")) {
            final Phased schedule = new Phased(2, 16);
            built = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 4, 89, 1);
            wiring = PhaseGroupSwitches.wiring(schedule);
        } else {
            final RoundRobin schedule = RoundRobin.plain(64, 1);
            built = Shoal.of(schedule, ReleaseRule.EXACT, false, 8);
            wiring = Clos.of(schedule, 16).wiring();
        }
        flows = new WorkloadChoice("permutation", null, null, null).workload(1, 1)
            .generate(built.nodes(), 56, 1, 1);
        try (Engine first = new LockStep(FabricKind.partsOf(built), flows, 1, false)) {
            first.run(SLOTS);
            digest = first.outcome().digest();
        }
    }

    /** Builds the fabric before slot 0. */
    @Setup(Level.Invocation)
    public void assemble() {
        engine = mode.equals("lockstep") ? new LockStep(FabricKind.partsOf(built), flows, THREADS, false)
            : new FreeRunning(FabricKind.partsOf(built), flows, wiring, Threading.shared(THREADS, Idle.BACKOFF), false);
    }

    /** Checks the digest. */
    @TearDown(Level.Invocation)
    public void check() {
        final long done = engine.outcome().digest();
        engine.close();
        if (done != digest) {
            throw new IllegalStateException("another digest: expected=" + digest + " is=" + done);
        }
    }

    /** One whole run, with the start and the end of its threads. */
    @Benchmark
    public void run(final Moved moved) {
        engine.run(SLOTS);
        moved.nodeSlots += (long) built.nodes() * SLOTS;
    }
}
