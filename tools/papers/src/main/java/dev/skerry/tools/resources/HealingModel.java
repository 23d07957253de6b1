package dev.skerry.tools.resources;

/**
 * How long a fabric takes to learn of a failed link by reachability messages, and what they cost (Stardust Appendix E,
 * docs/spec/stardust.md §6). Immutable; any thread may call.
 *
 * @param clocks             from a message on a link to the next, c.
 * @param clockHz            f.
 * @param adaptersPerMessage FAs whose bits a message carries, b.
 * @param hostsPerAdapter    h.
 * @param hosts              N.
 * @param tiers              of FEs, n.
 */
public record HealingModel(long clocks, double clockHz, int adaptersPerMessage, int hostsPerAdapter, long hosts,
    int tiers) {
    /** The example of §5.9: 32,000 hosts in two tiers, a message every 10 µs. */
    public static final HealingModel PAPER = new HealingModel(10_000, 1e9, 128, 40, 32_000, 2);

    /** Messages of a whole table, M. */
    public long messages() {
        return Math.ceilDiv(hosts, (long) hostsPerAdapter * adaptersPerMessage);
    }

    /** Hops the news travels at worst, 2n - 1. */
    public int hops() {
        return 2 * tiers - 1;
    }

    /** From a message to the next, in microseconds: c/f. */
    public double intervalUs() {
        return clocks / clockHz * 1e6;
    }

    /** Until the whole fabric got the news once, in microseconds: (c/f) M (2n-1). */
    public double updateUs() {
        return intervalUs() * messages() * hops();
    }

    /**
     * Until the whole fabric acts on the news, in microseconds: Σ (c/f + pd) M th over the hops.
     *
     * @param threshold     equal reports that make a change, th.
     * @param propagationNs by hop: nanoseconds of its fibre, pd.
     */
    public double recoveryUs(final int threshold, final double... propagationNs) {
        double sum = 0;
        for (final double delay : propagationNs) {
            sum += (intervalUs() + delay / 1e3) * messages() * threshold;
        }
        return sum;
    }

    /**
     * Share of a link that messages take: 8 B f / (c s).
     *
     * @param messageBytes B.
     * @param linkBps      s.
     */
    public double overhead(final int messageBytes, final double linkBps) {
        return 8.0 * messageBytes * clockHz / (clocks * linkBps);
    }
}
