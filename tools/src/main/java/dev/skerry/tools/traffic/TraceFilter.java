package dev.skerry.tools.traffic;

/**
 * What is taken from a trace, and how it is scaled, in the order of the Shale authors' simulator
 * (docs/spec/shale.md §11): flows of fewer or more bytes are left out; sizes are multiplied and rounded down to whole
 * bytes; starts are divided.
 *
 * @param minBytes   fewest bytes of a flow, before they are multiplied.
 * @param maxBytes   most bytes of a flow, before they are multiplied.
 * @param sizeFactor multiplies the bytes; over 0.
 * @param loadFactor divides the start times; over 0.
 * @param mostFlows  flows that are read; the rest of the trace is left out.
 * @param endSlot    flows that start in this slot or later are left out.
 */
public record TraceFilter(long minBytes, long maxBytes, double sizeFactor, double loadFactor, long mostFlows,
    long endSlot) {
    /** The trace as it is. */
    public static final TraceFilter ALL = new TraceFilter(0, Long.MAX_VALUE, 1, 1, Long.MAX_VALUE, Long.MAX_VALUE);

    /** Whether flows of this size are taken. */
    boolean takes(final long bytes) {
        return bytes >= minBytes && bytes <= maxBytes;
    }

    /** The bytes of a flow that is taken. */
    long scaled(final long bytes) {
        return sizeFactor == 1 ? bytes : (long) (bytes * sizeFactor);
    }
}
