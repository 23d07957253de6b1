package dev.skerry.tools.figure;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.StardustPermutation.StardustTcp;
import dev.skerry.tools.figure.StardustPermutation.StardustTcp.PeerTree;
import dev.skerry.tools.plot.Plot;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** How long flows of the 432 hosts of Stardust Figures 10b and 10c take (docs/spec/stardust.md §10 rows 13 and 14). */
public final class StardustFlowTimes {
    /**
     * How long flows of a host take beside 1,728 endless ones, each starting 1 ms after the last one ended: New Reno
     * over Stardust, DCTCP, DCQCN and MPTCP over packet switches. Stardust Figure 10b (docs/spec/stardust.md §10 row
     * 13).
     */
    public static final Figure FIG10B = new Figure("stardust-fig10b", "Figure 10b",
        "times of web flows of one host beside four endless flows a host: New Reno over Stardust, DCTCP, DCQCN and "
            + "MPTCP over packet switches", 12, 3, StardustFlowTimes::webFlows);
    /**
     * The incast of Stardust Figure 10c over packet switches, with the transports that the paper compares Stardust with
     * (docs/spec/stardust.md §10 row 14).
     */
    public static final Figure FIG10C_PEERS = new Figure("stardust-fig10c-peers", "Figure 10c",
        "incast of n of 432 hosts over packet switches, DCTCP, DCQCN and MPTCP, first and last to end", 1, 0.02,
        StardustFlowTimes::peerIncast);
    /**
     * 450,000 bytes from each of n hosts to one (docs/spec/stardust.md §10 row 14), which speak TCP New Reno.
     */
    public static final Figure WITH_TCP = new Figure("stardust-fig10c", "Figure 10c",
        "incast of n of 432 hosts that speak TCP New Reno, first and last to end", 4, 0.3,
        effort -> measureIncast(effort, new int[] {1, 11, 51, 101, 201, 431}, StardustTcp.PAPER::fabric,
            slot -> StardustTcp.PAPER.ms(slot + 1)));
    /** The same from sources without a transport. */
    public static final Figure WITHOUT_TRANSPORT = new Figure("stardust-fig10c-fabric", "Figure 10c",
        "incast of n of 432 hosts, first and last to end, without a transport", 2.5, 0.2,
        effort -> measureIncast(effort, new int[] {11, 51, 101, 201, 301, 431},
            seed -> StardustPermutation.fabric(6, seed), slot -> slot
                * (StardustPermutation.PORT_BYTES * Byte.SIZE / StardustPermutation.GBPS / 1e6)));

    private static final long INCAST_BYTES = 450_000;
    private static final double ALONE_MS = INCAST_BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    /** Fewer senders are not held to the optimum: what the first packet takes to come counts too much. */
    private static final int ENOUGH = 11;
    /** Senders from which on all end together, and up to which the short version goes. */
    private static final int MANY = 51;
    private static final int SEEDS = 5;
    private static final int[] SENDERS = {11, 51, 101, 201, 431};
    private static final double STEP_MS = 0.5;
    private static final PeerTree[] PEERS = {PeerTree.DCTCP, PeerTree.DCQCN, PeerTree.MPTCP};

    private StardustFlowTimes() {
    }

    /**
     * An incast.
     *
     * @param counts      of senders, ascending.
     * @param fabric      of a seed.
     * @param completedMs when a flow ended that was complete in a slot.
     */
    private static Findings measureIncast(final Effort effort, final int[] counts, final LongFunction<Stardust> fabric,
        final LongToDoubleFunction completedMs) {
        final int[] senders = Arrays.stream(counts).filter(count -> !effort.quick() || count <= MANY).toArray();
        final double[] x = Arrays.stream(senders).asDoubleStream().toArray();
        final Findings found = new Findings();
        final Sample[][] of = Sample.sweep(SEEDS, effort, senders, x, (count, seeded) ->
            incastNumbers(fabric.apply(seeded.seed()), count, completedMs, seeded));
        for (int i = 0; i < senders.length; i++) {
            add(found, senders[i], of[0][i], of[1][i], of[2][i], of[3][i]);
        }
        return found.add(Sample.draw(Sample.draw(plot(), "Stardust, last", x, of[1]), "Stardust, first", x, of[0]))
            .remark("The first ends where the last does, so the two lines lie on each other.");
    }

    /** Figure 10c without lines. */
    static Plot plot() {
        return new Plot("incast", "FCT of 450 KB from each of n senders, first and last", "number of senders n",
            Plot.Scale.LINEAR, "flow completion time (ms)", Plot.Scale.LOGARITHMIC);
    }

    private static void add(final Findings found, final int count, final Sample... of) {
        final double optimum = count * ALONE_MS;
        final String name = count + (count == 1 ? " sender" : " senders") + ", last over " + Check.text(optimum)
            + " ms";
        if (count < ENOUGH) {
            found.reported(name, "", of[1].over(optimum));
        } else {
            found.between(name, "1", 1, 1.05, of[1].over(optimum));
        }
        if (count >= MANY) {
            found.atLeast("  first over last", "about 1", 0.95, of[0].over(of[1]));
        }
        found.exactly("  cells dropped", 0, of[2].most());
        if (!Double.isNaN(of[3].mean())) {
            found.reported("  segments sent again", "", of[3]);
        }
    }

    /**
     * When the first and the last flow ended, in ms, NaN if it did not; cells dropped; segments sent again, NaN without
     * a transport.
     */
    private static double[] incastNumbers(final Stardust stardust, final int senders,
        final LongToDoubleFunction completedMs, final Effort effort) {
        final FlowSet flows = new FlowSet();
        final int cells = (int) (INCAST_BYTES / stardust.cut().cellBytes()) + 1;
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, INCAST_BYTES, cells, 0);
        }
        try (StardustEngine engine = new StardustEngine(stardust, flows, effort.threads())) {
            final Outcome outcome = CircuitRuns.complete(engine, senders, effort);
            final int ended = outcome.completedIn().length;
            return new double[] {
                ended == 0 ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[0]),
                ended < senders ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[ended - 1]),
                outcome.dropped(),
                stardust.hosts().model() instanceof Reno ? outcome.count(NicCounter.PACKETS_RESENT) : Double.NaN};
        }
    }

    private static Findings peerIncast(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = plot();
        measurePeerIncast(found, plot, PeerTree.DCTCP, 1, effort.part(0, 0.3));
        measurePeerIncast(found, plot, PeerTree.DCQCN, 1, effort.part(0.3, 0.6));
        // Stardust ends within 1.05 of the optimum, better than MPTCP.
        measurePeerIncast(found, plot, PeerTree.MPTCP, 1.05, effort.part(0.6, 1));
        return found.add(plot).remark("Stardust is stardust-fig10c: its last ends within 5 % of the optimum, its first "
            + "at 0.95 of its last or later. Here a port drops a packet that finds 100 in its queue, but for DCQCN, "
            + "whose switches pause the links into them. Up to 51 senders the last of DCTCP and DCQCN lie on one line, "
            + "the optimum. The paper has no value for DCQCN.");
    }

    private static void measurePeerIncast(final Findings found, final Plot plot, final PeerTree peer,
        final double least, final Effort effort) {
        final int counts = effort.either(2, SENDERS.length);
        final Sample[][] of = Sample.sweep(SEEDS, effort, Arrays.copyOf(SENDERS, counts),
            (senders, seeded) -> peerIncastNumbers(peer, senders, seeded.seed()));
        for (int i = 0; i < counts; i++) {
            final String name = ", " + SENDERS[i] + " senders";
            found.atLeast(peer.name() + name + ": last over optimum", "", least, of[1][i].over(SENDERS[i] * ALONE_MS))
                .reported("  first over last", "", of[0][i].over(of[1][i]));
            peer.addLosses(found, name, of[2][i], of[3][i], of[4][i]);
        }
        final double[] x = Arrays.stream(SENDERS, 0, counts).asDoubleStream().toArray();
        Sample.draw(plot, peer.name() + ", last", x, of[1]);
        Sample.draw(plot, peer.name() + ", first", x, of[0]);
    }

    /** When the first and the last flow ended, in ms, NaN if it did not, and what was lost. */
    private static double[] peerIncastNumbers(final PeerTree peer, final int senders, final long seed) {
        final StardustTcp times = StardustTcp.PAPER;
        final FlowSet flows = new FlowSet();
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, INCAST_BYTES, 1, 0);
        }
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = peer.network(arena, flows, StardustTcp.FIRST_PACKETS, seed);
            while (network.completed() < senders && network.slot() < times.slots(10_000)) {
                network.advance(times.slots(STEP_MS));
            }
            network.checkConserved();
            final double[] ended = new double[senders];
            Arrays.setAll(ended, flow -> network.completedBefore(flow) == 0 ? Double.NaN
                : times.ms(network.completedBefore(flow)));
            Arrays.sort(ended);
            return DoubleStream.concat(DoubleStream.of(ended[0], ended[senders - 1]),
                DoubleStream.of(PeerTree.losses(network))).toArray();
        }
    }

    private static Findings webFlows(final Effort effort) {
        final int count = effort.either(8, 40);
        final Findings found = new Findings();
        final double[][][] times = new double[PEERS.length + 1][SEEDS][];
        final double[] medians = new double[SEEDS];
        final double[] longest = new double[SEEDS];
        for (int i = 0; i < SEEDS; i++) {
            final long seed = effort.seed() + i;
            final Effort part = effort.turn(i, SEEDS);
            found.reported("seed", "", seed);
            final double[] ours = stardust(found, count, seed, part.part(0, 0.7));
            medians[i] = ours[ours.length / 2];
            longest[i] = ours[ours.length - 1];
            times[0][i] = ours;
            final Effort peers = part.part(0.7, 1);
            for (int k = 0; k < PEERS.length; k++) {
                times[k + 1][i] = peer(found, PEERS[k], ours, seed, peers.turn(k, PEERS.length));
            }
        }
        return found.spread("Stardust, median, ms", new Sample(medians)).spread("Stardust, longest, ms",
            new Sample(longest)).add(webTimes(times));
    }

    /** By Stardust and its peers, then seed: how long each flow took. */
    private static Plot webTimes(final double[][][] times) {
        final Plot plot = new Plot("times", "FCT of web flows, all seeds", "flow completion time (ms)",
            Plot.Scale.LOGARITHMIC, "share of flows", Plot.Scale.LINEAR);
        for (int k = 0; k < times.length; k++) {
            plot.addShares(k == 0 ? "Stardust" : PEERS[k - 1].name(),
                Arrays.stream(times[k]).flatMapToDouble(Arrays::stream).sorted().toArray());
        }
        return plot;
    }

    private static double[] stardust(final Findings found, final int count, final long seed, final Effort effort) {
        final WebFlows web = new WebFlows(count, seed);
        final Stardust fabric = StardustTcp.PAPER.fabric(seed, WebFlows.FIRST_PACKETS);
        try (StardustEngine engine = new StardustEngine(fabric, web.flows, effort.threads())) {
            final double[] took = web.run(engine::advance, completions(engine), effort);
            engine.checkConserved();
            found.exactly("flows that had not ended after a second", 0, open(took));
            for (final long size : WebFlows.SIZES) {
                final double[] of = web.ofSize(took, size);
                if (size == WebFlows.SIZES[WebFlows.SIZES.length - 1]) {
                    found.between("flows of " + size + " B, shortest, ms", "below 1", 0.8, 1, of[0]);
                    found.between("  longest, ms", "below 1", 0.8, 1, of[of.length - 1]);
                } else if (of.length > 0) {
                    found.reported("flows of " + size + " B, median, ms", "", of[of.length / 2]);
                }
            }
            found.exactly("cells and packets dropped in the fabric", 0, CircuitRuns.dropped(engine));
            found.reported("  packets refused by full queues of hosts and adapters", "",
                engine.count(NicCounter.PACKETS_REFUSED));
            Arrays.sort(took);
            return took;
        }
    }

    /** The slot after that in which a flow ended, 0 if it has not. */
    private static IntToLongFunction completions(final StardustEngine engine) {
        final Outcome[] last = new Outcome[1];
        return flow -> {
            if (last[0] == null || engine.count(NicCounter.FLOWS_COMPLETED) > last[0].completed().length) {
                last[0] = engine.outcome();
            }
            return IntStream.range(0, last[0].completed().length).filter(i -> last[0].completed()[i] == flow)
                .mapToLong(i -> last[0].completedIn()[i] + 1).findFirst().orElse(0);
        };
    }

    private static double[] peer(final Findings found, final PeerTree peer, final double[] ours, final long seed,
        final Effort effort) {
        final WebFlows web = new WebFlows(ours.length, seed);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = peer.network(arena, web.flows, WebFlows.FIRST_PACKETS, seed);
            final double[] took = web.run(network::advance, network::completedBefore, effort);
            network.checkConserved();
            final double[] longest = web.ofSize(took, WebFlows.SIZES[WebFlows.SIZES.length - 1]);
            found.exactly(peer.name() + ": flows that had not ended after a second", 0, open(took))
                .reported("  packets dropped", "", network.dropped())
                .reported("  flows of 1000000 B, longest, ms", "", longest[longest.length - 1]);
            Arrays.sort(took);
            int better = 0;
            for (int decile = 1; decile < 10; decile++) {
                final int at = decile * took.length / 10;
                better += ours[at] < took[at] ? 1 : 0;
            }
            found.exactly("  deciles at which Stardust is shorter", 9, better);
            return took;
        }
    }

    private static long open(final double[] took) {
        return Arrays.stream(took).filter(Double::isNaN).count();
    }

    /**
     * The flows of Stardust Figure 10b (docs/spec/stardust.md §10 row 13): host 0 sends flows of drawn sizes to the
     * last host, each 1 ms after the last one ended, beside 1,728 endless flows of other hosts. One thread.
     */
    static final class WebFlows {
        static final long[] SIZES = {250, 500, 1000, 1500, 2000, 3000, 4000, 10_000, 100_000, 1_000_000};

        /** Segments that hosts send before anything is acknowledged: RFC 6928, and the artefact of NDP. */
        static final int FIRST_PACKETS = 10;

        private static final int ENDLESS = 4 * StardustTcp.HOSTS;
        private static final int FROM = 0;
        private static final int TO = StardustTcp.HOSTS - 1;
        private static final double STEP_MS = 0.5;
        private static final int USE_FROM = 0;
        private static final int USE_TO = 1;
        private static final int USE_SIZE = 2;

        private final StardustTcp times = StardustTcp.PAPER;
        final FlowSet flows = new FlowSet();
        private final int count;

        /** Flows of a seed; the last one is of the size that has a rule, whatever is drawn. */
        WebFlows(final int count, final long seed) {
            this.count = count;
            final long key = CounterRandom.mix(seed);
            for (int flow = 0; flow < ENDLESS; flow++) {
                final int from = 1 + CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_FROM),
                    StardustTcp.HOSTS - 1);
                final int to = CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_TO), StardustTcp.HOSTS - 1);
                CircuitRuns.endless(flows, from, to == from ? from - 1 : to);
            }
            for (int i = 0; i < count; i++) {
                final long size = i == count - 1 ? SIZES[SIZES.length - 1]
                    : SIZES[CounterRandom.below(CounterRandom.bits(key, 0, i, USE_SIZE), SIZES.length)];
                flows.add(ENDLESS + i, FROM, TO, size, (int) (size / times.payloadBytes()) + 1, times.slots(10)
                    + (i == 0 ? 0 : slots(1e9)));
            }
        }

        private long slots(final double ms) {
            return (long) (ms * 1e6 / times.slotNs());
        }

        /**
         * Runs until the last flow has ended.
         *
         * @param network         is advanced by some slots.
         * @param completedBefore the slot after that in which a flow ended, 0 if it has not.
         * @return how long each took in ms, NaN for a flow that did not end in a second.
         */
        double[] run(final LongConsumer network, final IntToLongFunction completedBefore, final Effort effort) {
            final double[] took = new double[count];
            Arrays.fill(took, Double.NaN);
            final long step = times.slots(STEP_MS);
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
                took[i] = times.ms(completedBefore.applyAsLong(flow) - flows.startSlot(flow));
                if (i + 1 < count) {
                    flows.startAt(flow + 1, completedBefore.applyAsLong(flow) + times.slots(1));
                }
            }
            return took;
        }

        /** Of some times those of flows of a size, ascending. */
        double[] ofSize(final double[] took, final long size) {
            return IntStream.range(0, took.length).filter(i -> flows.bytes(ENDLESS + i) == size)
                .mapToDouble(i -> took[i]).sorted().toArray();
        }
    }
}
