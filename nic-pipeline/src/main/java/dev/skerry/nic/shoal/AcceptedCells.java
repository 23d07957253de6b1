package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The last cells that each node accepted from each neighbour, so that a cell sent twice is accepted once
 * (docs/spec/shoal.md §6.2).
 *
 * <pre>
 *   [epoch mod kept][link][node], 8 bytes: the cell word, all ones for none
 * </pre>
 *
 * Kept for as many epochs as a sender may send a cell again. One thread.
 */
public final class AcceptedCells {
    private static final long NONE = -1;

    private final Region region;
    private final int nodes;
    private final int links;
    private final int kept;

    /** Nothing accepted yet; arguments as of {@link SentCells}. */
    public AcceptedCells(final Arena arena, final int nodes, final int links, final int kept) {
        this.nodes = nodes;
        this.links = links;
        this.kept = kept;
        this.region = Region.allocate(arena, bytes(nodes, links, kept));
        region.fill((byte) NONE);
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int links, final int kept) {
        return (long) kept * links * nodes * Long.BYTES;
    }

    /** Whether a cell that came over a link of a node is one of them. */
    public boolean contains(final int link, final int node, final long cell) {
        boolean found = false;
        for (int epoch = 0; epoch < kept; epoch++) {
            found |= region.getLong(at(epoch, link, node)) == cell;
        }
        return found;
    }

    /** Accepts a cell that was sent in an epoch. */
    public void add(final int link, final int node, final int epoch, final long cell) {
        region.setLong(at(epoch, link, node), cell);
    }

    /** Forgets all cells of a neighbour. */
    public void clear(final int link, final int node) {
        for (int epoch = 0; epoch < kept; epoch++) {
            region.setLong(at(epoch, link, node), NONE);
        }
    }

    private long at(final int epoch, final int link, final int node) {
        return QueueNumbers.entry(epoch, kept, links, link, node, nodes) * Long.BYTES;
    }
}
