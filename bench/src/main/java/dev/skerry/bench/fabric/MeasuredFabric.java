package dev.skerry.bench.fabric;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.traffic.Workload.Permutation;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;

/**
 * The number of node-slots per second of a fabric. {@code nodeSlots} must be read together with {@code cellsDelivered}:
 * a fabric that delivers less is not faster. At the end the delivered cells are checked against the expected number.
 *
 * <p>The baseline is a loop that reads and writes four cache lines for each node-slot, in memory of the engine's size.
 * The other kinds of traffic are {@code permutation}, in which every node sends to one other node at full rate, and
 * {@code idle}, without flows. {@link LoadBenchmark} measures light traffic.
 */
public abstract class MeasuredFabric extends PerSecond {
    static final String LOOP = "loop";

    private static final long SEED = 1;
    private static final int WARM_UP = 2_000;
    private static final int JUDGED_FROM = 20_000;

    /** Worker threads. */
    @Param({"1", "2"})
    public int threads;

    private CircuitFabric fabric;
    private int slotsOnce;
    private double least;
    private String traffic;
    private LockStep engine;
    private long slots;
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
     * Starts the measured fabric.
     *
     * @param built the fabric.
     * @param once slots of an operation.
     * @param mustHave fewest cells that a permutation must deliver per node, channel and slot.
     * @param offered the traffic.
     * @param faults faults of a permutation.
     */
    final void measure(final CircuitFabric built, final int once, final double mustHave, final String offered,
        final Faults faults) {
        fabric = built;
        slotsOnce = once;
        least = mustHave;
        traffic = offered;
        FlowSet flows = new FlowSet();
        if (traffic.equals(LOOP)) {
            loop = new MemoryLoop(LockStep.bytes(FabricKind.partsOf(built), flows, Faults.NONE));
            return;
        }
        if (traffic.equals("idle")) {
            // This flow never starts; without it the engine would end with its last flow.
            flows.add(0, 0, 1, 1, 1, Long.MAX_VALUE);
        } else {
            flows = new Permutation(Permutation.ENDLESS_BYTES).generate(built.population().endpoints(), 1, 0, SEED);
        }
        engine = new LockStep(FabricKind.partsOf(fabric), flows, faults, threads, false);
        if (!traffic.equals("idle")) {
            advance(WARM_UP);
        }
    }

    private long advance(final int more) {
        final long before = engine.count(NicCounter.CELLS_DELIVERED);
        engine.advance(more);
        slots += more;
        return engine.count(NicCounter.CELLS_DELIVERED) - before;
    }

    /** Checks that the fabric delivered the expected cells. */
    @TearDown(Level.Trial)
    public void check() {
        if (loop != null) {
            loop.arena.close();
            return;
        }
        final double delivered = engine.count(NicCounter.CELLS_DELIVERED)
            / ((double) fabric.nodes() * fabric.channels() * slots);
        engine.close();
        final boolean works = traffic.equals("idle") ? delivered == 0 : slots < JUDGED_FROM || delivered >= least;
        if (!works) {
            throw new IllegalStateException("the fabric did not do its work: traffic=" + traffic + " slots=" + slots
                + " delivered per node and slot=" + delivered);
        }
    }

    /** Runs some epochs, or the loop for as many node-slots. */
    @Benchmark
    public long run(final Moved moved) {
        final long nodeSlots = (long) fabric.nodes() * slotsOnce;
        moved.nodeSlots += nodeSlots;
        if (loop != null) {
            return loop.touch(nodeSlots);
        }
        moved.cellsDelivered += advance(slotsOnce);
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
