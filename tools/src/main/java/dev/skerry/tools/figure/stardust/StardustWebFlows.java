package dev.skerry.tools.figure.stardust;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.EngineRuns;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * How long flows of a host take beside 1,728 endless ones, all of them TCP New Reno: Stardust Figure 10b
 * (docs/spec/stardust.md §10 row 13).
 */
public final class StardustWebFlows implements Figure {
    private static final StardustTcp TCP = StardustTcp.PAPER;
    private static final long[] SIZES = {250, 500, 1000, 1500, 2000, 3000, 4000, 10_000, 100_000, 1_000_000};
    private static final int ENDLESS = 4 * StardustTcp.HOSTS;
    private static final int FROM = 0;
    private static final int TO = StardustTcp.HOSTS - 1;
    private static final double WARM_UP_MS = 10;
    private static final double PAUSE_MS = 1;
    private static final int USE_FROM = 0;
    private static final int USE_TO = 1;
    private static final int USE_SIZE = 2;

    @Override
    public About about() {
        return new About("stardust-fig10b", "Stardust", "Figure 10b", "times of web flows of one host beside four "
            + "endless flows a host, TCP New Reno", 3, 0.6);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final int count = effort.either(20, 100);
        final FlowSet flows = endless(effort.seed());
        final long[] due = add(flows, count, effort.seed());
        try (StardustEngine engine = new StardustEngine(TCP.fabric(effort.seed()), flows, effort.threads())) {
            final long slots = due[count];
            EngineRuns.advance(engine::advance, slots, progress);
            engine.checkConserved();
            return findings(engine, flows, due);
        }
    }

    private static Findings findings(final StardustEngine engine, final FlowSet flows, final long[] due) {
        final Outcome outcome = engine.outcome();
        final double[] took = new double[due.length - 1];
        Arrays.fill(took, Double.NaN);
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            took[flow - ENDLESS] = TCP.ms(outcome.completedIn()[i] + 1 - flows.startSlot(flow));
        }
        final Findings found = new Findings();
        long late = 0;
        for (int i = 0; i < took.length; i++) {
            late += took[i] <= TCP.ms(due[i + 1] - due[i]) ? 0 : 1;
        }
        found.exactly("flows that had not ended when the next one began", 0, late);
        for (final long size : SIZES) {
            final double[] of = ofSize(flows, took, size);
            if (size == SIZES[SIZES.length - 1]) {
                found.between("flows of " + size + " B, shortest, ms", "below 1", 0.8, 1, of[0]);
                found.between("  longest, ms", "below 1", 0.8, 1, of[of.length - 1]);
            } else if (of.length > 0) {
                found.reported("flows of " + size + " B, median, ms", "", of[of.length / 2]);
            }
        }
        found.exactly("cells and packets dropped", 0, StardustRuns.dropped(engine));
        Arrays.sort(took);
        return found.add(new Plot("times", "Times of the flows", "ms", Plot.Scale.LOGARITHMIC, "share of flows",
            Plot.Scale.LINEAR).addShares("Stardust", took))
            .remark("The curves of DCTCP and MPTCP are not published as numbers, so no decile is compared.");
    }

    private static double[] ofSize(final FlowSet flows, final double[] took, final long size) {
        return IntStream.range(0, took.length).filter(i -> flows.bytes(ENDLESS + i) == size)
            .mapToDouble(i -> took[i]).sorted().toArray();
    }

    /** Endless flows of random hosts, none from the host that is measured, none to that it sends to. */
    private static FlowSet endless(final long seed) {
        final FlowSet flows = new FlowSet();
        final long key = CounterRandom.mix(seed);
        for (int flow = 0; flow < ENDLESS; flow++) {
            final int from = 1 + CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_FROM), StardustTcp.HOSTS - 1);
            final int to = CounterRandom.below(CounterRandom.bits(key, 0, flow, USE_TO), StardustTcp.HOSTS - 1);
            CircuitRuns.endless(flows, from, to == from ? from - 1 : to);
        }
        return flows;
    }

    /** Adds the flows that are measured; when each begins, and when all is over. */
    private static long[] add(final FlowSet flows, final int count, final long seed) {
        final long key = CounterRandom.mix(seed);
        final long[] due = new long[count + 1];
        due[0] = TCP.slots(WARM_UP_MS);
        for (int i = 0; i < count; i++) {
            // The last one is of the size that has a rule, whatever is drawn.
            final long size = i == count - 1 ? SIZES[SIZES.length - 1]
                : SIZES[CounterRandom.below(CounterRandom.bits(key, 0, i, USE_SIZE), SIZES.length)];
            flows.add(ENDLESS + i, FROM, TO, size, (int) (size / TCP.payloadBytes()) + 1, due[i]);
            due[i + 1] = due[i] + TCP.slots(PAUSE_MS + 1.25 * size * Byte.SIZE / StardustTcp.GBPS / 1e6);
        }
        return due;
    }
}
