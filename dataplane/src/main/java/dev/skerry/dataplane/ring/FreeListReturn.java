package dev.skerry.dataplane.ring;

import dev.skerry.dataplane.memory.FreeList;

import java.lang.foreign.SegmentAllocator;
import java.util.function.IntConsumer;

/**
 * The return path of cells that one thread allocates and another frees: a ring from the foreign thread to the owner of
 * the {@link FreeList}. Each foreign thread needs a separate one. The foreign thread calls {@link #free}. The owner
 * calls {@link #collect}, at the latest when {@link FreeList#alloc()} finds no cell.
 *
 * <p>Accesses of the foreign thread to the bytes of a cell happen-before those of the owner after the {@code collect()}
 * that returned it (R1, A1 of {@link SpscRing}). Both calls are wait-free and allocate nothing. A cell freed here
 * twice, or a cell of another list, is detected when it is collected, as in {@link FreeList#free}.
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
     * Creates an empty return path. Called by the owner's thread.
     *
     * @param memory   provides the ring's bytes, see {@link SpscRing}.
     * @param list     the list from which the cells were allocated.
     * @param capacity capacity of the ring in cells, a power of two. If it is at least {@code list.cells()},
     *                 {@link #free} never returns false.
     */
    public FreeListReturn(final SegmentAllocator memory, final FreeList list, final int capacity) {
        this(memory, list, capacity, cell -> { });
    }

    /**
     * Creates an empty return path with a callback. Called by the owner's thread.
     *
     * @param onReturn receives each cell, on the owner's thread, before {@link #collect} frees it.
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
     * Returns a cell. Called by the foreign thread, which must not touch the cell after a result of true.
     *
     * @param cell an allocated cell of the list.
     * @return false if the ring is full; the caller keeps the cell and returns it later.
     */
    public boolean free(final int cell) {
        assert list.contains(cell) : "foreign cell: cell=" + cell;
        return sender.offer(cell);
    }

    /**
     * Frees the returned cells, at most one ring's capacity. Called by the owner's thread.
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
