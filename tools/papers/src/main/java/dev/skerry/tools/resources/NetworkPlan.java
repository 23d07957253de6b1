package dev.skerry.tools.resources;

import dev.skerry.schedule.FoldedClosScale;

/**
 * The devices and links of a folded Clos for a number of hosts (Stardust Figure 2, docs/spec/stardust.md §9): as few
 * tiers as possible, with half of the links of the FEs below the top leading up. A bundle of lanes changes only the
 * number of tiers. Immutable; any thread may call.
 *
 * @param lanes serial lanes of an FE.
 * @param uplinkLanes serial lanes of an FA to the fabric.
 * @param hostsPerAdapter hosts at an FA.
 * @param bundle lanes of a port, l, a divisor of both.
 * @param hosts hosts in total.
 */
public record NetworkPlan(int lanes, int uplinkLanes, int hostsPerAdapter, int bundle, long hosts) {
    /** Maximum number of hosts, so that every count fits in a {@code long}. */
    public static final long MAX_HOSTS = 1_000_000_000_000L;

    /** Returns the network of Figure 2: devices of 12.8 Tb/s with 50G lanes; 40 hosts of 100G at an FA. */
    public static NetworkPlan figure2(final int bundle, final long hosts) {
        return new NetworkPlan(256, 80, 40, bundle, hosts);
    }

    /** Returns the network of Figure 11: devices of 6.4 Tb/s with 25G lanes; 40 hosts of 25G at an FA. */
    public static NetworkPlan figure11(final int bundle, final long hosts) {
        return new NetworkPlan(256, 40, 40, bundle, hosts);
    }

    /** Returns the maximum number of hosts of a network with a number of tiers. */
    public long maxHosts(final int tiers) {
        return new FoldedClosScale(lanes / bundle, uplinkLanes / bundle, tiers, bundle).maxHosts(hostsPerAdapter);
    }

    /** Returns the number of FAs, or ToR switches. */
    public long adapters() {
        return Math.ceilDiv(hosts, hostsPerAdapter);
    }

    /** Returns the number of tiers of FEs. */
    public int tiers() {
        int tiers = 1;
        while (maxHosts(tiers) / hostsPerAdapter < adapters()) {
            tiers++;
        }
        return tiers;
    }

    /** Returns the number of FEs, or fabric switches: (2n-1) t/k for each FA, rounded up. */
    public long elements() {
        return Math.ceilDiv(adapters() * (2L * tiers() - 1) * uplinkLanes, lanes);
    }

    /** Returns the number of FEs per FA. */
    public double elementsPerAdapter() {
        return FoldedClosScale.elementsPerAdapter(lanes, uplinkLanes, tiers());
    }

    /** Returns the number of serial links in all tiers. */
    public long serialLinks() {
        return adapters() * tiers() * uplinkLanes;
    }
}
