package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.stream.IntStream;

/** The single-tier system of 24 adapters: Stardust §6.1.2 and §5.6 (docs/spec/stardust.md §10 rows 6 and 7). */
public final class StardustSingleTier {
    /**
     * The share of the line rate that packets of one size get in the single-tier system of 24 adapters: Stardust §6.1.2
     * (docs/spec/stardust.md §10 row 6). Links are charged by bytes: in addition to the payload, 36 bytes per packet
     * and 6 per cell, of the 513.3 Gb/s of an adapter's 60 links. These values are fitted so that 1,152 ports fill the
     * line from 384 B, as printed. Schedulers ignore marks, because the figure is about the capacity of the links.
     */
    public static final Figure LINE_RATE = Figure.of("stardust-line-rate", StardustSingleTier::lineRate);
    /**
     * Latency of packets by their size in the single-tier system under full load: Stardust §6.1.2
     * (docs/spec/stardust.md §10 row 7).
     */
    public static final Figure LATENCY = Figure.of("stardust-latency", StardustSingleTier::packetLatency);
    /**
     * The class that is sent without waiting for credits, compared with the same packets with credits: Stardust §5.6
     * (docs/spec/stardust.md §3.7).
     */
    public static final Figure LOW_LATENCY = Figure.of("stardust-low-latency", StardustSingleTier::lowLatency);

    private static final FoldedClosConfig NETWORK = FoldedClosConfig.N612;
    private static final double USABLE_GBPS = 513.3;
    private static final double PORT_GBPS = 10;
    private static final int GAP_BYTES = 20;
    private static final int CELL_BYTES = 256;
    private static final LinkCharge OVERHEAD = new LinkCharge(1, 6, 36);
    private static final LinkCharge NO_OVERHEAD = new LinkCharge(1, 0, 0);
    /** Largest size to which the parameters are fitted, bytes. */
    private static final int FITTED_BYTES = 384;
    /** Sizes of packets; those above 384 B have the shortest last cell. */
    private static final int[] LINE_RATE_BYTES = {64, 128, 256, 257, 384, 513, 1025, 1518};
    /** Accepted deviation from the values printed for one system, with one delay for all its links and devices. */
    private static final double PRINTED_WITHIN = 0.15;
    private static final double[][] PRINTED_US = {{2.8, 3.5}, {3.3, 9.1}, {5.6, 13.5}};
    private static final double CLOSE = 0.02;
    /** Ports of an adapter if all of them are present. */
    private static final int ALL_PORTS = 48;
    private static final int[] PACKET_LATENCY_BYTES = {64, 128, 256, 512, 1024, 1518, 9216};
    private static final String[] NAMES = {"minimum", "average", "maximum"};
    /**
     * Delay of a link and the device at its end, ns: a request and a credit take four of them, the microsecond of §5.6.
     */
    private static final double FITTED_NS = 250;

    /**
     * Packets of one size in the single-tier system of Stardust §6.1.2, each a flow of its own: 24 adapters, 1,152
     * ports of 10 Gb/s, each port to one other. Without packing, a packet takes 36 bytes and each of its cells 6 bytes
     * in addition to the payload (docs/spec/stardust.md §10 rows 6 and 7).
     *
     * @param bytes size of a packet.
     * @param load share of the line rate of a port.
     * @param paced whether packets of a port arrive at a constant rate from a random phase; otherwise as a Poisson
     *              process.
     * @param classes traffic classes; with two, every other packet of a port is of the highest class.
     * @param rules rules of the classes.
     */
    private record SinglePackets(int bytes, double load, boolean paced, int classes, ClassRules rules) {
        private static final int GAP = 1;
        private static final int STEP_SLOTS = 64;

        /** Returns the mean time between packets of a port, ns. */
        private double gapNs() {
            return (bytes + GAP_BYTES) * Byte.SIZE / (load * PORT_GBPS);
        }

        /**
         * Runs packets that arrive for some time until all are complete; the first third of the time is not counted.
         * Returns the minimum, mean, maximum and median latency in us, with two classes only of the highest, from the
         * last bit in to the first bit out (RFC 1242 for devices that store and forward); the packets and cells lost
         * for any cause; and the mean difference in ns between the latencies of successive packets of a port.
         */
        double[] run(final double arrivalsUs, final Effort effort) {
            final double slotNs = slotNs(shortest(bytes, OVERHEAD));
            final double line = line(bytes, slotNs);
            final Stardust fabric = Runs.stardust(NETWORK, (int) Math.max(1, Math.round(FITTED_NS / slotNs)),
                new HostSide(ALL_PORTS, 1, classes, line, 1 << 16, 1 << 15, HostModel.IDEAL),
                new CellCut(bytes, CELL_BYTES, false, Packing.NONE),
                new Credits(Credits.USUAL_BYTES, 1.02 * line, 0, 0, 1, false).with(rules),
                LinkRules.USUAL.charging(new LinkCharge(slotNs * USABLE_GBPS / NETWORK.faLinks() / Byte.SIZE,
                    OVERHEAD.cellBytes(), OVERHEAD.packetBytes())), effort.seed());
            final FlowSet flows = flows(fabric.nodes(), arrivalsUs, slotNs, effort.seed());
            try (StardustEngine engine = new StardustEngine(fabric, flows, effort.threads())) {
                final long most = (long) (40 * arrivalsUs * 1e3 / slotNs);
                for (long slot = 0; slot < most && engine.count(NicCounter.FLOWS_COMPLETED) < flows.size();
                    slot += STEP_SLOTS) {
                    engine.advance(STEP_SLOTS);
                    effort.done((double) engine.count(NicCounter.FLOWS_COMPLETED) / flows.size());
                }
                engine.checkConserved();
                final Outcome outcome = engine.outcome();
                final double[] latency = new double[flows.size()];
                Arrays.fill(latency, Double.NaN);
                for (int i = 0; i < outcome.completed().length; i++) {
                    latency[outcome.completed()[i]] = ((outcome.completedIn()[i] + 1 - flows.startSlot(
                        outcome.completed()[i])) * slotNs - bytes * Byte.SIZE / PORT_GBPS) / 1e3;
                }
                final int[] counted = IntStream.range(0, latency.length).filter(flow -> !Double.isNaN(latency[flow])
                    && flows.trafficClass(flow) == 0 && flows.startSlot(flow) * slotNs >= arrivalsUs * 1e3 / 3)
                    .toArray();
                final double[] us = Arrays.stream(counted).mapToDouble(flow -> latency[flow]).sorted().toArray();
                return new double[] {us[0], Arrays.stream(us).average().orElseThrow(), us[us.length - 1],
                    us[us.length / 2], Runs.dropped(engine) + engine.count(NicCounter.PACKETS_REFUSED)
                    + engine.count(NicCounter.PACKETS_POLICED) + flows.size() - outcome.completed().length,
                    variationNs(counted, latency, flows, fabric.nodes())};
            }
        }

        private static double variationNs(final int[] counted, final double[] latency, final FlowSet flows,
            final int hosts) {
            final double[] last = new double[hosts];
            Arrays.fill(last, Double.NaN);
            double sum = 0;
            int pairs = 0;
            for (final int flow : counted) {
                final double before = last[flows.source(flow)];
                last[flows.source(flow)] = latency[flow];
                if (!Double.isNaN(before)) {
                    sum += Math.abs(latency[flow] - before) * 1e3;
                    pairs++;
                }
            }
            return sum / pairs;
        }

        private FlowSet flows(final int hosts, final double arrivalsUs, final double slotNs, final long seed) {
            final long key = CounterRandom.mix(seed);
            final int most = (int) (2 * arrivalsUs * 1e3 / gapNs()) + 20;
            final long[] starts = new long[hosts * most];
            int count = 0;
            for (int host = 0; host < hosts; host++) {
                double clock = 0;
                for (int packet = 0; packet < most; packet++) {
                    final double uniform = ((CounterRandom.bits(key, host, packet, GAP) >>> 11) + 1) * 0x1p-53;
                    clock += paced ? (packet == 0 ? uniform : 1) * gapNs() : -StrictMath.log(uniform) * gapNs();
                    if (clock < arrivalsUs * 1e3) {
                        starts[count++] = (long) (clock / slotNs) << Integer.SIZE | (long) host << 1 | packet & 1;
                    }
                }
            }
            Arrays.sort(starts, 0, count);
            final FlowSet flows = new FlowSet();
            for (int i = 0; i < count; i++) {
                final int host = (int) starts[i] >>> 1;
                flows.add(i, host, receiver(host, ALL_PORTS, hosts), bytes, Math.ceilDiv(bytes, CELL_BYTES),
                    starts[i] >>> Integer.SIZE);
                if (classes > 1) {
                    flows.setClass((int) starts[i] & 1);
                }
            }
            return flows;
        }
    }

    private StardustSingleTier() {
    }

    /** Returns the host to which a host sends. */
    private static int receiver(final int host, final int ports, final int hosts) {
        return (host + ports * (1 + host % ports % 23)) % hosts;
    }

    /** Returns the length of a slot, ns, in which a link carries a number of bytes. */
    private static double slotNs(final double slotBytes) {
        return slotBytes * Byte.SIZE * NETWORK.faLinks() / USABLE_GBPS;
    }

    /** Returns the bytes that a port sends in a slot: packets with their gaps at the line rate. */
    private static double line(final int bytes, final double slotNs) {
        return PORT_GBPS * slotNs / Byte.SIZE * bytes / (bytes + GAP_BYTES);
    }

    private static void lineRate(final Effort effort, final Findings found) {
        final int[] sizes = effort.quick() ? new int[] {64, 384, 513} : LINE_RATE_BYTES;
        final Sample[][] of = effort.sweep(1, sizes, StardustSingleTier::lineRate);
        for (int i = 0; i < sizes.length; i++) {
            final String all = "1152 ports, " + sizes[i] + " B";
            if (sizes[i] <= FITTED_BYTES) {
                found.fitted(all, sizes[i] < FITTED_BYTES ? "below 1" : "1", of[0][i]);
            } else {
                found.atLeast(all, "1 from 384 B on", 1 - CLOSE, of[0][i].mean());
            }
            found.atLeast("  960 ports", "1", 1 - CLOSE, of[1][i].mean())
                .atLeast("  1152 ports, packed", "1, as only packing is missing", 1 - CLOSE, of[2][i].mean())
                .exactly("  cells and packets dropped", 0, of[3][i].mean());
        }
        final double[] x = Sample.x(sizes);
        final double[] printed = Arrays.stream(x).filter(size -> size >= FITTED_BYTES).toArray();
        found.add(new Plot("rates", "Throughput without packing, fitted to the printed 384 B", "packet size (B)",
                "share of the line rate").add(Sample.line("1,152 ports", x, of[0]), Sample.line("960 ports", x, of[1]))
                .addPublished("1,152 ports", "as printed", printed, Arrays.stream(printed).map(_ -> 1).toArray())
                .addPublished("960 ports", "as printed", x, Arrays.stream(x).map(_ -> 1).toArray()))
            .remark("36 B per packet, 6 B per cell and 513.3 Gb/s are fitted to the printed 384 B, so up to this "
                + "size 1,152 ports test nothing. With 513 B, two long cells and a short one alternate over 60 links "
                + "whose order changes only every four rounds, so some links get more bytes. A new order in every "
                + "round gives 0.956.");
    }

    /**
     * Returns the shares of the line rate with 1,152 and 960 ports and with 1,152 ports and packing, and the cells
     * dropped in total.
     */
    private static double[] lineRate(final int bytes, final Effort effort) {
        final double[] all = lineRate(ALL_PORTS, bytes, Packing.NONE, OVERHEAD, effort.part(0, 0.4));
        final double[] fewer = lineRate(40, bytes, Packing.NONE, OVERHEAD, effort.part(0.4, 0.7));
        final double[] packed = lineRate(ALL_PORTS, bytes, Packing.CONTINUOUS, NO_OVERHEAD, effort.part(0.7, 1));
        return new double[] {Math.min(1, all[0]), Math.min(1, fewer[0]), Math.min(1, packed[0]), all[1] + fewer[1]
            + packed[1]};
    }

    /** Returns the share of its 48 ports that the links of an adapter can carry. */
    private static double expected(final int bytes) {
        final double wire = bytes + OVERHEAD.packetBytes() + OVERHEAD.cellBytes() * (double) Math.ceilDiv(bytes,
            CELL_BYTES);
        return Math.min(1, USABLE_GBPS / wire * (bytes + GAP_BYTES) / (ALL_PORTS * PORT_GBPS));
    }

    /**
     * Returns the bytes of a link that the shortest cell of a packet takes: its last cell, or a full cell, which ends
     * no packet.
     */
    private static int shortest(final int bytes, final LinkCharge overhead) {
        final int last = (bytes - 1) % CELL_BYTES + 1 + overhead.cellBytes() + overhead.packetBytes();
        return bytes <= CELL_BYTES ? last : Math.min(last, CELL_BYTES + overhead.cellBytes());
    }

    /** Returns the share of the line rate that ports sent to their hosts, and the cells dropped. */
    private static double[] lineRate(final int ports, final int bytes, final Packing packing, final LinkCharge overhead,
        final Effort effort) {
        final double slotBytes = packing == Packing.NONE ? shortest(bytes, overhead) : CELL_BYTES / 2.0;
        final double line = line(bytes, slotNs(slotBytes));
        final Stardust fabric = Runs.stardust(NETWORK, 4, new HostSide(ports, 1, 1, line, 1 << 16, 1 << 15, false),
            new CellCut(bytes, CELL_BYTES, false, packing),
            new Credits(Credits.USUAL_BYTES, 1.02 * line, 0, 0, 1, false), LinkRules.USUAL.charging(
            new LinkCharge(slotBytes, overhead.cellBytes(), overhead.packetBytes())), effort.seed());
        final int hosts = fabric.nodes();
        final int slots = effort.either(1_600, 4_000);
        try (StardustEngine engine = new StardustEngine(fabric, Runs.endless(hosts, host -> receiver(host, ports,
            hosts)), effort.threads())) {
            final double sent = Runs.grown(engine, _ -> Runs.sent(engine, hosts), 1, slots, slots, effort)[0];
            return new double[] {sent / (line * hosts * slots), Runs.dropped(engine)};
        }
    }

    private static void packetLatency(final Effort effort, final Findings found) {
        final Sample[][] of = effort.sweep(PACKET_LATENCY_BYTES, (bytes, seeded) -> {
            final SinglePackets packets = new SinglePackets(bytes, expected(bytes), true, 1, ClassRules.STRICT);
            return packets.run(Math.max(seeded.either(15, 60), 20 * packets.gapNs() / 1e3), seeded);
        });
        for (int i = 0; i < PACKET_LATENCY_BYTES.length; i++) {
            for (int value = 0; value < NAMES.length; value++) {
                found.reported((value == 0 ? PACKET_LATENCY_BYTES[i] + " B: " : "  ") + NAMES[value] + ", us",
                    of[value][i]);
            }
        }
        final double[][] mean = Arrays.stream(of).map(sizes -> Arrays.stream(sizes).mapToDouble(Sample::mean).toArray())
            .toArray(double[][]::new);
        final double[] least = Arrays.stream(mean).mapToDouble(each -> Arrays.stream(each).min().orElseThrow())
            .toArray();
        final double[] most = Arrays.stream(mean).mapToDouble(each -> Arrays.stream(each).max().orElseThrow())
            .toArray();
        for (int value = 0; value < NAMES.length; value++) {
            found.near("least " + NAMES[value] + " of all sizes, us", PRINTED_US[value][0], PRINTED_WITHIN,
                    least[value])
                .near("  largest", PRINTED_US[value][1], PRINTED_WITHIN, most[value]);
        }
        found.atMost("largest minimum over the least", "almost independent of size, 2.8 to 3.5 us", 1.25,
                most[0] / least[0])
            .exactly("sizes at which the average is below that of the size before", 0, IntStream.range(1,
                PACKET_LATENCY_BYTES.length).filter(i -> mean[1][i] < mean[1][i - 1]).count())
            .atMost("maximum of 256 B over that of 64 B", "decreases until the cell size", 1, of[2][2].over(of[2][0]))
            .between("least variation from a packet to the next, ns", "1 to 11", 1, 11, new Sample(least[5]))
            .between("  largest", "1 to 11", 1, 11, new Sample(most[5]))
            .exactly("packets lost", 0, most[4]);
        final Plot plot = new Plot("latency", "Latency of packets, 1,152 ports, full load", "packet size (B)",
            Plot.Scale.LOGARITHMIC, "latency (us)", Plot.Scale.LINEAR);
        for (int value = 0; value < NAMES.length; value++) {
            plot.add(Sample.line(NAMES[value], Sample.x(PACKET_LATENCY_BYTES), of[value]))
                .addPublished(NAMES[value], "least and largest as printed", new double[] {PACKET_LATENCY_BYTES[0],
                    PACKET_LATENCY_BYTES[PACKET_LATENCY_BYTES.length - 1]}, PRINTED_US[value]);
        }
        found.add(plot).remark("Every port sends at the highest constant rate that 1,152 ports carry without loss: "
            + "line rate from 384 B on, and below it the rate of the fitted links. Latency is from the last bit in "
            + "to the first bit out, as RFC 1242 defines it for store-and-forward devices.")
            .remark("The 250 ns of each link and device are fitted to another statement, that a credit takes about a "
                + "microsecond (stardust-low-latency). The paper prints only ranges, which are drawn at the shortest "
                + "and the longest packets. A slot is 99 to 279 ns, so variations of a few ns cannot be resolved.");
    }

    private static void lowLatency(final Effort effort, final Findings found) {
        final Sample[] waiting = latency(ClassRules.STRICT, effort.part(0, 0.5));
        final Sample[] atOnce = latency(ClassRules.STRICT.withLowLatency(0.5), effort.part(0.5, 1));
        found.reported("with credits: median, us", waiting[3])
            .reported("  average, us", waiting[1])
            .atMost("low-latency: median over the least", "starts immediately", 1.1, atOnce[3].over(atOnce[0]))
            .reported("  average, us", atOnce[1])
            .fitted("what a credit takes, median, us", "about a microsecond", new Sample(waiting[3].mean()
                - atOnce[3].mean()))
            .reported("  average, us", new Sample(waiting[1].mean() - atOnce[1].mean()))
            .exactly("packets lost", 0, waiting[4].mean() + atOnce[4].mean())
            .remark("The 250 ns of each link and device are chosen so that a request and its credit, which take four "
                + "of them, take a microsecond.");
    }

    /**
     * Measures sparse traffic, because the class is bounded: half of the packets are of it. A request and a credit
     * cross two links each.
     */
    private static Sample[] latency(final ClassRules rules, final Effort effort) {
        return effort.sample(seeded -> new SinglePackets(256, 0.05, false, 2, rules).run(seeded.either(50, 200),
            seeded));
    }
}
