package dev.skerry.nic.fabric.shale;

import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

/**
 * A Shale fabric: everything that decides how its cells travel.
 *
 * @param schedule         the phases and their round robins.
 * @param population       which nodes are there.
 * @param control          congestion control.
 * @param tokens           budget T of a bucket on a link, 1 to 255 (spec/shale §5.1).
 * @param firstHopTokens   budget T_F of a first hop, at least T, at most 255.
 * @param propagationSlots P: a cell sent in slot s is handled in slot s + P, after that slot's own sending; 0 to 2^20.
 * @param seed             decides spraying.
 */
public record Shale(
    Phased schedule,
    Population population,
    CongestionControl control,
    int tokens,
    int firstHopTokens,
    int propagationSlots,
    long seed) {

    /** Longest propagation delay. */
    public static final int MAX_PROPAGATION_SLOTS = 1 << 20;
    /** Largest token budget. */
    public static final int MAX_TOKENS = TokenLedger.MAX_TOKENS;

    /** Checks the bounds of every component. */
    public Shale {
        if (schedule.epochSlots() >= Route.MAX_LINKS) {
            throw new IllegalArgumentException("a node may have fewer than " + Route.MAX_LINKS + " links: links="
                + schedule.epochSlots() + " nodes=" + schedule.nodes() + " h=" + schedule.phases());
        }
        if (tokens < 1 || firstHopTokens < tokens || firstHopTokens > MAX_TOKENS) {
            throw new IllegalArgumentException("budgets must be 1 <= tokens <= firstHopTokens <= "
                + MAX_TOKENS + ": tokens=" + tokens + " firstHopTokens=" + firstHopTokens);
        }
        if (propagationSlots < 0 || propagationSlots > MAX_PROPAGATION_SLOTS) {
            throw new IllegalArgumentException("propagationSlots must be 0 to " + MAX_PROPAGATION_SLOTS
                + ": propagationSlots=" + propagationSlots);
        }
    }

    /** Number of nodes of the schedule, absent ones included. */
    public int nodes() {
        return schedule.nodes();
    }

    /** The share of line rate that any workload is guaranteed, 1/(2h) cells per node and slot (Shale §3.1). */
    public double guarantee() {
        return 1.0 / (2 * schedule.phases());
    }

    /**
     * Buckets with tokens outstanding that a link keeps on its own cache lines: what can be under way in one exchange
     * of cell and token, and as many again for tokens held up at the neighbour.
     */
    int outstandingBuckets() {
        return Math.min(Math.max(12, 4 + 4 * propagationSlots / schedule.epochSlots()), 1 << 10);
    }
}
