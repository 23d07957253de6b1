package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The last cells that each node took in from each neighbour, so that one that is sent twice is taken in once
 * (docs/spec/shoal.md §6.2): a place for every epoch in which a sender may still doubt, {@code [epoch mod
 * kept][link][node]}, 8 bytes, all ones for none. One thread.
 */
public final class AcceptedCells {
    private static final long NONE = -1;

    private final Region region;
    private final long row;
    private final int kept;

    /** Nothing taken in yet; arguments as of {@link SentCells}. */
    public AcceptedCells(final Arena arena, final int nodes, final int links, final int kept) {
        this.row = (long) links * nodes * Long.BYTES;
        this.kept = kept;
        this.region = Region.allocate(arena, bytes(nodes, links, kept));
        region.fill((byte) NONE);
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int links, final int kept) {
        return (long) kept * links * nodes * Long.BYTES;
    }

    /** Whether a cell is one of them; {@code place} is {@code link * nodes + node}. */
    public boolean contains(final int place, final long cell) {
        boolean found = false;
        for (int epoch = 0; epoch < kept; epoch++) {
            found |= region.getLong(epoch * row + (long) place * Long.BYTES) == cell;
        }
        return found;
    }

    /** Takes in a cell that was sent in an epoch. */
    public void add(final int place, final int epoch, final long cell) {
        region.setLong(epoch % kept * row + (long) place * Long.BYTES, cell);
    }

    /** Forgets all of a neighbour. */
    public void clear(final int place) {
        for (int epoch = 0; epoch < kept; epoch++) {
            region.setLong(epoch * row + (long) place * Long.BYTES, NONE);
        }
    }
}
