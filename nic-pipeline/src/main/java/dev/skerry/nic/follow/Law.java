package dev.skerry.nic.follow;


import java.util.Locale;

/**
 * The laws of a node (docs/spec/shale.md §2 to §5, docs/spec/shoal.md §2 to §4) that a device may break. With Shoal,
 * reports take the place of tokens.
 */
public enum Law {
    /** A node sends one cell or dummy in every slot, to the peer of the slot. */
    SCHEDULE,
    /** A cell goes over a link that its rule allows, with the bucket of its next hop in the header. */
    ROUTE,
    /**
     * A hop costs a token unless it is final; a token goes back once, on its link, in order. With Shoal a relay's
     * report lets the next cell go, and tells what waits.
     */
    TOKEN,
    /** Of the cells that may leave, the one that came first does; queued before local ones; sequence numbers ascend. */
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
