package dev.skerry.nic.shale;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;

/**
 * Parameters of a Shale fabric, which determine how its cells travel.
 *
 * @param schedule         the phases and their round robins.
 * @param population       the nodes that are present.
 * @param mechanisms       congestion control and spraying.
 * @param tokens           budget T of a bucket on a link, 1 to 255 (docs/spec/shale.md §5.1).
 * @param firstHopTokens   budget T_F of a first hop, at least T, at most 255.
 * @param propagationSlots P: a cell sent in slot s is handled in slot s + P, after that slot's own sending; 0 to 2^20.
 * @param seed             determines spraying.
 * @param failures         what counts as a failure, and the treatment of cells before their last hop; without effect as
 * long as nothing fails.
 * @param share            its share of the slots: all, unless several schedules share them (docs/spec/shale.md §2.4).
 */
public record Shale(
    Phased schedule,
    Population population,
    MechanismSet mechanisms,
    int tokens,
    int firstHopTokens,
    int propagationSlots,
    long seed,
    FailureRules failures,
    SlotShare share) implements CircuitFabric {

    /** Maximum propagation delay in slots. */
    public static final int MAX_PROPAGATION_SLOTS = 1 << 20;
    /** Maximum token budget of a bucket. */
    public static final int MAX_TOKENS = 255;

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

    /** A fabric that handles failures as in the paper. */
    public Shale(final Phased schedule, final Population population, final MechanismSet mechanisms, final int tokens,
        final int firstHopTokens, final int propagationSlots, final long seed) {
        this(schedule, population, mechanisms, tokens, firstHopTokens, propagationSlots, seed, FailureRules.PAPER);
    }

    /** A fabric that owns all slots. */
    public Shale(final Phased schedule, final Population population, final MechanismSet mechanisms, final int tokens,
        final int firstHopTokens, final int propagationSlots, final long seed, final FailureRules failures) {
        this(schedule, population, mechanisms, tokens, firstHopTokens, propagationSlots, seed, failures, SlotShare.ALL);
    }

    /** Whether a number is a bucket of this fabric whose destination is present. */
    public boolean isBucket(final int bucket) {
        return bucket >= 0 && Route.bucketDestination(bucket) < nodes()
            && population.present(Route.bucketDestination(bucket)) && Route.sprays(bucket) < schedule.phases();
    }

    /** Tokens of a bucket on a link: T_F for the buckets of cells after their first hop, otherwise T. */
    public int budget(final int bucket) {
        return Route.sprays(bucket) == schedule.phases() - 1 ? firstHopTokens : tokens;
    }

    /** Number of bucket numbers, see {@link Route#number}. */
    public int bucketNumbers() {
        return nodes() << Route.sprayBits(schedule.phases());
    }

    /** The position in the epoch of one of its own slots. */
    public int slotInEpoch(final long slot) {
        return schedule.slotInEpoch(share.before(slot));
    }

    @Override
    public int nodes() {
        return schedule.nodes();
    }

    /**
     * {@inheritDoc} All spray hops together take an epoch, direct hops an epoch each; every hop takes its propagation
     * delay.
     */
    @Override
    public long emptySlots() {
        return (schedule.phases() + 1L) * schedule.epochSlots() + 2L * schedule.phases() * propagationSlots;
    }

    /** The share of line rate that is guaranteed for any workload, 1/(2h) cells per node and slot (Shale §3.1). */
    public double guarantee() {
        return 1.0 / (2 * schedule.phases());
    }

    /**
     * Number of outstanding tokens that a link stores on its own cache line: a cell leaves once per epoch, and its
     * token is away for two propagation delays plus the waiting times at both ends.
     */
    public int outstandingTokens() {
        return Math.min(Math.max(6, 2 + 3 * propagationSlots / schedule.epochSlots()), 1 << 10);
    }

    /**
     * What a node considers a failure and how it handles it (docs/spec/shale.md §8).
     *
     * @param missLimit      consecutive cells that a link must fail to bring before it is down, 1 to
     *                       {@value #MAX_MISSES}.
     * @param resprayLastHop whether cells that wait for their last hop over a failed link start a new path, because
     *                       their destination may still be reachable over another link; the paper drops them.
     */
    public record FailureRules(int missLimit, boolean resprayLastHop) {
        /** Maximum number of misses: as many silent epochs pass before the first probe. */
        public static final int MAX_MISSES = 8;
        /** As in the paper: one missing cell, and last hops are dropped (Shale App. A). */
        public static final FailureRules PAPER = new FailureRules(1, false);

        /** Checks the bounds. */
        public FailureRules {
            if (missLimit < 1 || missLimit > MAX_MISSES) {
                throw new IllegalArgumentException("missLimit must be 1 to " + MAX_MISSES + ": missLimit=" + missLimit);
            }
        }
    }
}
