package dev.skerry.tools.members;

import dev.skerry.tools.input.InputException;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /**
     * Where a member is.
     *
     * @param host name or address. Members with the same one are on one machine.
     * @param port for members on other machines, 1 to 65535.
     */
    public record MemberAddress(String host, int port) {
        private static final Pattern TEXT = Pattern.compile("(?:([^:\\s,]+):)?([0-9]{1,5})");
        private static final Pattern LOOPBACKS = Pattern.compile("127(\\.[0-9]{1,3}){3}");
        private static final String LOOPBACK = "127.0.0.1";
        private static final int MAX_PORT = 65_535;

        /** Reads {@code host:port}; a port alone is on the loopback address. */
        static MemberAddress of(final String list, final String text) {
            final Matcher matcher = TEXT.matcher(text.strip());
            if (!matcher.matches() || Integer.parseInt(matcher.group(2)) < 1
                || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
                throw new InputException("--members", list, "'" + text + "' is not host:port", "write for example "
                    + "node1:40123,node2:40123");
            }
            return new MemberAddress(matcher.group(1) == null ? LOOPBACK : matcher.group(1),
                Integer.parseInt(matcher.group(2)));
        }

        /** Whether it is an address of the loopback device, written as one. */
        boolean isLoopback() {
            return host.equals("localhost") || LOOPBACKS.matcher(host).matches();
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }
}
