package dev.skerry.tools.resources;

/**
 * Power and cost of a rack with a Shoal fabric and of a packet-switched one (Shoal §5, Figure 11, docs/spec/shoal.md
 * §8). Immutable; any thread may call.
 *
 * @param nodes N.
 * @param ports ports of a switch, k; at most k²/2 nodes.
 */
public record ShoalCost(int nodes, int ports) {
    /** The paper's rack. */
    public static final ShoalCost PAPER = new ShoalCost(512, 64);

    private static final double PACKET_SWITCH_W = 350;
    private static final double CIRCUIT_SWITCH_W = 38.5;
    /**
     * Power of a NIC of 100 Gb/s at the time of the paper, and the factor by which integration with the processor
     * reduces it.
     */
    private static final double NIC_W = 12.4;
    private static final double INTEGRATED = 10;
    /** A NIC of 50 Gb/s takes half the power of one of 100 Gb/s. */
    private static final double HALF = 2;
    /** Factor of routing and congestion control in a Shoal NIC (Appendix B). */
    private static final double EXTRA = 1.11;
    /** Cost of the NICs of the packet network divided by that of its switches, which reproduces the printed values. */
    private static final double NICS_TO_SWITCHES = 1.0 / 6;

    /** Returns the leaves and spines of the packet network, and of a plane of Shoal: 3N/k. */
    public int packetSwitches() {
        return Math.ceilDiv(2 * nodes, ports) + Math.ceilDiv(nodes, ports);
    }

    /** Returns twice as many switches, because a node has twice the bandwidth. */
    public int circuitSwitches() {
        return 2 * packetSwitches();
    }

    /** Returns the power of the packet network in W. */
    public double packetW() {
        return packetSwitches() * PACKET_SWITCH_W + nodes * packetNicW();
    }

    /** Returns the power of Shoal in W. */
    public double shoalW() {
        return circuitSwitches() * CIRCUIT_SWITCH_W + nodes * shoalNicW();
    }

    /** Returns the power of a NIC of 50 Gb/s in W. */
    public double packetNicW() {
        return NIC_W / INTEGRATED / HALF;
    }

    /** Returns the power of a Shoal NIC of 100 Gb/s in W. */
    public double shoalNicW() {
        return NIC_W / INTEGRATED * EXTRA;
    }

    /** Returns the share of power that Shoal saves. */
    public double savedPower() {
        return 1 - shoalW() / packetW();
    }

    /**
     * Returns the cost of Shoal in units of the packet network: (2x + fρ) / (1 + ρ).
     *
     * @param switchRatio price of a circuit switch in units of a packet switch, x.
     * @param nicRatio price of a Shoal NIC in units of the other, f.
     */
    public static double cost(final double switchRatio, final double nicRatio) {
        return (2 * switchRatio + nicRatio * NICS_TO_SWITCHES) / (1 + NICS_TO_SWITCHES);
    }

    /**
     * Returns the price of a circuit switch at which Shoal costs a share of the packet network; the inverse of
     * {@link #cost}.
     */
    public static double switchRatio(final double cost, final double nicRatio) {
        return (cost * (1 + NICS_TO_SWITCHES) - nicRatio * NICS_TO_SWITCHES) / 2;
    }

    /**
     * Returns the area of a circuit switch in units of a packet switch: no memory, no logic, serial ports of half the
     * size.
     *
     * @param memory share of memory in the area of a packet switch; a circuit switch has none.
     * @param logic share of logic in the area of a packet switch; a circuit switch has none.
     * @param serial share of serial ports.
     */
    public static double area(final double memory, final double logic, final double serial) {
        return serial / 2 / (memory + logic + serial);
    }
}
