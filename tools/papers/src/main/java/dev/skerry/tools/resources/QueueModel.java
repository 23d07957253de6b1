package dev.skerry.tools.resources;

import java.util.Arrays;

/**
 * The queue before a link in slots of one cell, an M/D/1 queue (Stardust §4.2.1, docs/spec/stardust.md §8): the
 * arrivals of a slot are Poisson with mean ρ, and one cell leaves. States are the cells present at the start of a slot,
 * the leaving one included.
 *
 * <p>Probabilities come from the balance across the cut above n, in which all terms are positive, so that the far tail
 * keeps its digits: a(0) p(n+1) = p(0) P(A ≥ n+1) + Σ p(j) P(A ≥ n+2-j), j from 1 to n. Immutable; any thread may call.
 */
public final class QueueModel {
    /** The highest utilization, above which the chain becomes too long. */
    public static final double MAX_UTILIZATION = 0.995;

    private static final int ARRIVALS = 64;
    private static final double NEGLIGIBLE_EXPONENT = 80;

    private final double utilization;
    private final double rate;
    private final double[] atLeast;

    /**
     * Creates the queue of a utilization.
     *
     * @param utilization ρ, above 0 and up to 0.995.
     */
    public QueueModel(final double utilization) {
        this.utilization = utilization;
        this.rate = solveRate(utilization);
        this.atLeast = tail(chain(utilization, (int) Math.ceil(NEGLIGIBLE_EXPONENT / rate) + ARRIVALS));
    }

    /** Returns 2 ln fs, fs = 1/ρ: the rate of the tail in the paper. */
    public double paperRate() {
        return -2 * Math.log(utilization);
    }

    /** Returns P(Q ≥ N) of the paper, fs^(-2N). */
    public double paperAtLeast(final int cells) {
        return Math.exp(-paperRate() * cells);
    }

    /** Returns θ, the rate of the tail: the positive root of ρ(e^θ - 1) = θ. */
    public double rate() {
        return rate;
    }

    /** Returns A: P(Q ≥ N) approaches A e^(-θN). */
    public double factor() {
        final double root = Math.exp(rate);
        return (1 - utilization) * root / (utilization * root - 1);
    }

    /** Returns the mean number of cells present, ρ + ρ²/(2(1-ρ)). */
    public double mean() {
        return utilization + utilization * utilization / (2 * (1 - utilization));
    }

    /** Returns P(Q ≥ N), the probability that at least N cells are present. */
    public double atLeast(final int cells) {
        return cells < atLeast.length ? atLeast[Math.max(0, cells)] : factor() * Math.exp(-rate * cells);
    }

    /** Returns the smallest N with P(Q ≥ N) not above a probability. */
    public int cellsAt(final double chance) {
        int cells = 0;
        while (atLeast(cells) > chance) {
            cells++;
        }
        return cells;
    }

    /**
     * Finds the root by bisection between the minimum of ρ(e^θ - 1) - θ, where it is negative, and a point where it is
     * positive.
     */
    private static double solveRate(final double utilization) {
        double low = -Math.log(utilization);
        double high = 2 * low;
        while (utilization * Math.expm1(high) <= high) {
            high *= 2;
        }
        for (int step = 0; step < 200; step++) {
            final double middle = (low + high) / 2;
            if (utilization * Math.expm1(middle) < middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + high) / 2;
    }

    private static double[] chain(final double utilization, final int states) {
        final double[] arrivals = new double[ARRIVALS + 2];
        arrivals[0] = Math.exp(-utilization);
        for (int i = 1; i < arrivals.length; i++) {
            arrivals[i] = arrivals[i - 1] * utilization / i;
        }
        final double none = arrivals[0];
        final double[] arrivalsAtLeast = tail(arrivals);
        final double[] chance = new double[states];
        chance[0] = 1 - utilization;
        for (int n = 0; n + 1 < states; n++) {
            double flow = n + 1 < arrivalsAtLeast.length ? chance[0] * arrivalsAtLeast[n + 1] : 0;
            for (int j = Math.max(1, n + 2 - ARRIVALS); j <= n; j++) {
                flow += chance[j] * arrivalsAtLeast[n + 2 - j];
            }
            chance[n + 1] = flow / none;
        }
        return chance;
    }

    private static double[] tail(final double[] chances) {
        final double[] sums = Arrays.copyOf(chances, chances.length);
        for (int i = sums.length - 2; i >= 0; i--) {
            sums[i] += sums[i + 1];
        }
        return sums;
    }
}
