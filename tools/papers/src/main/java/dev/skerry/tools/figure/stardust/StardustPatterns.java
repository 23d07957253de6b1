package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.Spraying;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.QueueModel;
import dev.skerry.tools.traffic.Permutation;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Whatever the pattern of traffic, links of a device carry the same and queues are no longer than those of an M/D/1
 * queue: Stardust §5.3 and §5.7 (docs/spec/stardust.md §10 rows 16 and 17), on the network of Figure 9 at 95 % load.
 */
public final class StardustPatterns {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-patterns", "Sections 5.3, 5.7",
        "evenness of links and queues under patterns of traffic", 13, 2.1, StardustPatterns::measure);

    private static final double LOAD = 0.95;
    private static final QueueModel MODEL = new QueueModel(LOAD);
    private static final int LONGEST_DRAWN = 128;
    /** Low enough for the fullest link. */
    private static final double HASHED_LOAD = 0.3;

    /** Who sends to whom. */
    private enum Pattern {
        ALL_TO_ALL("all to all"),
        PERMUTATION("permutation"),
        SHIFT("each pod to another"),
        INCAST("all to one");

        private final String words;

        Pattern(final String words) {
            this.words = words;
        }

        private FlowSet flows(final int adapters, final long seed) {
            if (this == PERMUTATION) {
                return new Permutation(Permutation.ENDLESS_BYTES).generate(adapters, 1, 1, seed);
            }
            final FlowSet flows = new FlowSet();
            for (int from = 0; from < adapters; from++) {
                for (int to = 0; to < adapters; to++) {
                    if (isPair(from, to, adapters)) {
                        CircuitRuns.endless(flows, from, to);
                        CircuitRuns.endless(flows, from, to);
                    }
                }
            }
            return flows;
        }

        private boolean isPair(final int from, final int to, final int adapters) {
            return from != to && (this == ALL_TO_ALL || to == (this == INCAST ? 0 : (from + adapters / 2 + 1)
                % adapters));
        }
    }

    /**
     * What was measured with one pattern and seed; the engine is closed.
     *
     * @param queues   how often a queue of the last stage had each length.
     * @param adapters the most over the least cells of an adapter's links.
     * @param up       the same of an element's links up.
     * @param down     the same of a top element's links to a pod.
     * @param last     the same of the last links to an adapter.
     */
    public record Run(long[] queues, double adapters, double up, double down, double last, long dropped,
        long pauses) {
    }

    private StardustPatterns() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = QueuePlots.queues("by pattern of traffic, at 95 % load");
        final double parts = Pattern.values().length + 1;
        for (final Pattern pattern : Pattern.values()) {
            spread(found, plot, pattern, effort.part(pattern.ordinal() / parts, (pattern.ordinal() + 1) / parts));
        }
        QueuePlots.addModel(plot, "95 %", MODEL, LONGEST_DRAWN);
        hash(found, effort.part((parts - 1) / parts, 1));
        return found.add(plot).remark("Each pod to another: adapter a sends to a + 129 only. All cells of a pod then "
            + "follow the same few orders, which makes longer queues than a random permutation does; none is lost.");
    }

    private static void spread(final Findings found, final Plot plot, final Pattern pattern, final Effort effort) {
        final double busy = pattern == Pattern.INCAST ? 1.0 / StardustQueues.NETWORK.fas() : 1;
        final List<Run> runs = Sample.each(Run.class, StardustQueues.SEEDS, effort,
            seeded -> measure(pattern, seeded));
        final QueueLengths lengths = StardustQueues.together(runs.stream().map(Run::queues));
        QueuePlots.addQueues(plot, pattern.words, lengths, busy);
        found.atMost(pattern.words + ": most of P(Q >= N) over M/D/1's, last stage", "1 at most", 1.1,
            StardustQueues.overModel(lengths, MODEL, busy));
        found.spread("that", new Sample(runs.stream().mapToDouble(run -> StardustQueues.overModel(
            StardustQueues.together(Stream.of(run.queues)), MODEL, busy)).toArray()));
        if (pattern != Pattern.INCAST) {
            // A short run counts fewer cells: a round more or less weighs more.
            final double even = effort.quick() ? 1.03 : 1.01;
            found.atMost("  most over least cells of an adapter's links", "1", even, most(runs, Run::adapters));
            found.atMost("  of an element's links up", "1", even, most(runs, Run::up));
            found.atMost("  of a top element's links to a pod", "1", even, most(runs, Run::down));
            found.atMost("  of the last links to an adapter", "1", effort.quick() ? 1.2 : 1.08,
                most(runs, Run::last));
        }
        found.exactly("  cells dropped", 0, runs.stream().mapToLong(Run::dropped).sum());
        found.exactly("  slots in which a queue or pool was full", 0, runs.stream().mapToLong(Run::pauses).sum());
    }

    private static Run measure(final Pattern pattern, final Effort seeded) {
        try (StardustEngine engine = engine(pattern, LOAD, Spraying.RENEWED, seeded)) {
            final LinkLoads loads = run(engine, seeded);
            return new Run(engine.lengths().stage(1, true), loads.adapters(), loads.up(), loads.down(),
                loads.last(), StardustRuns.dropped(engine), engine.count(NicCounter.PAUSES));
        }
    }

    /** The most of all seeds. */
    private static double most(final List<Run> runs, final ToDoubleFunction<Run> value) {
        return runs.stream().mapToDouble(value).max().orElseThrow();
    }

    /** What is left of the capacity if each stream has links of its own: all is over when the fullest one is full. */
    private static void hash(final Findings found, final Effort effort) {
        final Sample[] left = Sample.of(StardustQueues.SEEDS, effort, seeded -> {
            try (StardustEngine engine = engine(Pattern.ALL_TO_ALL, HASHED_LOAD, Spraying.HASHED, seeded)) {
                return new double[] {run(engine, seeded).meanOverMost()};
            }
        });
        found.between("hashed, all to all: mean of all last links over the fullest", "0.4 to 0.8", 0.4, 0.8, left[0]);
    }

    private static StardustEngine engine(final Pattern pattern, final double load, final Spraying spraying,
        final Effort effort) {
        final LinkRules rules = LinkRules.USUAL.marking(0).spraying(spraying);
        return new StardustEngine(new StardustQueues.Setup(StardustQueues.NETWORK, load, rules, effort.seed())
            .fabric(), pattern.flows(StardustQueues.NETWORK.fas(), effort.seed()), effort.threads());
    }

    private static LinkLoads run(final StardustEngine engine, final Effort effort) {
        final int slots = effort.either(2_000, 12_000);
        effort.part(0, 0.2).advance(engine::advance, slots / 4);
        final LinkLoads loads = new LinkLoads(engine, new FoldedClos(StardustQueues.NETWORK));
        engine.clearStatistics();
        effort.part(0.2, 1).advance(engine::advance, slots);
        engine.checkConserved();
        return loads.stop();
    }
}
