package dev.skerry.nic.follow;

/**
 * What a device may do that the laws do not grant.
 *
 * @param mayBeSilent whether it may send nothing in a slot, neither a cell nor a dummy.
 */
public record FollowRules(boolean mayBeSilent) {
    /** Nothing. */
    public static final FollowRules STRICT = new FollowRules(false);
}
