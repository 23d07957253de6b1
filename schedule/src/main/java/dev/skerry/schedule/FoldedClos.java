package dev.skerry.schedule;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The devices and links of a folded Clos as tables for an engine (docs/spec/stardust.md §2, wiring rule). A link is one
 * full-duplex lane between two ports; a direction of a link is named by the port that sends into it.
 *
 * <pre>
 *   device    0 .. fas-1                FA i of pod p at p * m + i
 *             tierStart(1) ..           FEs of tier 1, sub-tree by sub-tree, then those of tier 2, and so on
 *
 *   port      firstPort(device) ..      of an FA: link c to the FE j of its pod at j * linksPerPair + c
 *                                       of an FE: its down-links, then its up-links
 *
 *   FA i of a pod, port j*g + c    to   FE j of the pod, down-link i*g + c                      g = linksPerPair
 *   FE j of sub-tree q, up-link v  to   FE (w mod S) above it, down-link q * (d/P) + (w div S)  w = j*u + v
 *                                       S FEs of d down-links above P sub-trees, q of them 0 .. P-1
 * </pre>
 *
 * The down-links of an FE to one sub-tree have consecutive ports. Immutable; any thread may call. The accessors do not
 * check their arguments.
 */
public final class FoldedClos {
    /** No port: nothing is connected. */
    public static final int NONE = -1;

    private final FoldedClosConfig config;
    private final int[] tierStart;
    private final int[] firstPort;
    private final int[] peer;
    private final int[] device;

    /** Creates the devices of a fabric and connects them. */
    public FoldedClos(final FoldedClosConfig config) {
        this.config = config;
        final int tiers = config.tiers();
        this.tierStart = new int[tiers + 2];
        tierStart[1] = config.fas();
        for (int tier = 1; tier <= tiers; tier++) {
            tierStart[tier + 1] = tierStart[tier] + config.elements(tier);
        }
        this.firstPort = new int[devices() + 1];
        for (int index = 0; index < devices(); index++) {
            firstPort[index + 1] = firstPort[index] + (index < fas() ? config.faLinks() : config.radix());
        }
        this.peer = new int[firstPort[devices()]];
        this.device = new int[peer.length];
        Arrays.fill(peer, NONE);
        for (int index = 0; index < devices(); index++) {
            Arrays.fill(device, firstPort[index], firstPort[index + 1], index);
        }
        connectAdapters();
        for (int tier = 1; tier < tiers; tier++) {
            connectTier(tier);
        }
    }

    /** Returns the configuration of the fabric. */
    public FoldedClosConfig config() {
        return config;
    }

    /** Returns the number of FAs and FEs. */
    public int devices() {
        return tierStart[tierStart.length - 1];
    }

    /** Returns the number of FAs, which are the first devices. */
    public int fas() {
        return tierStart[1];
    }

    /** Returns the number of tiers of FEs, n. */
    public int tiers() {
        return tierStart.length - 2;
    }

    /** Returns the first device of a tier, 0 (the FAs) to n; for n + 1, the number of devices. */
    public int tierStart(final int tier) {
        return tierStart[tier];
    }

    /** Returns the tier of a device, 0 for an FA. */
    public int tierOf(final int index) {
        int tier = 0;
        while (index >= tierStart[tier + 1]) {
            tier++;
        }
        return tier;
    }

    /**
     * Returns the sub-tree of a level, numbered from 0 over the fabric, that contains a device of that tier or a lower
     * one.
     */
    public int subTreeOf(final int index, final int level) {
        final int tier = tierOf(index);
        final int at = index - tierStart[tier];
        int subTree = at / (tier == 0 ? config.fasPerPod() : config.elementsPerSubTree(tier));
        for (int below = Math.max(tier, 1); below < level; below++) {
            subTree /= config.pods().get(below - 1);
        }
        return subTree;
    }

    /** Returns the number of ports, unconnected ones included. */
    public int ports() {
        return peer.length;
    }

    /** Returns the first port of a device; for {@link #devices()}, the number of ports. */
    public int firstPort(final int index) {
        return firstPort[index];
    }

    /** Returns the number of ports of a device. */
    public int ports(final int index) {
        return firstPort[index + 1] - firstPort[index];
    }

    /** Returns the number of ports of a device that lead down, which are its first ones. */
    public int downPorts(final int index) {
        return index < fas() ? 0 : config.downLinks(tierOf(index));
    }

    /** Returns the port at the other end of a port's link, or {@link #NONE}. */
    public int peer(final int port) {
        return peer[port];
    }

    /** Tells whether a link joins two devices. */
    public boolean areLinked(final int one, final int other) {
        return IntStream.range(firstPort(one), firstPort(one + 1))
            .anyMatch(port -> peer[port] != NONE && device[peer[port]] == other);
    }

    /** Returns the device of a port. */
    public int deviceOf(final int port) {
        return device[port];
    }

    /** Returns the number of full-duplex links between a tier, 0 to n - 1, and the one above it. */
    public int links(final int lowerTier) {
        return IntStream.range(tierStart[lowerTier], tierStart[lowerTier + 1])
            .map(index -> ports(index) - downPorts(index)).sum();
    }

    /** Returns the number of full-duplex links of the fabric. */
    public int links() {
        return IntStream.range(0, tiers()).map(this::links).sum();
    }

    private void connectAdapters() {
        final int perPod = config.fasPerPod();
        final int lanes = config.linksPerPair();
        final int elements = config.elementsPerSubTree(1);
        for (int fa = 0; fa < fas(); fa++) {
            final int firstElement = tierStart[1] + fa / perPod * elements;
            for (int link = 0; link < config.faLinks(); link++) {
                connect(firstPort[fa] + link,
                    firstPort[firstElement + link / lanes] + fa % perPod * lanes + link % lanes);
            }
        }
    }

    private void connectTier(final int tier) {
        final int below = config.elementsPerSubTree(tier);
        final int above = config.elementsPerSubTree(tier + 1);
        final int trees = config.pods().get(tier - 1);
        final int linksPerTree = config.downLinks(tier + 1) / trees;
        final int up = config.upLinks();
        for (int child = 0; child < config.subTrees(tier); child++) {
            final int lower = tierStart[tier] + child * below;
            final int upper = tierStart[tier + 1] + child / trees * above;
            for (int link = 0; link < below * up; link++) {
                connect(firstPort[lower + link / up] + config.downLinks(tier) + link % up,
                    firstPort[upper + link % above] + child % trees * linksPerTree + link / above);
            }
        }
    }

    private void connect(final int one, final int other) {
        peer[one] = other;
        peer[other] = one;
    }
}
