package dev.skerry.bench.fabric;

import dev.skerry.bench.Compare;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
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

/**
 * How many node-slots per second does a Shoal fabric run, with the exact release rule? Read {@code nodeSlots} together
 * with {@code cellsDelivered}: a fabric that delivers less is not faster. At the end a permutation is checked against
 * its fair rate, N/(2(N - 1)) of every channel (docs/spec/shoal.md §9.2 G2). The baseline is {@link LineProbe}, as in
 * {@link ShaleBenchmark}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Compare(question = "node-slots of Shoal; 'lines' is what its cache lines alone would cost", by = "traffic",
    ours = "permutation", baselines = {"lines", "short", "idle"}, counter = "nodeSlots")
public class ShoalBenchmark {
    private static final int SLOTS = 1022;
    private static final int PAYLOAD_BYTES = 56;
    private static final double SHORT_LOAD = 0.4;
    private static final double LEAST = 0.48;

    /** Number of nodes. */
    @Param({"512"})
    public int nodes;

    /** Cells that a node sends in a slot: 1 as in the authors' simulator, 4 as in the paper. */
    @Param({"1", "4"})
    public int channels;

    /** Propagation delay in slots. */
    @Param({"0"})
    public int propagationSlots;

    /** The traffic; {@code lines} is the baseline. */
    @Param({"permutation", "short", "idle", "lines"})
    public String traffic;

    /** Worker threads. */
    @Param({"1", "2"})
    public int threads;

    private Shoal shoal;
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
        shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, false, propagationSlots);
        if (traffic.equals("lines")) {
            lines = new LineProbe(LockStep.bytes(CircuitParts.of(shoal), new FlowSet()),
                CircuitParts.of(shoal).cacheLines());
        } else {
            run = new FabricRun(shoal, new FabricRun.Offered(traffic, SHORT_LOAD, PAYLOAD_BYTES), threads);
        }
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
            run.check(LEAST);
            run.close();
        } else {
            lines.close();
        }
    }

    /** Two epochs of one channel. */
    @Benchmark
    public long run(final Moved moved) {
        final long nodeSlots = (long) nodes * SLOTS;
        moved.nodeSlots += nodeSlots;
        if (run == null) {
            return lines.touch(nodeSlots);
        }
        moved.cellsDelivered += run.advance(SLOTS);
        return moved.cellsDelivered;
    }
}
