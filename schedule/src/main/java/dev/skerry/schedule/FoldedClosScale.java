package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

/**
 * Scale of folded Clos fabrics in closed form (Stardust Table 2, docs/spec/stardust.md §2 and its erratum E3): the
 * largest fabric of n tiers in which half of an FE's links lead up. Exact integers. Immutable; any thread may call.
 *
 * @param radix   ports of an FE, k, each a bundle of links; even if there is more than one tier.
 * @param faPorts ports of an FA to the fabric, t.
 * @param tiers   tiers of FEs, n.
 * @param bundle  links per port, l: 1 in Stardust.
 */
public record FoldedClosScale(int radix, int faPorts, int tiers, int bundle) {
    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if a number is out of range, or the number of links does not fit a {@code long}.
     */
    public FoldedClosScale {
        Bounds.refuseIf(radix < 1 || tiers > 1 && radix % 2 != 0,
            "the radix is positive, and even in more than one tier: radix=", radix);
        Bounds.refuseIf(faPorts < 1 || tiers < 1 || bundle < 1, "a fabric has ports, tiers and links: faPorts=",
            faPorts, " tiers=", tiers, " bundle=", bundle);
        Bounds.refuseIf(2.0 * tiers * faPorts * bundle * Math.pow(radix, tiers) >= Long.MAX_VALUE,
            "a fabric of more than 2^63 links: radix=", radix, " tiers=", tiers);
    }

    /** Maximum number of FAs, k^n / 2^(n-1). */
    public long maxAdapters() {
        return radix * halfRadixToTiersMinusOne();
    }

    /** Maximum number of FEs, (2n-1) / 2^(n-1) t k^(n-1). */
    public long maxElements() {
        return (2L * tiers - 1) * faPorts * halfRadixToTiersMinusOne();
    }

    /** FEs per FA of a full fabric, (2n-1) t / k. */
    public double elementsPerAdapter() {
        return elementsPerAdapter(radix, faPorts, tiers);
    }

    /** FEs per FA of a full fabric, (2n-1) t / k; also for a fractional number of ports. */
    public static double elementsPerAdapter(final double radix, final double faPorts, final int tiers) {
        return (2 * tiers - 1) * faPorts / radix;
    }

    /** Maximum number of bundles of links, n t k^n / 2^(n-1). */
    public long maxBundles() {
        return maxBundles(false);
    }

    /**
     * Maximum number of bundles of links.
     *
     * @param paperTable2 use the rule that the paper prints for n tiers, (1 - 1/2^(n-1)) t k^n, which contradicts the
     *                    paper's own rows for 1 and 2 tiers.
     */
    public long maxBundles(final boolean paperTable2) {
        return factor(paperTable2) * faPorts * maxAdapters();
    }

    /** Links per FA of a full fabric, n t l. */
    public long linksPerAdapter() {
        return linksPerAdapter(false);
    }

    /**
     * Links per FA of a full fabric.
     *
     * @param paperTable2 use the rule that the paper prints for n tiers, (2^(n-1) - 1) t l.
     */
    public long linksPerAdapter(final boolean paperTable2) {
        return factor(paperTable2) * faPorts * bundle;
    }

    /**
     * Maximum number of hosts.
     *
     * @param hostsPerAdapter hosts of each FA.
     */
    public long maxHosts(final int hostsPerAdapter) {
        return Math.multiplyExact(maxAdapters(), hostsPerAdapter);
    }

    private long factor(final boolean paperTable2) {
        return paperTable2 ? (1L << tiers - 1) - 1 : tiers;
    }

    private long halfRadixToTiersMinusOne() {
        long power = 1;
        for (int tier = 1; tier < tiers; tier++) {
            power *= radix / 2;
        }
        return power;
    }
}
