package dev.skerry.nic.engine;

/**
 * What a member says of itself at a meeting.
 *
 * @param settled   cells of its banks whose fate is known.
 * @param delivered cells delivered at its nodes.
 * @param completed flows completed at its nodes.
 * @param rests     the slot until which its banks rest.
 * @param stops     whether its watch asks to stop.
 */
record MemberNews(long settled, long delivered, long completed, long rests, boolean stops) {
    /** Of no member. */
    static final MemberNews NONE = new MemberNews(0, 0, 0, Long.MAX_VALUE, false);

    /** The news of two together. */
    MemberNews plus(final MemberNews other) {
        return new MemberNews(settled + other.settled, delivered + other.delivered, completed + other.completed,
            Math.min(rests, other.rests), stops || other.stops);
    }
}
