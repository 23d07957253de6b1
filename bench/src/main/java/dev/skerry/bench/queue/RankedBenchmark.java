package dev.skerry.bench.queue;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.RankedQueues;
import dev.skerry.dataplane.queue.Ranking;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.util.PriorityQueue;

/**
 * What does a cell cost that joins one of many ranked queues and later leaves it (docs/spec/shale.md §7)? As in a slot
 * of Shale, a block of queues that follow each other is sent from, and as many cells join queues all over the bank;
 * each queue has {@code length} cells all the time. Baseline: a {@link PriorityQueue} of objects for each queue. At
 * the end each cell must have left once.
 */
@Compare(question = "a cell that joins and leaves a ranked queue", ours = "ranked", baselines = "priorityQueues")
public class RankedBenchmark extends PerOperation {
    private static final int QUEUES = 1 << 14;
    private static final int BLOCK = CellBatch.CELLS;
    /** Odd, so that each queue is joined once in a turn of the bank. */
    private static final int STEP = 9973;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** Cells of a queue. */
    @Param({"2", "10", "60"})
    public int length;

    /** Ranks beyond the time: none, so that cells leave as they came, or up to that many slots. */
    @Param({"0", "100000"})
    public int spread;

    private Arena arena;
    private RankedQueues queues;
    private PriorityQueue<Cell>[] objects;
    private CellBatch joining;
    private CellBatch leaving;
    private int[] which;
    private long now;
    private long inside;
    private long outside;

    private record Cell(long rank, long number) implements Comparable<Cell> {
        @Override
        public int compareTo(final Cell other) {
            final int byRank = Long.compare(rank, other.rank);
            return byRank != 0 ? byRank : Long.compare(number, other.number);
        }
    }

    /** Each cell ranked by itself. */
    private final class Ranks implements Ranking {
        @Override
        public long rank(final long time, final long word, final long payload) {
            return rankOf(payload);
        }

        @Override
        public int group(final long word) {
            return ALONE;
        }
    }

    private long rankOf(final long number) {
        return number / BLOCK + ((number * GOLDEN >>> Integer.SIZE) * spread >>> Integer.SIZE);
    }

    /** Fills the queues. */
    @Setup(Level.Trial)
    @SuppressWarnings("unchecked")
    public void fill() {
        arena = Arena.ofShared();
        queues = new RankedQueues(arena, QUEUES, new Ranks());
        objects = new PriorityQueue[QUEUES];
        joining = new CellBatch(BLOCK);
        leaving = new CellBatch(BLOCK);
        which = new int[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            which[i] = i;
        }
        for (int queue = 0; queue < QUEUES; queue++) {
            objects[queue] = new PriorityQueue<>();
        }
        for (int i = 0; i < length * (QUEUES / BLOCK); i++) {
            join(now);
            joinObjects(now++);
        }
    }

    private static int queue(final long number) {
        return (int) (number * STEP & QUEUES - 1);
    }

    private void join(final long slot) {
        joining.clear();
        for (int i = 0; i < BLOCK; i++) {
            joining.add(i, i, queue(slot * BLOCK + i), slot);
            joining.cell()[i] = slot * BLOCK + i;
            inside += slot * BLOCK + i;
        }
        queues.enqueue(joining);
    }

    private void joinObjects(final long slot) {
        for (int i = 0; i < BLOCK; i++) {
            final long number = slot * BLOCK + i;
            objects[queue(number)].add(new Cell(rankOf(number), number));
        }
    }

    /** A slot of a bank. */
    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public long ranked() {
        leaving.clear();
        queues.dequeueOldest((int) (now * BLOCK & QUEUES - 1), 0, which, BLOCK, leaving);
        for (int i = 0; i < BLOCK; i++) {
            outside += leaving.cell()[i];
        }
        join(now++);
        return outside;
    }

    /** The same with objects. */
    @Benchmark
    @OperationsPerInvocation(BLOCK)
    public long priorityQueues() {
        final int first = (int) (now * BLOCK & QUEUES - 1);
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += objects[first + i].remove().number();
        }
        joinObjects(now++);
        return sum;
    }

    /** Checks that no cell was lost or came twice: the numbers of all cells have one sum inside and outside. */
    @TearDown(Level.Trial)
    public void drain() {
        while (queues.held() > 0) {
            for (int queue = 0; queue < QUEUES; queue++) {
                if (queues.dequeue(queue, (of, word) -> true)) {
                    outside += queues.payload();
                }
            }
        }
        arena.close();
        if (inside != outside) {
            throw new IllegalStateException("cells were lost: inside=" + inside + " outside=" + outside);
        }
    }
}
