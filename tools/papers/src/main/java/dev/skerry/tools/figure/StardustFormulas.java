package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.Buffers;
import dev.skerry.tools.resources.CostModel;
import dev.skerry.tools.resources.CycleModel;
import dev.skerry.tools.resources.CycleModel.Design;
import dev.skerry.tools.resources.HealingModel;
import dev.skerry.tools.resources.NetworkPlan;
import dev.skerry.tools.resources.Parallelism;
import dev.skerry.tools.resources.QueueModel;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Results of the formulas in the Stardust paper, without a run (docs/spec/stardust.md §8, §9, §10 rows 1, 2, 4, 5, 11
 * and 18 to 21).
 */
public final class StardustFormulas {
    /**
     * The size that a folded Clos of devices of 12.8 Tb/s can reach: Stardust Figure 2 (docs/spec/stardust.md §9, §10
     * row 1).
     */
    public static final Figure SCALING = Figure.of("stardust-scaling", StardustFormulas::scaling);
    /**
     * The gain of packing: Stardust Figure 3 (docs/spec/stardust.md §9, §10 row 2), by the formulas and by counting the
     * cells of the packer, with Appendix B (row 19) and the waste of unpacked cells (§3.4, row 21).
     */
    public static final Figure PACKING = Figure.of("stardust-packing", StardustFormulas::packing);
    /**
     * The throughput of the prototype from the clock cycles of its bus, by formula: Stardust Figure 8a
     * (docs/spec/stardust.md §10 row 4).
     */
    public static final Figure FIG8A = Figure.of("stardust-fig8a", StardustFormulas::prototype);
    /**
     * Cost and power compared with fat trees: Stardust Figure 11, Appendix C (docs/spec/stardust.md §9, errata E8, §10
     * row 20).
     */
    public static final Figure FIG11 = Figure.of("stardust-fig11", StardustFormulas::cost);
    /**
     * Memory of an element (Stardust §6.2), the smallest credit of a generator (§4.1), the time to recover (§5.9,
     * Appendix E) and the queue formula (§4.2.1): docs/spec/stardust.md §8, §10 rows 11, 18, 19.
     */
    public static final Figure RESOURCES = Figure.of("stardust-resources", StardustFormulas::resources);

    private static final int[] BUNDLES = {1, 2, 4, 8};
    /** By bundle: hosts with one, two and three tiers. */
    private static final long[][] SCALING_HOSTS = {{10_240, 1_310_720, 167_772_160}, {5_120, 327_680, 20_971_520},
        {2_560, 81_920, 2_621_440}, {1_280, 20_480, 327_680}};
    /** By packet size in bytes: the gain of packing, and the number of pipelines needed with packing. */
    private static final double[][] PACKED = {{64, 4.000, 4.762}, {513, 1.412, 6.379}, {1025, 1.176, 6.507}};
    private static final int WASTED = 257;
    /**
     * Packets of {@link #WASTED} bytes in the cells of a credit: its 4096 bytes, rounded up to the end of the last
     * packet.
     */
    private static final int CREDIT_PACKETS = Math.ceilDiv(Parallelism.CREDIT_BYTES, WASTED);
    /** The designs of Figure 8, with their names in the paper. */
    private static final Map<Design, String> DESIGNS = new EnumMap<>(Map.of(Design.PACKED, "Stardust",
        Design.REFERENCE, "Reference Switch", Design.NDP, "NDP switch", Design.UNPACKED, "Stardust, cells not packed"));
    private static final CycleModel PRINTED = CycleModel.prototype(150e6);
    /** Size from which a bus of 32 bytes at 150 MHz, 38.4 Gb/s, is slower than the line, bytes. */
    private static final int WIDE = 481;
    private static final int LEAST = 64;
    private static final int MOST = 1518;
    private static final long COST_HOSTS = 10_240;
    private static final long COST_MOST = 2_000_000;
    /** Lanes of a link of a fat tree. */
    private static final List<Integer> COST_BUNDLES = List.of(1, 2, 4);
    /** Utilization of an M/D/1 queue, its mean, and the rate of its tail. */
    private static final double[][] QUEUES = {{0.66, 1.301, 0.7805}, {0.80, 2.400, 0.4308}, {0.90, 4.950, 0.2072},
        {0.92, 6.210, 0.1645}, {0.95, 9.975, 0.1017}};

    /** A value of a fat tree by bundle and hosts. */
    private interface FatTree {
        double of(int bundle, long hosts);
    }

    private StardustFormulas() {
    }

    private static void scaling(final Effort effort, final Findings found) {
        for (int i = 0; i < BUNDLES.length; i++) {
            for (int tiers = 1; tiers <= SCALING_HOSTS[i].length; tiers++) {
                found.exactly("hosts, bundles of " + BUNDLES[i] + ", tiers: " + tiers, SCALING_HOSTS[i][tiers - 1],
                    NetworkPlan.figure2(BUNDLES[i], 1).maxHosts(tiers));
            }
        }
        found.add(scaling("tiers", "Tiers of the fabric", "tiers", Plot.Scale.LINEAR, NetworkPlan::tiers))
            .add(scaling("elements", "Fabric devices", "fabric devices", Plot.Scale.LOGARITHMIC, NetworkPlan::elements))
            .add(scaling("links", "Serial links", "serial links", Plot.Scale.LOGARITHMIC, NetworkPlan::serialLinks));
    }

    private static Plot scaling(final String id, final String title, final String y, final Plot.Scale scale,
        final ToDoubleFunction<NetworkPlan> value) {
        final Plot plot = new Plot(id, title, "hosts", Plot.Scale.LOGARITHMIC, y, scale);
        for (final int bundle : BUNDLES) {
            plot.add("bundles of " + bundle, Plot.Style.STEPS, LongStream.iterate(1_000, n -> n <= 1_000_000,
                n -> n + n / 20).mapToObj(n -> new double[] {n, value.applyAsDouble(NetworkPlan.figure2(bundle, n))})
                .toList());
        }
        return plot;
    }

    private static void packing(final Effort effort, final Findings found) {
        final Parallelism device = Parallelism.PAPER;
        for (final double[] of : PACKED) {
            final int bytes = (int) of[0];
            final long packets = Math.ceilDiv(Parallelism.CREDIT_BYTES, bytes);
            found.within("gain, packets of " + bytes + " B", of[1], 0.001, device.gain(bytes))
                // Bus words of single packets divided by those of the packets of a credit, as the packer cuts them.
                .within("the same by the packer's cells", of[1], 0.001, (double) cells(Packing.NONE, bytes, packets)
                    / cells(Packing.CONTINUOUS, bytes, packets))
                .within("pipelines with packing, " + bytes + " B", of[2], 0.001, device.packedOnBus(bytes));
        }
        found.within("pipelines, 64 B, gaps of 20 B", 19.047, 0.001, device.pipelines(64))
            .within("pipelines, 256 B, gaps of 8 B (the paper says 20)", 6.06, 0.001,
                new Parallelism(12.8e12, 8, 1e9, 1).pipelines(256))
            .within("pipelines, 256 B, gaps of 20 B", 5.797, 0.001, device.pipelines(256))
            .within("cells times 256 over bytes, 257 B, unpacked", 1.99, 0.005, waste(Packing.NONE, 100_000))
            .within("the same packed a credit at a time", 1.058, 0.005, waste(Packing.CONTINUOUS, CREDIT_PACKETS))
            .add(new Plot("pipelines", "Pipelines of a device of 12.8 Tb/s at 1 GHz", "packet size (B)",
                "pipelines in parallel")
                .add("standard switch", Plot.Style.LINE, sizes(1500, device::switchOnBus))
                .add("Stardust Fabric Element", Plot.Style.LINE, sizes(1500, device::packedOnBus)));
    }

    private static long cells(final Packing packing, final int bytes, final long packets) {
        return CellPacker.cellsOf(packing, Parallelism.BUS_BYTES, bytes, packets, false);
    }

    /** Returns the bytes of cells divided by the bytes of packets. */
    private static double waste(final Packing packing, final long packets) {
        return (double) Parallelism.BUS_BYTES * cells(packing, WASTED, packets) / ((double) packets * WASTED);
    }

    /** Returns a value by the size of packets, from 64 bytes. */
    private static List<double[]> sizes(final int most, final IntToDoubleFunction value) {
        return IntStream.rangeClosed(LEAST, most).mapToObj(bytes -> new double[] {bytes, value.applyAsDouble(bytes)})
            .toList();
    }

    private static void prototype(final Effort effort, final Findings found) {
        found.atLeast("packed, 64 to 480 B, least share of the line rate", "1 for all sizes", 1,
                least(Design.PACKED, LEAST, WIDE - 1))
            .atLeast("packed, 481 to 1518 B", "1 for all sizes", 1, least(Design.PACKED, WIDE, MOST));
        better(found, Design.REFERENCE, 15);
        better(found, Design.NDP, 30);
        better(found, Design.UNPACKED, 49);
        found.reported("  %, of packed, at a clock at which neither fills the line, 65 B", "49 at 150 MHz",
                new Sample(100 - 100 * CycleModel.unpackedToPacked(LEAST + 1)))
            .between("reference switch fills the line for all sizes from, MHz", "180, not at 150", 150.1, 180,
                new Sample(IntStream.rangeClosed(LEAST, MOST).mapToDouble(PRINTED::referenceClockHz).max().orElseThrow()
                / 1e6))
            .fitted("NDP switch at 200 MHz, sizes of 32 n + 1 B below the line rate", "65, 97, 129",
                new Sample(IntStream.iterate(LEAST + 1, bytes -> bytes <= MOST, bytes -> bytes + 32)
                .filter(bytes -> Design.NDP.share(CycleModel.prototype(200e6), bytes) < 1).count()));
        final Plot plot = new Plot("share", "Throughput by packet size at 150 MHz, by formula", "packet size (B)",
            "share of the line rate");
        for (final Design of : List.of(Design.PACKED, Design.REFERENCE, Design.NDP, Design.UNPACKED)) {
            plot.add(DESIGNS.get(of), Plot.Style.LINE, sizes(MOST, bytes -> of.share(PRINTED, bytes)));
        }
        found.add(plot).remark("The values are computed from the clock cycles of the bus; nothing is measured. 32 B "
            + "at 150 MHz are 38.4 "
            + "Gb/s, so from 481 B on no design carries the full 40 Gb/s over that bus. The additional clock cycle "
            + "for each packet of NDP is fitted to the sizes printed for 200 MHz.");
    }

    /** Checks the largest advantage of packed cells over another design, in percentage points of the line rate. */
    private static void better(final Findings found, final Design than, final double printed) {
        found.within("points by which packed is better than " + DESIGNS.get(than) + ", most of all sizes", printed, 1,
            100 * IntStream.rangeClosed(LEAST, MOST).mapToDouble(bytes -> Design.PACKED.share(PRINTED, bytes)
            - than.share(PRINTED, bytes)).max().orElseThrow());
    }

    private static double least(final Design design, final int from, final int to) {
        return IntStream.rangeClosed(from, to).mapToDouble(bytes -> design.share(PRINTED, bytes)).min().orElseThrow();
    }

    private static void cost(final Effort effort, final Findings found) {
        final CostModel model = CostModel.PAPER;
        found.fitted("power saved, 10240 hosts, 50G links, %", "25",
                new Sample(100 - 100 * model.stardustPower(COST_HOSTS) / model.fatTreePower(2, COST_HOSTS)))
            .fitted("  within the fabric, %", "78",
                new Sample(100 - 100 * model.stardustFabricPower(COST_HOSTS) / model.fatTreeFabricPower(2, COST_HOSTS)))
            .atMost("most power saved beyond 10240 hosts over that up to there", "biggest up to ten thousand", 1,
                (1 - extreme(COST_HOSTS + 1, COST_MOST, -1, model::stardustPower, model::fatTreePower))
                / (1 - extreme(10, COST_HOSTS, -1, model::stardustPower, model::fatTreePower)))
            .atMost("cost in a fat tree's, least of all sizes and links", "half, to a tenth of it", 0.55,
                extreme(10, COST_MOST, -1, model::stardustCost, model::fatTreeCost))
            .atMost("  most", "always the most cost effective", 0.99999,
                extreme(10, COST_MOST, 1, model::stardustCost, model::fatTreeCost))
            .reported("  of the fabric alone, least",
                extreme(10, COST_MOST, -1, model::stardustFabricCost, model::fatTreeFabricCost))
            .add(cost("cost", model::stardustCost, model::fatTreeCost))
            .add(cost("power", model::stardustPower, model::fatTreePower).addPublished("fat tree of 50G links",
                "as printed, fitted", new double[] {COST_HOSTS}, new double[] {0.75}))
            .remark("The lanes of a ToR and fractional numbers of devices are fitted to the printed 25 and 78 %, so "
                + "these two values test nothing. Prices and the ratio of 0.667 are as printed.");
    }

    /**
     * Returns the smallest (sign -1) or the largest (1) ratio of Stardust to a fat tree, over several numbers of hosts
     * and all bundles.
     */
    private static double extreme(final long from, final long to, final int sign, final LongToDoubleFunction stardust,
        final FatTree fatTree) {
        return sign * LongStream.iterate(from, n -> n <= to, n -> n + 1 + n / 200).mapToDouble(hosts ->
            COST_BUNDLES.stream().mapToDouble(bundle -> sign * stardust.applyAsDouble(hosts)
            / fatTree.of(bundle, hosts)).max().orElseThrow()).max().orElseThrow();
    }

    private static Plot cost(final String what, final LongToDoubleFunction stardust, final FatTree fatTree) {
        final Plot plot = new Plot(what, what.equals("cost") ? "Cost relative to a fat tree"
            : "Power relative to a fat tree", "hosts", Plot.Scale.LOGARITHMIC, "relative " + what, Plot.Scale.LINEAR);
        COST_BUNDLES.forEach(bundle -> plot.add("fat tree of " + 25 * bundle + "G links", Plot.Style.STEPS,
            LongStream.iterate(100, n -> n <= COST_MOST, n -> n + n / 50).mapToObj(n ->
                new double[] {n, stardust.applyAsDouble(n) / fatTree.of(bundle, n)}).toList()));
        return plot;
    }

    private static void resources(final Effort effort, final Findings found) {
        final HealingModel healing = HealingModel.PAPER;
        found.exactly("memory of an element of 256 links, B", 8_388_608, Buffers.elementBytes(256))
            .within("time of 128 cells at 50G, us", 5.24, 0.005, Buffers.serialisationNs(128 * 256, 50e9) / 1e3)
            .exactly("least credit at 10 Tb/s, B", 2500, Buffers.minCreditBytes(10))
            .exactly("least credit at 8 Tb/s, B (the paper says at 10)", 2000, Buffers.minCreditBytes(8))
            .within("the whole fabric has the news once, us", 210, 1e-6, healing.updateUs())
            .within("the whole fabric acts on it, fibres apart, us", 630, 1e-6, healing.recoveryUs(3, 0, 0, 0))
            .within("the same with fibres of 500, 500 and 50 ns, us", 652.05, 1e-6, healing.recoveryUs(3, 500, 500, 50))
            .within("share of a link of 50G, %", 0.0384, 0.0001, 100 * healing.overhead(24, 50e9));
        for (final double[] of : QUEUES) {
            final QueueModel queue = new QueueModel(of[0]);
            found.near("M/D/1 at " + of[0] + ", mean cells", of[1], 0.004, queue.mean())
                .near("M/D/1 at " + of[0] + ", rate of the tail", of[2], 0.004, queue.rate());
        }
        found.remark("Appendix E counts the delay of the fibres once for each message, though messages overlap: "
            + "652 us is a bound.");
    }
}
