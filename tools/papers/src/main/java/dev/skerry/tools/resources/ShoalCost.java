package dev.skerry.tools.resources;

/**
 * Power and cost of a rack with a Shoal fabric beside a packet-switched one (Shoal §5, Figure 11, docs/spec/shoal.md
 * §8). Immutable; any thread may call.
 *
 * @param nodes N.
 * @param ports k, of a switch; at most k²/2 nodes.
 */
public record ShoalCost(int nodes, int ports) {
    /** The paper's rack. */
    public static final ShoalCost PAPER = new ShoalCost(512, 64);

    private static final double PACKET_SWITCH_W = 350;
    private static final double CIRCUIT_SWITCH_W = 38.5;
    /** A NIC of 100 Gb/s today, and a tenth of it integrated with the processor. */
    private static final double NIC_W = 12.4;
    private static final double INTEGRATED = 10;
    /** A NIC of 50 Gb/s takes half of one of 100. */
    private static final double HALF = 2;
    /** Of routing and congestion control in a Shoal NIC (Appendix B). */
    private static final double EXTRA = 1.11;
    /** Cost of the NICs of the packet network by that of its switches: what the printed values follow from. */
    private static final double NICS_TO_SWITCHES = 1.0 / 6;

    /** Leaves and spines of the packet network, and of a plane of Shoal: 3N/k. */
    public int packetSwitches() {
        return Math.ceilDiv(2 * nodes, ports) + Math.ceilDiv(nodes, ports);
    }

    /** Twice as many: a node has twice the bandwidth. */
    public int circuitSwitches() {
        return 2 * packetSwitches();
    }

    /** Power of the packet network in W. */
    public double packetW() {
        return packetSwitches() * PACKET_SWITCH_W + nodes * packetNicW();
    }

    /** Power of Shoal in W. */
    public double shoalW() {
        return circuitSwitches() * CIRCUIT_SWITCH_W + nodes * shoalNicW();
    }

    /** Power of a NIC of 50 Gb/s in W. */
    public double packetNicW() {
        return NIC_W / INTEGRATED / HALF;
    }

    /** Power of a Shoal NIC of 100 Gb/s in W. */
    public double shoalNicW() {
        return NIC_W / INTEGRATED * EXTRA;
    }

    /** The share of power that Shoal saves. */
    public double savedPower() {
        return 1 - shoalW() / packetW();
    }

    /**
     * Cost of Shoal in that of the packet network: (2x + fρ) / (1 + ρ).
     *
     * @param switchRatio x, price of a circuit switch in that of a packet switch.
     * @param nicRatio    f, price of a NIC likewise.
     */
    public static double cost(final double switchRatio, final double nicRatio) {
        return (2 * switchRatio + nicRatio * NICS_TO_SWITCHES) / (1 + NICS_TO_SWITCHES);
    }

    /** The price of a circuit switch at which Shoal costs a share of the packet network: inverts {@link #cost}. */
    public static double switchRatio(final double cost, final double nicRatio) {
        return (cost * (1 + NICS_TO_SWITCHES) - nicRatio * NICS_TO_SWITCHES) / 2;
    }

    /**
     * Area of a circuit switch in that of a packet switch: no memory, no logic, serial ports of half the size.
     *
     * @param memory of a packet switch, its share of the area; it falls away.
     * @param logic  likewise.
     * @param serial the share of serial ports.
     */
    public static double area(final double memory, final double logic, final double serial) {
        return serial / 2 / (memory + logic + serial);
    }
}
