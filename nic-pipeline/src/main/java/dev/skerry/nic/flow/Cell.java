package dev.skerry.nic.flow;

/** The cell word: a flow and the cell's sequence number in that flow, packed into 64 bits. */
public final class Cell {
    private Cell() {
    }

    /** Packs a flow and a sequence number into a cell word. */
    public static long of(final int flow, final int sequence) {
        return (long) flow << 32 | sequence & 0xFFFF_FFFFL;
    }

    /** Returns the flow of a cell word, an index of the {@link FlowSet}. */
    public static int flow(final long cell) {
        return (int) (cell >>> 32);
    }

    /** Returns the sequence number of a cell word, from 0. */
    public static int sequence(final long cell) {
        return (int) cell;
    }
}
