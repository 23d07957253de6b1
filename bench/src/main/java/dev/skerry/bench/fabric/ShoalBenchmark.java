package dev.skerry.bench.fabric;

import dev.skerry.nic.FlowSet;
import dev.skerry.nic.LockStep;
import dev.skerry.nic.NicCounter;
import dev.skerry.nic.fabric.shoal.ReleaseRule;
import dev.skerry.nic.fabric.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
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
 * How many node-slots a second does a Shoal fabric run, every node sending to one other as fast as it may? Read
 * {@code nodeSlots}, and {@code cellsDelivered} beside it: a fabric that delivers less is not faster. The throughput is
 * checked against what a permutation gets, N/(2(N - 1)) of every channel (spec/shoal §9.2 G2), at the end.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public class ShoalBenchmark {
    private static final int SLOTS = 1022;
    private static final int PAYLOAD_BYTES = 56;
    private static final long SEED = 1;

    /** Nodes. */
    @Param({"512"})
    public int nodes;

    /** Cells a node sends in a slot: 1 as the authors' simulator has it, 4 as the paper has it. */
    @Param({"1", "4"})
    public int channels;

    /** Propagation delay in slots. */
    @Param({"0"})
    public int propagationSlots;

    /** Worker threads. */
    @Param({"1", "2"})
    public int threads;

    private LockStep engine;
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

    /** Builds the fabric. */
    @Setup(Level.Trial)
    public void build() {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, false, propagationSlots);
        final FlowSet flows = Workload.named("permutation", shoal.guarantee(), channels, OptionalInt.empty(),
            OptionalLong.empty()).generate(nodes, PAYLOAD_BYTES, 1, SEED);
        engine = new LockStep(shoal, flows, threads, false);
    }

    /** Checks that the fabric did its work. */
    @TearDown(Level.Trial)
    public void check() {
        final double throughput = engine.count(NicCounter.CELLS_DELIVERED) / ((double) nodes * channels * slots);
        if (slots > 20_000 && throughput < 0.48) {
            throw new IllegalStateException("the fabric delivered too little: throughput=" + throughput);
        }
        engine.close();
    }

    /** Two epochs of one channel. */
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
