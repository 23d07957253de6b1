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

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    public static final Figure SCALING = Figure.of("stardust-scaling", StardustFormulas::scaling);
    /**
     * What packing saves: Stardust Figure 3 (docs/spec/stardust.md §9, §10 row 2), by the formulas and by counting the
     * cells of the packer, with Appendix B (row 19) and the waste of unpacked cells (§3.4, row 21).
     */
    public static final Figure PACKING = Figure.of("stardust-packing", StardustFormulas::packing);
    /** The prototype by its clocks: Stardust Figure 8a (docs/spec/stardust.md §10 row 4). */
    public static final Figure FIG8A = Figure.of("stardust-fig8a", StardustFormulas::prototype);
    /**
     * Mixes of packet sizes across the prototype by its clocks: Stardust Figure 8b (docs/spec/stardust.md §10 row 5).
     * The paper's traces are not public; these mixes have what it says of them, half of the packets or more below 256
     * bytes, and only the order counts.
     */
    public static final Figure FIG8B = Figure.of("stardust-fig8b", StardustFormulas::mix);
    /**
     * Cost and power beside fat trees: Stardust Figure 11, Appendix C (docs/spec/stardust.md §9, errata E8, §10 row
     * 20).
     */
    public static final Figure FIG11 = Figure.of("stardust-fig11", StardustFormulas::cost);
    /**
     * Memory of an element (Stardust §6.2), the least credit of a generator (§4.1), time to recover (§5.9, Appendix E),
     * the queue formula (§4.2.1): docs/spec/stardust.md §8, §10 rows 11, 18, 19.
     */
    public static final Figure RESOURCES = Figure.of("stardust-resources", StardustFormulas::resources);

    private static final int[] BUNDLES = {1, 2, 4, 8};
    /** By bundle: hosts of one, two and three tiers. */
    private static final long[][] SCALING_HOSTS = {{10_240, 1_310_720, 167_772_160}, {5_120, 327_680, 20_971_520},
        {2_560, 81_920, 2_621_440}, {1_280, 20_480, 327_680}};
    /** By number of hosts, then bundle: elements and serial links. */
    private static final long[] SIZES = {10_000, 100_000, 1_000_000};
    private static final long[][] ELEMENTS = {{79, 235, 235, 235}, {2_344, 2_344, 3_907, 3_907},
        {23_438, 39_063, 39_063, 54_688}};
    private static final long[][] LINKS = {{20_000, 40_000, 40_000, 40_000}, {400_000, 400_000, 600_000, 600_000},
        {4_000_000, 6_000_000, 6_000_000, 8_000_000}};
    /** Packets of so many bytes: the gain of packing them, and the pipelines that they take packed. */
    private static final double[][] PACKED = {{64, 4.000, 4.762}, {513, 1.412, 6.379}, {1025, 1.176, 6.507}};
    private static final int WASTED = 257;
    /** Packets in cells that are a credit's: 4096 bytes and the rest of the last packet. */
    private static final int CREDIT_PACKETS = Math.ceilDiv(Parallelism.CREDIT_BYTES, WASTED);
    /** What Figure 8 compares, as the paper calls it. */
    private static final Map<Design, String> DESIGNS = new EnumMap<>(Map.of(Design.PACKED, "Stardust",
        Design.REFERENCE, "Reference Switch", Design.NDP, "NDP switch", Design.UNPACKED, "Stardust, cells not packed"));
    /** So slow that neither fills the line. */
    private static final CycleModel NARROW = CycleModel.prototype(20e6);
    private static final CycleModel SLOW = CycleModel.prototype(150e6);
    private static final CycleModel FAST = CycleModel.prototype(200e6);
    private static final int LEAST = 64;
    private static final int MOST = 1518;
    private static final List<String> MIXES = List.of("mostly short", "half short", "short and full");
    private static final int[] MIX_BYTES = {65, 97, 129, 200, 576, 1024, 1514};
    /** By mix: the part of the packets that are of each size. */
    private static final double[][] PARTS = {{0.40, 0.20, 0.15, 0.10, 0.05, 0.04, 0.06},
        {0.15, 0.15, 0.10, 0.10, 0.20, 0.15, 0.15}, {0.30, 0.15, 0.10, 0, 0, 0, 0.45}};
    private static final double WITHIN = 0.005;
    private static final long COST_HOSTS = 10_240;
    private static final long COST_MOST = 2_000_000;
    /** By bundle: cost of a Stardust network in that of a fat tree, and of the fabric alone. */
    private static final Map<Integer, double[]> COST = new TreeMap<>(Map.of(1, new double[] {0.92, 0.815},
        2, new double[] {0.568, 0.333}, 4, new double[] {0.644, 0.407}));
    /** Utilization of an M/D/1 queue: its mean, and the rate of its tail. */
    private static final double[][] QUEUES = {{0.66, 1.301, 0.7805}, {0.80, 2.400, 0.4308}, {0.90, 4.950, 0.2072},
        {0.92, 6.210, 0.1645}, {0.95, 9.975, 0.1017}};

    /** By bundle and hosts. */
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
        for (int size = 0; size < SIZES.length; size++) {
            for (int i = 0; i < BUNDLES.length; i++) {
                final NetworkPlan plan = NetworkPlan.figure2(BUNDLES[i], SIZES[size]);
                final String of = " for " + SIZES[size] + " hosts, bundles of " + BUNDLES[i];
                found.exactly("fabric devices" + of, ELEMENTS[size][i], plan.elements())
                    .exactly("serial links" + of, LINKS[size][i], plan.serialLinks());
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
                // Bus words of single packets over those of the packets of a credit, by what the packer makes of them.
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

    /** Bytes of cells over bytes of packets. */
    private static double waste(final Packing packing, final long packets) {
        return (double) Parallelism.BUS_BYTES * cells(packing, WASTED, packets) / ((double) packets * WASTED);
    }

    /** Something by the size of packets, from 64 bytes. */
    private static List<double[]> sizes(final int most, final IntToDoubleFunction value) {
        return IntStream.rangeClosed(LEAST, most).mapToObj(bytes -> new double[] {bytes, value.applyAsDouble(bytes)})
            .toList();
    }

    private static void prototype(final Effort effort, final Findings found) {
        found.exactly("packed at 150 MHz, 64 B, share of the line rate", 1, Design.PACKED.stepped(SLOW, 64))
            .exactly("packed at 150 MHz, 65 B", 1, Design.PACKED.stepped(SLOW, 65))
            .reported("packed at 150 MHz, least of 64 to 1518 B", "1",
                new Sample(least(bytes -> Design.PACKED.stepped(SLOW, bytes))))
            .atLeast("packed over reference switch, least of 64 to 1518 B", "1 at least", 1,
                least(bytes -> Design.PACKED.stepped(SLOW, bytes) / Design.REFERENCE.stepped(SLOW, bytes)))
            .within("reference switch at 150 MHz, 65 B", 0.850, 0.001, Design.REFERENCE.stepped(SLOW, 65))
            .within("reference switch carries 65 B from, MHz", 176.5, 0.1, SLOW.referenceClockHz(65) / 1e6)
            .exactly("reference switch at 180 MHz, 65 B", 1, Design.REFERENCE.stepped(CycleModel.prototype(180e6), 65))
            .within("NDP switch at 150 MHz, 97 B", 0.702, 0.001, Design.NDP.stepped(SLOW, 97))
            .within("NDP switch at 150 MHz, 65 B", 0.64, 0.005, Design.NDP.stepped(SLOW, 65))
            .within("NDP switch at 200 MHz, 65 B", 0.850, 0.001, Design.NDP.stepped(FAST, 65))
            .within("NDP switch at 200 MHz, 97 B", 0.936, 0.001, Design.NDP.stepped(FAST, 97))
            .within("NDP switch at 200 MHz, 129 B", 0.993, 0.001, Design.NDP.stepped(FAST, 129))
            .within("unpacked over packed, 65 B", 0.508, 0.001,
                Design.UNPACKED.stepped(NARROW, 65) / Design.PACKED.stepped(NARROW, 65))
            .within("packets of 64 B on the line, M a second", 59.52, 0.01, SLOW.linePackets(64) / 1e6);
        final Plot plot = new Plot("share", "Throughput by packet size at 150 MHz", "packet size (B)",
            "share of the line rate");
        for (final Design of : List.of(Design.PACKED, Design.REFERENCE, Design.NDP, Design.UNPACKED)) {
            plot.add(DESIGNS.get(of), Plot.Style.LINE, sizes(MOST, bytes -> of.stepped(SLOW, bytes)));
        }
        found.add(plot).remark("The bus is stepped clock by clock while the line is full: 32 B at 150 MHz are 38.4 "
            + "Gb/s, so from 481 B on nothing on that bus carries all of 40 Gb/s. The printed 30 % by which NDP falls "
            + "behind is 36 % at 150 MHz.");
    }

    private static double least(final IntToDoubleFunction value) {
        return IntStream.rangeClosed(LEAST, MOST).mapToDouble(value).min().orElseThrow();
    }

    private static void mix(final Effort effort, final Findings found) {
        for (int mix = 0; mix < MIXES.size(); mix++) {
            final double packed = share(PARTS[mix], Design.PACKED);
            found.atLeast(MIXES.get(mix) + ": packed over reference switch", "1 at least", 1,
                    packed / share(PARTS[mix], Design.REFERENCE))
                .atLeast("  over NDP switch", "1 at least", 1, packed / share(PARTS[mix], Design.NDP))
                .atLeast("  over unpacked cells", "1 at least", 1, packed / share(PARTS[mix], Design.UNPACKED))
                .reported("  packed, share of the line rate", packed);
        }
        final Plot plot = new Plot("share", "Throughput of mixes of packet sizes at 150 MHz", "mix of packet sizes",
            MIXES, "share of the line rate", Plot.Scale.LINEAR);
        for (final Design of : List.of(Design.PACKED, Design.REFERENCE, Design.UNPACKED)) {
            plot.add(DESIGNS.get(of), Plot.Style.BARS, Sample.places(MIXES.size()),
                Arrays.stream(PARTS).mapToDouble(parts -> share(parts, of)).toArray());
        }
        found.add(plot).remark("Mixes of our own in place of the traces of databases, web servers and Hadoop.");
    }

    /** What a mix gets of the line rate: its time on the line over that on the bus, 1 at most. */
    private static double share(final double[] parts, final Design design) {
        double line = 0;
        double bus = 0;
        for (int i = 0; i < parts.length; i++) {
            line += parts[i] / SLOW.linePackets(MIX_BYTES[i]);
            bus += parts[i] * design.clocks(MIX_BYTES[i]) / SLOW.clockHz();
        }
        return Math.min(1, line / bus);
    }

    private static void cost(final Effort effort, final Findings found) {
        final CostModel model = CostModel.PAPER;
        found.within("power, 10240 hosts, 50G links (a quarter saved)", 0.752, WITHIN,
                model.stardustPower(COST_HOSTS) / model.fatTreePower(2, COST_HOSTS))
            .within("power of the fabric alone (78 % saved)", 0.222, WITHIN,
                model.stardustFabricPower(COST_HOSTS) / model.fatTreeFabricPower(2, COST_HOSTS))
            .within("power with as many tiers", 0.955, WITHIN,
                model.stardustPower(COST_HOSTS) / model.fatTreePower(1, COST_HOSTS))
            .within("power of the fabric with as many tiers", 0.667, WITHIN,
                model.stardustFabricPower(COST_HOSTS) / model.fatTreeFabricPower(1, COST_HOSTS))
            .within("power, 500000 hosts, 100G links", 1 - 0.263, WITHIN,
                model.stardustPower(500_000) / model.fatTreePower(4, 500_000));
        COST.forEach((bundle, expected) -> {
            final String links = ", 10240 hosts, links of " + 25 * bundle + "G";
            found.within("cost" + links, expected[0], WITHIN,
                    model.stardustCost(COST_HOSTS) / model.fatTreeCost(bundle, COST_HOSTS))
                .within("cost of the fabric alone" + links, expected[1], WITHIN,
                    model.stardustFabricCost(COST_HOSTS) / model.fatTreeFabricCost(bundle, COST_HOSTS));
        });
        found.atMost("most that it costs in a fat tree's, 10 to 2000000 hosts", "below 1", 0.99999,
                LongStream.iterate(10, n -> n <= COST_MOST, n -> n + 1 + n / 200).mapToDouble(hosts -> COST.keySet()
                    .stream().mapToDouble(bundle -> model.stardustCost(hosts) / model.fatTreeCost(bundle, hosts)).max()
                    .orElseThrow()).max().orElseThrow())
            .add(cost("cost", model::stardustCost, model::fatTreeCost))
            .add(cost("power", model::stardustPower, model::fatTreePower));
    }

    private static Plot cost(final String what, final LongToDoubleFunction stardust, final FatTree fatTree) {
        final Plot plot = new Plot(what, what.equals("cost") ? "Cost relative to a fat tree"
            : "Power relative to a fat tree", "hosts", Plot.Scale.LOGARITHMIC, "relative " + what, Plot.Scale.LINEAR);
        COST.keySet().forEach(bundle -> plot.add("fat tree of " + 25 * bundle + "G links", Plot.Style.LINE,
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
