package dev.skerry.bench.circuit;

import dev.skerry.bench.Compare;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
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
 * The number of cells per second through a switch of 64 ports on its own thread. Another thread sends a cell into every
 * port in every slot, receives from every port, and checks each cell against the schedule. The result is
 * {@code cellsMoved} of {@code nic}; the score counts calls, many of which find no work. On fewer than two cores the
 * benchmark measures the scheduler of the operating system.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 3, jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Compare(question = "a cell through one switch thread of 64 ports", unit = "cell",
    by = "links", ours = "bundle-64", baselines = {"bundle-4", "jctools"}, counter = "cellsMoved")
public class CircuitSwitchBenchmark {
    /**
     * The links: one of 64 lanes in each direction; sixteen of 4 lanes in each direction, as in a spine; or a JCTools
     * queue for each port.
     */
    @Param({"bundle-64", "bundle-4", "jctools"})
    public String links;

    private Arena arena;
    private SwitchPath path;

    /** Creates the switch and the links. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofShared();
        path = switch (links) {
            case "bundle-64" -> new SwitchPath.BundlePath(arena, 64);
            case "bundle-4" -> new SwitchPath.BundlePath(arena, 4);
            case "jctools" -> new SwitchPath.QueuesPath();
            default -> throw new IllegalArgumentException("no such links: links=" + links);
        };
    }

    /** Closes the memory after both threads have ended. */
    @TearDown(Level.Trial)
    public void close() {
        arena.close();
    }

    /** The thread that sends and receives. */
    @Benchmark
    @Group("path")
    @GroupThreads(1)
    public int nic(final Moved counters) {
        final int cells = path.sendAndReceive();
        counters.cellsMoved += cells;
        if (cells == 0) {
            Thread.onSpinWait();
        }
        return cells;
    }

    /** The thread of the switch. */
    @Benchmark
    @Group("path")
    @GroupThreads(1)
    public int circuits() {
        final int slots = path.circuits();
        if (slots == 0) {
            Thread.onSpinWait();
        }
        return slots;
    }

    /** Counts of the receiver. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Moved {
        /** Cells received at the right port. */
        public long cellsMoved;
    }
}
