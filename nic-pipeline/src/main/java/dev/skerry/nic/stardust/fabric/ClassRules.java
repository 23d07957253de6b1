package dev.skerry.nic.stardust.fabric;

import java.util.List;

/**
 * What adapters do for the traffic classes of their ports (docs/spec/stardust.md §3.7 and §5.1).
 *
 * @param weights       by class: 0 for one whose credits go before those of all classes after it, else its share of the
 *                      credits that are left, 1 to {@link #MAX_WEIGHT}; strict classes come first. Empty: all are
 *                      strict.
 * @param lowLatency    whether the highest class is sent at once, without request and credit, and goes before all other
 *                      cells at every link. What a source may send that way is bounded by two buckets; a packet that
 *                      finds one of them empty is dropped where it came in.
 * @param adapterShare  share of its links' rate that an adapter may send so: over 0, up to 1.
 * @param portShare     share of a port's rate that an adapter may send so to it: over 0, up to 1.
 * @param burstBytes    what a bucket holds at most, a longest packet or more.
 */
public record ClassRules(List<Integer> weights, boolean lowLatency, double adapterShare, double portShare,
    int burstBytes) {
    /** Largest weight. */
    public static final int MAX_WEIGHT = 127;
    /** A twentieth of an adapter's links (docs/spec/stardust.md §3.7). */
    static final double USUAL_SHARE = 0.05;
    /** What a bucket holds: one longest packet and some short ones. */
    static final int USUAL_BURST_BYTES = 16_384;
    /** Strict priorities, every class waits for credits. */
    public static final ClassRules STRICT = new ClassRules(List.of(), false, USUAL_SHARE, 1, USUAL_BURST_BYTES);

    private static final int LONGEST_PACKET = 9216;

    /** Checks every bound. */
    public ClassRules {
        weights = List.copyOf(weights);
        boolean weighted = false;
        for (final int weight : weights) {
            if (weight < 0 || weight > MAX_WEIGHT) {
                throw new IllegalArgumentException("a weight is 0 to " + MAX_WEIGHT + ": weights=" + weights);
            }
            if (weight == 0 && weighted) {
                throw new IllegalArgumentException("strict classes, of weight 0, come first: weights=" + weights);
            }
            weighted |= weight > 0;
        }
        if (lowLatency && !weights.isEmpty() && weights.getFirst() != 0) {
            throw new IllegalArgumentException("the low-latency class takes no credits, so its weight is 0: weights="
                + weights);
        }
        if (!(adapterShare > 0 && adapterShare <= 1 && portShare > 0 && portShare <= 1)) {
            throw new IllegalArgumentException("a share is over 0 and up to 1: adapterShare=" + adapterShare
                + " portShare=" + portShare);
        }
        if (burstBytes < LONGEST_PACKET) {
            throw new IllegalArgumentException("a bucket holds a packet of " + LONGEST_PACKET + " bytes: burstBytes="
                + burstBytes);
        }
    }

    /** Classes with these weights. */
    public static ClassRules weighted(final List<Integer> weights) {
        return new ClassRules(weights, false, USUAL_SHARE, 1, USUAL_BURST_BYTES);
    }

    /** The same with a highest class that is sent at once, up to a share of an adapter's links. */
    public ClassRules withLowLatency(final double share) {
        return new ClassRules(weights, true, share, portShare, burstBytes);
    }

    /** Classes of some number that have strict priority, the first ones. */
    public int strict(final int classes) {
        int strict = 0;
        while (strict < classes && (weights.isEmpty() || weights.get(strict) == 0)) {
            strict++;
        }
        return strict;
    }

    /** Highest classes that need no credit. */
    public int withoutCredit() {
        return lowLatency ? 1 : 0;
    }
}
