package dev.skerry.bench.memory;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.Slab;
import net.openhft.chronicle.core.UnsafeMemory;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * The cost of access to off-heap memory through the unchecked {@link Region}, a bounds-checked segment or other
 * libraries. The access pattern is that of the dataplane: cells in random order, the first two words of each are read,
 * the second one is written back changed. The time is per cell. Agrona's buffer keeps its bounds checks; chronicle-core
 * has none; the baseline is a heap array.
 */
@Fork(value = 3, jvmArgsAppend = {
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"})
@Compare(question = "two words of a cell in random order read, one written", unit = "cell",
    ours = "region", baselines = {"heapArray", "agronaUnsafeBuffer", "chronicleUnsafeMemory", "slabSegment"})
public class SlabAccessBenchmark extends PerOperation {
    private static final int BATCH = 1024;
    private static final int CELL_BYTES = 64;

    /** Cells of the slab: 256 KiB, which stays in cache, and 64 MiB, which does not. */
    @Param({"4096", "1048576"})
    public int cells;

    private Arena arena;
    private Slab slab;
    private Region region;
    private UnsafeBuffer buffer;
    private UnsafeMemory memory;
    private long address;
    private long[] heap;
    private int[] order;
    private int cursor;
    private long visited;

    /**
     * Creates the memory for all variants and a random order of all cells, so that each cell is visited once before any
     * is visited again.
     */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofShared();
        slab = new Slab(arena, cells, CELL_BYTES);
        region = Region.allocate(arena, (long) cells * CELL_BYTES);
        address = slab.segment().address();
        buffer = new UnsafeBuffer(address, (int) slab.segment().byteSize());
        memory = UnsafeMemory.INSTANCE;
        heap = new long[cells * CELL_BYTES / Long.BYTES];
        order = new int[cells];
        final Random random = new Random(1);
        for (int i = 0; i < cells; i++) {
            final int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        cursor = 0;
        visited = 0;
    }

    /** Checks that every variant wrote as often as it visited cells, and closes the memory. */
    @TearDown(Level.Trial)
    public void close() {
        long written = 0;
        for (int cell = 0; cell < cells; cell++) {
            written += region.getLong((long) cell * CELL_BYTES, 1)
                + slab.segment().get(ValueLayout.JAVA_LONG, slab.offset(cell) + 8)
                + heap[cell * (CELL_BYTES / Long.BYTES) + 1];
        }
        if (written != visited) {
            throw new IllegalStateException("words written: " + written + ", cells visited: " + visited);
        }
        arena.close();
    }

    /** Our access to state. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long region() {
        final int[] walk = order;
        final int start = nextBatch();
        long sum = 0;
        for (int i = start; i < start + BATCH; i++) {
            final long cell = (long) walk[i] * CELL_BYTES;
            final long word = region.getLong(cell, 1);
            sum += region.getLong(cell, 0) + word;
            region.setLong(cell, 1, word + 1);
        }
        return sum;
    }

    /** Our access to cells: a segment with its bounds. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long slabSegment() {
        final MemorySegment segment = slab.segment();
        final int[] walk = order;
        final int start = nextBatch();
        long sum = 0;
        for (int i = start; i < start + BATCH; i++) {
            final int cell = walk[i];
            final long offset = slab.offset(cell);
            final long word = segment.get(ValueLayout.JAVA_LONG, offset + 8);
            sum += segment.get(ValueLayout.JAVA_LONG, offset) + word;
            segment.set(ValueLayout.JAVA_LONG, offset + 8, word + 1);
        }
        return sum;
    }

    /** Agrona. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long agronaUnsafeBuffer() {
        final int[] walk = order;
        final int start = nextBatch();
        long sum = 0;
        for (int i = start; i < start + BATCH; i++) {
            final int cell = walk[i];
            final int offset = cell * CELL_BYTES;
            final long word = buffer.getLong(offset + 8);
            sum += buffer.getLong(offset) + word;
            buffer.putLong(offset + 8, word + 1);
        }
        return sum;
    }

    /** Chronicle-core, without any check. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long chronicleUnsafeMemory() {
        final int[] walk = order;
        final int start = nextBatch();
        long sum = 0;
        for (int i = start; i < start + BATCH; i++) {
            final int cell = walk[i];
            final long offset = address + (long) cell * CELL_BYTES;
            final long word = memory.readLong(offset + 8);
            sum += memory.readLong(offset) + word;
            memory.writeLong(offset + 8, word + 1);
        }
        return sum;
    }

    /** A heap array. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long heapArray() {
        final long[] words = heap;
        final int[] walk = order;
        final int start = nextBatch();
        long sum = 0;
        for (int i = start; i < start + BATCH; i++) {
            final int cell = walk[i];
            final int index = cell * (CELL_BYTES / Long.BYTES);
            final long word = words[index + 1];
            sum += words[index] + word;
            words[index + 1] = word + 1;
        }
        return sum;
    }

    /** Returns the index in the order of the next batch; the number of cells is a multiple of the batch. */
    private int nextBatch() {
        final int start = cursor;
        visited += BATCH;
        cursor = start + BATCH & order.length - 1;
        return start;
    }
}
