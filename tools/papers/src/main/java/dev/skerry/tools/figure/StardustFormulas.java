package dev.skerry.tools.figure;

import static dev.skerry.tools.resources.CycleModel.Design.NDP;
import static dev.skerry.tools.resources.CycleModel.Design.PACKED;
import static dev.skerry.tools.resources.CycleModel.Design.REFERENCE;
import static dev.skerry.tools.resources.CycleModel.Design.UNPACKED;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.Buffers;
import dev.skerry.tools.resources.CostModel;
import dev.skerry.tools.resources.CycleModel;
import dev.skerry.tools.resources.HealingModel;
import dev.skerry.tools.resources.NetworkPlan;
import dev.skerry.tools.resources.Parallelism;
import dev.skerry.tools.resources.QueueModel;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What follows from the formulas of the paper on Stardust alone, without a run (docs/spec/stardust.md §8, §9, §10 rows
 * 1, 2, 4, 5, 11 and 18 to 21).
 */
public final class StardustFormulas {
    /** How far a folded Clos of devices of 12.8 Tb/s goes: Stardust Figure 2 (docs/spec/stardust.md §9, §10 row 1). */
    public static final Figure SCALING = new Figure("stardust-scaling", "Figure 2, Table 2",
        "hosts, devices and links of a folded Clos by links in a bundle", 0.01, 0.01, StardustFormulas::scaling);
    /**
     * What packing saves: Stardust Figure 3 (docs/spec/stardust.md §9, §10 row 2), by the formulas and by counting the
     * cells of the packer, with Appendix B (row 19) and the waste of unpacked cells (§3.4, row 21).
     */
    public static final Figure PACKING = new Figure("stardust-packing", "Figure 3, Appendix B, section 3.4",
        "pipelines that packets need, packed into cells or not", 0.01, 0.01, StardustFormulas::packing);
    /** The prototype by its clocks: Stardust Figure 8a (docs/spec/stardust.md §10 row 4). */
    public static final Figure FIG8A = new Figure("stardust-fig8a", "Figure 8a",
        "throughput of the NetFPGA prototype by packet size, cycle by cycle", 0.01, 0.01, StardustFormulas::prototype);
    /**
     * Mixes of packet sizes across the prototype by its clocks: Stardust Figure 8b (docs/spec/stardust.md §10 row 5).
     * The paper's traces are not public; these mixes have what it says of them, half of the packets or more below 256
     * bytes, and only the order counts.
     */
    public static final Figure FIG8B = new Figure("stardust-fig8b", "Figure 8b",
        "throughput of the prototype for mixes of packet sizes, cycle by cycle", 0.01, 0.01, StardustFormulas::mix);
    /**
     * Cost and power beside fat trees: Stardust Figure 11, Appendix C (docs/spec/stardust.md §9, errata E8, §10 row
     * 20).
     */
    public static final Figure FIG11 = new Figure("stardust-fig11", "Figure 11, Appendix C",
        "cost and power by hosts, in those of a fat tree", 0.01, 0.01, StardustFormulas::cost);
    /**
     * Memory of an element (Stardust §6.2), the least credit of a generator (§4.1), time to recover (§5.9, Appendix E),
     * the queue formula (§4.2.1): docs/spec/stardust.md §8, §10 rows 11, 18, 19.
     */
    public static final Figure RESOURCES = new Figure("stardust-resources", "Sections 4, 5.9, 6.2, Appendix E",
        "memory of an element, credits, time to recover, the M/D/1 queue", 0.01, 0.01, StardustFormulas::resources);

    private static final int[] SCALING_BUNDLES = {1, 2, 4, 8};
    /** By bundle: hosts of one, two and three tiers. */
    private static final long[][] SCALING_HOSTS = {{10_240, 1_310_720, 167_772_160}, {5_120, 327_680, 20_971_520},
        {2_560, 81_920, 2_621_440}, {1_280, 20_480, 327_680}};
    /** By number of hosts, then bundle: elements and serial links. */
    private static final long[] SIZES = {10_000, 100_000, 1_000_000};
    private static final long[][] ELEMENTS = {{79, 235, 235, 235}, {2_344, 2_344, 3_907, 3_907},
        {23_438, 39_063, 39_063, 54_688}};
    private static final long[][] LINKS = {{20_000, 40_000, 40_000, 40_000}, {400_000, 400_000, 600_000, 600_000},
        {4_000_000, 6_000_000, 6_000_000, 8_000_000}};
    private static final int[] PACKING_BYTES = {64, 513, 1025};
    private static final double[] GAIN = {4.000, 1.412, 1.176};
    private static final double[] PIPELINES = {4.762, 6.379, 6.507};
    private static final int WASTED = 257;
    /** Packets in cells that are a credit's: 4096 bytes and the rest of the last packet. */
    private static final int CREDIT_PACKETS = Math.ceilDiv(Parallelism.CREDIT_BYTES, WASTED);
    /** What Figure 8 compares, NDP's switch aside. */
    static final String[] DESIGNS = {"Stardust", "Reference Switch", "Stardust, cells not packed"};
    /** So slow that neither fills the line. */
    private static final CycleModel NARROW = CycleModel.prototype(20e6);
    private static final int PROTOTYPE_LEAST = 64;
    private static final int PROTOTYPE_MOST = 1518;
    private static final double CLOCK_HZ = 150e6;
    private static final String[] NAMES = {"mostly short", "half short", "short and full"};
    private static final int[] MIX_BYTES = {65, 97, 129, 200, 576, 1024, 1514};
    /** By mix: the part of the packets that are of each size. */
    private static final double[][] PARTS = {{0.40, 0.20, 0.15, 0.10, 0.05, 0.04, 0.06},
        {0.15, 0.15, 0.10, 0.10, 0.20, 0.15, 0.15}, {0.30, 0.15, 0.10, 0, 0, 0, 0.45}};
    private static final double WITHIN = 0.005;
    private static final long COST_HOSTS = 10_240;
    private static final long COST_MOST = 2_000_000;
    private static final int[] COST_BUNDLES = {1, 2, 4};
    private static final double[] COST = {0.92, 0.568, 0.644};
    private static final double[] FABRIC_COST = {0.815, 0.333, 0.407};
    private static final double[] UTILIZATION = {0.66, 0.80, 0.90, 0.92, 0.95};
    private static final double[] RATE = {0.7805, 0.4308, 0.2072, 0.1645, 0.1017};
    private static final double[] MEAN = {1.301, 2.400, 4.950, 6.210, 9.975};

    /** By bundle and hosts. */
    private interface FatTree {
        double of(int bundle, long hosts);
    }

    private StardustFormulas() {
    }

    private static Findings scaling(final Effort effort) {
        final Findings found = new Findings();
        for (int i = 0; i < SCALING_BUNDLES.length; i++) {
            final NetworkPlan plan = NetworkPlan.figure2(SCALING_BUNDLES[i], 1);
            for (int tiers = 1; tiers <= SCALING_HOSTS[i].length; tiers++) {
                found.exactly("hosts, bundles of " + SCALING_BUNDLES[i] + ", tiers: " + tiers,
                    SCALING_HOSTS[i][tiers - 1], plan.maxHosts(tiers));
            }
        }
        for (int size = 0; size < SIZES.length; size++) {
            for (int i = 0; i < SCALING_BUNDLES.length; i++) {
                final NetworkPlan plan = NetworkPlan.figure2(SCALING_BUNDLES[i], SIZES[size]);
                final String of = " for " + SIZES[size] + " hosts, bundles of " + SCALING_BUNDLES[i];
                found.exactly("fabric devices" + of, ELEMENTS[size][i], plan.elements());
                found.exactly("serial links" + of, LINKS[size][i], plan.serialLinks());
            }
        }
        return found.add(plotScaling("tiers", "Tiers of the fabric", "tiers", Plot.Scale.LINEAR, NetworkPlan::tiers))
            .add(plotScaling("elements", "Fabric devices", "fabric devices", Plot.Scale.LOGARITHMIC,
            NetworkPlan::elements))
            .add(plotScaling("links", "Serial links", "serial links", Plot.Scale.LOGARITHMIC,
            NetworkPlan::serialLinks));
    }

    private static Plot plotScaling(final String id, final String title, final String y, final Plot.Scale scale,
        final ToDoubleFunction<NetworkPlan> value) {
        final Plot plot = new Plot(id, title, "hosts", Plot.Scale.LOGARITHMIC, y, scale);
        for (final int bundle : SCALING_BUNDLES) {
            plot.add("bundles of " + bundle, Plot.Style.STEPS, LongStream.iterate(1_000, n -> n <= 1_000_000,
                n -> n + n / 20).mapToObj(n -> new double[] {n, value.applyAsDouble(NetworkPlan.figure2(bundle, n))})
                .toList());
        }
        return plot;
    }

    private static Findings packing(final Effort effort) {
        final Findings found = new Findings();
        final Parallelism device = Parallelism.PAPER;
        for (int i = 0; i < PACKING_BYTES.length; i++) {
            found.within("gain, packets of " + PACKING_BYTES[i] + " B", GAIN[i], 0.001, device.gain(PACKING_BYTES[i]));
            found.within("the same by the packer's cells", GAIN[i], 0.001, byCells(PACKING_BYTES[i]));
            found.within("pipelines with packing, " + PACKING_BYTES[i] + " B", PIPELINES[i], 0.001,
                device.packedOnBus(PACKING_BYTES[i]));
        }
        found.within("pipelines, 64 B, gaps of 20 B", 19.047, 0.001, device.pipelines(64));
        found.within("pipelines, 256 B, gaps of 8 B (the paper says 20)", 6.06, 0.001,
            new Parallelism(12.8e12, 8, 1e9, 1).pipelines(256));
        found.within("pipelines, 256 B, gaps of 20 B", 5.797, 0.001, device.pipelines(256));
        found.within("cells times 256 over bytes, 257 B, unpacked", 1.99, 0.005, waste(Packing.NONE));
        found.within("the same packed a credit at a time", 1.058, 0.005, waste(Packing.CONTINUOUS));
        return found.add(plotPacking());
    }

    /** Bus words of single packets over those of the packets of a credit, by what the packer makes of them. */
    private static double byCells(final int bytes) {
        final long packets = Math.ceilDiv(Parallelism.CREDIT_BYTES, bytes);
        return (double) cells(Packing.NONE, bytes, packets) / cells(Packing.CONTINUOUS, bytes, packets);
    }

    private static long cells(final Packing packing, final int bytes, final long packets) {
        return CellPacker.cellsOf(packing, Parallelism.BUS_BYTES, bytes, packets, false);
    }

    /** Bytes of cells over bytes of packets. */
    private static double waste(final Packing packing) {
        final long each = packing == Packing.NONE ? 100_000 : CREDIT_PACKETS;
        return (double) Parallelism.BUS_BYTES * cells(packing, WASTED, each) / ((double) each * WASTED);
    }

    private static Plot plotPacking() {
        return new Plot("pipelines", "Pipelines of a device of 12.8 Tb/s at 1 GHz", "packet size (B)",
            "pipelines in parallel")
            .add("standard switch", Plot.Style.LINE, sizes(1500, Parallelism.PAPER::switchOnBus))
            .add("Stardust Fabric Element", Plot.Style.LINE, sizes(1500, Parallelism.PAPER::packedOnBus));
    }

    /** Something by the size of packets, from 64 bytes. */
    private static List<double[]> sizes(final int most, final IntToDoubleFunction value) {
        return IntStream.rangeClosed(PROTOTYPE_LEAST, most)
            .mapToObj(bytes -> new double[] {bytes, value.applyAsDouble(bytes)}).toList();
    }

    private static Findings prototype(final Effort effort) {
        final CycleModel slow = CycleModel.prototype(150e6);
        final CycleModel fast = CycleModel.prototype(200e6);
        final Findings found = new Findings();
        found.exactly("packed at 150 MHz, 64 B, share of the line rate", 1, PACKED.stepped(slow, PROTOTYPE_LEAST));
        found.exactly("packed at 150 MHz, 65 B", 1, PACKED.stepped(slow, 65));
        found.reported("packed at 150 MHz, least of 64 to 1518 B", "1", least(bytes -> PACKED.stepped(slow, bytes)));
        found.atLeast("packed over reference switch, least of 64 to 1518 B", "1 at least", 1,
            least(bytes -> PACKED.stepped(slow, bytes) / REFERENCE.stepped(slow, bytes)));
        found.within("reference switch at 150 MHz, 65 B", 0.850, 0.001, REFERENCE.stepped(slow, 65));
        found.within("reference switch carries 65 B from, MHz", 176.5, 0.1, slow.referenceClockHz(65) / 1e6);
        found.exactly("reference switch at 180 MHz, 65 B", 1, REFERENCE.stepped(CycleModel.prototype(180e6), 65));
        found.within("NDP switch at 150 MHz, 97 B", 0.702, 0.001, NDP.stepped(slow, 97));
        found.within("NDP switch at 150 MHz, 65 B", 0.64, 0.005, NDP.stepped(slow, 65));
        found.within("NDP switch at 200 MHz, 65 B", 0.850, 0.001, NDP.stepped(fast, 65));
        found.within("NDP switch at 200 MHz, 97 B", 0.936, 0.001, NDP.stepped(fast, 97));
        found.within("NDP switch at 200 MHz, 129 B", 0.993, 0.001, NDP.stepped(fast, 129));
        found.within("unpacked over packed, 65 B", 0.508, 0.001,
            UNPACKED.stepped(NARROW, 65) / PACKED.stepped(NARROW, 65));
        found.within("packets of 64 B on the line, M a second", 59.52, 0.01, slow.linePackets(PROTOTYPE_LEAST) / 1e6);
        return found.add(new Plot("share", "Throughput by packet size at 150 MHz", "packet size (B)",
            "share of the line rate")
            .add(DESIGNS[0], Plot.Style.LINE, sizes(PROTOTYPE_MOST, b -> PACKED.stepped(slow, b)))
            .add(DESIGNS[1], Plot.Style.LINE, sizes(PROTOTYPE_MOST, b -> REFERENCE.stepped(slow, b)))
            .add("NDP switch", Plot.Style.LINE, sizes(PROTOTYPE_MOST, b -> NDP.stepped(slow, b)))
            .add(DESIGNS[2], Plot.Style.LINE, sizes(PROTOTYPE_MOST, b -> UNPACKED.stepped(slow, b))))
            .remark("The bus is stepped clock by clock while the line is full: 32 B at 150 MHz are 38.4 Gb/s, so "
                + "from 481 B on nothing on that bus carries all of 40 Gb/s. The printed 30 % by which NDP falls "
                + "behind is 36 % at 150 MHz.");
    }

    private static double least(final IntToDoubleFunction value) {
        return IntStream.rangeClosed(PROTOTYPE_LEAST, PROTOTYPE_MOST).mapToDouble(value).min().orElseThrow();
    }

    private static Findings mix(final Effort effort) {
        final CycleModel model = CycleModel.prototype(CLOCK_HZ);
        final Findings found = new Findings();
        final double[][] shares = new double[DESIGNS.length][NAMES.length];
        for (int mix = 0; mix < NAMES.length; mix++) {
            final double packed = share(model, PARTS[mix], PACKED::clocks);
            shares[0][mix] = packed;
            shares[1][mix] = share(model, PARTS[mix], REFERENCE::clocks);
            shares[2][mix] = share(model, PARTS[mix], UNPACKED::clocks);
            found.atLeast(NAMES[mix] + ": packed over reference switch", "1 at least", 1,
                packed / shares[1][mix]);
            found.atLeast("  over NDP switch", "1 at least", 1, packed / share(model, PARTS[mix], NDP::clocks));
            found.atLeast("  over unpacked cells", "1 at least", 1, packed / shares[2][mix]);
            found.reported("  packed, share of the line rate", "", packed);
        }
        return found.add(plotMix(shares)).remark("Mixes of our own in place of the traces of databases, web servers "
            + "and Hadoop.");
    }

    /** By design, then mix. */
    private static Plot plotMix(final double[][] shares) {
        final Plot plot = new Plot("share", "Throughput of mixes of packet sizes at 150 MHz", "mix of packet sizes",
            List.of(NAMES), "share of the line rate", Plot.Scale.LINEAR);
        final double[] x = IntStream.range(0, NAMES.length).asDoubleStream().toArray();
        for (int design = 0; design < shares.length; design++) {
            plot.add(DESIGNS[design], Plot.Style.BARS, x, shares[design]);
        }
        return plot;
    }

    /** What a mix gets of the line rate: its time on the line over that on the bus, 1 at most. */
    private static double share(final CycleModel model, final double[] parts,
        final IntToDoubleFunction clocks) {
        double line = 0;
        double bus = 0;
        for (int i = 0; i < parts.length; i++) {
            line += parts[i] / model.linePackets(MIX_BYTES[i]);
            bus += parts[i] * clocks.applyAsDouble(MIX_BYTES[i]) / CLOCK_HZ;
        }
        return Math.min(1, line / bus);
    }

    private static Findings cost(final Effort effort) {
        final CostModel model = CostModel.PAPER;
        final Findings found = new Findings();
        found.within("power, 10240 hosts, 50G links (a quarter saved)", 0.752, WITHIN,
            model.stardustPower(COST_HOSTS) / model.fatTreePower(2, COST_HOSTS));
        found.within("power of the fabric alone (78 % saved)", 0.222, WITHIN,
            model.stardustFabricPower(COST_HOSTS) / model.fatTreeFabricPower(2, COST_HOSTS));
        found.within("power with as many tiers", 0.955, WITHIN,
            model.stardustPower(COST_HOSTS) / model.fatTreePower(1, COST_HOSTS));
        found.within("power of the fabric with as many tiers", 0.667, WITHIN,
            model.stardustFabricPower(COST_HOSTS) / model.fatTreeFabricPower(1, COST_HOSTS));
        found.within("power, 500000 hosts, 100G links", 1 - 0.263, WITHIN,
            model.stardustPower(500_000) / model.fatTreePower(4, 500_000));
        for (int i = 0; i < COST_BUNDLES.length; i++) {
            final String links = ", 10240 hosts, links of " + 25 * COST_BUNDLES[i] + "G";
            found.within("cost" + links, COST[i], WITHIN,
                model.stardustCost(COST_HOSTS) / model.fatTreeCost(COST_BUNDLES[i], COST_HOSTS));
            found.within("cost of the fabric alone" + links, FABRIC_COST[i], WITHIN,
                model.stardustFabricCost(COST_HOSTS) / model.fatTreeFabricCost(COST_BUNDLES[i], COST_HOSTS));
        }
        found.atMost("most that it costs in a fat tree's, 10 to 2000000 hosts", "below 1", 0.99999,
            LongStream.iterate(10, n -> n <= COST_MOST, n -> n + 1 + n / 200)
            .mapToDouble(hosts -> Arrays.stream(COST_BUNDLES).mapToDouble(bundle ->
                model.stardustCost(hosts) / model.fatTreeCost(bundle, hosts)).max().orElseThrow()).max()
            .orElseThrow());
        return found.add(plotCost("cost", "Cost relative to a fat tree", "relative cost", model::stardustCost,
            model::fatTreeCost)).add(plotCost("power", "Power relative to a fat tree", "relative power",
                model::stardustPower, model::fatTreePower));
    }

    private static Plot plotCost(final String id, final String title, final String y,
        final LongToDoubleFunction stardust, final FatTree fatTree) {
        final Plot plot = new Plot(id, title, "hosts", Plot.Scale.LOGARITHMIC, y, Plot.Scale.LINEAR);
        for (final int bundle : COST_BUNDLES) {
            plot.add("fat tree of " + 25 * bundle + "G links", Plot.Style.LINE, LongStream.iterate(100,
                n -> n <= COST_MOST, n -> n + n / 50).mapToObj(n ->
                    new double[] {n, stardust.applyAsDouble(n) / fatTree.of(bundle, n)}).toList());
        }
        return plot;
    }

    private static Findings resources(final Effort effort) {
        final Findings found = new Findings();
        found.exactly("memory of an element of 256 links, B", 8_388_608, Buffers.elementBytes(256));
        found.within("time of 128 cells at 50G, us", 5.24, 0.005, Buffers.serialisationNs(128 * 256, 50e9) / 1e3);
        found.exactly("least credit at 10 Tb/s, B", 2500, leastCredit(10));
        found.exactly("least credit at 8 Tb/s, B (the paper says at 10)", 2000, leastCredit(8));
        final HealingModel healing = HealingModel.PAPER;
        found.within("the whole fabric has the news once, us", 210, 1e-6, healing.updateUs());
        found.within("the whole fabric acts on it, fibres apart, us", 630, 1e-6, healing.recoveryUs(3, 0, 0, 0));
        found.within("the same with fibres of 500, 500 and 50 ns, us", 652.05, 1e-6,
            healing.recoveryUs(3, 500, 500, 50));
        found.within("share of a link of 50G, %", 0.0384, 0.0001, 100 * healing.overhead(24, 50e9));
        for (int i = 0; i < UTILIZATION.length; i++) {
            final QueueModel queue = new QueueModel(UTILIZATION[i]);
            found.near("M/D/1 at " + UTILIZATION[i] + ", mean cells", MEAN[i], 0.004, queue.mean());
            found.near("M/D/1 at " + UTILIZATION[i] + ", rate of the tail", RATE[i], 0.004, queue.rate());
        }
        return found.remark("Appendix E counts the delay of the fibres once for each message, though messages overlap: "
            + "652 us is a bound.");
    }

    /** Of one generator that hands out a credit in two clocks of 1 GHz. */
    private static double leastCredit(final int terabits) {
        return Buffers.minCreditBytes(terabits * 1_000_000_000_000L, 2, 1_000_000_000);
    }
}
