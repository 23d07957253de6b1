package dev.skerry.dataplane.ring;

import dev.skerry.dataplane.memory.FreeList;

import java.lang.foreign.SegmentAllocator;
import java.util.function.IntConsumer;

/**
 * The return path of cells that one thread allocates and another frees: a ring from the foreign thread to the owner of
 * the {@link FreeList}. Each foreign thread needs its own. The foreign thread calls {@link #free}. The owner calls
 * {@link #collect}, at the latest when {@link FreeList#alloc()} finds no cell.
 *
 * <p>Accesses of the foreign thread to the bytes of a cell happen-before those of the owner after the
 * {@code collect()} that returned it (R1, A1 of {@link SpscRing}). Both calls are wait-free and allocate nothing. A
 * cell freed here twice, or one of another list, is caught when it is collected, as in {@link FreeList#free}.
 */
public final class FreeListReturn {
    private static final int BURST = 64;

    private final FreeList list;
    private final IntConsumer onReturn;
    private final SpscRing.Producer sender;
    private final SpscRing.Consumer receiver;
    private final SpscRing ring;
    private final int[] burst = new int[BURST];

    /**
     * An empty return path. The owner's thread calls.
     *
     * @param memory   gives the ring's bytes, see {@link SpscRing}.
     * @param list     the list the cells were allocated from.
     * @param capacity of the ring, in cells; a power of two. From {@code list.cells()} on, {@link #free} never returns
     *                 false.
     */
    public FreeListReturn(final SegmentAllocator memory, final FreeList list, final int capacity) {
        this(memory, list, capacity, cell -> { });
    }

    /**
     * An empty return path, as above.
     *
     * @param onReturn receives each cell before {@link #collect} frees it, by the owner's thread.
     */
    public FreeListReturn(final SegmentAllocator memory, final FreeList list, final int capacity,
        final IntConsumer onReturn) {
        this.list = list;
        this.onReturn = onReturn;
        this.ring = new SpscRing(memory, capacity);
        this.sender = ring.producer();
        this.receiver = ring.consumer();
    }

    /**
     * Returns a cell. The foreign thread calls, and no longer touches the cell if the answer is true.
     *
     * @param cell of the list, held.
     * @return false if the ring is full; the caller keeps the cell and sends it later.
     */
    public boolean free(final int cell) {
        assert list.contains(cell) : "foreign cell: cell=" + cell;
        return sender.offer(cell);
    }

    /**
     * Frees the cells that have been returned, at most one ring's capacity. The owner's thread calls.
     *
     * @return number of cells freed.
     */
    public int collect() {
        final int[] cells = burst;
        final int most = ring.capacity();
        int collected = 0;
        int count = cells.length;
        while (count == cells.length && collected < most) {
            count = receiver.pollBurst(cells, 0, cells.length);
            for (int i = 0; i < count; i++) {
                onReturn.accept(cells[i]);
                list.free(cells[i]);
            }
            collected += count;
        }
        return collected;
    }

    /** Cells freed but not yet collected. Any thread may call; see {@link SpscRing#size()}. */
    public int size() {
        return ring.size();
    }
}
