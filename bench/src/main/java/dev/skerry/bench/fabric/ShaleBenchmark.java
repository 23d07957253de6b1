package dev.skerry.bench.fabric;

import dev.skerry.nic.FlowSet;
import dev.skerry.nic.LockStep;
import dev.skerry.nic.NicCounter;
import dev.skerry.nic.fabric.shale.CongestionControl;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.traffic.Workload;
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

import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * How many node-slots a second does a Shale fabric run, hop-by-hop with spray-short, every node sending to one other as
 * fast as it may (P = 89, T = 1, T_F = 4)? Read {@code nodeSlots}, and {@code cellsDelivered} beside it: a fabric that
 * delivers less is not faster. The throughput is checked against the guarantee 1/(2h) at the end.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class ShaleBenchmark {
    private static final int SLOTS = 890;
    private static final int PROPAGATION_SLOTS = 89;
    private static final int PAYLOAD_BYTES = 244;
    private static final long SEED = 1;

    /** Nodes. */
    @Param({"1024"})
    public int nodes;

    /** Phases. */
    @Param({"2"})
    public int h;

    /** Worker threads. */
    @Param({"1", "2"})
    public int threads;

    private LockStep engine;
    private double guarantee;
    private long slots;

    /** What an invocation moved. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Nodes times slots. */
        public long nodeSlots;
        /** Cells that arrived. */
        public long cellsDelivered;
    }

    /** Builds the fabric and fills it. */
    @Setup(Level.Trial)
    public void build() {
        final Phased schedule = new Phased(h, Population.radixFor(h, nodes));
        final Shale shale = new Shale(schedule, Population.complete(schedule), CongestionControl.HBH_SPRAY, 1, 4,
            PROPAGATION_SLOTS, SEED);
        guarantee = shale.guarantee();
        final FlowSet flows = Workload.named("permutation", guarantee, 1, OptionalInt.empty(), OptionalLong.empty())
            .generate(nodes, PAYLOAD_BYTES, 1, SEED);
        engine = new LockStep(shale, flows, threads, false);
    }

    /** Checks that the fabric did its work. */
    @TearDown(Level.Trial)
    public void check() {
        final double throughput = engine.count(NicCounter.CELLS_DELIVERED) / ((double) nodes * slots);
        if (slots > 20_000 && throughput < 0.95 * guarantee) {
            throw new IllegalStateException("the fabric delivered too little: throughput=" + throughput);
        }
        engine.close();
    }

    /** Ten propagation delays' worth of slots. */
    @Benchmark
    public long permutation(final Moved moved) {
        final long before = engine.count(NicCounter.CELLS_DELIVERED);
        engine.advance(SLOTS);
        slots += SLOTS;
        moved.nodeSlots += (long) nodes * SLOTS;
        moved.cellsDelivered += engine.count(NicCounter.CELLS_DELIVERED) - before;
        return moved.cellsDelivered;
    }
}
