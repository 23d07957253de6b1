package dev.skerry.nic.follow;

/**
 * A law that a device broke. Immutable.
 *
 * @param law      the law.
 * @param slot     when it was seen.
 * @param node     where.
 * @param link     position of the link in the epoch.
 * @param bucket   of a token or a queue; null if none is concerned.
 * @param expected what the law demands.
 * @param seen     what the device did.
 */
public record Finding(Law law, long slot, int node, int link, Bucket bucket, String expected, String seen) {
    /** The cells to a destination with a number of sprays left. */
    public record Bucket(int destination, int sprays) {
        @Override
        public String toString() {
            return "<" + destination + "," + sprays + ">";
        }
    }

    /** One line. */
    @Override
    public String toString() {
        return "slot " + slot + " node " + node + " link " + link
            + (bucket == null ? "" : " bucket " + bucket) + ": " + law + ": expected " + expected
            + ", seen " + seen;
    }
}
