package dev.skerry.nic.follow;

import java.util.Locale;

/**
 * Violation of a law by a device. Immutable.
 *
 * @param law      violated law.
 * @param slot     slot in which the violation was observed.
 * @param node     node that violated the law.
 * @param link     number of the link, as the follower of the fabric counts links.
 * @param bucket   bucket of the token or queue; null if not applicable.
 * @param expected what the law requires.
 * @param seen     what the device did.
 */
public record Finding(Law law, long slot, int node, int link, Bucket bucket, String expected, String seen) {
    /** Cells to a destination with a number of sprays left. With Stardust, an adapter and a queue. */
    public record Bucket(int destination, int sprays) {
        @Override
        public String toString() {
            return "<" + destination + "," + sprays + ">";
        }
    }

    /** Returns the finding as one line. */
    @Override
    public String toString() {
        return "slot " + slot + " node " + node + " link " + link
            + (bucket == null ? "" : " bucket " + bucket) + ": " + law + ": expected " + expected
            + ", seen " + seen;
    }

    /**
     * Laws that a device can violate (docs/spec/shale.md §2 to §5, docs/spec/shoal.md §2 to §4). With Shoal, reports
     * take the place of tokens.
     */
    public enum Law {
        /** In every slot, a node sends one cell or dummy to the peer of the slot. */
        SCHEDULE,
        /** A cell takes a link that the routing rule allows, with the bucket of its next hop in the header. */
        ROUTE,
        /**
         * A hop costs a token unless it is final; a token returns once, on its link, in order. With Shoal, the report
         * of a relay releases the next cell and gives the length of the queue.
         */
        TOKEN,
        /**
         * Of the cells that may leave, the oldest leaves first; forwarded cells precede local ones; sequence numbers
         * ascend.
         */
        ORDER,
        /** A node holds no more cells of a bucket from a neighbour than the budget of the bucket. */
        CAPACITY,
        /** Each received cell leaves exactly once, and no other cell leaves. */
        CONSERVATION,
        /** A cell leaves with the payload that it arrived with; a dummy carries no cell. */
        PAYLOAD;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
