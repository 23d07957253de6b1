package dev.skerry.tools.resources;

import java.util.List;

/**
 * Cost and power of a Stardust network and of a fat tree of packet switches for the same number of hosts (Stardust §7,
 * Figure 11, Table 3, docs/spec/stardust.md §9). A ToR has 40 hosts, connected by copper; devices have 256 lanes of
 * 25G, and 40 lanes of a ToR lead into the fabric. A fabric link has an optical module at each end and a fibre, of 100
 * m in the last of several tiers, else of 10 m. A packet switch groups its lanes into modules of its bundle, Stardust
 * into the cheapest ones. Prices are in US dollars of 2018, power in units of a ToR. Immutable; any thread may call.
 *
 * @param elementRatio cost and power of an FE in units of a switch.
 */
public record CostModel(double elementRatio) {
    /** The ratio in the paper, that of silicon area. */
    public static final CostModel PAPER = new CostModel(0.667);

    private static final double PLATFORM = 16_200;
    private static final double COPPER = 84;
    private static final int COPPER_CABLES = 10;
    private static final double FIBRE_10M = 8;
    private static final double FIBRE_100M = 62;
    private static final int[] BUNDLES = {1, 2, 4};

    /** Returns the cost of ToRs, their copper and a fabric of packet switches with ports of a bundle, 1, 2 or 4. */
    public double fatTreeCost(final int bundle, final long hosts) {
        return edgeCost(hosts) + fatTreeFabricCost(bundle, hosts);
    }

    /** Returns the cost of FAs, their copper and the fabric. */
    public double stardustCost(final long hosts) {
        return edgeCost(hosts) + stardustFabricCost(hosts);
    }

    /** Returns the cost of the fabric's switches, modules and fibres. */
    public double fatTreeFabricCost(final int bundle, final long hosts) {
        final NetworkPlan plan = NetworkPlan.figure11(bundle, hosts);
        double cost = elements(plan) * PLATFORM;
        for (int tier = 1; tier <= plan.tiers(); tier++) {
            cost += plan.adapters() * (double) plan.uplinkLanes() * laneCost(bundle, fibre(plan, tier));
        }
        return cost;
    }

    /** Returns the cost of the fabric's FEs, modules and fibres. */
    public double stardustFabricCost(final long hosts) {
        final NetworkPlan plan = NetworkPlan.figure11(1, hosts);
        double cost = elements(plan) * PLATFORM * elementRatio;
        for (int tier = 1; tier <= plan.tiers(); tier++) {
            double cheapest = Double.MAX_VALUE;
            for (final int bundle : BUNDLES) {
                cheapest = Math.min(cheapest, laneCost(bundle, fibre(plan, tier)));
            }
            cost += plan.adapters() * (double) plan.uplinkLanes() * cheapest;
        }
        return cost;
    }

    /** Returns the power of ToRs and switches, in units of a ToR. */
    public double fatTreePower(final int bundle, final long hosts) {
        final NetworkPlan plan = NetworkPlan.figure11(bundle, hosts);
        return plan.adapters() + elements(plan);
    }

    /** Returns the power of FAs and FEs, in units of a ToR. */
    public double stardustPower(final long hosts) {
        return NetworkPlan.figure11(1, hosts).adapters() + stardustFabricPower(hosts);
    }

    /** Returns the power of the switches alone, in units of a ToR. */
    public double fatTreeFabricPower(final int bundle, final long hosts) {
        return elements(NetworkPlan.figure11(bundle, hosts));
    }

    /** Returns the power of the FEs alone, in units of a ToR. */
    public double stardustFabricPower(final long hosts) {
        return elements(NetworkPlan.figure11(1, hosts)) * elementRatio;
    }

    private static double edgeCost(final long hosts) {
        return NetworkPlan.figure11(1, hosts).adapters() * (PLATFORM + COPPER_CABLES * COPPER);
    }

    /** Returns the switches as a share of each ToR, not rounded up, which reproduces the printed values. */
    private static double elements(final NetworkPlan plan) {
        return plan.adapters() * plan.elementsPerAdapter();
    }

    private static double fibre(final NetworkPlan plan, final int tier) {
        return tier == plan.tiers() && tier > 1 ? FIBRE_100M : FIBRE_10M;
    }

    /** Returns the cost of two modules and a fibre per lane of a bundle. */
    private static double laneCost(final int bundle, final double fibre) {
        final double module = switch (bundle) {
            case 1 -> 125;
            case 2 -> 280;
            case 4 -> 435;
            default -> throw new IllegalArgumentException("modules carry 1, 2 or 4 lanes: bundle=" + bundle);
        };
        return (2 * module + fibre) / bundle;
    }

    /**
     * A part of a ToR chip and the saving of an FE on it (Stardust Appendix C, docs/spec/stardust.md §9). The paper
     * prints the savings of interfaces and of the remaining logic, and the total result. The shares are in an image
     * only and are therefore given by the user.
     *
     * @param name name of the part.
     * @param share share of the ToR chip's area, 0 to 1.
     * @param saving saving of that share in the FE, up to 1; negative if the FE takes more.
     */
    public record AreaPart(String name, double share, double saving) {
        /** Area of an FE per Tb/s, in units of a ToR chip. */
        public static final double ELEMENT_PER_TBPS = 0.666;
        /** Saving of an FE on network interfaces, per port. */
        public static final double INTERFACE_SAVING = 0.70;
        /** Saving of an FE on the remaining logic. */
        public static final double REMAINING_SAVING = 0.40;
        /** Area of an FE in units of a switch with reconfigurable match tables. */
        public static final double OF_RMT_SWITCH = 0.45;
        /** Share of an FA's area that serves Stardust. */
        public static final double STARDUST_IN_ADAPTER = 0.08;

        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException if one is out of range.
         */
        public AreaPart {
            if (!(share >= 0 && share <= 1) || !(saving <= 1) || Double.isInfinite(saving)) {
                throw new IllegalArgumentException("a share is 0 to 1, a saving at most 1: " + name + ":" + share + ":"
                    + saving);
            }
        }

        /**
         * Returns the area of an FE in units of a ToR chip of the same bandwidth.
         *
         * @throws IllegalArgumentException if the shares do not sum to 1 within a thousandth.
         */
        public static double element(final List<AreaPart> parts) {
            double shares = 0;
            double area = 0;
            for (final AreaPart part : parts) {
                shares += part.share;
                area += part.share * (1 - part.saving);
            }
            if (Math.abs(shares - 1) > 1e-3) {
                throw new IllegalArgumentException("the shares of all parts sum to 1: sum=" + shares);
            }
            return area;
        }
    }
}
