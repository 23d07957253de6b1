package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.function.LongFunction;
import java.util.function.LongToDoubleFunction;

/**
 * 450,000 bytes from each of n hosts to one: Stardust Figure 10c (docs/spec/stardust.md §10 row 14), whatever the hosts
 * speak.
 */
public final class StardustIncast {
    /** Hosts that speak TCP New Reno. */
    public static final Figure WITH_TCP = new Figure("stardust-fig10c", "Figure 10c",
        "incast of n of 432 hosts that speak TCP New Reno, first and last to end", 4, 0.3, effort -> measure(effort,
        new int[] {1, 11, 51, 101, 201, 431}, StardustTcp.PAPER::fabric, slot -> StardustTcp.PAPER.ms(slot + 1)));
    /** Sources without a transport. */
    public static final Figure WITHOUT_TRANSPORT = new Figure("stardust-fig10c-fabric", "Figure 10c",
        "incast of n of 432 hosts, first and last to end, without a transport", 2.5, 0.2, effort -> measure(effort,
        new int[] {11, 51, 101, 201, 301, 431}, seed -> StardustHosts.fabric(6, seed), slot -> slot
        * (StardustHosts.PORT_BYTES * Byte.SIZE / StardustHosts.GBPS / 1e6)));

    private static final long BYTES = 450_000;
    private static final double ALONE_MS = BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    /** Fewer senders are not held to the optimum: what the first packet takes to come counts too much. */
    private static final int ENOUGH = 11;
    /** Senders from which on all end together, and up to which the short version goes. */
    private static final int MANY = 51;
    private static final int SEEDS = 5;

    private StardustIncast() {
    }

    /**
     * An incast.
     *
     * @param counts      of senders, ascending.
     * @param fabric      of a seed.
     * @param completedMs when a flow ended that was complete in a slot.
     */
    private static Findings measure(final Effort effort, final int[] counts, final LongFunction<Stardust> fabric,
        final LongToDoubleFunction completedMs) {
        final int[] senders = Arrays.stream(counts).filter(count -> !effort.quick() || count <= MANY).toArray();
        final double[] x = Arrays.stream(senders).asDoubleStream().toArray();
        final Findings found = new Findings();
        final Sample[] first = new Sample[senders.length];
        final Sample[] last = new Sample[senders.length];
        for (int i = 0; i < senders.length; i++) {
            final int count = senders[i];
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, x), seeded ->
                numbers(fabric.apply(seeded.seed()), count, completedMs, seeded));
            first[i] = of[0];
            last[i] = of[1];
            add(found, count, of);
        }
        final Plot plot = plot();
        Sample.draw(plot, "Stardust, last", x, last);
        Sample.draw(plot, "Stardust, first", x, first);
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
    private static double[] numbers(final Stardust stardust, final int senders, final LongToDoubleFunction completedMs,
        final Effort effort) {
        final FlowSet flows = new FlowSet();
        final int cells = (int) (BYTES / stardust.cut().cellBytes()) + 1;
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, BYTES, cells, 0);
        }
        try (StardustEngine engine = new StardustEngine(stardust, flows, effort.threads())) {
            final Outcome outcome = StardustRuns.complete(engine, senders, effort);
            final int ended = outcome.completedIn().length;
            return new double[] {
                ended == 0 ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[0]),
                ended < senders ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[ended - 1]),
                outcome.dropped(),
                stardust.hosts().model() instanceof Reno ? outcome.count(NicCounter.PACKETS_RESENT) : Double.NaN};
        }
    }
}
