package dev.skerry.tools.figure.stardust;

import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;

/** More demand than links: Stardust Figure 9, 120 % (docs/spec/stardust.md §10 row 10). */
public final class StardustOverload implements Figure {
    private static final double DEMAND = 1.2;
    private static final int LONGEST = 128;

    @Override
    public About about() {
        return new About("stardust-fig9-overload", "Stardust", "Figure 9, 120 %",
            "demand of 120 %, regulated by congestion marks", 3, 0.7);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final StardustQueues.Run run = StardustQueues.run(DEMAND, effort.either(12_000, 40_000),
            effort.either(16_000, 60_000), effort, progress);
        final double spread = Math.max(run.most() / run.used() - 1, 1 - run.least() / run.used());
        return new Findings()
            .between("links in use", "0.9", 0.88, 0.92, run.lengths().atLeast(1, true, 1))
            .reported("bytes delivered, share of what links carry", "0.9", run.used())
            .atMost("longest queue of the last stage, cells", "below 128", LONGEST - 1, run.lengths().longest(1, true))
            .exactly("cells dropped", 0, run.dropped())
            .atMost("most that an adapter's share differs, %", "2", effort.quick() ? 3 : 2, 100 * spread);
    }
}
