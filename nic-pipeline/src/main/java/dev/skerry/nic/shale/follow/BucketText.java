package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.CellText;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;

/** Cells with their buckets, and tokens, as findings show them. */
final class BucketText {
    private BucketText() {
    }

    /** A bucket, {@code <destination,sprays>}, of a finding; null for none. */
    static Finding.Bucket bucket(final int bucket) {
        return bucket < 0 ? null : new Finding.Bucket(Route.bucketDestination(bucket), Route.sprays(bucket));
    }

    /** A bucket, or none. */
    static String token(final int bucket) {
        return bucket < 0 ? "none" : bucket(bucket).toString();
    }

    /** A cell with the bucket it goes to. */
    static String cell(final CellNames names, final long cell, final int bucket) {
        return CellText.cell(names, cell) + " to " + token(bucket);
    }

    /** What a slot holds. */
    static String slot(final CellNames names, final long route, final long cell) {
        return InFlightCells.isCell(route) ? cell(names, cell, Route.bucket(route))
            : CellText.slot(names, route, cell);
    }

    /** What a slot holds, and the tokens that ride with it. */
    static String slot(final CellNames names, final NodeCells cells) {
        final long feedback = cells.feedback(0);
        final String text = slot(names, cells.route(0), cells.cell(0));
        return feedback == InFlightCells.NO_FEEDBACK ? text
            : text + ", tokens " + token((int) feedback) + " " + token((int) (feedback >>> Integer.SIZE));
    }
}
