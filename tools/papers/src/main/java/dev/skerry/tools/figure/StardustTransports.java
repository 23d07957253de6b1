package dev.skerry.tools.figure;

import static dev.skerry.tools.figure.Sample.line;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fattree.FatTreeEngine;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Findings.Rule;
import dev.skerry.tools.figure.StardustTransports.StardustTcp.PeerTree;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * The 432 hosts of Stardust Figures 10a to 10c: rates of permutations and completion times, over Stardust and over
 * packet switches (docs/spec/stardust.md §10 rows 12 to 14).
 */
public final class StardustTransports {
    /** A permutation of 432 hosts that use TCP New Reno: Stardust Figure 10a (docs/spec/stardust.md §10 row 12). */
    public static final Figure FIG10A = Figure.of("stardust-fig10a", StardustTransports::permutation);
    /**
     * The permutation of Stardust Figure 10a over packet switches, with the transports that the paper compares with
     * Stardust (docs/spec/stardust.md §10 row 12).
     */
    public static final Figure FIG10A_PEERS = Figure.of("stardust-fig10a-peers", StardustTransports::peers);
    /**
     * Completion times of flows of a host in the presence of 1,728 endless flows, each starting 1 ms after the end of
     * the one before: New Reno over Stardust; DCTCP, DCQCN and MPTCP over packet switches. Stardust Figure 10b
     * (docs/spec/stardust.md §10 row 13).
     */
    public static final Figure FIG10B = Figure.of("stardust-fig10b", StardustTransports::webFlows);
    /**
     * The incast of Stardust Figure 10c over packet switches, with the transports that the paper compares with Stardust
     * (docs/spec/stardust.md §10 row 14).
     */
    public static final Figure FIG10C_PEERS = Figure.of("stardust-fig10c-peers", StardustTransports::peerIncast);
    /**
     * 450,000 bytes from each of n hosts to one, with TCP New Reno: Stardust Figure 10c (docs/spec/stardust.md §10 row
     * 14).
     */
    public static final Figure FIG10C = Figure.of("stardust-fig10c", StardustTransports::incast);

    /** Rate of 96 % of the flows of Figure 10a. */
    private static final double PRINTED_GBPS = 9.44;
    /**
     * Accepted deviation: two published runs of DCTCP on the permutation of Figure 10a, the paper's and NDP's, differ
     * by 5 %.
     */
    private static final double PEERS_WITHIN = 0.10;
    private static final double WARM_UP_MS = 60;
    private static final double MEASURED_MS = 20;
    private static final long INCAST_BYTES = 450_000;
    private static final double ALONE_MS = INCAST_BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    /**
     * Minimum number of senders that are compared with the optimum; with fewer, the arrival time of the first packet
     * weighs too much.
     */
    private static final int ENOUGH = 11;
    /** Number of senders from which all flows end together. */
    private static final int MANY = 51;
    private static final int[] SENDERS = {11, 51, 101, 201, 431};
    private static final double STEP_MS = 0.5;
    /** Indices of the numbers of web flows after their times, where index 0 is the number of incomplete flows. */
    private static final int DROPPED = 1;
    private static final int REFUSED = 2;
    private static final int LONGEST = 3;
    private static final int WEB_NUMBERS = 4;
    private static final List<PeerTree> PEERS = List.of(PeerTree.DCTCP, PeerTree.DCQCN, PeerTree.MPTCP);

    /**
     * Rates of the flows of a permutation, of several seeds: Stardust Figure 10a.
     *
     * @param ordered Gb/s of the slowest flow of each seed, of the next one, and so on.
     * @param others other numbers of a run.
     */
    private record FlowRates(Sample[] ordered, Sample[] others) {
        /**
         * Measures some permutations.
         *
         * @param run returns the {@link #numbers}.
         */
        static FlowRates measure(final Effort effort, final Function<Effort, double[]> run) {
            final Sample[] all = effort.sample(run);
            return new FlowRates(Arrays.copyOf(all, StardustTcp.HOSTS),
                Arrays.copyOfRange(all, StardustTcp.HOSTS, all.length));
        }

        /**
         * Returns the Gb/s of each flow after a warm-up.
         *
         * @param engine advances by a number of slots.
         * @param received bytes of a flow so far.
         */
        static double[] gbps(final LongConsumer engine, final IntToDoubleFunction received, final int warmUp,
            final int slots, final Effort effort) {
            effort.turn(0, warmUp, slots).advance(engine, warmUp);
            return Arrays.stream(Runs.grown(engine, received, StardustTcp.HOSTS, slots, effort.turn(1, warmUp, slots)))
                .map(bytes -> bytes / (StardustTcp.SLOT_BYTES * slots) * StardustTcp.GBPS).toArray();
        }

        /** Returns the numbers of one permutation: the Gb/s of its flows, and others. */
        static double[] numbers(final double[] rates, final double... others) {
            return DoubleStream.concat(Arrays.stream(rates).sorted(), DoubleStream.of(others)).toArray();
        }

        /** Returns the mean rate of each permutation as a share of the links. */
        Sample means() {
            return bySeed(rates -> Arrays.stream(rates).average().orElseThrow() / StardustTcp.GBPS);
        }

        double slowest() {
            return ordered[0].least();
        }

        private Sample bySeed(final ToDoubleFunction<double[]> value) {
            return new Sample(IntStream.range(0, ordered[0].values().length).mapToDouble(seed -> value.applyAsDouble(
                Arrays.stream(ordered).mapToDouble(of -> of.values()[seed]).toArray())).toArray());
        }

        /** Returns the plot of Figure 10a, of {@link Effort#SEEDS} permutations, without lines. */
        static Plot plot() {
            return new Plot("rates", "Throughput of each flow, mean of " + Effort.SEEDS + " permutations",
                "flow, in increasing order", "throughput (Gb/s)");
        }

        /** Adds the flows ordered by rate, averaged over the permutations at each rank. */
        Plot addTo(final Plot plot, final String name) {
            return plot.add(name, Plot.Style.LINE, IntStream.rangeClosed(1, ordered.length).asDoubleStream().toArray(),
                Arrays.stream(ordered).mapToDouble(Sample::mean).toArray());
        }
    }

    private StardustTransports() {
    }

    private static void permutation(final Effort effort, final Findings found) {
        final FlowRates rates = FlowRates.measure(effort, StardustTransports::permutation);
        found.exactly("cells and packets dropped", 0, rates.others[0].most())
            .exactly("segments sent again", 0, rates.others[1].most())
            .atLeast("mean rate, share of 10 Gb/s", "0.94", 0.94, rates.means())
            .atLeast("flows of 9.44 Gb/s and more, %", "96", 96, rates.bySeed(each ->
                100.0 * Arrays.stream(each).filter(rate -> rate >= PRINTED_GBPS).count() / each.length))
            .reported("slowest flow, Gb/s", rates.slowest())
            .add(rates.addTo(FlowRates.plot(), "Stardust").addPublished("Stardust", "as printed",
                new double[] {StardustTcp.HOSTS * (1 - 0.96), StardustTcp.HOSTS},
                new double[] {PRINTED_GBPS, PRINTED_GBPS}))
            .remark("If all 36 hosts of a pod receive from other pods, each gets 9.1 to 9.2 Gb/s: without speed-up "
                + "the links into the pod are as full as those to its hosts, and all of them mark.")
            .remark("For DCTCP, DCQCN and MPTCP, see stardust-fig10a-peers.");
    }

    /** Returns the rates of the flows, the cells dropped, and the segments sent again. */
    private static double[] permutation(final Effort effort) {
        final FlowSet flows = Runs.permutation(StardustTcp.HOSTS, StardustTcp.PAYLOAD_BYTES, effort.seed());
        try (StardustEngine engine = new StardustEngine(StardustTcp.fabric(effort.seed()), flows, effort.threads())) {
            final double[] rates = FlowRates.gbps(engine::advance, engine::receivedOf,
                StardustTcp.slots(effort.either(8, 12)), StardustTcp.slots(effort.either(4, 10)), effort);
            engine.checkConserved();
            return FlowRates.numbers(rates, Runs.dropped(engine), engine.count(NicCounter.PACKETS_RESENT));
        }
    }

    private static void peers(final Effort effort, final Findings found) {
        final Plot plot = FlowRates.plot();
        peers(found, plot, PeerTree.DCTCP, 0.49, effort.part(0, 0.25));
        peers(found, plot, PeerTree.DCQCN, 0.47, effort.part(0.25, 0.5));
        peers(found, plot, PeerTree.MPTCP, 0.90, effort.part(0.5, 1));
        found.add(plot).remark("DCTCP and DCQCN use one path per flow and MPTCP eight, chosen by hashes, so flows "
            + "that share a link get less. For Stardust, see stardust-fig10a.");
    }

    private static void peers(final Findings found, final Plot plot, final PeerTree peer, final double paper,
        final Effort effort) {
        final double share = effort.quick() ? 0.75 : 1;
        final FlowRates rates = FlowRates.measure(effort, seeded -> {
            final FlowSet flows = Runs.permutation(StardustTcp.HOSTS, StardustTcp.PAYLOAD_BYTES, seeded.seed());
            return peer.run(flows, seeded, network -> FlowRates.numbers(
                FlowRates.gbps(network::advance, network::receivedOf, StardustTcp.slots(share * WARM_UP_MS),
                    StardustTcp.slots(share * MEASURED_MS), seeded), PeerTree.losses(network)));
        });
        found.near(peer.name() + ": mean rate, share of 10 Gb/s", paper, PEERS_WITHIN, rates.means())
            .reported("  slowest flow, Gb/s", rates.slowest())
            .atMost("  fastest flow, Gb/s", "10 and a packet at most", StardustTcp.GBPS + StardustTcp.PACKET_BYTES
                * Byte.SIZE / (share * MEASURED_MS * 1e6), rates.ordered[StardustTcp.HOSTS - 1].most());
        peer.addLosses(found, "", rates.others);
        rates.addTo(plot, peer.name());
    }

    private static void incast(final Effort effort, final Findings found) {
        final int[] senders = effort.quick() ? new int[] {1, 11, 51} : new int[] {1, 11, 51, 101, 201, 431};
        final double[] x = Sample.x(senders);
        final Sample[][] of = effort.sweep(Effort.SEEDS, senders, x, StardustTransports::incast);
        for (int i = 0; i < senders.length; i++) {
            final double optimum = senders[i] * ALONE_MS;
            found.check(senders[i] + (senders[i] == 1 ? " sender" : " senders") + ", last over " + Check.text(optimum)
                + " ms", senders[i] < ENOUGH ? "" : "1", senders[i] < ENOUGH ? Rule.NONE : Rule.between(1, 1.05),
                of[1][i].over(optimum));
            if (senders[i] >= MANY) {
                found.atLeast("  first over last", "about 1", 0.95, of[0][i].over(of[1][i]));
            }
            found.exactly("  cells dropped", 0, of[2][i].most()).reported("  segments sent again", of[3][i]);
        }
        found.add(incastPlot().add(line("Stardust, last", x, of[1]), line("Stardust, first", x, of[0])))
            .remark("The first and the last flow end together, so the two lines coincide.");
    }

    /** Returns the plot of Figure 10c without lines. */
    private static Plot incastPlot() {
        return new Plot("incast", "FCT of 450 KB from each of n senders, first and last", "number of senders n",
            Plot.Scale.LINEAR, "flow completion time (ms)", Plot.Scale.LOGARITHMIC);
    }

    /**
     * Returns the times in ms at which the first and the last flow were complete, NaN if they were not; the cells
     * dropped; and the segments sent again.
     */
    private static double[] incast(final int senders, final Effort effort) {
        final FlowSet flows = Runs.incast(IntStream.rangeClosed(1, senders), 0, INCAST_BYTES,
            (int) (INCAST_BYTES / StardustTcp.PAYLOAD_BYTES) + 1);
        try (StardustEngine engine = new StardustEngine(StardustTcp.fabric(effort.seed()), flows, effort.threads())) {
            final Outcome outcome = Runs.complete(engine, senders, effort);
            final int ended = outcome.completedIn().length;
            return new double[] {ended == 0 ? Double.NaN : StardustTcp.ms(outcome.completedIn()[0] + 1),
                ended < senders ? Double.NaN : StardustTcp.ms(outcome.completedIn()[ended - 1] + 1),
                outcome.dropped(), outcome.count(NicCounter.PACKETS_RESENT)};
        }
    }

    private static void peerIncast(final Effort effort, final Findings found) {
        final Plot plot = incastPlot();
        effort.each(PEERS, (peer, part) -> peerIncast(found, plot, peer, part));
        found.add(plot).remark("For Stardust, see stardust-fig10c, where the last flow ends within 5 % of the "
            + "optimum; here the optimum represents it. A port drops packets that arrive at a queue of 100, except "
            + "with DCQCN, whose switches pause their incoming links. The paper has no value for DCQCN.");
    }

    private static void peerIncast(final Findings found, final Plot plot, final PeerTree peer, final Effort effort) {
        final int[] senders = Arrays.copyOf(SENDERS, effort.either(2, SENDERS.length));
        final Sample[][] of = effort.sweep(senders, (count, seeded) -> peerIncast(peer, count, seeded));
        int later = 0;
        for (int i = 0; i < senders.length; i++) {
            final String name = ", " + senders[i] + " senders";
            final Sample last = of[1][i].over(senders[i] * ALONE_MS);
            if (peer == PeerTree.DCTCP) {
                found.near(peer.name() + name + ": last over optimum", 1, PEERS_WITHIN, last);
            } else {
                found.reported(peer.name() + name + ": last over optimum", last);
            }
            found.reported("  first over last", of[0][i].over(of[1][i]));
            later += last.mean() > 1.05 ? 1 : 0;
            peer.addLosses(found, name, of[2][i], of[3][i], of[4][i]);
        }
        if (peer == PeerTree.MPTCP) {
            found.exactly("MPTCP: numbers of senders with which its last is later than Stardust's", senders.length,
                later);
        }
        plot.add(line(peer.name() + ", last", Sample.x(senders), of[1]),
            line(peer.name() + ", first", Sample.x(senders), of[0]));
    }

    /**
     * Returns the times in ms at which the first and the last flow were complete, NaN if they were not, and the losses.
     */
    private static double[] peerIncast(final PeerTree peer, final int senders, final Effort effort) {
        return peer.run(Runs.incast(IntStream.rangeClosed(1, senders), 0, INCAST_BYTES, 1), effort, network -> {
            while (network.count(NicCounter.FLOWS_COMPLETED) < senders
                && network.slots() < StardustTcp.slots(10_000)) {
                network.advance(StardustTcp.slots(STEP_MS));
            }
            final double[] ended = IntStream.range(0, senders).mapToDouble(flow -> network.completedBefore(flow)
                == 0 ? Double.NaN : StardustTcp.ms(network.completedBefore(flow))).sorted().toArray();
            return DoubleStream.concat(DoubleStream.of(ended[0], ended[senders - 1]),
                DoubleStream.of(PeerTree.losses(network))).toArray();
        });
    }

    private static void webFlows(final Effort effort, final Findings found) {
        final int count = effort.either(8, 40);
        final Plot plot = new Plot("times", "FCT of web flows, all seeds", "flow completion time (ms)",
            Plot.Scale.LOGARITHMIC, "share of flows", Plot.Scale.LINEAR);
        final Sample[] ours = effort.part(0, 0.7).sample(seeded -> stardust(count, seeded));
        addTimes(found, plot, "Stardust", ours);
        found.atMost("  flows of 1000000 B, longest of all seeds, ms", "below 1", 1, ours[count + LONGEST].most())
            .exactly("  cells and packets dropped in the fabric", 0, ours[count + DROPPED].most())
            .reported("  packets refused by full queues of hosts and adapters", ours[count + REFUSED]);
        for (int k = 0; k < PEERS.size(); k++) {
            final PeerTree peer = PEERS.get(k);
            final Sample[] theirs = effort.part(0.7, 1).turn(k, PEERS.size()).sample(seeded ->
                peer(peer, count, seeded));
            addTimes(found, plot, peer.name(), theirs);
            found.reported("  flows of 1000000 B, longest, ms", theirs[count + LONGEST])
                .reported("  cells dropped", theirs[count + DROPPED])
                .exactly("  deciles of all seeds at which Stardust is shorter", 9 * Effort.SEEDS, IntStream.range(1, 10)
                    .map(decile -> decile * count / 10).mapToLong(at -> IntStream.range(0, Effort.SEEDS)
                    .filter(seed -> ours[at].values()[seed] < theirs[at].values()[seed]).count()).sum());
        }
        found.add(plot);
    }

    /** Checks that all flows are complete, and adds the median and the distribution of their times. */
    private static void addTimes(final Findings found, final Plot plot, final String name, final Sample... of) {
        final int count = of.length - WEB_NUMBERS;
        found.exactly(name + ": flows that had not ended after a second", 0, of[count].most())
            .reported("  median, ms", of[count / 2]);
        plot.addShares(name, Arrays.stream(of).limit(count).flatMapToDouble(rank -> Arrays.stream(rank.values()))
            .sorted().toArray());
    }

    private static double[] stardust(final int count, final Effort effort) {
        final WebFlows web = new WebFlows(count, effort.seed());
        try (StardustEngine engine = new StardustEngine(StardustTcp.fabric(effort.seed()), web.flows,
            effort.threads())) {
            final double[] took = web.run(engine::advance, completions(engine, web.flows), effort);
            engine.checkConserved();
            return web.numbers(took, Runs.dropped(engine), engine.count(NicCounter.PACKETS_REFUSED));
        }
    }

    private static double[] peer(final PeerTree peer, final int count, final Effort effort) {
        final WebFlows web = new WebFlows(count, effort.seed());
        return peer.run(web.flows, effort, network -> web.numbers(web.run(network::advance,
            network::completedBefore, effort), Runs.dropped(network), 0));
    }

    /** Returns the slot after the one in which a flow was complete, 0 if it is not complete. */
    private static IntToLongFunction completions(final StardustEngine engine, final FlowSet flows) {
        final long[] completed = {-1};
        final long[] ends = new long[flows.size()];
        return flow -> {
            if (engine.count(NicCounter.FLOWS_COMPLETED) != completed[0]) {
                completed[0] = engine.count(NicCounter.FLOWS_COMPLETED);
                final long[] now = Runs.ends(engine.outcome(), flows, 0);
                System.arraycopy(now, 0, ends, 0, now.length);
            }
            return ends[flow];
        };
    }

    /**
     * The fat tree of Stardust Figure 10 with hosts that use TCP New Reno (docs/spec/stardust.md §10 rows 12 to 14):
     * 432 hosts, ports and links of 10 Gb/s, 1 us per link, packets of 9,000 bytes, a queue for each pair of hosts,
     * credits 3 % above the port, marks from 64 cells. A slot is an eighth of a full cell, and links are charged by
     * bytes: the cell of an acknowledgement, of 58 bytes, takes a slot of 64. A queue that becomes empty keeps the rest
     * of its credit. Without that, each acknowledgement, which arrives alone, would use up a whole credit of its port,
     * and only two thirds of the rate would remain.
     *
     * <p>Without state; any thread may call.
     */
    static final class StardustTcp {
        /** Payload of a cell, whose header has 16 bytes more: cells of 512 bytes, Appendix G. */
        static final int PAYLOAD_BYTES = 496;
        static final int HOSTS = 432;
        static final double GBPS = 10;
        static final int PACKET_BYTES = 9000;
        /** Segments that every host sends before the first acknowledgement: RFC 6928, and the artefact of NDP. */
        static final int FIRST_PACKETS = 10;

        private static final int HEADER_BYTES = 16;
        private static final int SLOTS_PER_CELL = 8;
        /** Bytes of a link in a slot. */
        static final double SLOT_BYTES = (PAYLOAD_BYTES + HEADER_BYTES) / (double) SLOTS_PER_CELL;
        static final double SLOT_NS = SLOT_BYTES * Byte.SIZE / GBPS;
        private static final int PORTS = 6;
        private static final double FIBRE_NS = 1000;
        private static final double MIN_RTO_NS = 10e6;
        private static final int MARK_CELLS = 64;
        /**
         * Half of a queue, so that the segments and acknowledgements of two hosts that send to each other have room.
         */
        private static final int WINDOW_PACKETS = 50;

        private StardustTcp() {
        }

        /** Returns a time in slots. */
        static int slots(final double ms) {
            return (int) Math.ceil(ms * 1e6 / SLOT_NS);
        }

        static double ms(final long slots) {
            return slots * SLOT_NS / 1e6;
        }

        /** Returns the fabric and its hosts. */
        static Stardust fabric(final long seed) {
            final int linkSlots = (int) Math.ceil(FIBRE_NS / SLOT_NS) + SLOTS_PER_CELL;
            return Runs.stardust(FoldedClosConfig.N432, linkSlots,
                new HostSide(PORTS, PORTS, 1, SLOT_BYTES, 1 << 16, 1 << 15,
                    Reno.usual((int) (MIN_RTO_NS / SLOT_NS)).window(WINDOW_PACKETS).initial(FIRST_PACKETS)),
                new CellCut(PACKET_BYTES, PAYLOAD_BYTES, true, Packing.CONTINUOUS), new Credits(
                Credits.USUAL_BYTES, SLOT_BYTES * (1 + 0.03), Credits.USUAL_BYTES, 0, 1, true),
                LinkRules.USUAL.marking(MARK_CELLS).charging(new LinkCharge(SLOT_BYTES, HEADER_BYTES, 0)), seed);
        }

        /**
         * The fat tree of packet switches with which Figure 10 compares Stardust (docs/spec/stardust.md §10 rows 12 to
         * 14): 432 hosts, links of 10 Gb/s and 1 us, packets of 9,000 bytes, and the usual values otherwise, such as
         * queues of 100 packets that mark from 15. For DCQCN, switches pause links before they drop anything. Slots are
         * those of {@link StardustTcp}.
         *
         * @param name name of the transport.
         * @param hosts option as typed.
         */
        record PeerTree(String name, String hosts) {
            static final PeerTree DCTCP = new PeerTree("DCTCP", "dctcp");
            static final PeerTree MPTCP = new PeerTree("MPTCP", "mptcp");
            static final PeerTree DCQCN = new PeerTree("DCQCN", "dcqcn");

            /** Returns the network with its hosts before the first slot. */
            FatTreeEngine network(final FlowSet flows, final Effort effort) {
                return Runs.fatTree("--nodes " + HOSTS + " --link-gbps 10 --propagation-ns 1000 --packet-bytes "
                    + PACKET_BYTES + " --hosts " + hosts, flows, effort);
            }

            /** Measures the network, and checks at the end that no bytes are missing. */
            double[] run(final FlowSet flows, final Effort effort, final Function<FatTreeEngine, double[]> measure) {
                try (FatTreeEngine network = network(flows, effort)) {
                    final double[] measured = measure.apply(network);
                    network.checkConserved();
                    return measured;
                }
            }

            /** Returns the cells dropped, the segments sent again, and the slots for which links were paused. */
            static double[] losses(final FatTreeEngine network) {
                return new double[] {Runs.dropped(network), network.count(NicCounter.PACKETS_RESENT),
                    network.count(NicCounter.PAUSES)};
            }

            /**
             * If switches pause links, reports how often they did, and checks that nothing was dropped or sent again.
             *
             * @param losses losses of several seeds.
             */
            void addLosses(final Findings found, final String of, final Sample... losses) {
                if (this == DCQCN) {
                    found.exactly(name + of + ": cells dropped", 0, losses[0].most())
                        .exactly("  segments sent again", 0, losses[1].most())
                        .reported("  slots of paused links", "", losses[2]);
                }
            }
        }
    }

    /**
     * The flows of Stardust Figure 10b (docs/spec/stardust.md §10 row 13): host 0 sends flows of random sizes to the
     * last host, each 1 ms after the end of the one before, in the presence of 1,728 endless flows of other hosts. One
     * thread.
     */
    static final class WebFlows {
        static final long LARGEST = 1_000_000;
        static final long[] SIZES = {250, 500, 1000, 1500, 2000, 3000, 4000, 10_000, 100_000, LARGEST};

        private static final int ENDLESS = 4 * StardustTcp.HOSTS;
        private static final int FROM = 0;
        private static final int TO = StardustTcp.HOSTS - 1;
        private static final int USE_FROM = 0;
        private static final int USE_TO = 1;
        private static final int USE_SIZE = 2;

        final FlowSet flows = new FlowSet();
        private final int count;

        /** Draws the flows of a seed; the last one always has the size that a rule checks. */
        WebFlows(final int count, final long seed) {
            this.count = count;
            final long key = CounterRandom.mix(seed);
            for (int flow = 0; flow < ENDLESS; flow++) {
                final int from = 1 + CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_FROM),
                    StardustTcp.HOSTS - 1);
                final int to = CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_TO), StardustTcp.HOSTS - 1);
                Runs.endless(flows, from, to == from ? from - 1 : to);
            }
            for (int i = 0; i < count; i++) {
                final long size = i == count - 1 ? LARGEST
                    : SIZES[CounterRandom.below(CounterRandom.bits(key, 0, i, USE_SIZE), SIZES.length)];
                flows.add(ENDLESS + i, FROM, TO, size, (int) (size / StardustTcp.PAYLOAD_BYTES) + 1,
                    StardustTcp.slots(10) + (i == 0 ? 0 : slots(1e9)));
            }
        }

        private long slots(final double ms) {
            return (long) (ms * 1e6 / StardustTcp.SLOT_NS);
        }

        /**
         * Runs until the last flow is complete.
         *
         * @param network advances by a number of slots.
         * @param completedBefore slot after the one in which a flow was complete, 0 if it is not complete.
         * @return times of the flows in ms, NaN for a flow that was not complete within a second.
         */
        double[] run(final LongConsumer network, final IntToLongFunction completedBefore, final Effort effort) {
            final double[] took = new double[count];
            Arrays.fill(took, Double.NaN);
            final long step = StardustTcp.slots(STEP_MS);
            long slot = 0;
            for (int i = 0; i < count; i++) {
                final int flow = ENDLESS + i;
                final long patience = flows.startSlot(flow) + slots(1000);
                while (completedBefore.applyAsLong(flow) == 0 && slot < patience) {
                    network.accept(step);
                    slot += step;
                    effort.done((double) i / count);
                }
                if (completedBefore.applyAsLong(flow) == 0) {
                    return took;
                }
                took[i] = StardustTcp.ms(completedBefore.applyAsLong(flow) - flows.startSlot(flow));
                if (i + 1 < count) {
                    flows.startAt(flow + 1, completedBefore.applyAsLong(flow) + StardustTcp.slots(1));
                }
            }
            return took;
        }

        /**
         * Returns the times, ascending, the incomplete flows, the cells dropped and refused, and the longest time of a
         * flow of a megabyte.
         */
        double[] numbers(final double[] took, final double dropped, final double refused) {
            return DoubleStream.concat(Arrays.stream(took).sorted(), DoubleStream.of(
                Arrays.stream(took).filter(Double::isNaN).count(), dropped, refused, IntStream.range(0, took.length)
                .filter(i -> flows.bytes(ENDLESS + i) == LARGEST).mapToDouble(i -> took[i]).max().orElseThrow()))
                .toArray();
        }
    }
}
