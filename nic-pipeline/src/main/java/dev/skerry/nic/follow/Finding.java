package dev.skerry.nic.follow;

import java.util.Locale;

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

    /**
     * The laws of a node (docs/spec/shale.md §2 to §5, docs/spec/shoal.md §2 to §4) that a device may break. With
     * Shoal, reports take the place of tokens.
     */
    public enum Law {
        /** A node sends one cell or dummy in every slot, to the peer of the slot. */
        SCHEDULE,
        /** A cell goes over a link that its rule allows, with the bucket of its next hop in the header. */
        ROUTE,
        /**
         * A hop costs a token unless it is final; a token goes back once, on its link, in order. With Shoal a relay's
         * report lets the next cell go, and says what waits.
         */
        TOKEN,
        /**
         * Of the cells that may leave, the one that came first does; queued before local ones; sequence numbers ascend.
         */
        ORDER,
        /** No more cells of a bucket are held from a neighbour than its budget. */
        CAPACITY,
        /** A cell that came leaves once, and no other does. */
        CONSERVATION,
        /** A cell leaves as it came; a dummy carries none. */
        PAYLOAD;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
