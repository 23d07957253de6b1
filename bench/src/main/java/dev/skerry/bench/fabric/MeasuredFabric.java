package dev.skerry.bench.fabric;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
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

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;

/**
 * How many node-slots per second does a fabric run? Read {@code nodeSlots} together with {@code cellsDelivered}: a
 * fabric that delivers less is not faster. At the end the delivered cells are checked against what they must be.
 *
 * <p>The baseline is a loop that reads and writes four cache lines for each node-slot, in memory of the engine's size.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public abstract class MeasuredFabric {
    static final String LOOP = "loop";

    /** Worker threads. */
    @Param({"1", "2"})
    public int threads;

    private CircuitFabric fabric;
    private int slots;
    private double least;
    private FabricRun run;
    private MemoryLoop loop;

    /** Node-slots and cells of a run. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Node-slots run. */
        public long nodeSlots;
        /** Cells delivered. */
        public long cellsDelivered;
    }

    /**
     * What is measured.
     *
     * @param built     the fabric.
     * @param slotsOnce slots of an operation.
     * @param mustHave  cells that each node must have delivered in a slot, where a permutation is run.
     * @param started   its run; null for the baseline.
     */
    final void measure(final CircuitFabric built, final int slotsOnce, final double mustHave, final FabricRun started) {
        fabric = built;
        slots = slotsOnce;
        least = mustHave;
        run = started;
        loop = started != null ? null : new MemoryLoop(LockStep.bytes(CircuitParts.of(built), new FlowSet(),
            Faults.NONE));
    }

    /** A fabric whose flows end before the next operation does is started anew. */
    @Setup(Level.Invocation)
    public void prepare() {
        if (run != null) {
            run.prepare(slots);
        }
    }

    /** Has it done its work? */
    @TearDown(Level.Trial)
    public void check() {
        if (run != null) {
            run.check(least);
            run.close();
        } else {
            loop.arena.close();
        }
    }

    /** Runs some epochs, or the loop for as many node-slots. */
    @Benchmark
    public long run(final Moved moved) {
        final long nodeSlots = (long) fabric.nodes() * slots;
        moved.nodeSlots += nodeSlots;
        if (run == null) {
            return loop.touch(nodeSlots);
        }
        moved.cellsDelivered += run.advance(slots);
        return moved.cellsDelivered;
    }

    private static final class MemoryLoop {
        private static final int LINE_BYTES = 64;
        private static final int LINES_OF_NODE_SLOT = 4;

        private final Arena arena = Arena.ofShared();
        private final Region region;
        private final long lines;
        private long next;

        MemoryLoop(final long bytes) {
            region = Region.allocate(arena, bytes);
            lines = bytes / LINE_BYTES;
        }

        long touch(final long nodeSlots) {
            long sum = 0;
            for (long line = 0; line < nodeSlots * LINES_OF_NODE_SLOT; line++) {
                next = next + 1 < lines ? next + 1 : 0;
                final long value = region.getLong(next * LINE_BYTES) + 1;
                region.setLong(next * LINE_BYTES, value);
                sum += value;
            }
            return sum;
        }
    }
}
