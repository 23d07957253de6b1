package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;

/** Random endless flows beside max-min fairness over virtual links (docs/spec/shoal.md §9.2 G5, §9.3). */
public final class ShoalFairness {
    /**
     * Random endless flows beside max-min fairness over virtual links: Shoal §7.2 (docs/spec/shoal.md §9.2 G5, §9.3).
     * Shares of single draws, of which 99 % is a good one.
     */
    public static final Figure FAIRNESS = new Figure("shoal-fairness", "Section 7.2 (G5)",
        "share of random flows within a tenth of what is fair, N = 64", 2, 0.3, ShoalFairness::fairness);
    /**
     * The sentence of Shoal §7.2 as it stands: of 50 to 1,024 random flows in a rack of 512 nodes, 99 % get
     * their fair rate within a tenth. Beside it what a second report of each queue brings (docs/spec/shoal.md §4.5).
     */
    public static final Figure RACK_FAIRNESS = new Figure("shoal-rack-fairness", "Section 7.2",
        "share of random flows within a tenth of what is fair, N = 512", 3, 1, ShoalFairness::rackFairness);

    private static final int FAIRNESS_NODES = 64;
    private static final int[] FAIRNESS_FLOWS = {30, 100, 128, 300};
    private static final double[] FOUND = {1.00, 0.99, 0.955, 0.61};
    /** The shares found are given to half a percent. */
    private static final double ROUNDED = 0.005;
    private static final int RACK_FAIRNESS_NODES = 512;
    private static final int EPOCHS = 80;
    private static final int SEEDS = 5;
    private static final int[] RACK_FAIRNESS_FLOWS = {50, 100, 200, 400, 800, 1024};
    private static final int[] QUICK_FLOWS = {100, 400, 1024};
    private static final double FAIR = 99;
    private static final int SMALL = 64;
    private static final int SMALL_FLOWS = 100;

    /** Flows between pairs of nodes that are all different. */
    static FlowSet draw(final int nodes, final int count, final long seed) {
        final FlowSet flows = new FlowSet();
        final Set<Integer> pairs = new HashSet<>();
        final long key = CounterRandom.mix(seed);
        for (int i = 0; flows.size() < count; i++) {
            final int from = CounterRandom.below(CounterRandom.bits(key, 0, i, FROM), nodes);
            final int to = CounterRandom.below(CounterRandom.bits(key, 0, i, TO), nodes);
            if (from != to && pairs.add(from * nodes + to)) {
                CircuitRuns.endless(flows, from, to);
            }
        }
        return flows;
    }

    /**
     * The share of flows whose rates are within a tenth of their max-min fair ones.
     *
     * @param shoal  without delay.
     * @param epochs that are counted, after a warm-up.
     */
    static double nearShare(final Shoal shoal, final FlowSet flows, final int epochs, final Effort effort) {
        final double[] fair = new MaxMin(flows, shoal.nodes()).rates();
        final int epochSlots = shoal.schedule().epochSlots();
        final RunLog log = new RunLog(Long.MAX_VALUE / 2, 0, flows, (long) WARM_EPOCHS * epochSlots);
        try (LockStep engine = new LockStep(FabricKind.partsOf(shoal), flows, effort.threads(), false).log(log); log) {
            engine.advance((long) (WARM_EPOCHS + epochs) * epochSlots);
        }
        double near = 0;
        for (int flow = 0; flow < fair.length; flow++) {
            near += Math.abs(log.received()[flow] / (double) epochs - fair[flow]) <= NEAR * fair[flow] ? 1 : 0;
        }
        return near / fair.length;
    }

    /**
     * Max-min fair rates of Shoal's flows over its virtual links, of one cell an epoch each: all subflows, one for
     * every relay, grow alike until a link that they cross is full; a flow's rate is the sum (docs/spec/shoal.md
     * §9.3). One thread.
     */
    static final class MaxMin {
        private static final int[] NONE = {};

        private final int nodes;
        private final double[] rates;
        /** Links that a subflow crosses, by flow and relay; empty once it grows no more, or does not exist. */
        private final int[][] crossed;
        /** By link: subflows that cross it. */
        private final int[][] users;
        /** By link: what subflows take of it that grow no more. */
        private final double[] taken;
        /** By link: its subflows that still grow. */
        private final int[] growing;
        private final PriorityQueue<Full> next = new PriorityQueue<>(Comparator.comparingDouble(Full::rate));

        /** A link is full when its growing subflows have this rate. */
        private record Full(double rate, int link) {
        }

        MaxMin(final FlowSet flows, final int nodes) {
            this.nodes = nodes;
            this.rates = new double[flows.size()];
            this.crossed = new int[flows.size() * nodes][];
            this.users = new int[nodes * nodes][];
            this.taken = new double[nodes * nodes];
            this.growing = new int[nodes * nodes];
            for (int flow = 0; flow < flows.size(); flow++) {
                final int from = flows.source(flow);
                final int to = flows.destination(flow);
                for (int relay = 0; relay < nodes; relay++) {
                    crossed[flow * nodes + relay] = relay == from ? NONE
                        : relay == to ? new int[] {from * nodes + to}
                        : new int[] {from * nodes + relay, relay * nodes + to};
                }
            }
            for (final int[] links : crossed) {
                for (final int link : links) {
                    growing[link]++;
                }
            }
            final int[] filled = new int[nodes * nodes];
            for (int link = 0; link < users.length; link++) {
                users[link] = new int[growing[link]];
            }
            for (int subflow = 0; subflow < crossed.length; subflow++) {
                for (final int link : crossed[subflow]) {
                    users[link][filled[link]++] = subflow;
                }
            }
        }

        /** The rates in cells an epoch; asked once. */
        double[] rates() {
            for (int link = 0; link < users.length; link++) {
                await(link);
            }
            while (!next.isEmpty()) {
                final Full full = next.poll();
                if (growing[full.link] > 0 && full.rate == rate(full.link)) {
                    for (final int subflow : users[full.link]) {
                        stop(subflow, full);
                    }
                }
            }
            return rates;
        }

        private double rate(final int link) {
            return (1 - taken[link]) / growing[link];
        }

        private void await(final int link) {
            if (growing[link] > 0) {
                next.add(new Full(rate(link), link));
            }
        }

        private void stop(final int subflow, final Full full) {
            final int[] links = crossed[subflow];
            rates[subflow / nodes] += links.length > 0 ? full.rate : 0;
            for (final int link : links) {
                taken[link] += full.rate;
                growing[link]--;
                if (link != full.link) {
                    await(link);
                }
            }
            crossed[subflow] = NONE;
        }
    }

    private static final double NEAR = 0.1;
    private static final int WARM_EPOCHS = 20;
    private static final int FROM = 1;
    private static final int TO = 2;

    private ShoalFairness() {
    }

    private static Findings fairness(final Effort effort) {
        final Findings found = new Findings();
        final int draws = effort.either(8, 20);
        final Shoal shoal = Shoal.of(RoundRobin.plain(FAIRNESS_NODES, 1), ReleaseRule.EXACT, true, 0);
        for (int i = 0; i < FAIRNESS_FLOWS.length; i++) {
            final double[] shares = new double[draws];
            for (int draw = 0; draw < draws; draw++) {
                shares[draw] = nearShare(shoal, draw(FAIRNESS_NODES, FAIRNESS_FLOWS[i],
                    effort.seed() + draw), effort.either(80, 150), effort);
                effort.done((i * draws + draw + 1.0) / (FAIRNESS_FLOWS.length * draws));
            }
            final Sample sample = new Sample(shares);
            final double away = Math.abs(FOUND[i] - sample.mean());
            final String of = FAIRNESS_FLOWS[i] + " flows, % within a tenth of fair: ";
            found.reported(of + "mean of " + draws + " draws", "", 100 * sample.mean());
            found.atMost("  distance to a draw of the authors' simulator, in that of 95 % of further draws",
                Check.text(100 * FOUND[i]) + " %", 1, away < ROUNDED ? 0 : away / sample.distance());
        }
        return found.remark("The paper's 99 % is a draw among draws: the mean of 100 flows is 97 to 98 %, of the "
            + "authors' simulator as well.");
    }

    private static Findings rackFairness(final Effort effort) {
        final Findings found = new Findings();
        final int[] counts = effort.quick() ? QUICK_FLOWS : RACK_FAIRNESS_FLOWS;
        final Shoal shoal = Shoal.of(RoundRobin.plain(RACK_FAIRNESS_NODES, 1), ReleaseRule.EXACT, true, 0);
        final Sample[] shares = new Sample[counts.length];
        final double[] x = Arrays.stream(counts).asDoubleStream().toArray();
        for (int i = 0; i < counts.length; i++) {
            final int flows = counts[i];
            shares[i] = Sample.of(SEEDS, effort.turn(i, counts.length + 1), seeded -> {
                seeded.done(0);
                return new double[] {100 * nearShare(shoal,
                    draw(RACK_FAIRNESS_NODES, flows, seeded.seed()), EPOCHS, seeded)};
            })[0];
            found.atLeast(flows + " flows, % within a tenth of fair", "99", FAIR, shares[i]);
        }
        secondReport(found, effort);
        final Plot plot = new Plot("fairness", "Flows within a tenth of max-min fair, N = " + RACK_FAIRNESS_NODES,
            "flows", "share of flows (%)");
        Sample.draw(plot, "measured", x, shares);
        return found.add(plot.addBound("as printed", x, FAIR))
            .remark(SEEDS + " seeds. Flows that share few links with others get what is fair; with two flows a node "
                + "some share many. The authors' simulator misses the sentence there as well (docs/spec/shoal.md "
                + "\u00a79.2).");
    }

    /**
     * The exact rule with each queue told of once and twice. With Eq. 2 as it is printed flows stand idle for want of
     * the services in between, which costs more than a second report brings.
     */
    private static void secondReport(final Findings found, final Effort effort) {
        final Sample[] of = Sample.of(SEEDS, effort.silent(), seeded -> {
            final FlowSet flows = draw(SMALL, SMALL_FLOWS, seeded.seed());
            return new double[] {100 * near(ReleaseRule.EXACT_ONE_REPORT, flows, seeded),
                100 * near(ReleaseRule.EXACT, flows, seeded)};
        });
        found.reported("N = 64, 100 flows, % within a tenth of fair: told once", "", of[0]);
        found.atLeast("  told twice over told once", "more", 1, of[1].over(of[0]));
    }

    private static double near(final ReleaseRule rule, final FlowSet flows, final Effort effort) {
        return nearShare(Shoal.of(RoundRobin.plain(SMALL, 1), rule, true, 0), flows, EPOCHS, effort);
    }
}
