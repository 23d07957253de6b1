package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.SwitchRules;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.StardustPermutation.StardustTcp.PeerTree;
import dev.skerry.tools.plot.Plot;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongConsumer;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Permutations of the 432 hosts of Stardust Figure 10a, over Stardust and over packet switches (docs/spec/stardust.md
 * §10 row 12).
 */
public final class StardustPermutation {
    /** A permutation of 432 hosts that speak TCP New Reno: Stardust Figure 10a (docs/spec/stardust.md §10 row 12). */
    public static final Figure FIG10A = new Figure("stardust-fig10a", "Figure 10a",
        "permutation of 432 hosts, TCP New Reno", 7, 1.3, StardustPermutation::permutation);
    /**
     * The permutation of Stardust Figure 10a over packet switches, with the transports that the paper compares Stardust
     * with (docs/spec/stardust.md §10 row 12).
     */
    public static final Figure FIG10A_PEERS = new Figure("stardust-fig10a-peers", "Figure 10a",
        "permutation of 432 hosts over packet switches, DCTCP, DCQCN and MPTCP", 3, 0.8, StardustPermutation::peers);
    /**
     * A permutation of the 432 hosts of Stardust Figure 10a with sources that always have something to send, which
     * isolates the fabric from the transport (docs/spec/stardust.md §10 row 12): cells of 496 and 16 bytes, credits 3 %
     * above the port, marks from 64 cells on.
     */
    public static final Figure FIG10A_FABRIC = new Figure("stardust-fig10a-fabric", "Figure 10a",
        "permutation of 432 hosts, sources without a transport", 1.5, 0.1, StardustPermutation::hosts);

    private static final double WARM_UP_MS = 60;
    private static final double MEASURED_MS = 20;
    static final int HOSTS = 432;
    static final double PORT_BYTES = 512;
    static final double GBPS = 10;
    private static final int PACKET_BYTES = 8926;

    /**
     * Rates of the flows of a permutation, of several seeds: Stardust Figure 10a.
     *
     * @param ordered Gb/s of the slowest flow of each seed, of the next one, and so on.
     * @param others  the other numbers of a run.
     */
    record FlowRates(Sample[] ordered, Sample[] others) {
        static final int SEEDS = 5;
        private static final double GBPS = 10;

        /**
         * Measures some permutations.
         *
         * @param run gives {@link #numbers}.
         */
        static FlowRates measure(final int seeds, final Effort effort, final Function<Effort, double[]> run) {
            final Sample[] all = Sample.of(seeds, effort, run);
            return new FlowRates(Arrays.copyOf(all, StardustTcp.HOSTS),
                Arrays.copyOfRange(all, StardustTcp.HOSTS, all.length));
        }

        /**
         * Gb/s of each flow after a warm-up.
         *
         * @param engine    takes slots.
         * @param received  bytes of a flow so far.
         * @param slotBytes what a slot carries at 10 Gb/s.
         */
        static double[] gbps(final LongConsumer engine, final IntToDoubleFunction received, final int warmUp,
            final int slots, final double slotBytes, final Effort effort) {
            final double before = (double) warmUp / (warmUp + slots);
            effort.part(0, before).advance(engine, warmUp);
            final double[] rates = IntStream.range(0, StardustTcp.HOSTS).mapToDouble(received).toArray();
            effort.part(before, 1).advance(engine, slots);
            Arrays.setAll(rates, flow -> (received.applyAsDouble(flow) - rates[flow]) / (slotBytes * slots) * GBPS);
            return rates;
        }

        /** The numbers of one permutation, from the Gb/s of its flows, which are sorted, and others. */
        static double[] numbers(final double[] rates, final double... others) {
            Arrays.sort(rates);
            final double[] all = Arrays.copyOf(rates, rates.length + others.length);
            System.arraycopy(others, 0, all, rates.length, others.length);
            return all;
        }

        /** Mean rate of each permutation as a share of the links. */
        Sample means() {
            return bySeed(rates -> Arrays.stream(rates).average().orElseThrow() / GBPS);
        }

        /** Flows of 9.4 Gb/s and more of each permutation, in percent. */
        Sample fast() {
            return bySeed(rates -> 100.0
                * Arrays.stream(rates).filter(rate -> rate >= 9.4).count() / rates.length);
        }

        double slowest() {
            return ordered[0].least();
        }

        double fastest() {
            return ordered[ordered.length - 1].most();
        }

        private Sample bySeed(final ToDoubleFunction<double[]> value) {
            return new Sample(IntStream.range(0, ordered[0].values().length)
                .mapToDouble(seed -> value.applyAsDouble(Arrays.stream(ordered).mapToDouble(of -> of.values()[seed])
                    .toArray())).toArray());
        }

        /** What the paper says of Stardust's rates, as the means over permutations. */
        void addStardust(final Findings found) {
            found.atLeast("mean rate, share of 10 Gb/s", "0.94", 0.94, means())
                .atLeast("flows of 9.4 Gb/s and more, %", "96", 96, fast()).spread("that", fast())
                .reported("slowest flow, Gb/s", "", slowest());
        }

        /** Figure 10a without lines, of {@link #SEEDS} permutations. */
        static Plot plot() {
            return new Plot("rates", "Throughput of each flow, mean of " + SEEDS + " permutations",
                "flow, in increasing order", "throughput (Gb/s)");
        }

        /** Adds the flows by their rates, those of the same place in each permutation together. */
        void addTo(final Plot plot, final String name) {
            plot.add(name, Plot.Style.LINE, IntStream.rangeClosed(1, ordered.length).asDoubleStream().toArray(),
                Arrays.stream(ordered).mapToDouble(Sample::mean).toArray());
        }
    }

    private StardustPermutation() {
    }

    private static Findings permutation(final Effort effort) {
        final Findings found = new Findings();
        final double share = effort.quick() ? 1 : FlowRates.SEEDS / (FlowRates.SEEDS + 2.0);
        final FlowRates rates = measurePermutation(StardustTcp.PAPER, FlowRates.SEEDS, found, effort.part(0, share));
        rates.addStardust(found);
        final String paper = "Stardust, cells of 512 B";
        final Plot plot = FlowRates.plot();
        rates.addTo(plot, paper);
        // 9.44 Gb/s on 96 % of the flows.
        plot.addPublished(paper, "as printed", new double[] {StardustTcp.HOSTS * (1 - 0.96), StardustTcp.HOSTS},
            new double[] {9.44, 9.44});
        if (!effort.quick()) {
            final FlowRates small = measurePermutation(StardustTcp.SMALL, 1, found, effort.part(share, 1));
            found.reported("  mean rate, share of 10 Gb/s", "", small.means().mean())
                .reported("  slowest flow, Gb/s", "", small.slowest())
                .remark("Of cells of 256 B and 16 of header 0.941 are payload, so that 0.94 is out of their reach.");
            small.addTo(plot, "Stardust, cells of 256 B, one permutation");
        }
        return found.add(plot).remark("A pod whose 36 hosts all hear from other pods gets 9.1 to 9.2 Gb/s for each: "
            + "without speed-up the links into it are as full as those to its hosts, and all of them mark.")
            .remark("DCTCP, DCQCN and MPTCP are stardust-fig10a-peers.");
    }

    private static FlowRates measurePermutation(final StardustTcp tcp, final int seeds, final Findings found,
        final Effort effort) {
        final FlowRates rates = FlowRates.measure(seeds, effort, seeded -> permutationNumbers(tcp, seeded));
        found.exactly("payload of " + tcp.payloadBytes() + " B: cells and packets dropped", 0,
            rates.others()[0].most());
        found.exactly("  segments sent again", 0, rates.others()[1].most());
        return rates;
    }

    private static double[] permutationNumbers(final StardustTcp tcp, final Effort effort) {
        return numbers(tcp.fabric(effort.seed()), tcp.payloadBytes(), tcp.slots(effort.either(8, 12)),
            tcp.slots(effort.either(4, 10)), tcp.slotBytes(), StardustEngine::receivedOf, effort);
    }

    /** Rates of the flows, what was dropped, and segments sent again. */
    private static double[] numbers(final Stardust fabric, final int payloadBytes, final int warmUp, final int slots,
        final double slotBytes, final ToDoubleBiFunction<StardustEngine, Integer> received, final Effort effort) {
        final FlowSet flows = CircuitRuns.permutation(HOSTS, payloadBytes, effort.seed());
        try (StardustEngine engine = new StardustEngine(fabric, flows, effort.threads())) {
            final double[] rates = FlowRates.gbps(engine::advance, flow -> received.applyAsDouble(engine, flow), warmUp,
                slots, slotBytes, effort);
            engine.checkConserved();
            return FlowRates.numbers(rates, CircuitRuns.dropped(engine), engine.count(NicCounter.PACKETS_RESENT));
        }
    }

    private static Findings peers(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = FlowRates.plot();
        measurePeers(found, plot, PeerTree.DCTCP, 0.49, effort.part(0, 0.25));
        measurePeers(found, plot, PeerTree.DCQCN, 0.47, effort.part(0.25, 0.5));
        measurePeers(found, plot, PeerTree.MPTCP, 0.90, effort.part(0.5, 1));
        return found.add(plot).remark("DCTCP and DCQCN have one way for each flow, MPTCP eight, by hashes: flows that "
            + "share a link get less. Stardust is stardust-fig10a.");
    }

    private static void measurePeers(final Findings found, final Plot plot, final PeerTree peer, final double paper,
        final Effort effort) {
        final double share = effort.quick() ? 0.75 : 1;
        final FlowRates rates = FlowRates.measure(FlowRates.SEEDS, effort, seeded -> peerNumbers(peer, share, seeded));
        found.near(peer.name() + ": mean rate, share of 10 Gb/s", paper, 0.15, rates.means())
            .reported("  slowest flow, Gb/s", "", rates.slowest())
            .atMost("  fastest flow, Gb/s", "10 and a packet at most", StardustTcp.GBPS
                + StardustTcp.PACKET_BYTES * Byte.SIZE / (share * MEASURED_MS * 1e6), rates.fastest());
        peer.addLosses(found, "", rates.others());
        rates.addTo(plot, peer.name());
    }

    /** Rates of the flows and what was lost. */
    private static double[] peerNumbers(final PeerTree peer, final double share, final Effort effort) {
        final StardustTcp times = StardustTcp.PAPER;
        final FlowSet flows = CircuitRuns.permutation(HOSTS, times.payloadBytes(), effort.seed());
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = peer.network(arena, flows, StardustTcp.FIRST_PACKETS, effort.seed());
            final double[] rates = FlowRates.gbps(network::advance, network::receivedOf,
                times.slots(share * WARM_UP_MS), times.slots(share * MEASURED_MS), times.slotBytes(), effort);
            network.checkConserved();
            return FlowRates.numbers(rates, PeerTree.losses(network));
        }
    }

    private static Findings hosts(final Effort effort) {
        final Findings found = new Findings();
        final FlowRates rates = FlowRates.measure(FlowRates.SEEDS, effort, seeded -> numbers(
            fabric(6, seeded.seed()), 496, seeded.either(10_000, 40_000), seeded.either(8_000, 60_000), PORT_BYTES,
            StardustEngine::bytesSentTo, seeded));
        found.exactly("cells and packets dropped", 0, rates.others()[0].most());
        rates.addStardust(found);
        final Plot plot = FlowRates.plot();
        rates.addTo(plot, "Stardust");
        return found.add(plot);
    }

    /** The fat tree with a queue for each pair of an adapter's port and a host of another. */
    static Stardust fabric(final int queuesPerPort, final long seed) {
        return new Stardust(Deployment.full(new FoldedClos(FoldedClosConfig.N432)), 4,
            new HostSide(6, queuesPerPort, 1, PORT_BYTES, 1 << 16, 1 << 15, false),
            new CellCut(PACKET_BYTES, 496, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, PORT_BYTES * 1.03, 0, 0, 1, true), LinkRules.USUAL.marking(64), true,
            seed);
    }

    /**
     * The fat tree of Stardust Figure 10 with hosts that speak TCP New Reno (docs/spec/stardust.md §10 rows 12 to 14):
     * 432 hosts, ports and links of 10 Gb/s, 1 us a link, packets of 9,000 bytes, a queue for each pair of hosts,
     * credits 3 % above the port, marks from 64 cells on. A slot is an eighth of a full cell, and links are charged by
     * bytes: the cell of an acknowledgement, of 58, takes a slot of 64. A queue keeps what is left of a credit when it
     * runs empty: otherwise each acknowledgement, which comes alone, costs its port a whole one, and two thirds of the
     * rate is all that is left.
     *
     * @param payloadBytes of a cell, whose header has 16 more.
     * @param creditBytes  what a credit is worth.
     */
    record StardustTcp(int payloadBytes, int creditBytes) {
        /** Cells of 512 bytes, credits of 4096: Appendix G. */
        static final StardustTcp PAPER = new StardustTcp(496, 4096);
        /** Cells of 256 bytes and their header, credits of 2048. */
        static final StardustTcp SMALL = new StardustTcp(256, 2048);
        static final int HOSTS = 432;
        static final double GBPS = 10;
        static final int PACKET_BYTES = 9000;
        /** Segments that a host sends before anything is acknowledged. */
        static final int FIRST_PACKETS = 2;

        private static final int HEADER_BYTES = 16;
        private static final int SLOTS_PER_CELL = 8;
        private static final int PORTS = 6;
        private static final double FIBRE_NS = 1000;
        private static final double MIN_RTO_NS = 10e6;
        private static final int MARK_CELLS = 64;
        /**
         * Half of a queue, so that the segments and acknowledgements of two hosts that send to each other have room.
         */
        private static final int WINDOW_PACKETS = 50;

        /** Bytes of a link in a slot. */
        double slotBytes() {
            return (payloadBytes + HEADER_BYTES) / (double) SLOTS_PER_CELL;
        }

        double slotNs() {
            return slotBytes() * Byte.SIZE / GBPS;
        }

        /** Slots of a time. */
        int slots(final double ms) {
            return (int) Math.ceil(ms * 1e6 / slotNs());
        }

        double ms(final long slots) {
            return slots * slotNs() / 1e6;
        }

        /** The fabric and its hosts, which send two segments before anything is acknowledged. */
        Stardust fabric(final long seed) {
            return fabric(seed, FIRST_PACKETS);
        }

        /** The same with hosts that send other segments before anything is acknowledged. */
        Stardust fabric(final long seed, final int firstPackets) {
            final double bytes = slotBytes();
            final int linkSlots = (int) Math.ceil(FIBRE_NS / slotNs()) + SLOTS_PER_CELL;
            return new Stardust(Deployment.full(new FoldedClos(FoldedClosConfig.N432)), linkSlots,
                new HostSide(PORTS, PORTS, 1, bytes, 1 << 16, 1 << 15,
                    Reno.usual((int) (MIN_RTO_NS / slotNs())).window(WINDOW_PACKETS).initial(firstPackets)),
                new CellCut(PACKET_BYTES, payloadBytes, true, Packing.CONTINUOUS),
                new Credits(creditBytes, bytes * (1 + 0.03), creditBytes, 0, 1, true),
                LinkRules.USUAL.marking(MARK_CELLS).charging(new LinkCharge(bytes, HEADER_BYTES, 0)), true, seed);
        }

        /**
         * The fat tree of packet switches that Figure 10 compares Stardust with (docs/spec/stardust.md §10 rows 12 to
         * 14): 432 hosts, links of 10 Gb/s and 1 us, packets of 9,000 bytes, queues of 100 packets that mark from 15
         * on, a way for each connection by a hash. For DCQCN switches pause links before they drop anything, a link may
         * fill 100 packets of the switch behind it, and marks are those of its paper. Slots are those of {@link
         * StardustTcp}.
         *
         * @param name       of the transport.
         * @param congestion what the windows of its hosts do.
         */
        record PeerTree(String name, Congestion congestion) {
            static final PeerTree DCTCP = new PeerTree("DCTCP", Congestion.Dctcp.USUAL);
            static final PeerTree MPTCP = new PeerTree("MPTCP", Congestion.Mptcp.USUAL);

            private static final StardustTcp TIMES = StardustTcp.PAPER;
            static final PeerTree DCQCN = new PeerTree("DCQCN", Congestion.Dcqcn.usual(TIMES.slotNs()));
            private static final MarkLaw RED = new MarkLaw(5000, 200_000, 0.01);
            private static final int RADIX = 12;
            private static final int QUEUE_PACKETS = 100;
            private static final int MARK_PACKETS = 15;
            private static final double FIBRE_MS = 1e-3;
            private static final double MIN_RTO_MS = 10;
            /**
             * Nothing is lost where links are paused, so the timer outlasts all waiting; RoCE gives up after about as
             * long.
             */
            private static final double PAUSED_RTO_MS = 500;

            /**
             * The network with its hosts; nothing has started.
             *
             * @param firstPackets segments that a host sends before anything is acknowledged.
             */
            SwitchedNetwork network(final Arena arena, final FlowSet flows, final int firstPackets, final long seed) {
                final int bytes = StardustTcp.PACKET_BYTES;
                final boolean pauses = congestion instanceof Congestion.Dcqcn;
                return new SwitchedNetwork(arena, flows,
                    Reno.usual(TIMES.slots(pauses ? PAUSED_RTO_MS : MIN_RTO_MS)).initial(firstPackets).with(congestion),
                    new SwitchRules(bytes, TIMES.slots(FIBRE_MS), (long) QUEUE_PACKETS * bytes,
                        pauses ? RED : MarkLaw.above((long) MARK_PACKETS * bytes), pauses),
                    new FatTreeRoutes(RADIX, TIMES.slotBytes(), flows, congestion.subflows(), seed));
            }

            /** Packets dropped, segments sent again, and pauses of links. */
            static double[] losses(final SwitchedNetwork network) {
                return new double[] {network.dropped(), network.resent(), network.pauses()};
            }

            /**
             * Where switches pause links: that nothing was dropped or sent again, and how often they did.
             *
             * @param losses of several seeds.
             */
            void addLosses(final Findings found, final String of, final Sample... losses) {
                if (congestion instanceof Congestion.Dcqcn) {
                    found.exactly(name + of + ": packets dropped", 0, losses[0].most())
                        .exactly("  segments sent again", 0, losses[1].most())
                        .reported("  pauses", "", losses[2]);
                }
            }
        }
    }
}
