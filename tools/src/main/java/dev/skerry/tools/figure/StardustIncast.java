package dev.skerry.tools.figure;

import dev.skerry.nic.FlowSet;
import dev.skerry.nic.Outcome;
import dev.skerry.nic.fabric.stardust.StardustEngine;
import dev.skerry.tools.report.Plot;

/**
 * 450,000 bytes from each of n hosts to one, sources without a transport: Stardust Figure 10c (spec/stardust §10 row
 * 14).
 */
final class StardustIncast implements Figure {
    private static final int[] WHOLE = {11, 51, 101, 201, 301, 431};
    private static final int[] QUICK = {11, 51};
    private static final long BYTES = 450_000;
    private static final double ALONE_MS = 0.36;
    private static final double SLOT_MS = 512 * 8 / 10.0 / 1e6;

    @Override
    public About about() {
        return new About("stardust-fig10c-fabric", "Stardust", "Figure 10c",
            "incast of n of 432 hosts, first and last to end, without a transport", 2.5, 0.2);
    }

    @Override
    public Findings measure(final Effort effort, final Progress progress) {
        final int[] counts = effort.quick() ? QUICK : WHOLE;
        final Findings found = new Findings();
        final double[] x = new double[counts.length];
        final double[] first = new double[counts.length];
        final double[] last = new double[counts.length];
        for (int i = 0; i < counts.length; i++) {
            final Outcome outcome = run(counts[i], effort,
                progress.part(0, (double) counts[i] / counts[counts.length - 1]));
            final int done = outcome.completedIn().length;
            x[i] = counts[i];
            first[i] = done == 0 ? Double.NaN : outcome.completedIn()[0] * SLOT_MS;
            last[i] = done < counts[i] ? Double.NaN : outcome.completedIn()[done - 1] * SLOT_MS;
            final double optimum = counts[i] * ALONE_MS;
            found.add(Check.between(counts[i] + " senders, last over " + Check.text(optimum) + " ms", "1", 1, 1.05,
                last[i] / optimum));
            if (counts[i] >= 51) {
                found.add(Check.atLeast("  first over last", "about 1", 0.95, first[i] / last[i]));
            }
            found.add(Check.exactly("  cells dropped", 0, outcome.dropped()));
        }
        return found.add(new Plot("incast", "First and last of n senders", "n", Plot.Scale.LINEAR, "ms",
            Plot.Scale.LINEAR).add("last", Plot.Style.DOTS, x, last).add("first", Plot.Style.DOTS, x, first));
    }

    private static Outcome run(final int senders, final Effort effort, final Progress progress) {
        final FlowSet flows = new FlowSet();
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, BYTES, (int) (BYTES / 496) + 1, 0);
        }
        try (StardustEngine engine = new StardustEngine(StardustHosts.fabric(6, effort.seed()), flows,
            effort.threads())) {
            return StardustRuns.complete(engine, senders, progress);
        }
    }
}
