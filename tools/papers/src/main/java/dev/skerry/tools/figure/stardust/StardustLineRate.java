package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkCharge;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The part of the line rate that packets of one size get in the single-tier system of 24 adapters: Stardust §6.1.2
 * (docs/spec/stardust.md §10 row 6). Links are charged by bytes, 36 a packet and 6 a cell beyond the payload, 513.3
 * Gb/s of an adapter's 60 links; schedulers do not react to marks, as this is about what links carry.
 */
public final class StardustLineRate {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-line-rate", "Section 6.1.2",
        "share of the line rate by packet size, 960 and 1,152 ports", 1, 0.2, StardustLineRate::measure);

    static final FoldedClosConfig NETWORK = FoldedClosConfig.N612;
    static final double USABLE_GBPS = 513.3;
    static final double PORT_GBPS = 10;
    static final int GAP_BYTES = 20;
    static final int CELL_BYTES = 256;
    static final LinkCharge OVERHEAD = new LinkCharge(1, 6, 36);
    private static final LinkCharge NO_OVERHEAD = new LinkCharge(1, 0, 0);
    private static final int[] BYTES = {64, 128, 256, 257, 384, 512, 1024, 1518};
    private static final double CLOSE = 0.02;
    /** Ports of an adapter if all of them are there. */
    private static final int ALL_PORTS = 48;
    /** Packets of this many bytes and more have the full line rate on all ports, as printed. */
    private static final int PRINTED_FROM = 384;
    /** Packets of a full cell and a short one. */
    private static final int UNEVEN = 257;

    private StardustLineRate() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final int[] sizes = effort.quick() ? new int[] {64, 256, 384} : BYTES;
        final double[] full = new double[sizes.length];
        final double[] fewer = new double[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            final int bytes = sizes[i];
            final Effort part = effort.turn(i, sizes.length);
            full[i] = measure(ALL_PORTS, bytes, Packing.NONE, OVERHEAD, effort).carried;
            final String of = "1152 ports, " + bytes + " B";
            if (bytes == UNEVEN) {
                found.reported(of, Check.text(expected(bytes)), full[i]);
            } else {
                found.within(of, expected(bytes), CLOSE, full[i]);
            }
            part.done(0.4);
            final Rates of960 = measure(40, bytes, Packing.NONE, OVERHEAD, effort);
            full(found, "960 ports", of960);
            fewer[i] = of960.sent;
            part.done(0.7);
            full(found, "1152 ports, packed, without overhead",
                measure(ALL_PORTS, bytes, Packing.CONTINUOUS, NO_OVERHEAD, effort));
        }
        return found.add(plot(Arrays.stream(sizes).asDoubleStream().toArray(), full, fewer))
            .remark("Packets of 257 B: full and shortest cells take turns, and the order of the links is renewed every "
                + "four rounds only, so that some links get more bytes than others; the paper has no value for them.")
            .remark("No cell and no packet is dropped in any of them: a drop fails the figure.");
    }

    /** Rates to a millionth: slots are whole, so that 1 is not met exactly, and the axis would go beyond it. */
    private static Plot plot(final double[] bytes, final double[] full, final double[] fewer) {
        final double[] printed = Arrays.stream(bytes).filter(size -> size >= PRINTED_FROM).toArray();
        return new Plot("rates", "Throughput without packing, 960 and 1,152 ports", "packet size (B)",
            "share of the line rate")
            .add("1,152 ports", Plot.Style.DOTS, bytes, full)
            .addPublished("1,152 ports", "as printed", printed, Arrays.stream(printed).map(size -> 1).toArray())
            .add("960 ports", Plot.Style.DOTS, bytes, Arrays.stream(fewer).map(rate -> Math.rint(rate * 1e6) / 1e6)
                .toArray())
            .addPublished("960 ports", "as printed", bytes, Arrays.stream(bytes).map(size -> 1).toArray());
    }

    /** Ports that are never short of packets: schedulers keep 2 % more on its way than they send. */
    private static void full(final Findings found, final String what, final Rates rates) {
        found.within("  " + what, 1, CLOSE, rates.sent)
            .between("    came over the links", "1 to 1.02", 1 - CLOSE, 1 + 1.5 * CLOSE, rates.carried);
    }

    /**
     * Shares of the line rate of all ports, nothing cut off at 1.
     *
     * @param carried what came over the links for them; for a while more, as they have room for it.
     * @param sent    what they sent to their hosts.
     */
    private record Rates(double carried, double sent) {
    }

    /** What an adapter's links carry of its 48 ports. */
    private static double expected(final int bytes) {
        final double wire = bytes + OVERHEAD.packetBytes() + OVERHEAD.cellBytes() * (double) cells(bytes);
        return Math.min(1, USABLE_GBPS / wire * (bytes + GAP_BYTES) / (ALL_PORTS * PORT_GBPS));
    }

    /** What the shortest cell of a packet takes of a link: it is the last one, or a full one, which ends no packet. */
    static int shortest(final int bytes, final LinkCharge overhead) {
        final int last = (bytes - 1) % CELL_BYTES + 1 + overhead.cellBytes() + overhead.packetBytes();
        return bytes <= CELL_BYTES ? last : Math.min(last, CELL_BYTES + overhead.cellBytes());
    }

    private static int cells(final int bytes) {
        return Math.ceilDiv(bytes, CELL_BYTES);
    }

    private static Rates measure(final int ports, final int bytes, final Packing packing, final LinkCharge overhead,
        final Effort effort) {
        final double slotBytes = packing == Packing.NONE ? shortest(bytes, overhead) : CELL_BYTES / 2.0;
        final double slotNs = slotBytes * Byte.SIZE * NETWORK.faLinks() / USABLE_GBPS;
        final double line = PORT_GBPS * slotNs / Byte.SIZE * bytes / (bytes + GAP_BYTES);
        final Stardust fabric = new Stardust(Deployment.full(new FoldedClos(NETWORK)), 4,
            new HostSide(ports, 1, 1, line, 1 << 16, 1 << 15, false), new CellCut(bytes, CELL_BYTES, false, packing),
            new Credits(Credits.USUAL_BYTES, 1.02 * line, 0, 0, 1, false), LinkRules.USUAL.charging(
            new LinkCharge(slotBytes, overhead.cellBytes(), overhead.packetBytes())), true, effort.seed());
        final int hosts = fabric.nodes();
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < hosts; host++) {
            CircuitRuns.endless(flows, host, (host + ports * (1 + host % ports % 23)) % hosts);
        }
        final int slots = effort.either(1_600, 4_000);
        try (StardustEngine engine = new StardustEngine(fabric, flows, effort.threads())) {
            engine.advance(slots);
            final double sent = Arrays.stream(StardustRuns.bytes(engine, hosts)).sum();
            final double carried = IntStream.range(0, hosts).mapToDouble(engine::bytesTo).sum();
            engine.advance(slots);
            final double sentAfter = Arrays.stream(StardustRuns.bytes(engine, hosts)).sum();
            final double carriedAfter = IntStream.range(0, hosts).mapToDouble(engine::bytesTo).sum();
            engine.checkConserved();
            if (StardustRuns.dropped(engine) > 0) {
                throw new IllegalStateException("dropped=" + StardustRuns.dropped(engine) + " bytes=" + bytes);
            }
            final double all = line * hosts * slots;
            return new Rates((carriedAfter - carried) / all, (sentAfter - sent) / all);
        }
    }
}
