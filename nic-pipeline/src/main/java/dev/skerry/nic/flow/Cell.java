package dev.skerry.nic.flow;

/** Which cell it is: a flow and the cell's sequence number in it, packed into the cell word that travels. */
public final class Cell {
    private Cell() {
    }

    /** The cell word of a flow's cell. */
    public static long of(final int flow, final int sequence) {
        return (long) flow << 32 | sequence & 0xFFFF_FFFFL;
    }

    /** The flow, an index of the {@link FlowSet}. */
    public static int flow(final long cell) {
        return (int) (cell >>> 32);
    }

    /** The place in the flow, from 0. */
    public static int sequence(final long cell) {
        return (int) cell;
    }
}
