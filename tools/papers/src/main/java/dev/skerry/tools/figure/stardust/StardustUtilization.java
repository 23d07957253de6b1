package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.QueueModel;

/**
 * Queues of the last stage by utilization, which fall exponentially like an M/D/1 queue: Stardust Figure 9 right
 * (docs/spec/stardust.md §8 (1) to (4), §10 row 9).
 */
public final class StardustUtilization {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig9-queues", "Figure 9",
        "queues before the last links and latency of cells by utilization, 256 adapters", 11, 2.5,
        StardustUtilization::measure);

    private static final double[] LOADS = {0.66, 0.80, 0.90, 0.92, 0.95};
    private static final double HIGHEST = 1e-2;
    private static final double LOWEST = 1e-5;

    /** Slope of ln P over the lengths, and how well a line fits. */
    private record Fit(double rate, double square) {
    }

    private StardustUtilization() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Plot latency = QueuePlots.latency("by links in use");
        final Plot queues = QueuePlots.queues("by links in use");
        final int[] longest = new int[LOADS.length];
        double before = Double.POSITIVE_INFINITY;
        double rise = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < LOADS.length; i++) {
            final double load = LOADS[i];
            final int slots = effort.either(2_000, 8_000);
            final StardustQueues.Runs runs = StardustQueues.runs(load, slots / 4, slots, effort.turn(i, LOADS.length));
            final QueueLengths lengths = runs.lengths();
            final QueueModel model = new QueueModel(load);
            final Fit fit = fit(lengths);
            found.near("utilization " + load + ": links in use", load, 0.005, lengths.atLeast(1, true, 1));
            found.atMost("  most of P(Q >= N) over M/D/1's", "1 at most", 1.1,
                StardustQueues.overModel(lengths, model, 1));
            found.spread("that", runs.of(run -> StardustQueues.overModel(run.lengths(), model, 1)));
            found.atLeast("  R\u00b2 of an exponential tail", "exponential", 0.98, fit.square);
            found.atLeast("  its rate over that of M/D/1", "1", 0.95, fit.rate / model.rate());
            found.spread("that", runs.of(run -> fit(run.lengths()).rate / model.rate()));
            runs.addLosses(found);
            rise = Math.max(rise, fit.rate - before);
            before = fit.rate;
            QueuePlots.addLatency(latency, percent(load), runs.latency());
            QueuePlots.addQueues(queues, percent(load), lengths, 1);
            longest[i] = lengths.longest(1, true);
            if (i == LOADS.length - 1) {
                QueuePlots.addPrinted(latency, runs.latency());
            }
        }
        for (int i = 0; i < LOADS.length; i++) {
            QueuePlots.addModel(queues, percent(LOADS[i]), new QueueModel(LOADS[i]), longest[i]);
        }
        return found.atMost("most that the rate rises with utilization", "it falls", 0, rise).add(latency).add(queues);
    }

    private static String percent(final double load) {
        return Math.round(100 * load) + " %";
    }

    /** Least squares of ln P(Q >= N) over N for P from 1e-5 to 1e-2. */
    private static Fit fit(final QueueLengths lengths) {
        double n = 0;
        double x = 0;
        double y = 0;
        double xx = 0;
        double xy = 0;
        double yy = 0;
        for (int length = 1; length <= QueueLengths.MOST; length++) {
            final double share = lengths.atLeast(1, true, length);
            if (share >= LOWEST && share <= HIGHEST) {
                final double log = Math.log(share);
                n++;
                x += length;
                y += log;
                xx += (double) length * length;
                xy += length * log;
                yy += log * log;
            }
        }
        final double covariance = xy - x * y / n;
        final double spread = xx - x * x / n;
        return new Fit(-covariance / spread, covariance * covariance / (spread * (yy - y * y / n)));
    }
}
