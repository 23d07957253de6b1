package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;

/** Cells as findings show them. */
public final class CellText {
    private CellText() {
    }

    /** A cell. */
    public static String cell(final CellNames names, final long cell) {
        return names.exists(cell) ? "cell " + names.source(cell) + ">" + names.destination(cell) + " seq "
            + names.sequence(cell) : "a cell of no flow, 0x" + Long.toHexString(cell);
    }

    /** What a slot holds. */
    public static String slot(final CellNames names, final long route, final long cell) {
        return route == InFlightCells.NO_CELL ? "a dummy" : route == InFlightCells.SILENCE ? "nothing"
            : InFlightCells.isCell(route) ? cell(names, cell) : "route word 0x" + Long.toHexString(route);
    }
}
