package dev.skerry.tools.figure.stardust;

import static dev.skerry.tools.figure.stardust.StardustLineRate.CELL_BYTES;
import static dev.skerry.tools.figure.stardust.StardustLineRate.GAP_BYTES;
import static dev.skerry.tools.figure.stardust.StardustLineRate.NETWORK;
import static dev.skerry.tools.figure.stardust.StardustLineRate.OVERHEAD;
import static dev.skerry.tools.figure.stardust.StardustLineRate.PORT_GBPS;
import static dev.skerry.tools.figure.stardust.StardustLineRate.USABLE_GBPS;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.ClassRules;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkCharge;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.tools.figure.Effort;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Packets of one size in the single-tier system of Stardust §6.1.2, each a flow of its own: 24 adapters, 1,152 ports of
 * 10 Gb/s, Poisson arrivals, each port to one other. Without packing a packet takes 36 bytes and each of its cells 6
 * beyond their payload (docs/spec/stardust.md §10 rows 6 and 7).
 *
 * @param bytes    of a packet.
 * @param load     share of the line rate of a port.
 * @param linkNs   of a link and the device behind it.
 * @param classes  of traffic; with two, every other packet of a port is of the highest.
 * @param rules    for classes.
 */
record SinglePackets(int bytes, double load, double linkNs, int classes, ClassRules rules) {
    private static final int PORTS = 48;
    private static final int GAP = 1;
    private static final int STEP_SLOTS = 64;

    /**
     * What came of a run.
     *
     * @param us       latencies, ascending; of the highest class if there are two.
     * @param lost     packets and cells, wherever they were dropped.
     */
    record Latencies(double[] us, long lost) {
        double mean() {
            return Arrays.stream(us).average().orElseThrow();
        }

        double most() {
            return us[us.length - 1];
        }
    }

    /** Packets that arrive for some time, all of them waited for. */
    Latencies run(final double arrivalsUs, final Effort effort) {
        final double slotNs = slotNs();
        final Stardust fabric = fabric(slotNs, effort.seed());
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
            return new Latencies(us, StardustRuns.dropped(engine) + engine.count(NicCounter.PACKETS_REFUSED)
                + engine.count(NicCounter.PACKETS_POLICED) + flows.size() - outcome.completed().length);
        }
    }

    /** The slot of the shortest cell. */
    private double slotNs() {
        return StardustLineRate.shortest(bytes, OVERHEAD) * (double) Byte.SIZE * NETWORK.faLinks() / USABLE_GBPS;
    }

    private Stardust fabric(final double slotNs, final long seed) {
        final double slotBytes = slotNs * USABLE_GBPS / NETWORK.faLinks() / Byte.SIZE;
        final double line = PORT_GBPS * slotNs / Byte.SIZE * bytes / (bytes + GAP_BYTES);
        return new Stardust(Deployment.full(new FoldedClos(NETWORK)), (int) Math.ceil(linkNs / slotNs),
            new HostSide(PORTS, 1, classes, line, 1 << 16, 1 << 15, HostModel.IDEAL),
            new CellCut(bytes, CELL_BYTES, false, Packing.NONE),
            new Credits(Credits.USUAL_BYTES, 1.02 * line, 0, 0, 1, false).with(rules),
            LinkRules.USUAL.charging(new LinkCharge(slotBytes, OVERHEAD.cellBytes(), OVERHEAD.packetBytes())), true,
            seed);
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
            final int to = (host + PORTS * (1 + host % PORTS % 23)) % hosts;
            flows.add(i, host, to, bytes, Math.ceilDiv(bytes, CELL_BYTES), starts[i] >>> Integer.SIZE);
            if (classes > 1) {
                flows.setClass((int) starts[i] & 1);
            }
        }
        return flows;
    }
}
