package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The cells that each flow may start before the next PULL. All banks of a run share it; a record belongs to the bank of
 * the flow's source.
 */
final class FlowBudgets {
    private final int cellsPerPull;
    private final int first;
    private final Region cells;

    /**
     * Full budgets.
     *
     * @param flows        number of flows.
     * @param first        B: cells of a flow before its first PULL.
     * @param cellsPerPull k: cells that a PULL grants.
     */
    FlowBudgets(final Arena arena, final int flows, final int first, final int cellsPerPull) {
        this.cellsPerPull = cellsPerPull;
        this.first = first;
        this.cells = Region.allocate(arena, Math.max(1, (long) flows) * Integer.BYTES);
        for (int flow = 0; flow < flows; flow++) {
            cells.setInt(at(flow), first);
        }
    }

    private static long at(final int flow) {
        return Region.offset(flow, Integer.BYTES);
    }

    /** Cells that a flow may start. */
    int left(final int flow) {
        return cells.getInt(at(flow));
    }

    /** A flow starts a cell. */
    void spend(final int flow) {
        cells.setInt(at(flow), left(flow) - 1);
    }

    /** A PULL has come for a flow. */
    void grant(final int flow) {
        cells.setInt(at(flow), left(flow) + cellsPerPull);
    }

    /** Cells of a flow before its first PULL. */
    int first() {
        return first;
    }

    /** Cells that a PULL grants, and cells received between two. */
    int cellsPerPull() {
        return cellsPerPull;
    }
}
