package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;

/** Cells, buckets and tokens as findings show them. */
public final class CellText {
    private CellText() {
    }

    /** A bucket, {@code <destination,sprays>}. */
    public static String bucket(final int bucket) {
        return "<" + Route.bucketDestination(bucket) + "," + Route.sprays(bucket) + ">";
    }

    /** A bucket, or none. */
    static String token(final int bucket) {
        return bucket < 0 ? "none" : bucket(bucket);
    }

    /** A cell with the bucket it goes to. */
    public static String cell(final CellNames names, final long cell, final int bucket) {
        return cell(names, cell) + " to " + bucket(bucket);
    }

    /** A cell. */
    static String cell(final CellNames names, final long cell) {
        return "cell " + names.source(cell) + ">" + names.destination(cell) + " seq " + names.sequence(cell);
    }

    /** What a slot holds. */
    public static String slot(final CellNames names, final long route, final long cell) {
        if (InFlightCells.isCell(route) && !names.exists(cell)) {
            return "a cell of no flow, 0x" + Long.toHexString(cell) + " to " + bucket(Route.bucket(route));
        }
        return route == InFlightCells.NO_CELL ? "a dummy" : route == InFlightCells.SILENCE ? "nothing"
            : InFlightCells.isCell(route) ? cell(names, cell, Route.bucket(route))
            : "route word 0x" + Long.toHexString(route);
    }

    /** What a channel of a slot of Shoal holds, and its report. */
    public static String ofShoal(final CellNames names, final NodeCells cells, final int channel) {
        final long route = cells.route(channel);
        final String text = route == InFlightCells.NO_CELL ? "a dummy" : route == InFlightCells.SILENCE ? "nothing"
            : !InFlightCells.isCell(route) ? "route word 0x" + Long.toHexString(route)
            : names.exists(cells.cell(channel)) ? cell(names, cells.cell(channel))
            : "a cell of no flow, 0x" + Long.toHexString(cells.cell(channel));
        return cells.feedback(channel) == InFlightCells.NO_FEEDBACK ? text
            : text + ", report " + cells.feedback(channel);
    }

    /** The tokens of a feedback word. */
    public static String tokens(final long feedback) {
        return token((int) feedback) + " " + token((int) (feedback >>> Integer.SIZE));
    }
}
