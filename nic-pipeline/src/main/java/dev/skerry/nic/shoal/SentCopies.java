package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Copies of the cells that each node sent on each link in the last epochs and has no report on, to be sent again after
 * damage (docs/spec/shoal.md §4.1 {@code sent}); beside {@link SentCells}, which remembers whose report it is.
 *
 * <pre>
 *   [epoch mod kept][link][node]
 *   0        8        16
 *   +--------+--------+
 *   | route  | cell   |    route: NO_CELL for a dummy, and when the report has come; CONTROL for a message
 *   +--------+--------+
 * </pre>
 *
 * One thread.
 */
public final class SentCopies {
    private static final int COPY_BYTES = 16;

    private final Region region;
    private final int nodes;
    private final int links;
    private final int kept;
    private int open;

    /** Nothing sent yet; arguments as of {@link SentCells}. */
    public SentCopies(final Arena arena, final int nodes, final int links, final int kept) {
        this.region = Region.allocate(arena, bytes(nodes, links, kept));
        this.nodes = nodes;
        this.links = links;
        this.kept = kept;
        region.fill((byte) -1);
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int links, final int kept) {
        return (long) kept * links * nodes * COPY_BYTES;
    }

    /** Where the copy of a node's cell of an epoch lies, before the first epoch too. */
    public long at(final int epoch, final int link, final int node) {
        return QueueNumbers.entry(epoch, kept, links, link, node, nodes) * COPY_BYTES;
    }

    /** Epochs kept. */
    public int kept() {
        return kept;
    }

    /** Keeps a copy, or with {@link InFlightCells#NO_CELL} none. */
    public void put(final long at, final long route, final long cell) {
        open += (InFlightCells.isCell(route) ? 1 : 0) - (InFlightCells.isCell(region.getLong(at, 0)) ? 1 : 0);
        region.setLong(at, 0, route);
        region.setLong(at, 1, cell);
    }

    /** The route word of a copy. */
    public long route(final long at) {
        return region.getLong(at, 0);
    }

    /** The cell word of a copy. */
    public long cell(final long at) {
        return region.getLong(at, 1);
    }

    /** Cells of flows on which no report has come, on all links of all nodes. */
    public int open() {
        return open;
    }
}
