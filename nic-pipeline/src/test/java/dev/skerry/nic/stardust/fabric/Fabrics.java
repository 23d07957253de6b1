package dev.skerry.nic.stardust.fabric;

import dev.skerry.codec.CellPacker;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Fabrics and flows of the tests. */
public final class Fabrics {
    /** 16 adapters of 4 links in 4 pods, 16 elements of tier 1, 8 of tier 2. */
    public static final FoldedClosConfig SMALL = new FoldedClosConfig(8, 4, 1, 4, 4, List.of(4));

    private Fabrics() {
    }

    public static Deployment full(final FoldedClosConfig config) {
        return Deployment.full(new FoldedClos(config));
    }

    /** One port of an adapter for all its links, credits at a part of their rate, cells that need no packing. */
    public static Stardust even(final FoldedClosConfig config, final double load, final LinkRules rules,
        final long seed) {
        final double links = config.faLinks() * 256.0;
        return new Stardust(full(config), 1, HostSide.of(1, 2, 2 * links), new CellCut(4096, 256, false,
            CellPacker.Packing.CONTINUOUS), Credits.paced(load * links), rules, true, seed);
    }

    /** A fabric of some delay whose packets are packed, with one port for every link of an adapter. */
    public static Stardust packed(final int linkSlots, final LinkRules rules, final boolean continuous) {
        final HostSide hosts = new HostSide(4, 1, 1, 230, 1 << 16, 1 << 15, false);
        return new Stardust(full(SMALL), linkSlots, hosts, new CellCut(1500, 256, true,
            continuous ? CellPacker.Packing.CONTINUOUS : CellPacker.Packing.NONE),
            new Credits(2048, 235, 0, 0, 1, true), rules, true, 7);
    }

    /** A packed fabric with links of two slots and other hosts, whose ports have four queues. */
    public static Stardust withHosts(final HostModel model, final HostSignals signals) {
        final Stardust packed = packed(2, LinkRules.USUAL, true);
        return new Stardust(packed.deployment(), 2, new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, model, signals),
            packed.cut(), packed.credits(), packed.links(), true, 7);
    }

    /** A packed fabric with links of two slots and other credits. */
    public static Stardust withCredits(final Credits credits) {
        final Stardust packed = packed(2, LinkRules.USUAL, true);
        return new Stardust(packed.deployment(), 2, packed.hosts(), packed.cut(), credits, packed.links(), true, 7);
    }

    /** Every host of {@link #SMALL} sends without end to the one 21 further on. */
    public static FlowSet ring() {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    /** One flow. */
    public static FlowSet one(final int from, final int to, final long bytes, final int cells, final long start) {
        final FlowSet flows = new FlowSet();
        flows.add(0, from, to, bytes, cells, start);
        return flows;
    }

    /** Endless flows from every endpoint to every other. */
    public static FlowSet allToAll(final int endpoints, final int each) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < endpoints; from++) {
            for (int to = 0; to < endpoints; to++) {
                for (int k = 0; from != to && k < each; k++) {
                    flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
                }
            }
        }
        return flows;
    }

    /** Flows of mixed sizes that start one after another, some within an adapter. */
    public static FlowSet mixed(final int endpoints, final int number) {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < number; flow++) {
            final int from = flow * 7 % endpoints;
            final int to = (from + 1 + flow * 5 % (endpoints - 1)) % endpoints;
            final long bytes = 1 + flow * 7919L % 40_000;
            flows.add(flow, from, to, bytes, (int) (bytes / 256) + 1, flow / 2);
        }
        return flows;
    }

    /** The mean length of queues, from how often each length was counted. */
    public static double mean(final long[] counts) {
        return IntStream.range(0, counts.length).mapToDouble(length -> (double) length * counts[length]).sum()
            / LongStream.of(counts).sum();
    }
}
