package dev.skerry.bench.fabric;

import dev.skerry.bench.Compare;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.roofline.LineProbe;
import dev.skerry.tools.run.CircuitParts;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * How many node-slots per second does a Shale fabric run, hop-by-hop with spray-short (P = 89, T = 1, T_F = 4)? Read
 * {@code nodeSlots} together with {@code cellsDelivered}: a fabric that delivers less is not faster. At the end the
 * delivered cells are checked against the guarantee 1/(2h).
 *
 * <p>The baseline {@link LineProbe} only touches the cache lines of as many node-slots, as the package description of
 * {@code dev.skerry.nic.shale.stage} counts them, in memory of the engine's size. A result close to it is bound by
 * memory; the rest of the time is work.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Compare(question = "node-slots of Shale; 'lines' is what its cache lines alone would cost", by = "traffic",
    ours = "permutation", baselines = {"lines", "holes", "failing", "short", "idle"}, counter = "nodeSlots")
public class ShaleBenchmark {
    private static final int SLOTS = 890;
    private static final int PROPAGATION_SLOTS = 89;
    private static final int PAYLOAD_BYTES = 244;
    /** One node in this many is absent. */
    private static final int NODES_PER_HOLE = 40;
    /** Nodes that go down, so that all others learn of paths that they must not take. */
    private static final int NODES_DOWN = 4;
    /**
     * Share of the guarantee that a run must deliver. It is lower with failures, because some nodes that send and
     * receive are down.
     */
    private static final double LEAST_SHARE = 0.95;
    private static final double LEAST_SHARE_IF_FAILING = 0.9;
    private static final long SEED = 1;

    /** Number of nodes and of phases. */
    @Param({"1024x2", "10000x2", "10000x4"})
    public String size;

    /**
     * The traffic: {@code holes} is a permutation with one node in forty absent, {@code failing} a permutation with
     * four nodes down, {@code lines} the baseline.
     */
    @Param({"permutation", "holes", "failing", "short", "idle", "lines"})
    public String traffic;

    /** Worker threads. */
    @Param({"1", "2"})
    public int threads;

    private Shale shale;
    private FabricRun run;
    private LineProbe lines;

    /** The work of one invocation. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Nodes times slots. */
        public long nodeSlots;
        /** Cells delivered. */
        public long cellsDelivered;
    }

    /** Builds the fabric and runs the warm-up. */
    @Setup(Level.Trial)
    public void build() {
        final String[] nodesAndPhases = size.split("x");
        final int nodes = Integer.parseInt(nodesAndPhases[0]);
        final int h = Integer.parseInt(nodesAndPhases[1]);
        final Phased schedule = new Phased(h, Population.radixFor(h, nodes));
        final Population population = traffic.equals("holes")
            ? Population.of(schedule, nodes - nodes / NODES_PER_HOLE, 0) : Population.complete(schedule);
        shale = new Shale(schedule, population, Mechanisms.HBH_SPRAY, 1, 4, PROPAGATION_SLOTS, SEED);
        if (traffic.equals("lines")) {
            lines = new LineProbe(LockStep.bytes(CircuitParts.of(shale), new FlowSet()),
                CircuitParts.of(shale).cacheLines());
        } else {
            final boolean whole = traffic.equals("short") || traffic.equals("idle");
            run = new FabricRun(shale, new FabricRun.Offered(whole ? traffic : "permutation",
                0.96 * shale.guarantee(), PAYLOAD_BYTES), traffic.equals("failing") ? failing(nodes) : Faults.NONE,
                threads);
        }
    }

    private static Faults failing(final int nodes) {
        return new Faults(new FaultPlan(IntStream.range(0, NODES_DOWN).<Fault>mapToObj(
            n -> new Fault.Node(PROPAGATION_SLOTS, n * (nodes / NODES_DOWN) + n, false)).toList()), SEED);
    }

    /** Ensures that there are short flows left. */
    @Setup(Level.Invocation)
    public void prepare() {
        if (run != null) {
            run.prepare(SLOTS);
        }
    }

    /** Checks that the fabric delivered enough cells. */
    @TearDown(Level.Trial)
    public void check() {
        if (run != null) {
            run.check((traffic.equals("failing") ? LEAST_SHARE_IF_FAILING : LEAST_SHARE) * shale.guarantee()
                * shale.population().endpoints() / shale.nodes());
            run.close();
        } else {
            lines.close();
        }
    }

    /** Ten propagation delays' worth of slots. */
    @Benchmark
    public long run(final Moved moved) {
        final long nodeSlots = (long) shale.nodes() * SLOTS;
        moved.nodeSlots += nodeSlots;
        if (run == null) {
            return lines.touch(nodeSlots);
        }
        moved.cellsDelivered += run.advance(SLOTS);
        return moved.cellsDelivered;
    }
}
