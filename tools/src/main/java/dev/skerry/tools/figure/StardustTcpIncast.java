package dev.skerry.tools.figure;

import dev.skerry.nic.FlowSet;
import dev.skerry.nic.NicCounter;
import dev.skerry.nic.Outcome;
import dev.skerry.nic.fabric.stardust.StardustEngine;
import dev.skerry.tools.report.Plot;

/** 450,000 bytes from each of n hosts to one, TCP New Reno: Stardust Figure 10c (spec/stardust §10 row 14). */
final class StardustTcpIncast implements Figure {
    private static final StardustTcp TCP = StardustTcp.PAPER;
    private static final int[] WHOLE = {1, 11, 51, 101, 201, 431};
    private static final int[] QUICK = {1, 11, 51};
    private static final long BYTES = 450_000;
    private static final double ALONE_MS = BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    private static final int ENOUGH = 11;
    private static final int MANY = 51;

    @Override
    public About about() {
        return new About("stardust-fig10c", "Stardust", "Figure 10c",
            "incast of n of 432 hosts that speak TCP New Reno, first and last to end", 4, 0.3);
    }

    @Override
    public Findings measure(final Effort effort, final Progress progress) {
        final int[] counts = effort.quick() ? QUICK : WHOLE;
        final Findings found = new Findings();
        final double[] x = new double[counts.length];
        final double[] first = new double[counts.length];
        final double[] last = new double[counts.length];
        double all = 0;
        for (final int count : counts) {
            all += count;
        }
        double done = 0;
        for (int i = 0; i < counts.length; i++) {
            final Outcome outcome = run(counts[i], effort, progress.part(done / all, (done + counts[i]) / all));
            done += counts[i];
            final int ended = outcome.completedIn().length;
            x[i] = counts[i];
            first[i] = ended == 0 ? Double.NaN : TCP.ms(outcome.completedIn()[0] + 1);
            last[i] = ended < counts[i] ? Double.NaN : TCP.ms(outcome.completedIn()[ended - 1] + 1);
            add(found, counts[i], first[i], last[i], outcome);
        }
        return found.add(new Plot("incast", "First and last of n senders", "n", Plot.Scale.LINEAR, "ms",
            Plot.Scale.LINEAR).add("last", Plot.Style.DOTS, x, last).add("first", Plot.Style.DOTS, x, first));
    }

    private static void add(final Findings found, final int count, final double first, final double last,
        final Outcome outcome) {
        final double optimum = count * ALONE_MS;
        final String of = count + " senders, last over " + Check.text(optimum) + " ms";
        found.add(count < ENOUGH ? Check.reported(of, "", last / optimum)
            : Check.between(of, "1", 1, 1.05, last / optimum));
        if (count >= MANY) {
            found.add(Check.atLeast("  first over last", "about 1", 0.95, first / last));
        }
        found.add(Check.exactly("  cells dropped", 0, outcome.dropped()));
        found.add(Check.reported("  segments sent again", "", outcome.count(NicCounter.PACKETS_RESENT)));
    }

    private static Outcome run(final int senders, final Effort effort, final Progress progress) {
        final FlowSet flows = new FlowSet();
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, BYTES, (int) (BYTES / TCP.payloadBytes()) + 1, 0);
        }
        try (StardustEngine engine = new StardustEngine(TCP.fabric(effort.seed()), flows, effort.threads())) {
            return StardustRuns.complete(engine, senders, progress);
        }
    }
}
