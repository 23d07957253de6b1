package dev.skerry.tools.resources;

/**
 * What a run of Shale took. Immutable.
 *
 * @param nodes         N.
 * @param phases        h.
 * @param load          cells that a node delivers in a slot: what is offered, once it runs evenly.
 * @param flows         of a node that have started.
 * @param bytes         of the fabric's memory, of a node.
 * @param nsPerNodeSlot of processor time.
 */
public record ScaleRun(long nodes, int phases, double load, double flows, double bytes, double nsPerNodeSlot) {
    /** E = h(r-1), for r the h-th root of N: links of a node. */
    double links() {
        return phases * (Math.pow(nodes, 1.0 / phases) - 1);
    }

    /** Cells that a node sends in a slot: each crosses 2h links at most. */
    double cells() {
        return Math.min(1, load * 2 * phases);
    }

    /** The same with other results. */
    ScaleRun with(final double otherBytes, final double otherNs) {
        return new ScaleRun(nodes, phases, load, flows, otherBytes, otherNs);
    }
}
