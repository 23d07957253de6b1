package dev.skerry.nic.follow;

/** A cell that a followed node holds, and the links of its phase whose queue may have it. One thread. */
final class HeldCell {
    /** In place of a link: more than one is possible. */
    static final int OPEN = -1;

    final long cell;
    /** The bucket it will be in after its next hop. */
    final int next;
    final int destination;
    /** Link back to the neighbour it came from, and the bucket it is in here. */
    final int owedLink;
    final int owedBucket;
    /** Slot its source sent it in, modulo {@code Route.SENT_SLOTS}; 0 if nobody knows. */
    long sent;
    /** Position in the epoch of its link, or {@link #OPEN}. */
    int link = OPEN;
    /** Links of the phase that are possible while it is open. */
    long[] possible;
    HeldCell before;
    HeldCell after;

    HeldCell(final long cell, final int next, final int destination, final int owedLink, final int owedBucket) {
        this.cell = cell;
        this.next = next;
        this.destination = destination;
        this.owedLink = owedLink;
        this.owedBucket = owedBucket;
    }

    /** Whether the queue of a link of its phase may have it. */
    boolean mayBeAt(final int ofPhase, final int inEpoch) {
        return link == OPEN ? (possible[ofPhase / Long.SIZE] >>> ofPhase & 1) != 0 : link == inEpoch;
    }
}
