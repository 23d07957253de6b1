package dev.skerry.tools.run;

/**
 * What a cell passes from node to node: fibres, three switches, MAC and PHY of both ends (docs/spec/shoal.md §7).
 *
 * @param wireNs   of all fibres together.
 * @param switchNs of each of leaf, spine and leaf, from port to port.
 * @param nicNs    of both ends together.
 */
public record ShoalWay(double wireNs, double switchNs, double nicNs) {
    private static final int SWITCHES = 3;

    /** From the start of a slot at the sender to that at the receiver. */
    public double totalNs() {
        return wireNs + SWITCHES * switchNs + nicNs;
    }
}
