package dev.skerry.nic.shale.limit;

import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;

/**
 * Cells in the FIFOs of the cell store, which the links of a phase share (docs/spec/shale.md §9.1): one for each phase,
 * next bucket, and kind, spray or direct. Each is (r - 1) T cells deep, (r - 1) T_F for cells that came on their first
 * hop; as phases are skipped, a direct one may get more. One thread.
 */
final class CellFifos {
    /** In place of the links of a phase, where no tokens bound a FIFO. */
    private static final int NO_DEPTH = 1 << 20;

    private final SlotMath numbers;
    private final int firstSprays;
    private final int depth;
    private final int firstHopDepth;
    /** By phase, bucket and kind: cells. */
    private final NodeCounts cells;
    private int mostCells;
    private int mostFifos;
    private long overflowed;

    CellFifos(final Shale shale, final SlotMath numbers, final int nodes, final boolean hasTokens) {
        final int links = hasTokens ? shale.schedule().linksPerPhase() : NO_DEPTH;
        this.numbers = numbers;
        this.firstSprays = shale.schedule().phases() - 1;
        this.depth = links * shale.tokens();
        this.firstHopDepth = links * shale.firstHopTokens();
        this.cells = new NodeCounts(nodes);
    }

    /** A cell has joined a queue. */
    void join(final int node, final int queue, final long word) {
        final int now = cells.add(node, key(queue, word));
        mostCells = Math.max(mostCells, now);
        mostFifos = Math.max(mostFifos, cells.size(node));
        overflowed += now > (came(word) == firstSprays ? firstHopDepth : depth) ? 1 : 0;
    }

    /** A cell has left a queue. */
    void leave(final int node, final int queue, final long word) {
        cells.remove(node, key(queue, word));
    }

    private int key(final int queue, final long word) {
        final int isSpray = came(word) > 0 ? 1 : 0;
        return (Route.bucket(word) << Route.DESTINATION_SHIFT | numbers.phase(numbers.positionOf(queue))) << 1
            | isSpray;
    }

    private static int came(final long word) {
        return Route.owedBucket(word) & Route.MAX_SPRAYS;
    }

    /** FIFOs of a node that have cells. */
    int fifos(final int node) {
        return cells.size(node);
    }

    /** Most cells of a FIFO. */
    int mostCells() {
        return mostCells;
    }

    /** Most FIFOs of a node that had cells at once. */
    int mostFifos() {
        return mostFifos;
    }

    /** Cells that found their FIFO full. */
    long overflowed() {
        return overflowed;
    }
}
