package dev.skerry.tools.members;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The members of a fabric as one of them sees them.
 *
 * @param all      in order; the same list at each.
 * @param self     number of this one.
 * @param cluster  the name of the cluster, the same at each; traffic of others is refused.
 * @param patience how long a member may say nothing while another waits for it.
 * @param key      secret that all share; null if they are all on one host.
 */
public record Members(List<MemberAddress> all, int self, String cluster, Duration patience, MemberKey key) {
    /** A member as the user knows it. */
    public String name(final int member) {
        return "member " + member + " (" + all.get(member) + ")";
    }

    /** Whether a member is on the machine of this one. */
    public boolean isNear(final int member) {
        return all.get(member).host().equals(all.get(self).host());
    }

    /** The first member on the machine of this one: it runs what the others there share. */
    public int leader() {
        return IntStream.range(0, all.size()).filter(this::isNear).findFirst().orElse(self);
    }

    /** Whether there are members on other machines. */
    public boolean isSpread() {
        return IntStream.range(0, all.size()).anyMatch(member -> !isNear(member));
    }
}
