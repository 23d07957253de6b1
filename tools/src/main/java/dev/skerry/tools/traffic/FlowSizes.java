package dev.skerry.tools.traffic;

/** A distribution of flow sizes. Immutable; any thread may call. */
public interface FlowSizes {
    /**
     * The size at a quantile, by inversion of the table: monotone.
     *
     * @param uniform in {@code [0, 1]}.
     * @return bytes.
     */
    long bytes(double uniform);

    /**
     * The mean size in cells, over every size there is: the last cell of a flow counts whole.
     *
     * @param payloadBytes payload bytes of a cell, at least 1.
     */
    double meanCells(int payloadBytes);
}
