package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.stream.IntStream;

/** The single-tier system of 24 adapters: Stardust §6.1.2 and §5.6 (docs/spec/stardust.md §10 rows 6 and 7). */
public final class StardustSingleTier {
    /**
     * The part of the line rate that packets of one size get in the single-tier system of 24 adapters: Stardust §6.1.2
     * (docs/spec/stardust.md §10 row 6). Links are charged by bytes, 36 a packet and 6 a cell beyond the payload, 513.3
     * Gb/s of an adapter's 60 links; schedulers do not react to marks, as this is about what links carry.
     */
    public static final Figure LINE_RATE = Figure.of("stardust-line-rate", StardustSingleTier::lineRate);
    /**
     * Latency of packets by their size in the single-tier system: Stardust §6.1.2 (docs/spec/stardust.md §10 row 7).
     */
    public static final Figure LATENCY = Figure.of("stardust-latency", StardustSingleTier::packetLatency);
    /**
     * The class that is sent without waiting for credits, beside the same packets with credits: Stardust §5.6
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
    private static final int[] LINE_RATE_BYTES = {64, 128, 256, 257, 384, 512, 1024, 1518};
    private static final double CLOSE = 0.02;
    /** Ports of an adapter if all of them are there. */
    private static final int ALL_PORTS = 48;
    private static final int[] PACKET_LATENCY_BYTES = {64, 128, 256, 512, 1024, 1518};
    private static final String[] NAMES = {"minimum", "average", "maximum"};

    /**
     * Shares of the line rate of all ports, nothing cut off at 1.
     *
     * @param carried what came over the links for them; for a while more, as they have room for it.
     * @param sent    what they sent to their hosts.
     */
    private record Rates(double carried, double sent) {
    }

    /**
     * Packets of one size in the single-tier system of Stardust §6.1.2, each a flow of its own: 24 adapters, 1,152
     * ports of 10 Gb/s, Poisson arrivals, each port to one other. Without packing a packet takes 36 bytes and each of
     * its cells 6 beyond their payload (docs/spec/stardust.md §10 rows 6 and 7).
     *
     * @param bytes    of a packet.
     * @param load     share of the line rate of a port.
     * @param linkNs   of a link and the device behind it.
     * @param classes  of traffic; with two, every other packet of a port is of the highest.
     * @param rules    for classes.
     */
    private record SinglePackets(int bytes, double load, double linkNs, int classes, ClassRules rules) {
        private static final int GAP = 1;
        private static final int STEP_SLOTS = 64;

        /**
         * Packets that arrive for some time, all of them waited for: least, mean, largest and median latency in us, of
         * the highest class if there are two, and packets and cells that were lost, wherever they were dropped.
         */
        double[] run(final double arrivalsUs, final Effort effort) {
            final double slotNs = slotNs(shortest(bytes, OVERHEAD));
            final double line = line(bytes, slotNs);
            final Stardust fabric = Runs.stardust(NETWORK, (int) Math.ceil(linkNs / slotNs),
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
                final double[] us = IntStream.range(0, outcome.completed().length)
                    .filter(i -> flows.trafficClass(outcome.completed()[i]) == 0)
                    .mapToDouble(i -> (outcome.completedIn()[i] + 1 - flows.startSlot(outcome.completed()[i])) * slotNs
                        / 1e3).sorted().toArray();
                return new double[] {us[0], Arrays.stream(us).average().orElseThrow(), us[us.length - 1],
                    us[us.length / 2], Runs.dropped(engine) + engine.count(NicCounter.PACKETS_REFUSED)
                    + engine.count(NicCounter.PACKETS_POLICED) + flows.size() - outcome.completed().length};
            }
        }

        private FlowSet flows(final int hosts, final double arrivalsUs, final double slotNs, final long seed) {
            final double gapNs = (bytes + GAP_BYTES) * Byte.SIZE / (load * PORT_GBPS);
            final long key = CounterRandom.mix(seed);
            final int most = (int) (2 * arrivalsUs * 1e3 / gapNs) + 20;
            final long[] starts = new long[hosts * most];
            int count = 0;
            for (int host = 0; host < hosts; host++) {
                double clock = 0;
                for (int packet = 0; packet < most; packet++) {
                    final double uniform = ((CounterRandom.bits(key, host, packet, GAP) >>> 11) + 1) * 0x1p-53;
                    clock -= StrictMath.log(uniform) * gapNs;
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

    /** The host that one sends to. */
    private static int receiver(final int host, final int ports, final int hosts) {
        return (host + ports * (1 + host % ports % 23)) % hosts;
    }

    /** The time of a slot in which a link carries some bytes. */
    private static double slotNs(final double slotBytes) {
        return slotBytes * Byte.SIZE * NETWORK.faLinks() / USABLE_GBPS;
    }

    /** What a port sends in a slot: packets with their gaps at the rate of the line. */
    private static double line(final int bytes, final double slotNs) {
        return PORT_GBPS * slotNs / Byte.SIZE * bytes / (bytes + GAP_BYTES);
    }

    private static void lineRate(final Effort effort, final Findings found) {
        final int[] sizes = effort.quick() ? new int[] {64, 256, 384} : LINE_RATE_BYTES;
        final double[] full = new double[sizes.length];
        final double[] fewer = new double[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            final int bytes = sizes[i];
            final Effort part = effort.turn(i, sizes.length);
            full[i] = lineRate(ALL_PORTS, bytes, Packing.NONE, OVERHEAD, effort).carried;
            final String of = "1152 ports, " + bytes + " B";
            if (bytes == 257) {
                found.reported(of, Check.text(expected(bytes)), new Sample(full[i]));
            } else {
                found.within(of, expected(bytes), CLOSE, full[i]);
            }
            part.done(0.4);
            final Rates of960 = lineRate(40, bytes, Packing.NONE, OVERHEAD, effort);
            full(found, "960 ports", of960);
            // To a millionth: slots are whole, so that 1 is not met exactly, and the axis would go beyond it.
            fewer[i] = Math.rint(of960.sent * 1e6) / 1e6;
            part.done(0.7);
            full(found, "1152 ports, packed, without overhead",
                lineRate(ALL_PORTS, bytes, Packing.CONTINUOUS, NO_OVERHEAD, effort));
        }
        final double[] x = Sample.x(sizes);
        final double[] printed = Arrays.stream(x).filter(size -> size >= 384).toArray();
        found.add(new Plot("rates", "Throughput without packing, 960 and 1,152 ports", "packet size (B)",
                "share of the line rate")
                .add("1,152 ports", Plot.Style.DOTS, x, full)
                .addPublished("1,152 ports", "as printed", printed, Arrays.stream(printed).map(_ -> 1).toArray())
                .add("960 ports", Plot.Style.DOTS, x, fewer)
                .addPublished("960 ports", "as printed", x, Arrays.stream(x).map(_ -> 1).toArray()))
            .remark("Packets of 257 B: full and shortest cells take turns, and the order of the links is renewed every "
                + "four rounds only, so that some links get more bytes than others; the paper has no value for them.")
            .remark("No cell and no packet is dropped in any of them: a drop fails the figure.");
    }

    /** Ports that are never short of packets: schedulers keep 2 % more on its way than they send. */
    private static void full(final Findings found, final String what, final Rates rates) {
        found.within("  " + what, 1, CLOSE, rates.sent)
            .between("    came over the links", "1 to 1.02", 1 - CLOSE, 1 + 1.5 * CLOSE, rates.carried);
    }

    /** What an adapter's links carry of its 48 ports. */
    private static double expected(final int bytes) {
        final double wire = bytes + OVERHEAD.packetBytes() + OVERHEAD.cellBytes() * (double) Math.ceilDiv(bytes,
            CELL_BYTES);
        return Math.min(1, USABLE_GBPS / wire * (bytes + GAP_BYTES) / (ALL_PORTS * PORT_GBPS));
    }

    /** What the shortest cell of a packet takes of a link: it is the last one, or a full one, which ends no packet. */
    private static int shortest(final int bytes, final LinkCharge overhead) {
        final int last = (bytes - 1) % CELL_BYTES + 1 + overhead.cellBytes() + overhead.packetBytes();
        return bytes <= CELL_BYTES ? last : Math.min(last, CELL_BYTES + overhead.cellBytes());
    }

    private static Rates lineRate(final int ports, final int bytes, final Packing packing, final LinkCharge overhead,
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
            final double[] bytesOf = Runs.grown(engine, i -> i == 0 ? Runs.sent(engine, hosts)
                : IntStream.range(0, hosts).mapToDouble(engine::bytesTo).sum(), 2, slots, slots, effort.silent());
            if (Runs.dropped(engine) > 0) {
                throw new IllegalStateException("dropped=" + Runs.dropped(engine) + " bytes=" + bytes);
            }
            final double all = line * hosts * slots;
            return new Rates(bytesOf[1] / all, bytesOf[0] / all);
        }
    }

    private static void packetLatency(final Effort effort, final Findings found) {
        final Sample[][] of = effort.sweep(PACKET_LATENCY_BYTES, (bytes, seeded) ->
            new SinglePackets(bytes, 0.9, 500, 1, ClassRules.STRICT).run(seeded.either(15, 60), seeded));
        final int last = PACKET_LATENCY_BYTES.length - 1;
        for (int i = 0; i <= last; i++) {
            for (int value = 0; value < NAMES.length; value++) {
                found.reported((value == 0 ? PACKET_LATENCY_BYTES[i] + " B: " : "  ") + NAMES[value] + ", us",
                    of[value][i]);
            }
        }
        final Sample least = new Sample(Arrays.stream(of[0]).mapToDouble(Sample::mean).toArray());
        final Plot plot = new Plot("latency", "Latency of packets, 1,152 ports", "packet size (B)", "latency (us)");
        for (int value = 0; value < NAMES.length; value++) {
            plot.add(Sample.line(NAMES[value], Sample.x(PACKET_LATENCY_BYTES), of[value]));
        }
        found.atMost("largest minimum over the smallest", "almost independent of size, 2.8 to 3.5 us", 1.25,
                least.most() / least.least())
            .atLeast("average of 1,518 B over that of 256 B", "increases with size, 3.3 to 9.1 us", 1,
                of[1][last].over(of[1][2]))
            .atLeast("maximum of 1,518 B over that of 256 B", "increases with size, 5.6 to 13.5 us", 1,
                of[2][last].over(of[2][2]))
            .atMost("maximum of 256 B over that of 64 B", "decreases until the cell size", 1, of[2][2].over(of[2][0]))
            .exactly("packets lost", 0, Arrays.stream(of[4]).flatMapToDouble(each -> Arrays.stream(each.values()))
                .sum())
            .add(plot).remark("Poisson arrivals at 0.9 of the line rate, 500 ns of each link and device: the "
                + "paper states neither, so that order and flatness are checked, not microseconds.");
    }

    private static void lowLatency(final Effort effort, final Findings found) {
        final Sample[] waiting = latency(ClassRules.STRICT, effort.part(0, 0.5));
        final Sample[] atOnce = latency(ClassRules.STRICT.withLowLatency(0.5), effort.part(0.5, 1));
        found.reported("with credits: median, us", waiting[3])
            .reported("  average, us", waiting[1])
            .reported("low-latency: median, us", atOnce[3])
            .reported("  average, us", atOnce[1])
            .between("what a credit takes, median, us", "about a microsecond", 0.8, 2,
                waiting[3].mean() - atOnce[3].mean())
            .between("  average, us", "about a microsecond", 0.8, 2, waiting[1].mean() - atOnce[1].mean())
            .exactly("packets lost", 0, waiting[4].mean() + atOnce[4].mean())
            .remark("250 ns of each link and device: a request there and a credit back take four of them.");
    }

    /** Sparse, as the class is bounded: half of the packets are of it; a request and a credit cross two links each. */
    private static Sample[] latency(final ClassRules rules, final Effort effort) {
        return effort.sample(seeded -> new SinglePackets(256, 0.05, 250, 2, rules).run(seeded.either(50, 200), seeded));
    }
}
