package dev.skerry.tools.figure.stardust;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

/** More demand than links: Stardust Figure 9, 120 % (docs/spec/stardust.md §10 row 10). */
public final class StardustOverload {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig9-overload", "Figure 9, 120 %",
        "demand of 120 %, regulated by congestion marks", 9, 5, StardustOverload::measure);

    private static final double DEMAND = 1.2;
    private static final int LONGEST = 128;

    private StardustOverload() {
    }

    private static Findings measure(final Effort effort) {
        final StardustQueues.Runs runs = StardustQueues.runs(DEMAND, 12_000, effort.either(16_000, 28_000), effort);
        final Sample used = runs.of(run -> run.lengths().atLeast(1, true, 1));
        final Sample longest = runs.of(run -> run.lengths().longest(1, true));
        final Sample uneven = runs.of(StardustOverload::uneven);
        final Findings found = new Findings()
            .between("links in use", "0.9", 0.88, 0.92, used.mean()).spread("that", used)
            .reported("bytes delivered, share of what links carry", "0.9", runs.of(StardustQueues.Run::used).mean())
            .atMost("longest queue of the last stage, cells", "below 128", LONGEST - 1, longest.most())
            .spread("that", longest)
            .atMost("most that an adapter's share differs, %", "2", effort.quick() ? 3 : 2, uneven.mean())
            .spread("that", uneven);
        runs.addLosses(found);
        final Plot queues = QueuePlots.queues("demand of 120 %");
        QueuePlots.addQueues(queues, "demand of 120 %", runs.lengths(), 1);
        return found.add(queues);
    }

    /** The most by which an adapter's share differs from the mean, in percent. */
    private static double uneven(final StardustQueues.Run run) {
        return 100 * Math.max(run.most() / run.used() - 1, 1 - run.least() / run.used());
    }
}
