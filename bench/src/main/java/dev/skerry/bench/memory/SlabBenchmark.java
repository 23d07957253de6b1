package dev.skerry.bench.memory;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/**
 * The cost of allocating a cell, writing its first word and freeing it. A window of cells is always allocated and the
 * oldest is freed, as in a fabric, in which a cell is freed long after its allocation. The time is per cell. Baselines:
 * the same free list as two heap arrays, and a new heap array for each cell (to be run with {@code -prof gc}).
 */
@Compare(question = "a cell borrowed, written and given back", unit = "cell",
    ours = "slab", baselines = {"heapArrays", "newArray"})
public class SlabBenchmark extends PerOperation {
    private static final int BATCH = 64;
    private static final int CELL_BYTES = 256;

    /** Cells allocated at any time. */
    @Param({"64", "16384"})
    public int window;

    private Arena arena;
    private Slab slab;
    private FreeList list;
    private int[] lent;
    private long[] heap;
    private int[] heapStack;
    private int heapFree;
    private long[][] objects;
    private int oldest;

    /** Allocates a window, so that every further allocation follows a free. */
    @Setup(Level.Trial)
    public void open() {
        final int cells = 2 * window;
        arena = Arena.ofConfined();
        slab = new Slab(arena, cells, CELL_BYTES);
        list = new FreeList(arena, 0, cells);
        heap = new long[cells * CELL_BYTES / Long.BYTES];
        heapStack = new int[cells];
        lent = new int[window];
        objects = new long[window][CELL_BYTES / Long.BYTES];
        for (int i = 0; i < window; i++) {
            lent[i] = list.alloc();
            heapStack[i] = cells - 1 - i;
        }
        heapFree = window;
        oldest = 0;
    }

    /** Checks that no cell was lost, and closes the memory. */
    @TearDown(Level.Trial)
    public void close() {
        list.verify();
        if (list.held() != window || heapFree != window) {
            throw new IllegalStateException("cells lost: held=" + list.held() + " heapFree=" + heapFree);
        }
        arena.close();
    }

    /** Our slab. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void slab() {
        final int[] order = lent;
        int next = oldest;
        for (int i = 0; i < BATCH; i++) {
            final int cell = list.alloc();
            slab.segment().set(ValueLayout.JAVA_LONG, slab.offset(cell), i);
            list.free(order[next]);
            order[next] = cell;
            next = next + 1 & window - 1;
        }
        oldest = next;
    }

    /** The same free list on the heap. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void heapArrays() {
        final int[] order = lent;
        final int[] stack = heapStack;
        int next = oldest;
        int free = heapFree;
        for (int i = 0; i < BATCH; i++) {
            final int cell = stack[--free];
            heap[cell * (CELL_BYTES / Long.BYTES)] = i;
            stack[free++] = order[next];
            order[next] = cell;
            next = next + 1 & window - 1;
        }
        heapFree = free;
        oldest = next;
    }

    /** A new object for each cell. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void newArray(final Blackhole blackhole) {
        int next = oldest;
        for (int i = 0; i < BATCH; i++) {
            final long[] cell = new long[CELL_BYTES / Long.BYTES];
            cell[0] = i;
            blackhole.consume(objects[next]);
            objects[next] = cell;
            next = next + 1 & window - 1;
        }
        oldest = next;
    }
}
