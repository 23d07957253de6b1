package dev.skerry.nic.stardust.element;

/**
 * Cells that each device of a bank has in front of its links, and the most that it ever had. Adding one costs a count
 * and a comparison: the rest is done when a device holds more than ever, or as many as somebody looks at. One thread.
 */
final class DeviceCells {
    /** The lowest device of the bank. */
    private final int base;
    private final int[] held;
    private final int[] most;
    /** By device, the cells from which on {@link #add} says so. */
    private final int[] noted;

    /** No cells. */
    DeviceCells(final int base, final int devices) {
        this.base = base;
        this.held = new int[devices];
        this.most = new int[devices];
        this.noted = new int[devices];
    }

    /** A cell more; true if {@link #note} is to be called. */
    boolean add(final int device) {
        return ++held[device - base] >= noted[device - base];
    }

    /**
     * Keeps the most that a device ever held.
     *
     * @param looksAt cells from which on every cell more is to be noted.
     * @return cells held.
     */
    int note(final int device, final int looksAt) {
        final int at = device - base;
        most[at] = Math.max(most[at], held[at]);
        noted[at] = Math.min(most[at] + 1, looksAt);
        return held[at];
    }

    /** Cells leave a device. */
    void remove(final int device, final int cells) {
        held[device - base] -= cells;
    }

    /** A device loses all its cells. */
    void clear(final int device) {
        held[device - base] = 0;
    }

    /** Cells of a device. */
    int of(final int device) {
        return held[device - base];
    }

    /** Most cells that a device ever held. */
    int most(final int device) {
        return most[device - base];
    }
}
