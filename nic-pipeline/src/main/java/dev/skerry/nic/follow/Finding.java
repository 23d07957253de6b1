package dev.skerry.nic.follow;

/**
 * A law that a device broke. Immutable.
 *
 * @param law      the law.
 * @param slot     when it was seen.
 * @param node     where.
 * @param link     position of the link in the epoch.
 * @param bucket   {@code Route.bucket}, or {@link #NO_BUCKET}.
 * @param expected what the law demands.
 * @param seen     what the device did.
 */
public record Finding(Law law, long slot, int node, int link, int bucket, String expected, String seen) {
    /** No bucket is concerned. */
    public static final int NO_BUCKET = -1;

    /** One line. */
    @Override
    public String toString() {
        return "slot " + slot + " node " + node + " link " + link
            + (bucket == NO_BUCKET ? "" : " bucket " + CellText.bucket(bucket)) + ": " + law + ": expected " + expected
            + ", seen " + seen;
    }
}
