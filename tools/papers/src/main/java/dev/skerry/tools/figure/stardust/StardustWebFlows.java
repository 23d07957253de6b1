package dev.skerry.tools.figure.stardust;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.stardust.StardustPermutation.StardustTcp;
import dev.skerry.tools.figure.stardust.StardustPermutation.StardustTcp.PeerTree;
import dev.skerry.tools.plot.Plot;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * How long flows of a host take beside 1,728 endless ones, each starting 1 ms after the last one ended: New Reno over
 * Stardust, DCTCP, DCQCN and MPTCP over packet switches. Stardust Figure 10b (docs/spec/stardust.md §10 row 13).
 */
public final class StardustWebFlows {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig10b", "Figure 10b",
        "times of web flows of one host beside four endless flows a host: New Reno over Stardust, DCTCP, DCQCN and "
            + "MPTCP over packet switches", 12, 3, StardustWebFlows::measure);

    private static final StardustTcp TCP = StardustTcp.PAPER;
    private static final int DECILES = 10;
    private static final double OF_STARDUST = 0.7;
    private static final PeerTree[] PEERS = {PeerTree.DCTCP, PeerTree.DCQCN, PeerTree.MPTCP};
    private static final int SEEDS = 5;

    private StardustWebFlows() {
    }

    private static Findings measure(final Effort effort) {
        final int seeds = SEEDS;
        final int count = effort.either(8, 40);
        final Findings found = new Findings();
        final double[][][] times = new double[PEERS.length + 1][seeds][];
        final double[] medians = new double[seeds];
        final double[] longest = new double[seeds];
        for (int i = 0; i < seeds; i++) {
            final long seed = effort.seed() + i;
            final Effort part = effort.turn(i, seeds);
            found.reported("seed", "", seed);
            final double[] ours = stardust(found, count, seed, part.part(0, OF_STARDUST));
            medians[i] = ours[ours.length / 2];
            longest[i] = ours[ours.length - 1];
            times[0][i] = ours;
            final Effort peers = part.part(OF_STARDUST, 1);
            for (int k = 0; k < PEERS.length; k++) {
                times[k + 1][i] = peer(found, PEERS[k], ours, seed, peers.turn(k, PEERS.length));
            }
        }
        return found.spread("Stardust, median, ms", new Sample(medians)).spread("Stardust, longest, ms",
            new Sample(longest)).add(plot(times));
    }

    /** By Stardust and its peers, then seed: how long each flow took. */
    private static Plot plot(final double[][][] times) {
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
        final Stardust fabric = TCP.fabric(seed, WebFlows.FIRST_PACKETS);
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
            for (int decile = 1; decile < DECILES; decile++) {
                final int at = decile * took.length / DECILES;
                better += ours[at] < took[at] ? 1 : 0;
            }
            found.exactly("  deciles at which Stardust is shorter", DECILES - 1, better);
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
        private static final double WARM_UP_MS = 10;
        private static final double PAUSE_MS = 1;
        private static final double STEP_MS = 0.5;
        private static final double LATEST_MS = 1e9;
        private static final double PATIENCE_MS = 1000;
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
                flows.add(ENDLESS + i, FROM, TO, size, (int) (size / times.payloadBytes()) + 1, times.slots(WARM_UP_MS)
                    + (i == 0 ? 0 : slots(LATEST_MS)));
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
                final long patience = flows.startSlot(flow) + slots(PATIENCE_MS);
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
                    flows.startAt(flow + 1, completedBefore.applyAsLong(flow) + times.slots(PAUSE_MS));
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
