package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Check;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.SeedLines;
import dev.skerry.tools.figure.SeedRuns;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.function.LongFunction;
import java.util.function.LongToDoubleFunction;

/**
 * 450,000 bytes from each of n hosts to one: Stardust Figure 10c (docs/spec/stardust.md §10 row 14), whatever the hosts
 * speak.
 */
public final class StardustIncast implements Figure {
    private static final long BYTES = 450_000;
    private static final double ALONE_MS = BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    /** Fewer senders are not held to the optimum: what the first packet takes to come counts too much. */
    private static final int ENOUGH = 11;
    /** Senders from which on all end together, and up to which the short version goes. */
    private static final int MANY = 51;
    private static final int SEEDS = 5;

    private final About about;
    private final int[] counts;
    private final LongFunction<Stardust> fabric;
    private final LongToDoubleFunction completedMs;

    /**
     * An incast.
     *
     * @param counts      of senders, ascending.
     * @param fabric      of a seed.
     * @param completedMs when a flow ended that was complete in a slot.
     */
    private StardustIncast(final About about, final int[] counts, final LongFunction<Stardust> fabric,
        final LongToDoubleFunction completedMs) {
        this.about = about;
        this.counts = counts;
        this.fabric = fabric;
        this.completedMs = completedMs;
    }

    /** Hosts that speak TCP New Reno. */
    public static StardustIncast withTcp() {
        return new StardustIncast(new About("stardust-fig10c", "Stardust", "Figure 10c",
            "incast of n of 432 hosts that speak TCP New Reno, first and last to end", 4, 0.3),
            new int[]{1, 11, 51, 101, 201, 431}, StardustTcp.PAPER::fabric,
            slot -> StardustTcp.PAPER.ms(slot + 1));
    }

    /** Sources without a transport. */
    public static StardustIncast withoutTransport() {
        final double slotMs = StardustHosts.PORT_BYTES * Byte.SIZE / StardustHosts.GBPS / 1e6;
        return new StardustIncast(new About("stardust-fig10c-fabric", "Stardust", "Figure 10c",
            "incast of n of 432 hosts, first and last to end, without a transport", 2.5, 0.2),
            new int[]{11, 51, 101, 201, 301, 431}, seed -> StardustHosts.fabric(6, seed),
            slot -> slot * slotMs);
    }

    @Override
    public About about() {
        return about;
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final int[] senders = Arrays.stream(counts).filter(count -> !effort.quick() || count <= MANY).toArray();
        final double[] x = Arrays.stream(senders).asDoubleStream().toArray();
        final Findings found = new Findings();
        final Sample[] first = new Sample[senders.length];
        final Sample[] last = new Sample[senders.length];
        for (int i = 0; i < senders.length; i++) {
            final int count = senders[i];
            final Sample[] of = SeedRuns.of(SEEDS, effort, progress.turn(i, x), (seeded, part) ->
                numbers(fabric.apply(seeded.seed()), count, seeded.threads(), part));
            first[i] = of[0];
            last[i] = of[1];
            add(found, count, of);
        }
        final Plot plot = plot();
        SeedLines.add(plot, "Stardust, last", x, last);
        SeedLines.add(plot, "Stardust, first", x, first);
        return found.add(plot).remark("The first ends where the last does, so the two lines lie on each other.");
    }

    /** Figure 10c without lines. */
    static Plot plot() {
        return new Plot("incast", "FCT of 450 KB from each of n senders, first and last", "number of senders n",
            Plot.Scale.LINEAR, "flow completion time (ms)", Plot.Scale.LOGARITHMIC);
    }

    private static void add(final Findings found, final int count, final Sample... of) {
        final double optimum = count * ALONE_MS;
        final String name = count + (count == 1 ? " sender" : " senders") + ", last over " + Check.text(optimum)
            + " ms";
        if (count < ENOUGH) {
            found.reported(name, "", of[1].over(optimum));
        } else {
            found.between(name, "1", 1, 1.05, of[1].over(optimum));
        }
        if (count >= MANY) {
            found.atLeast("  first over last", "about 1", 0.95, of[0].over(of[1]));
        }
        found.exactly("  cells dropped", 0, of[2].most());
        if (!Double.isNaN(of[3].mean())) {
            found.reported("  segments sent again", "", of[3]);
        }
    }

    /**
     * When the first and the last flow ended, in ms, NaN if it did not; cells dropped; segments sent again, NaN without
     * a transport.
     */
    private double[] numbers(final Stardust stardust, final int senders, final int threads,
        final FigureProgress progress) {
        final FlowSet flows = new FlowSet();
        final int cells = (int) (BYTES / stardust.cut().cellBytes()) + 1;
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, BYTES, cells, 0);
        }
        try (StardustEngine engine = new StardustEngine(stardust, flows, threads)) {
            final Outcome outcome = StardustRuns.complete(engine, senders, progress);
            final int ended = outcome.completedIn().length;
            return new double[] {
                ended == 0 ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[0]),
                ended < senders ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[ended - 1]),
                outcome.dropped(),
                stardust.hosts().model() instanceof Reno ? outcome.count(NicCounter.PACKETS_RESENT) : Double.NaN};
        }
    }
}
