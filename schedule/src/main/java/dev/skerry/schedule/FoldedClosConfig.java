package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The shape of a folded Clos of Fabric Adapters (FAs) and Fabric Elements (FEs) (Stardust §3, docs/spec/stardust.md
 * §2). A sub-tree of level 1 is a pod: its FAs and the FEs of tier 1 that all of them are connected to. A sub-tree of
 * level i + 1 is a number of sub-trees of level i under common FEs of tier i + 1; the sub-tree of level n is the
 * fabric.
 *
 * <pre>
 *   k radix, u up-links of an FE below the top, d(i) down-links of an FE of tier i: k - u, at the top k
 *   S(1) = faLinks / linksPerPair, FEs of a pod        S(i+1) = P(i) * S(i) * u / d(i+1), FEs over P(i) sub-trees
 * </pre>
 *
 * Immutable; any thread may call.
 *
 * @param radix        full-duplex links of an FE, k; even if there is more than one tier.
 * @param faLinks      links of an FA to the fabric, t, a multiple of {@code linksPerPair}.
 * @param linksPerPair links between an FA and an FE of its pod, 1 except in fabrics of few devices.
 * @param fasPerPod    FAs of a pod, m; the FEs of tier 1 may have down-links that no FA uses.
 * @param upLinks      links of an FE below the top to the tier above it, u; 0 if there is one tier only.
 * @param pods         by level, from 1: the number P of sub-trees under common FEs; empty if there is one tier only.
 */
public record FoldedClosConfig(int radix, int faLinks, int linksPerPair, int fasPerPod, int upLinks,
    List<Integer> pods) {
    /** Maximum number of FAs: ids have 16 bits, and one id is reserved. */
    public static final int MAX_FAS = 65_535;
    /** Maximum number of links of an FE. */
    public static final int MAX_RADIX = 1 << 12;
    /** Maximum number of ports of a fabric. */
    public static final int MAX_PORTS = 1 << 28;

    /** The network of §6.2, Figure 9: 256 FAs of 32 links, 128 FEs of tier 1 and 64 of tier 2, in 4 pods. */
    public static final FoldedClosConfig N62 = new FoldedClosConfig(128, 32, 1, 64, 64, List.of(4));

    /** The network of Figure 10, a fat tree of k = 12: 72 FAs of 6 hosts and 6 links, 108 FEs. */
    public static final FoldedClosConfig N432 = new FoldedClosConfig(12, 6, 1, 6, 6, List.of(12));

    /** The system of §6.1.2: 24 FAs of 60 links and 12 FEs in one tier, with five links between each FA and FE. */
    public static final FoldedClosConfig N612 = new FoldedClosConfig(128, 60, 5, 24, 0, List.of());

    /**
     * Checks every wiring rule.
     *
     * @throws IllegalArgumentException if a rule is broken; the message names it.
     */
    public FoldedClosConfig {
        pods = List.copyOf(pods);
        final int tiers = pods.size() + 1;
        require(radix >= 1 && radix <= MAX_RADIX, "an FE has 1 to " + MAX_RADIX + " links", "radix", radix);
        require(tiers == 1 || radix % 2 == 0, "the radix must be even with more than one tier", "radix", radix);
        require(faLinks >= 1 && faLinks <= MAX_RADIX, "an FA has 1 to " + MAX_RADIX + " links", "faLinks", faLinks);
        require(linksPerPair >= 1 && faLinks % linksPerPair == 0,
            "the links of an FA must be spread evenly over the FEs of its pod: "
                + "faLinks=" + faLinks, "linksPerPair", linksPerPair);
        require(tiers == 1 ? upLinks == 0 : upLinks >= 1 && upLinks < radix,
            "an FE below the top has 1 to radix - 1 up-links, of one tier none: radix=" + radix, "upLinks", upLinks);
        require(fasPerPod >= 1 && (long) fasPerPod * linksPerPair <= radix - upLinks,
            "the FAs of a pod must match the down-links of its FEs: radix=" + radix + " upLinks=" + upLinks
            + " linksPerPair=" + linksPerPair, "fasPerPod", fasPerPod);
        requireTiers(radix, faLinks, linksPerPair, fasPerPod, upLinks, pods);
    }

    /** The largest fabric of {@code tiers} tiers without internal over-subscription: half of an FE's links lead up. */
    public static FoldedClosConfig largest(final int radix, final int faLinks, final int tiers) {
        return largest(radix, faLinks, tiers, tiers == 1 ? 0 : radix / 2);
    }

    /** The largest fabric of {@code tiers} tiers in which an FE below the top has {@code upLinks} up-links. */
    public static FoldedClosConfig largest(final int radix, final int faLinks, final int tiers, final int upLinks) {
        require(tiers >= 1 && tiers <= Integer.SIZE, "a fabric has 1 to 32 tiers", "tiers", tiers);
        require(upLinks >= 0 && upLinks < radix, "at least one link of an FE must lead down: "
            + "radix=" + radix, "upLinks", upLinks);
        final List<Integer> pods = new ArrayList<>(Collections.nCopies(tiers - 1, radix - upLinks));
        if (tiers > 1) {
            pods.set(tiers - 2, radix);
        }
        return new FoldedClosConfig(radix, faLinks, 1, radix - upLinks, upLinks, pods);
    }

    /** Tiers of FEs, n. */
    public int tiers() {
        return pods.size() + 1;
    }

    /** Number of sub-trees of a level, 1 to n, in the whole fabric. */
    public int subTrees(final int level) {
        return pods.stream().skip(level - 1).reduce(1, (one, other) -> one * other);
    }

    /** Number of FEs at the top of each sub-tree of a level, 1 to n: S of that level. */
    public int elementsPerSubTree(final int level) {
        long elements = faLinks / linksPerPair;
        for (int at = 1; at < level; at++) {
            elements = elements * pods.get(at - 1) * upLinks / downLinks(at + 1);
        }
        return (int) elements;
    }

    /** Number of down-links of each FE of a tier, 1 to n. */
    public int downLinks(final int tier) {
        return tier == tiers() ? radix : radix - upLinks;
    }

    /** Total number of FAs. */
    public int fas() {
        return subTrees(1) * fasPerPod;
    }

    /** Number of FEs of a tier, 1 to n. */
    public int elements(final int tier) {
        return subTrees(tier) * elementsPerSubTree(tier);
    }

    /** Total number of FEs. */
    public int elements() {
        return IntStream.rangeClosed(1, tiers()).map(this::elements).sum();
    }

    private static void requireTiers(final int radix, final int faLinks, final int linksPerPair, final int fasPerPod,
        final int upLinks, final List<Integer> pods) {
        final int tiers = pods.size() + 1;
        long fas = fasPerPod;
        long elements = faLinks / linksPerPair;
        double ports = 0;
        for (int level = 1; level < tiers; level++) {
            final int down = level + 1 == tiers ? radix : radix - upLinks;
            final int count = pods.get(level - 1);
            require(count >= 1 && down % count == 0,
                "the number of sub-trees must divide the down-links of the FEs above them: "
                + "downLinks=" + down, "pods[" + (level - 1) + "]", count);
            final long links = elements * upLinks * count;
            require(links % down == 0, "the FEs of tier " + (level + 1) + ", links / downLinks, are a whole number: "
                + "downLinks=" + down, "links", links);
            ports = ports * count + (double) count * elements * radix;
            fas *= count;
            elements = links / down;
            require(fas <= MAX_FAS, "a fabric has " + MAX_FAS + " FAs at most", "fas", fas);
            require(ports <= MAX_PORTS, "a fabric has 2^28 ends of links at most", "ports", (long) ports);
        }
        ports += (double) fas * faLinks + (double) elements * radix;
        require(ports <= MAX_PORTS, "a fabric has 2^28 ends of links at most", "ports", (long) ports);
    }

    private static void require(final boolean holds, final String rule, final String name, final long value) {
        Bounds.refuseIf(!holds, rule, ", ", name, "=", value);
    }
}
