package dev.skerry.nic.edge;

/**
 * A queue of cells linked in the {@link EdgeMemory}. It needs no memory of its own and is never full, because the owner
 * of a cell owns the cell's link. One thread.
 */
final class CellQueue {
    private final EdgeMemory memory;
    private int head = EdgeMemory.NONE;
    private int tail = EdgeMemory.NONE;
    private int size;

    CellQueue(final EdgeMemory memory) {
        this.memory = memory;
    }

    /** Appends a cell and sets its flags. */
    void add(final int cell, final int flags) {
        memory.setLast(cell, flags);
        if (head == EdgeMemory.NONE) {
            head = cell;
        } else {
            memory.setNext(tail, cell);
        }
        tail = cell;
        size++;
    }

    /** Removes the first cell; returns it, or {@link EdgeMemory#NONE} if the queue is empty. */
    int poll() {
        final int cell = head;
        if (cell != EdgeMemory.NONE) {
            head = memory.next(cell);
            size--;
        }
        return cell;
    }

    boolean isEmpty() {
        return head == EdgeMemory.NONE;
    }

    int size() {
        return size;
    }

    /** Counts the cells one by one. For checks. */
    int count() {
        int cells = 0;
        for (int cell = head; cell != EdgeMemory.NONE; cell = memory.next(cell)) {
            cells++;
        }
        return cells;
    }
}
