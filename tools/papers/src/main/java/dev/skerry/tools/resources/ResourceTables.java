package dev.skerry.tools.resources;

import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.FoldedClosScale;
import dev.skerry.schedule.UpDownReach;
import dev.skerry.tools.report.ResourceTable;
import dev.skerry.tools.resources.CostModel.AreaPart;
import dev.skerry.tools.resources.CycleModel.Design;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The formulas of this package as tables, by topic. Without state; any thread may call. */
public final class ResourceTables {
    private static final int CREDIT_BYTES = 4_096;
    private static final int MAX_TIERS = 4;
    private static final double FIBRE_NS = 500;
    private static final int[] BUNDLES = {1, 2, 4, 8};
    private static final int[] PACKET_BYTES = {64, 65, 97, 129, 256, 257, 512, 513, 1025, 1500};
    private static final int CELL_BYTES = 64;
    private static final double CYCLE_NS = 6.4;
    private static final double FAST_CYCLE_NS = 1e3 / 390.625;
    private static final int[] NODES = {8, 64, 500, 512, 1000, 1024};

    private ResourceTables() {
    }

    /** Returns the largest fabrics, and the devices for a number of hosts. */
    public static List<ResourceTable> scaling(final long... hosts) {
        final ResourceTable sizes = new ResourceTable("table2",
            "Largest folded Clos of FEs with 128 ports and FAs with 32 (Table 2; "
            + "AsPrinted: the paper's rule for n tiers)", "tiers", "maxAdapters", "maxElements", "elementsPerAdapter",
            "bundles", "bundlesAsPrinted", "linksPerAdapter", "linksPerAdapterAsPrinted");
        for (int tiers = 1; tiers <= MAX_TIERS; tiers++) {
            final FoldedClosScale scale = new FoldedClosScale(128, 32, tiers, 1);
            sizes.row(tiers, scale.maxAdapters(), scale.maxElements(), scale.elementsPerAdapter(),
                scale.maxBundles(), scale.maxBundles(true), scale.linksPerAdapter(), scale.linksPerAdapter(true));
        }
        final ResourceTable reach = new ResourceTable("maxHosts",
            "Maximum number of hosts (Figure 2: devices of 12.8 Tb/s with 50G lanes, 40 "
            + "hosts of 100G at an FA)", "bundle", "oneTier", "twoTiers", "threeTiers");
        final ResourceTable counts = new ResourceTable("devices",
            "Devices and serial links by number of hosts (Figure 2)", "hosts",
            "bundle", "tiers", "adapters", "elements", "devices", "serialLinks");
        for (final int bundle : BUNDLES) {
            final NetworkPlan plan = NetworkPlan.figure2(bundle, 1);
            reach.row(bundle, plan.maxHosts(1), plan.maxHosts(2), plan.maxHosts(3));
        }
        for (final long count : hosts) {
            for (final int bundle : BUNDLES) {
                final NetworkPlan plan = NetworkPlan.figure2(bundle, count);
                counts.row(count, bundle, plan.tiers(), plan.adapters(), plan.elements(),
                    plan.adapters() + plan.elements(), plan.serialLinks());
            }
        }
        return List.of(sizes, reach, counts, presets());
    }

    private static ResourceTable presets() {
        final ResourceTable presets = new ResourceTable("networks",
            "Networks of the paper (N62: Figure 9; N432: Figure 10; N612: the "
            + "system of one tier)", "name", "adapters", "tiers", "elements", "linksPerAdapter", "tableBytes");
        List.of(Map.entry("N62", FoldedClosConfig.N62), Map.entry("N432", FoldedClosConfig.N432),
            Map.entry("N612", FoldedClosConfig.N612)).forEach(each -> {
                final FoldedClosConfig of = each.getValue();
                presets.row(each.getKey(), of.fas(), of.tiers(), of.elements(), of.faLinks(),
                    Math.ceilDiv(UpDownReach.tableBits(of.fas(), of.radix()), Byte.SIZE));
            });
        return presets;
    }

    /** Returns the packets processed at once, and the gain of packing. */
    public static List<ResourceTable> parallelism() {
        final ResourceTable bus = new ResourceTable("parallelism",
            "Pipelines for 12.8 Tb/s at 1 GHz (Appendix B) and on a bus of 256 "
            + "bytes, packets alone and packed (Figure 3)", "packetBytes", "packetsPerSecond", "pipelines",
            "switchOnBus", "packedOnBus", "gain");
        for (final int bytes : PACKET_BYTES) {
            final Parallelism model = Parallelism.PAPER;
            bus.row(bytes, model.packetsPerSecond(bytes), model.pipelines(bytes), model.switchOnBus(bytes),
                model.packedOnBus(bytes), model.gain(bytes));
        }
        final CycleModel slow = CycleModel.prototype(150e6);
        final ResourceTable cycles = new ResourceTable("prototype",
            "Share of the line rate of 4 x 10GE, bus of 32 bytes at 150 MHz, "
            + "by counting clocks (Figure 8a)", "packetBytes", "reference", "ndp", "unpacked", "packed", "ndpAt200MHz",
            "referenceClockMHz", "unpackedToPacked");
        for (final int bytes : PACKET_BYTES) {
            cycles.row(bytes, Design.REFERENCE.share(slow, bytes), Design.NDP.share(slow, bytes),
                Design.UNPACKED.share(slow, bytes), Design.PACKED.share(slow, bytes),
                Design.NDP.share(CycleModel.prototype(200e6), bytes), slow.referenceClockHz(bytes) / 1e6,
                CycleModel.unpackedToPacked(bytes));
        }
        return List.of(bus, cycles);
    }

    /** Returns area, cost and power compared with fat trees of packet switches. */
    public static List<ResourceTable> cost(final CostModel model, final long... hosts) {
        final ResourceTable ratios = new ResourceTable("costAndPower",
            "Stardust over a fat tree of packet switches (Figure 11: 25G "
            + "lanes, devices of 6.4 Tb/s, 40 hosts at a ToR, an FE costs " + model.elementRatio() + " of a switch)",
            "hosts", "bundle", "cost", "fabricCost", "power", "fabricPower");
        for (final long count : hosts) {
            for (final int bundle : new int[] {1, 2, 4}) {
                ratios.row(count, bundle, model.stardustCost(count) / model.fatTreeCost(bundle, count),
                    model.stardustFabricCost(count) / model.fatTreeFabricCost(bundle, count),
                    model.stardustPower(count) / model.fatTreePower(bundle, count),
                    model.stardustFabricPower(count) / model.fatTreeFabricPower(bundle, count));
            }
        }
        final ResourceTable area = new ResourceTable("area", "Silicon, as printed in the paper (Appendix C)", "what",
            "share")
            .row("FE for a Tb/s, of a ToR chip", AreaPart.ELEMENT_PER_TBPS)
            .row("FE saves of network interfaces, for a port", AreaPart.INTERFACE_SAVING)
            .row("FE saves of the remaining logic", AreaPart.REMAINING_SAVING)
            .row("FE, of a switch of reconfigurable match tables", AreaPart.OF_RMT_SWITCH)
            .row("Stardust's functions, of an FA", AreaPart.STARDUST_IN_ADAPTER);
        return List.of(ratios, area);
    }

    /** Returns the memory of devices and the arithmetic of credits. */
    public static List<ResourceTable> memory() {
        final double slotNs = Buffers.serialisationNs(Buffers.CELL_BYTES, 25e9);
        final double reorderNs = Buffers.reorderNs(3, 2 * Buffers.LINK_CELLS, slotNs);
        final long open = Buffers.openPackets(50e9, 0.02, 13_000, CREDIT_BYTES);
        final double high = Buffers.leastHighBytes(50e9, 10_000);
        final ResourceTable sizes = new ResourceTable("memory", "Memory and times", "what", "value", "unit")
            .row("cells of an FE of 256 links, 128 a link", Buffers.elementBytes(256), "B")
            .row("time to drain a full queue of 128 cells at 50G",
                Buffers.serialisationNs((long) Buffers.LINK_CELLS * Buffers.CELL_BYTES, 50e9), "ns")
            .row("slot of a cell of 256 + 16 bytes at 50G",
                Buffers.serialisationNs(Buffers.CELL_BYTES + Buffers.HEADER_BYTES, 50e9), "ns")
            .row("queue descriptors of an FA with 131,072 queues", Buffers.voqBytes(128 << 10), "B")
            .row("match table of a ToR, 32,000 hosts", Buffers.routeTableBits(32_000, 256), "bit")
            .row("table of an FE, 32,000 hosts", Buffers.elementTableBits(32_000, 256), "bit")
            .row("reachability table, 32,768 FAs and 256 links", UpDownReach.tableBits(32_768, 256) / 8, "B")
            .row("largest difference of delays, N62 at 25G", reorderNs, "ns")
            .row("window of a stream for it, port of 50G", Buffers.windowCells(reorderNs, 50e9), "cells")
            .row("reassembly timer for it", Buffers.timerNs(reorderNs), "ns")
            .row("packets open at a port of 50G, delays within 13 us", open, "packets")
            .row("minimum HIGH of a port of 50G, credit loop of 10 us", high, "B")
            .row("minimum egress buffer for it", Buffers.leastEgressBytes(high, 50e9, 0.02, 10_000, open, 9_216), "B");
        final ResourceTable least = new ResourceTable("leastCredit",
            "Minimum credit of one generator, 2 clocks per credit at 1 GHz (4.1)",
            "outTbps", "creditBytes");
        for (final int terabits : new int[] {8, 10}) {
            least.row(terabits, Buffers.minCreditBytes(terabits));
        }
        return List.of(sizes, least, credits());
    }

    private static ResourceTable credits() {
        final ResourceTable credits = new ResourceTable("credits",
            "Interval between credits of 4096 bytes, and the speed-up that the fabric needs "
                + "(5.1)", "portGbps", "surchargePercent", "intervalNs", "speedUp256B", "speedUp512B");
        final int[][] ports = {{10, 3}, {25, 2}, {50, 2}, {100, 2}, {400, 2}};
        for (final int[] port : ports) {
            final double surcharge = port[1] / 100.0;
            credits.row(port[0], port[1], Buffers.creditIntervalPs(CREDIT_BYTES, port[0] * 1e9, surcharge) / 1e3,
                Buffers.neededSpeedUp(256, surcharge), Buffers.neededSpeedUp(512, surcharge));
        }
        return credits;
    }

    /** Returns the queue before a link. */
    public static List<ResourceTable> queue(final double... utilizations) {
        final ResourceTable table = new ResourceTable("queue",
            "Cells queued before a link, exact M/D/1 chain (4.2.1; P = A exp(-theta "
            + "N) far out; paper20: fs^-40, which is too small)", "utilization", "mean", "theta", "twoLnFs", "A", "P10",
            "P20", "P40", "P128", "paper20", "cellsAt1e-6");
        for (final double utilization : utilizations) {
            final QueueModel model = new QueueModel(utilization);
            table.row(utilization, model.mean(), model.rate(), model.paperRate(), model.factor(), model.atLeast(10),
                model.atLeast(20), model.atLeast(40), model.atLeast(128), model.paperAtLeast(20),
                model.cellsAt(1e-6));
        }
        return List.of(table);
    }

    /** Returns the time in which a failure becomes known. */
    public static List<ResourceTable> healing(final long... hosts) {
        final ResourceTable table = new ResourceTable("healing",
            "Reachability, 128 FAs per message of 24 bytes, one message every 10 us, 3 "
            + "equal reports, 40 hosts at an FA, fibres of 100 m, links of 50G (Appendix E)", "hosts", "tiers",
            "messages", "updateUs", "recoveryUs", "recoveryWithFibresUs", "linkShare");
        for (final long count : hosts) {
            for (int tiers = 1; tiers < MAX_TIERS; tiers++) {
                final HealingModel healing = new HealingModel(10_000, 1e9, 128, 40, count, tiers);
                final double[] fibres = new double[healing.hops()];
                final double recovery = healing.recoveryUs(3, fibres);
                Arrays.fill(fibres, FIBRE_NS);
                table.row(count, tiers, healing.messages(), healing.updateUs(), recovery,
                    healing.recoveryUs(3, fibres), healing.overhead(24, 50e9));
            }
        }
        return List.of(table);
    }

    /** Returns the formulas of Shoal (docs/spec/shoal.md §7, §8). */
    public static List<ResourceTable> shoal() {
        return List.of(shoalMemory(), shoalLatency(), shoalPower(), shoalPrices(), shoalChip());
    }

    /** Returns the off-chip buffers of a node, and its on-chip cells and control state. */
    private static ResourceTable shoalMemory() {
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

    /**
     * Returns the cycles of each part of the path, at the clock of the prototype and at that of a switch of 50 Gb/s.
     */
    private static ResourceTable shoalLatency() {
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

    private static ResourceTable shoalPower() {
        final ShoalCost rack = ShoalCost.PAPER;
        return new ResourceTable("shoalPower", "Power of a rack of 512 nodes (section 5)", "network", "switches",
            "switchesW", "nicW", "totalW")
            .row("packets, 50G", rack.packetSwitches(), rack.packetW() - rack.nodes() * rack.packetNicW(),
                rack.packetNicW(), rack.packetW())
            .row("Shoal, 2x50G", rack.circuitSwitches(), rack.shoalW() - rack.nodes() * rack.shoalNicW(),
                rack.shoalNicW(), rack.shoalW())
            .row("saved, of 1", 0, 0.0, 0.0, rack.savedPower());
    }

    private static ResourceTable shoalPrices() {
        final double area = ShoalCost.area(0.5, 0.2, 0.3);
        return new ResourceTable("shoalPrices", "Price of a circuit switch in that of a packet switch (section 5)",
            "for", "f2", "f3")
            .row("a network of the same cost", ShoalCost.switchRatio(1, 2), ShoalCost.switchRatio(1, 3))
            .row("a network 40 % cheaper", ShoalCost.switchRatio(0.6, 2), ShoalCost.switchRatio(0.6, 3))
            .row("its area alone", area, area);
    }

    /** Returns the results of the authors' synthesis, which are quoted, not computed. */
    private static ResourceTable shoalChip() {
        return new ResourceTable("shoalChip",
            "Shares of a Stratix V of 234,720 ALMs and 52 Mbit, as printed (Appendix B; extra: power by a chip's)",
            "part", "logic", "memory", "extraPower")
            .row("NIC, 500 nodes", 0.84, 0.13, 0.11)
            .row("switch, 64 ports", 0.02, 0.002, 0.001);
    }
}
