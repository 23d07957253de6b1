package dev.skerry.tools.figure;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Findings.Rule;
import dev.skerry.tools.figure.Runs.Steady;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.Distribution.Quantiles;
import dev.skerry.tools.run.shoal.ShoalSetUp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rates of endless flows in Shoal and their fairness, completion of incasts and of young flows in the presence of
 * others, and the prototype (docs/spec/shoal.md §9.2, §9.3).
 */
public final class ShoalRates {
    /**
     * Rates of endless flows in Shoal: one flow, permutations, and pairs of some nodes as in Figure 12
     * (docs/spec/shoal.md §9.2 G1 to G3, §9.3).
     */
    public static final Figure RATES = Figure.of("shoal-rates", ShoalRates::rates);
    /**
     * Incasts in Shoal: from all other nodes at once as in Figure 10 (docs/spec/shoal.md §9.2 G4), and from some of 511
     * nodes with 130 KB each as in Figure 13 (G6).
     */
    public static final Figure INCAST = Figure.of("shoal-incast", ShoalRates::incast);
    /**
     * The prototype with the latencies measured in the paper, cell by cell: Shoal Figures 9 and 10. A cell that arrives
     * within a slot is forwarded in the next one, so that a path of 1,576 ns takes 21 slots of 76.8 ns.
     */
    public static final Figure PROTOTYPE = Figure.of("shoal-prototype", ShoalRates::prototype);
    /**
     * Flows of 20 KB between two nodes at regular intervals, while every other node has 1, 4 or 16 endless flows: Shoal
     * Figure 14. Measured with the basic mechanism, with the ready queues of §3.3.3, and also with its 2^age rule.
     */
    public static final Figure FIG14 = Figure.of("shoal-fig14", ShoalRates::youngFlows);

    /**
     * Random endless flows compared with max-min fairness over virtual links: Shoal §7.2 (docs/spec/shoal.md §9.2 G5,
     * §9.3). The paper states for 50 to 1,024 flows in a rack of 512 nodes that 99 % get their fair rate within a
     * tenth. Draws of 64 nodes are compared with those of the authors' simulator, and with the effect of a second
     * report of each queue (docs/spec/shoal.md §4.5).
     */
    public static final Figure FAIRNESS = Figure.of("shoal-fairness", ShoalRates::fairness);

    /** The authors' simulator: one channel, 64 bytes per cell (docs/spec/shoal.md §1, P3). */
    static final double SLOT_NS = 5.632;
    static final int PAYLOAD = 56;
    /** The rack of the paper. */
    static final int NODES = 512;
    private static final double SLOT_MS = SLOT_NS / 1e6;
    private static final double USABLE_GBPS = 100 / 1.1;
    private static final int[] PERMUTED = {7, 8, 9, 16, 64, 512};
    private static final double[] PERCENT = {58.3, 57.1, 56.3, 53.3, 50.8, 50.1};
    /** Nodes that send and receive a flow: those of the paper, and all. */
    private static final List<Integer> PAIRS = List.of(26, 126, 251, 376, 501, 512);
    /** Incast from all other nodes: nodes, slots of the slowest and of the fastest flow. */
    private static final int[][] ALL = {{8, 49, 43}, {16, 225, 211}, {64, 3969, 3907}};
    /** Cells of 130 KB as in the authors' optimum: 64 bytes per cell, whole epochs. */
    private static final int CELLS = 4 * 511;
    /** Guard band of every slot of Figure 9: the published values have no MAC, 0.9 with 64 bytes and 0.94 with 128. */
    private static final double GUARD_NS = 6.4;
    private static final double BITS_NS = 0.8;
    private static final int SENDERS = 7;
    private static final int YOUNG_CELLS = Math.ceilDiv(20 * 1024, PAYLOAD);
    private static final int[] OTHERS = {1, 4, 16};
    /** Share of each group of runs in the whole work, measured with 512 nodes. */
    private static final double[] WORK = {0.08, 0.34, 0.58};
    private static final Variant[] VARIANTS = {
        new Variant("both optimisations", ReleaseRule.EXACT, true),
        new Variant("without the 2^age rule", ReleaseRule.EXACT, false),
        new Variant("basic", ReleaseRule.BASIC, false)};
    /** Epochs from a young flow to the next, longer than one flow takes. */
    private static final int APART = 200;
    private static final int FAIRNESS_NODES = 64;
    /**
     * Numbers of random flows, and the percentage of them that is near the fair rate in a draw of the authors'
     * simulator.
     */
    private static final int[] RANDOM = {30, 100, 128, 300};
    private static final double[] AUTHORS = {100, 99, 95.5, 61};
    /** Epochs of a run that are counted. */
    private static final int EPOCHS = 80;

    private record Variant(String name, ReleaseRule rule, boolean ageRule) {
    }

    private ShoalRates() {
    }

    /** Returns a rack without delay. */
    static Shoal shoal(final int nodes, final ReleaseRule rule, final boolean ageRule) {
        return Shoal.of(RoundRobin.plain(nodes, 1), rule, ageRule, 0);
    }

    private static void rates(final Effort effort, final Findings found) {
        found.exactly("one flow, N = " + NODES + ", % of the usable rate", 100, 100 * steady(
            Runs.endless(new FlowSet(), NODES / 3, NODES - 1), NODES, effort.part(0, 0.2))[0]);
        for (int i = 0; i < PERMUTED.length; i++) {
            final double[] steady = steady(Runs.permutation(PERMUTED[i], PAYLOAD, effort.seed()), PERMUTED[i],
                effort.part(0.2, 0.4).turn(i, PERMUTED.length));
            found.within("permutation, N = " + PERMUTED[i] + ", % of the usable rate", PERCENT[i], 0.1,
                    100 * steady[0] / PERMUTED[i])
                .atMost("its longest queue, cells", "2", 2, steady[1]);
        }
        pairs(found, effort.part(0.4, 1));
    }

    /** Returns the cells per slot of all nodes, and the longest queue. */
    private static double[] steady(final FlowSet flows, final int nodes, final Effort effort) {
        final long epoch = nodes - 1;
        return effort.once(part -> {
            final Steady steady = Runs.steady(shoal(nodes, ReleaseRule.EXACT, true), flows, 60 * epoch,
                part.either(40, 100) * epoch, part);
            return new double[] {steady.rate(1), Runs.longestQueue(steady.outcome())};
        });
    }

    /** Checks G3: p nodes that send and receive one flow each get (N - p/2)/(N - 1) of the usable rate. */
    private static void pairs(final Findings found, final Effort effort) {
        final Published published = Published.of("shoal-fig12");
        final List<double[]> measured = new ArrayList<>();
        final List<double[]> law = new ArrayList<>();
        effort.each(PAIRS, (pairs, part) -> {
            final double gbps = USABLE_GBPS * steady(Runs.endless(pairs, from -> (from + 1) % pairs), NODES, part)[0]
                / pairs;
            final double limit = USABLE_GBPS * (NODES - pairs / 2.0) / (NODES - 1);
            found.near("p = " + pairs + " of N = " + NODES + ", Gb/s", pairs == NODES ? limit : published.at(pairs),
                0.005, gbps);
            measured.add(new double[] {pairs, gbps});
            law.add(new double[] {pairs, limit});
        });
        found.add(new Plot("pairs", "Average destination throughput, N = " + NODES,
                "nodes p that send and receive a flow", "Gb/s").add("Shoal", Plot.Style.DOTS, measured)
            .addPublished("Shoal", "authors", published.x(), published.y())
            .add("G3: (N - p/2)/(N - 1) of the usable rate", Plot.Style.BOUND, law));
    }

    private static void incast(final Effort effort, final Findings found) {
        for (final int[] of : ALL) {
            final int last = of[0] - 1;
            final double[] slots = incast(of[0], last, last, effort.silent());
            found.exactly("N = " + of[0] + ", N-1 cells each, slowest, slots", of[1], slots[0])
                .exactly("the same, fastest, slots", of[2], slots[1]);
            if (of[0] == 8) {
                found.atMost("Figure 10, longest queue, cells", "7", 7, slots[3]);
            }
        }
        final Published slowest = Published.of("shoal-fig13 slowest");
        final Published average = Published.of("shoal-fig13 mean");
        final List<double[]> slow = new ArrayList<>();
        final List<double[]> mean = new ArrayList<>();
        final List<double[]> best = new ArrayList<>();
        final List<Integer> senders = effort.quick() ? List.of(26, 51, 101) : List.of(26, 51, 101, 201, 301, 401, 501);
        effort.each(senders, (count, part) -> {
            final double[] slots = incast(NODES, count, CELLS, part);
            final double optimal = (double) count * CELLS;
            slow.add(new double[] {count, SLOT_MS * slots[0]});
            mean.add(new double[] {count, SLOT_MS * slots[2]});
            best.add(new double[] {count, SLOT_MS * optimal});
            found.between(count + " senders of 130 KB, slowest over the optimum", Check.text(slowest.at(count)
                    / (SLOT_MS * optimal)), 1, 1.02, new Sample(slots[0] / optimal))
                .near("the same, mean over slowest", average.at(count) / slowest.at(count), 0.02, slots[2] / slots[0])
                .atMost("the same, longest queue, cells", "s + 1", count + 1, slots[3]);
        });
        found.add(new Plot("senders", "FCT of 130 KB from each of s senders, N = " + NODES, "senders s", "ms")
                .add("slowest flow", Plot.Style.DOTS, slow).add("mean", Plot.Style.DOTS, mean)
                .addPublished("slowest flow", "authors", slowest.x(), slowest.y())
                .addPublished("mean", "authors", average.x(), average.y())
                .add("optimum", Plot.Style.BOUND, best))
            .remark("There is no propagation delay; shoal-prototype has Figure 10 with the latencies of the "
                + "prototype. 130 KB are 2,044 cells, as in the authors' optimum: 64 bytes per cell, in whole epochs.");
    }

    /**
     * Runs flows from the first nodes to the last one; returns the slots before which the slowest and the fastest were
     * complete, the mean, and the longest queue.
     */
    private static double[] incast(final int nodes, final int senders, final int cells, final Effort effort) {
        return slots(shoal(nodes, ReleaseRule.EXACT, false), Runs.incast(IntStream.range(0, senders), nodes - 1,
            (long) PAYLOAD * cells, cells), effort);
    }

    private static double[] slots(final Shoal shoal, final FlowSet flows, final Effort effort) {
        return effort.once(part -> {
            final Outcome outcome = Runs.run(shoal, flows, 0, part);
            final LongSummaryStatistics slots = Arrays.stream(outcome.completedIn()).map(slot -> slot + 1)
                .summaryStatistics();
            return new double[] {slots.getMax(), slots.getMin(), slots.getAverage(), Runs.longestQueue(outcome)};
        });
    }

    private static void prototype(final Effort effort, final Findings found) {
        prototypeIncast(found, effort.part(0, 0.1));
        final Published published = Published.of("shoal-fig9");
        final double[] gbps = new double[published.x().length];
        for (int i = 0; i < gbps.length; i++) {
            final double bits = published.x()[i] * Byte.SIZE;
            final double slotNs = published.x()[i] * BITS_NS + GUARD_NS;
            final FlowSet flows = Runs.endless(SENDERS + 1, node -> (node + 3) % (SENDERS + 1));
            gbps[i] = bits / slotNs * effort.turn(i + 1, gbps.length + 1).once(part -> new double[] {Runs.steady(
                prototype(slotNs), flows, 2_000, part.either(20_000, 100_000), part).rate(SENDERS + 1)})[0];
            found.near("Figure 9, slot of " + Check.text(published.x()[i]) + " bytes, Gb/s", published.y()[i], 0.1,
                gbps[i]);
        }
        found.add(new Plot("slot", "Figure 9: average throughput of a permutation of eight nodes",
                "bytes of a slot", "Gb/s").add("Shoal", Plot.Style.DOTS, published.x(), gbps)
                .addPublished("Shoal", "authors' prototype and simulator", published.x(), published.y())
                .addBound("half of 10 Gb/s, to which the paper's converges", published.x(), 5))
            .remark("The paper's 6.9 us are two crossings of the fabric and 49 slots in the last queue. Cells of "
                + "seven relays arrive there one after another, so part of this wait has passed when they arrive.");
    }

    /**
     * Checks Figure 10: seven cells from each of seven nodes to the eighth. The printed times are exact to a tenth of a
     * us.
     */
    private static void prototypeIncast(final Findings found, final Effort effort) {
        final double us = ShoalSetUp.PROTOTYPE.slotNs() / 1e3;
        final double[] slots = slots(prototype(ShoalSetUp.PROTOTYPE.slotNs()), Runs.incast(
            IntStream.range(0, SENDERS), SENDERS, 64L * SENDERS, SENDERS), effort);
        found.within("Figure 10, slowest of 7:1, us", 6.9, 0.1, us * slots[0])
            .within("Figure 10, fastest of 7:1, us", 6.05, 0.1, us * slots[1])
            .atMost("Figure 10, longest queue, cells", "7", SENDERS, slots[3]);
    }

    private static Shoal prototype(final double slotNs) {
        return Shoal.of(RoundRobin.plain(ShoalSetUp.PROTOTYPE.nodes(), 1), ReleaseRule.EXACT, true,
            (int) Math.ceil(ShoalSetUp.PROTOTYPE.way().totalNs() / slotNs - 1e-9));
    }

    private static void youngFlows(final Effort effort, final Findings found) {
        final int nodes = effort.either(64, 512);
        final FlowSet permuted = Runs.endless(nodes - 2, from -> (from + 1) % (nodes - 2));
        found.atMost("permutation of the others: longest queue anywhere, cells", "2: incast of 1 (Eq. 5)", 2,
            effort.silent().once(part -> new double[] {Runs.longestQueue(young(VARIANTS[0], nodes, permuted,
                part))})[0]);
        final Plot plot = new Plot("fct", "CDF of FCT of 20 KB, each other node with 16 flows, N = " + nodes,
            "flow completion time (us)", "share of flows");
        for (int row = 0; row < OTHERS.length; row++) {
            final boolean most = row == OTHERS.length - 1;
            final String of = OTHERS[row] + (OTHERS[row] == 1 ? " flow" : " flows") + " of each other node, ";
            final double[] mean = new double[VARIANTS.length];
            for (int i = 0; i < VARIANTS.length; i++) {
                final Variant variant = VARIANTS[i];
                final FlowSet random = random(nodes - 2, OTHERS[row], effort.seed());
                final double[] us = effort.turn(row, WORK).turn(i, VARIANTS.length).once(part -> Runs.took(young(
                    variant, nodes, random, part), random).map(slots -> slots * SLOT_NS / 1e3).sorted().toArray());
                mean[i] = Arrays.stream(us).average().orElseThrow();
                found.reported(of + variant.name + ": mean, us", mean[i])
                    .reported("  99 %, us", Quantiles.of(us, 0.99));
                if (most) {
                    plot.addShares(variant.name, us);
                }
            }
            found.reported(of + "mean with both optimisations over that of basic", "much smaller",
                new Sample(mean[0] / mean[VARIANTS.length - 1]));
        }
        found.add(plot).remark("The paper prints neither its background traffic nor numbers; here the other nodes "
            + "send to each other without end, N = " + nodes + ". The effect of the 2^age rule on the flows of "
            + "Figure 15 is checked with that figure.");
    }

    /** Returns a number of endless flows of each of some nodes to others of them. */
    private static FlowSet random(final int nodes, final int each, final long seed) {
        final long key = CounterRandom.mix(seed);
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < nodes; from++) {
            for (int i = 0; i < each; i++) {
                final int other = CounterRandom.below(CounterRandom.bits(key, from + 1, i, 1), nodes - 1);
                Runs.endless(flows, from, other < from ? other : other + 1);
            }
        }
        return flows;
    }

    /**
     * Runs a fabric in which the node before the last one sends young flows to the last one from the second interval
     * on.
     *
     * @param flows flows of the other nodes from the start; those of the two are added.
     */
    private static Outcome young(final Variant variant, final int nodes, final FlowSet flows, final Effort effort) {
        final int count = effort.either(16, 30);
        final long apart = (long) APART * (nodes - 1);
        for (int i = 1; i <= count; i++) {
            flows.add(flows.size(), nodes - 2, nodes - 1, (long) PAYLOAD * YOUNG_CELLS, YOUNG_CELLS, i * apart);
        }
        return Runs.run(shoal(nodes, variant.rule, variant.ageRule), flows, (count + 1) * apart, effort);
    }

    private static void fairness(final Effort effort, final Findings found) {
        final int[] counts = effort.quick() ? new int[] {100, 400, 1024} : new int[] {50, 100, 200, 400, 800, 1024};
        final Sample[] shares = effort.part(0, 0.9).sweep(counts, (flows, seeded) ->
            new double[] {nearPercent(ReleaseRule.EXACT, NODES, flows, seeded)})[0];
        for (int i = 0; i < counts.length; i++) {
            found.atLeast(counts[i] + " flows, % within a tenth of fair", "99", 99, shares[i]);
        }
        // The exact rule with each queue reported once and twice. With Eq. 2 as printed, flows stand idle for lack of
        // the services in between, which costs more than a second report gains.
        final Sample[] told = effort.silent().sample(seeded -> Stream.of(ReleaseRule.EXACT_ONE_REPORT,
            ReleaseRule.EXACT).mapToDouble(rule -> nearPercent(rule, FAIRNESS_NODES, 100, seeded)).toArray());
        found.reported("N = 64, 100 flows, % within a tenth of fair: told once", told[0])
            .atLeast("  told twice over told once", "more", 1, told[1].over(told[0]));
        final int draws = effort.either(8, 20);
        for (int i = 0; i < RANDOM.length; i++) {
            final int flows = RANDOM[i];
            final Sample sample = effort.part(0.9, 1).turn(i, RANDOM.length).sample(draws, seeded ->
                new double[] {nearPercent(ReleaseRule.EXACT, FAIRNESS_NODES, flows, seeded)})[0];
            // The shares of the authors' draws are given to half a percent.
            final double distance = Math.max(0.5, sample.distance());
            // A single draw of theirs that may be more than a tenth away says nothing about a mean.
            found.check("N = 64, " + flows + " flows, mean of " + draws + " draws", "a draw of the authors' simulator "
                + Check.text(AUTHORS[i]), distance > 10 * AUTHORS[i] / 100 ? Rule.NONE : new Rule("as 95 % of further "
                + "draws, \u00b1 " + Check.text(distance), AUTHORS[i] - distance, AUTHORS[i] + distance), sample);
        }
        found.add(new Plot("fairness", "Flows within a tenth of max-min fair, N = " + NODES, "flows",
                "share of flows (%)").add(Sample.line("measured", Sample.x(counts), shares))
                .addBound("as printed", Sample.x(counts), 99))
            .remark("Flows that share few links with others get their fair share; with two flows per node, some "
                + "share many links. There the authors' simulator does not support the paper's statement either "
                + "(docs/spec/shoal.md \u00a79.2): 99 % is one of many random results.");
    }

    /**
     * Returns the percentage of random flows whose rates are within a tenth of their max-min fair ones.
     *
     * @param count number of flows.
     */
    private static double nearPercent(final ReleaseRule rule, final int nodes, final int count, final Effort effort) {
        effort.done(0);
        final FlowSet flows = draw(nodes, count, effort.seed());
        final double[] fair = new MaxMin(flows, nodes).rates();
        final RunLog log = new RunLog(Long.MAX_VALUE / 2, 0, flows, 20L * (nodes - 1));
        try (LockStep engine = Runs.engine(shoal(nodes, rule, true), flows, effort).log(log); log) {
            engine.advance((20L + EPOCHS) * (nodes - 1));
        }
        return 100.0 * IntStream.range(0, count).filter(flow -> Math.abs(log.received()[flow] / (double) EPOCHS
            - fair[flow]) <= 0.1 * fair[flow]).count() / count;
    }

    /** Returns flows between pairs of nodes that are all different. */
    private static FlowSet draw(final int nodes, final int count, final long seed) {
        final FlowSet flows = new FlowSet();
        final Set<Integer> pairs = new HashSet<>();
        final long key = CounterRandom.mix(seed);
        for (int i = 0; flows.size() < count; i++) {
            final int from = CounterRandom.below(CounterRandom.bits(key, 0, i, 1), nodes);
            final int to = CounterRandom.below(CounterRandom.bits(key, 0, i, 2), nodes);
            if (from != to && pairs.add(from * nodes + to)) {
                Runs.endless(flows, from, to);
            }
        }
        return flows;
    }

    /**
     * Max-min fair rates of Shoal's flows over its virtual links of one cell per epoch each: all subflows, one for
     * every relay, grow equally until a link on their path is full; the rate of a flow is the sum (docs/spec/shoal.md
     * §9.3). One thread.
     */
    static final class MaxMin {
        private static final int[] NONE = {};

        private final FlowSet flows;
        private final int nodes;
        private final double[] rates;
        /** Subflows, one for each flow and relay, whose rate is final. */
        private final BitSet stopped = new BitSet();
        /** By link: subflows that cross it. */
        private final List<List<Integer>> users;
        /** By link: rate of its subflows whose rate is final. */
        private final double[] taken;
        /** By link: number of its subflows that still grow. */
        private final int[] growing;
        private final PriorityQueue<Full> next = new PriorityQueue<>(Comparator.comparingDouble(Full::rate));

        /** A link that is full when its growing subflows have this rate. */
        private record Full(double rate, int link) {
        }

        MaxMin(final FlowSet flows, final int nodes) {
            this.flows = flows;
            this.nodes = nodes;
            this.rates = new double[flows.size()];
            this.users = IntStream.range(0, nodes * nodes).<List<Integer>>mapToObj(_ -> new ArrayList<>()).toList();
            this.taken = new double[nodes * nodes];
            for (int subflow = 0; subflow < flows.size() * nodes; subflow++) {
                for (final int link : links(subflow)) {
                    users.get(link).add(subflow);
                }
            }
            this.growing = users.stream().mapToInt(List::size).toArray();
        }

        /** Returns the links that a subflow crosses; none if its rate is final or its source is its relay. */
        private int[] links(final int subflow) {
            final int from = flows.source(subflow / nodes);
            final int to = flows.destination(subflow / nodes);
            final int relay = subflow % nodes;
            return relay == from || stopped.get(subflow) ? NONE : relay == to ? new int[] {from * nodes + to}
                : new int[] {from * nodes + relay, relay * nodes + to};
        }

        /** Returns the rates in cells per epoch; called once. */
        double[] rates() {
            for (int link = 0; link < growing.length; link++) {
                await(link);
            }
            while (!next.isEmpty()) {
                final Full full = next.poll();
                if (growing[full.link] > 0 && full.rate == rate(full.link)) {
                    for (final int subflow : users.get(full.link)) {
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
            final int[] links = links(subflow);
            stopped.set(subflow);
            rates[subflow / nodes] += links.length > 0 ? full.rate : 0;
            for (final int link : links) {
                taken[link] += full.rate;
                growing[link]--;
                if (link != full.link) {
                    await(link);
                }
            }
        }
    }
}
