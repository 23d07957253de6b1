package dev.skerry.tools.resources;

/**
 * The time in which a fabric learns of a failed link by reachability messages, and their cost (Stardust Appendix E,
 * docs/spec/stardust.md §6). Immutable; any thread may call.
 *
 * @param clocks clock cycles from a message on a link to the next, c.
 * @param clockHz f.
 * @param adaptersPerMessage FAs whose bits a message carries, b.
 * @param hostsPerAdapter h.
 * @param hosts N.
 * @param tiers tiers of FEs, n.
 */
public record HealingModel(long clocks, double clockHz, int adaptersPerMessage, int hostsPerAdapter, long hosts,
    int tiers) {
    /** The example of §5.9: 32,000 hosts in two tiers, a message every 10 µs. */
    public static final HealingModel PAPER = new HealingModel(10_000, 1e9, 128, 40, 32_000, 2);

    /** Returns the messages of a whole table, M. */
    public long messages() {
        return Math.ceilDiv(hosts, (long) hostsPerAdapter * adaptersPerMessage);
    }

    /** Returns the hops that the change travels in the worst case, 2n - 1. */
    public int hops() {
        return 2 * tiers - 1;
    }

    /** Returns the time from a message to the next, in microseconds: c/f. */
    public double intervalUs() {
        return clocks / clockHz * 1e6;
    }

    /** Returns the time until the whole fabric received the change once, in microseconds: (c/f) M (2n-1). */
    public double updateUs() {
        return intervalUs() * messages() * hops();
    }

    /**
     * Returns the time until the whole fabric has reacted to the change, in microseconds: Σ (c/f + pd) M th over the
     * hops.
     *
     * @param threshold equal reports required for a change, th.
     * @param propagationNs nanoseconds of the fibre of each hop, pd.
     */
    public double recoveryUs(final int threshold, final double... propagationNs) {
        double sum = 0;
        for (final double delay : propagationNs) {
            sum += (intervalUs() + delay / 1e3) * messages() * threshold;
        }
        return sum;
    }

    /**
     * Returns the share of a link that messages take: 8 B f / (c s).
     *
     * @param messageBytes B.
     * @param linkBps s.
     */
    public double overhead(final int messageBytes, final double linkBps) {
        return 8.0 * messageBytes * clockHz / (clocks * linkBps);
    }
}
