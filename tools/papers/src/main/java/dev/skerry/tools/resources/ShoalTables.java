package dev.skerry.tools.resources;

import dev.skerry.tools.report.ResourceTable;

import java.util.List;

/** The formulas of Shoal as tables (docs/spec/shoal.md §7, §8). Pure functions; any thread may call. */
public final class ShoalTables {
    private static final int CELL_BYTES = 64;
    private static final double CYCLE_NS = 6.4;
    private static final double FAST_CYCLE_NS = 1e3 / 390.625;
    private static final int[] NODES = {8, 64, 500, 512, 1000, 1024};

    private ShoalTables() {
    }

    /** All of them. */
    public static List<ResourceTable> all() {
        return List.of(memory(), latency(), power(), cost(), prices(), chip());
    }

    /** Buffers of a node off chip, cells and control state on chip. */
    private static ResourceTable memory() {
        final ResourceTable table = new ResourceTable("shoalMemory",
            "Memory of a Shoal node (sections 3.3.4, 3.5; perN2LogN: control bits / (N\u00b2 log2 N))",
            "nodes", "bufferBytes", "cellCacheBytes", "controlBits", "perN2LogN");
        for (final long nodes : NODES) {
            final long bits = ShaleMemory.shoalBits(nodes);
            table.row(nodes, nodes * nodes * CELL_BYTES, (nodes - 1) * CELL_BYTES, bits,
                bits / (nodes * nodes * Math.log(nodes) / Math.log(2)));
        }
        return table;
    }

    /** Cycles of each part of the way, at the clock of the prototype and at that of a switch of 50 Gb/s. */
    private static ResourceTable latency() {
        final ResourceTable table = new ResourceTable("shoalLatency",
            "Latency of a switch, a NIC and the prototype's way (Figure 6, sections 4.1, 4.2, 6.2)", "part", "cycles",
            "nsAt156MHz", "nsAt390MHz");
        final String[] parts = {"PHY", "switching (reconfiguration)", "synchronisation FIFO", "switch, port to port",
            "NIC, routing and congestion control, transmit", "NIC, the same, receive", "MAC and PHY of both ends"};
        final int[] cycles = {45, 1, 4, 50, 4, 5, 90};
        for (int i = 0; i < parts.length; i++) {
            table.row(parts[i], cycles[i], cycles[i] * CYCLE_NS, cycles[i] * FAST_CYCLE_NS);
        }
        return table.row("node to node: 40 ns of fibre, 3 switches, both ends", 240, 40 + 240 * CYCLE_NS,
            40 + 240 * FAST_CYCLE_NS);
    }

    private static ResourceTable power() {
        final ShoalCost rack = ShoalCost.PAPER;
        return new ResourceTable("shoalPower", "Power of a rack of 512 nodes (section 5)", "network", "switches",
            "switchesW", "nicW", "totalW")
            .row("packets, 50G", rack.packetSwitches(), rack.packetW() - rack.nodes() * rack.packetNicW(),
                rack.packetNicW(), rack.packetW())
            .row("Shoal, 2x50G", rack.circuitSwitches(), rack.shoalW() - rack.nodes() * rack.shoalNicW(),
                rack.shoalNicW(), rack.shoalW())
            .row("saved, of 1", 0, 0.0, 0.0, rack.savedPower());
    }

    /** Figure 11. */
    private static ResourceTable cost() {
        final ResourceTable table = new ResourceTable("shoalCost",
            "Cost of Shoal in that of a packet network, by the price of a circuit switch (Figure 11; f: of a NIC)",
            "switchPrice", "f2", "f3");
        for (int tenths = 0; tenths <= 6; tenths++) {
            final double price = tenths / 10.0;
            table.row(price, ShoalCost.cost(price, 2), ShoalCost.cost(price, 3));
        }
        return table;
    }

    private static ResourceTable prices() {
        final double area = ShoalCost.area(0.5, 0.2, 0.3);
        return new ResourceTable("shoalPrices", "Price of a circuit switch in that of a packet switch (section 5)",
            "for", "f2", "f3")
            .row("a network as dear", ShoalCost.switchRatio(1, 2), ShoalCost.switchRatio(1, 3))
            .row("a network 40 % cheaper", ShoalCost.switchRatio(0.6, 2), ShoalCost.switchRatio(0.6, 3))
            .row("its area alone", area, area);
    }

    /** What the authors' synthesis gave; quoted, not computed. */
    private static ResourceTable chip() {
        return new ResourceTable("shoalChip",
            "Shares of a Stratix V of 234,720 ALMs and 52 Mbit, as printed (Appendix B; extra: power by a chip's)",
            "part", "logic", "memory", "extraPower")
            .row("NIC, 500 nodes", 0.84, 0.13, 0.11)
            .row("switch, 64 ports", 0.02, 0.002, 0.001);
    }
}
