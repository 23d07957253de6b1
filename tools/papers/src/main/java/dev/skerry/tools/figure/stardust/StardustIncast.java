package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.stardust.StardustPermutation.StardustTcp;
import dev.skerry.tools.figure.stardust.StardustPermutation.StardustTcp.PeerTree;
import dev.skerry.tools.plot.Plot;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongToDoubleFunction;
import java.util.stream.DoubleStream;

/** Many to one: Stardust Figure 10c and §5.4 (docs/spec/stardust.md §10 rows 14 and 15). */
public final class StardustIncast {
    /**
     * The incast of Stardust Figure 10c over packet switches, with the transports that the paper compares Stardust with
     * (docs/spec/stardust.md §10 row 14).
     */
    public static final Figure FIG10C_PEERS = new Figure("stardust-fig10c-peers", "Figure 10c",
        "incast of n of 432 hosts over packet switches, DCTCP, DCQCN and MPTCP, first and last to end", 1, 0.02,
        StardustIncast::peerIncast);
    /**
     * A megabyte from each of 128 adapters at once to one port of 50 Gb/s: what waits at its source is not lost, with
     * 32 MB before the port it is (Stardust §5.4, docs/spec/stardust.md §10 row 15). 64 elements of 128 links in one
     * tier; ports send the payload of cells at 50 Gb/s, links have their headers' share more.
     */
    public static final Figure INCAST_BUFFER = new Figure("stardust-incast-buffer", "Section 5.4",
        "1 MB from each of 128 adapters to a port, pulled and pushed", 1.5, 0.3, StardustIncast::absorption);
    /**
     * 450,000 bytes from each of n hosts to one (docs/spec/stardust.md §10 row 14), which speak TCP New Reno.
     */
    public static final Figure WITH_TCP = new Figure("stardust-fig10c", "Figure 10c",
        "incast of n of 432 hosts that speak TCP New Reno, first and last to end", 4, 0.3,
        effort -> measureIncast(effort, new int[] {1, 11, 51, 101, 201, 431}, StardustTcp.PAPER::fabric,
            slot -> StardustTcp.PAPER.ms(slot + 1)));
    /** The same from sources without a transport. */
    public static final Figure WITHOUT_TRANSPORT = new Figure("stardust-fig10c-fabric", "Figure 10c",
        "incast of n of 432 hosts, first and last to end, without a transport", 2.5, 0.2,
        effort -> measureIncast(effort, new int[] {11, 51, 101, 201, 301, 431},
            seed -> StardustPermutation.fabric(6, seed), slot -> slot
                * (StardustPermutation.PORT_BYTES * Byte.SIZE / StardustPermutation.GBPS / 1e6)));

    private static final long INCAST_BYTES = 450_000;
    private static final double ALONE_MS = INCAST_BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    /** Fewer senders are not held to the optimum: what the first packet takes to come counts too much. */
    private static final int ENOUGH = 11;
    /** Senders from which on all end together, and up to which the short version goes. */
    private static final int MANY = 51;
    private static final int SEEDS = 5;
    private static final int[] SENDERS = {11, 51, 101, 201, 431};
    /** Stardust ends within 1.05 of the optimum, better than MPTCP. */
    private static final double WORSE = 1.05;
    private static final int QUICK = 2;
    private static final double STEP_MS = 0.5;
    private static final double MOST_MS = 10_000;
    private static final int ADAPTERS = 128;
    private static final int LINKS = 64;
    private static final int CELL_BYTES = 256;
    private static final long ABSORPTION_BYTES = 1_000_000;
    private static final long BUFFER_BYTES = 32_000_000;
    private static final double GBPS = 50;
    private static final double SLOT_US = CELL_BYTES * Byte.SIZE / GBPS / 1e3;
    private static final int LINK_SLOTS = 13;
    private static final double ROUND_US = (double) ADAPTERS * Credits.USUAL_BYTES * Byte.SIZE / GBPS / 1e3;
    /** Port 0 of the first adapter; the senders are the other ports of all. */
    private static final int PORTS = 2;

    private StardustIncast() {
    }

    /**
     * An incast.
     *
     * @param counts      of senders, ascending.
     * @param fabric      of a seed.
     * @param completedMs when a flow ended that was complete in a slot.
     */
    private static Findings measureIncast(final Effort effort, final int[] counts, final LongFunction<Stardust> fabric,
        final LongToDoubleFunction completedMs) {
        final int[] senders = Arrays.stream(counts).filter(count -> !effort.quick() || count <= MANY).toArray();
        final double[] x = Arrays.stream(senders).asDoubleStream().toArray();
        final Findings found = new Findings();
        final Sample[] first = new Sample[senders.length];
        final Sample[] last = new Sample[senders.length];
        for (int i = 0; i < senders.length; i++) {
            final int count = senders[i];
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, x), seeded ->
                incastNumbers(fabric.apply(seeded.seed()), count, completedMs, seeded));
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
    private static double[] incastNumbers(final Stardust stardust, final int senders,
        final LongToDoubleFunction completedMs, final Effort effort) {
        final FlowSet flows = new FlowSet();
        final int cells = (int) (INCAST_BYTES / stardust.cut().cellBytes()) + 1;
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, INCAST_BYTES, cells, 0);
        }
        try (StardustEngine engine = new StardustEngine(stardust, flows, effort.threads())) {
            final Outcome outcome = CircuitRuns.complete(engine, senders, effort);
            final int ended = outcome.completedIn().length;
            return new double[] {
                ended == 0 ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[0]),
                ended < senders ? Double.NaN : completedMs.applyAsDouble(outcome.completedIn()[ended - 1]),
                outcome.dropped(),
                stardust.hosts().model() instanceof Reno ? outcome.count(NicCounter.PACKETS_RESENT) : Double.NaN};
        }
    }

    private static Findings peerIncast(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = plot();
        measurePeerIncast(found, plot, PeerTree.DCTCP, 1, effort.part(0, 0.3));
        measurePeerIncast(found, plot, PeerTree.DCQCN, 1, effort.part(0.3, 0.6));
        measurePeerIncast(found, plot, PeerTree.MPTCP, WORSE, effort.part(0.6, 1));
        return found.add(plot).remark("Stardust is stardust-fig10c: its last ends within 5 % of the optimum, its first "
            + "at 0.95 of its last or later. Here a port drops a packet that finds 100 in its queue, but for DCQCN, "
            + "whose switches pause the links into them. Up to 51 senders the last of DCTCP and DCQCN lie on one line, "
            + "the optimum. The paper has no value for DCQCN.");
    }

    private static void measurePeerIncast(final Findings found, final Plot plot, final PeerTree peer,
        final double least, final Effort effort) {
        final int counts = effort.either(QUICK, SENDERS.length);
        final Sample[] firsts = new Sample[counts];
        final Sample[] lasts = new Sample[counts];
        for (int i = 0; i < counts; i++) {
            final int senders = SENDERS[i];
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, counts),
                seeded -> peerIncastNumbers(peer, senders, seeded.seed()));
            firsts[i] = of[0];
            lasts[i] = of[1];
            final String name = ", " + senders + " senders";
            found.atLeast(peer.name() + name + ": last over optimum", "", least, lasts[i].over(senders * ALONE_MS))
                .reported("  first over last", "", firsts[i].over(lasts[i]));
            peer.addLosses(found, name, Arrays.copyOfRange(of, 2, of.length));
        }
        final double[] x = Arrays.stream(SENDERS, 0, counts).asDoubleStream().toArray();
        Sample.draw(plot, peer.name() + ", last", x, lasts);
        Sample.draw(plot, peer.name() + ", first", x, firsts);
    }

    /** When the first and the last flow ended, in ms, NaN if it did not, and what was lost. */
    private static double[] peerIncastNumbers(final PeerTree peer, final int senders, final long seed) {
        final StardustTcp times = StardustTcp.PAPER;
        final FlowSet flows = new FlowSet();
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, INCAST_BYTES, 1, 0);
        }
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = peer.network(arena, flows, StardustTcp.FIRST_PACKETS, seed);
            while (network.completed() < senders && network.slot() < times.slots(MOST_MS)) {
                network.advance(times.slots(STEP_MS));
            }
            network.checkConserved();
            final double[] ended = new double[senders];
            Arrays.setAll(ended, flow -> network.completedBefore(flow) == 0 ? Double.NaN
                : times.ms(network.completedBefore(flow)));
            Arrays.sort(ended);
            return DoubleStream.concat(DoubleStream.of(ended[0], ended[senders - 1]),
                DoubleStream.of(PeerTree.losses(network))).toArray();
        }
    }

    private static Findings absorption(final Effort effort) {
        final Findings found = new Findings();
        final int senders = effort.either(ADAPTERS / 4, ADAPTERS);
        pull(found, senders, effort.part(0, 0.9));
        if (!effort.quick()) {
            push(found, effort.part(0.9, 1));
        }
        return found;
    }

    private static void pull(final Findings found, final int senders, final Effort effort) {
        try (StardustEngine engine = new StardustEngine(pulled(effort.seed()), flows(senders), effort.threads())) {
            final Outcome outcome = CircuitRuns.complete(engine, senders, effort);
            final int done = outcome.completedIn().length;
            final double optimum = senders * ABSORPTION_BYTES * Byte.SIZE / GBPS / 1e3;
            final double last = done < senders ? Double.NaN : (outcome.completedIn()[senders - 1] + 1) * SLOT_US;
            final double first = done < senders ? Double.NaN : (outcome.completedIn()[0] + 1) * SLOT_US;
            double peak = 0;
            for (int adapter = 1; adapter < senders; adapter++) {
                peak = Math.max(peak, engine.maxWaitingAt(adapter) / 1e6);
            }
            found.between("all drained, ms over " + Check.text(optimum / 1e3), "1", 1, 1.01, last / optimum)
                .near("most that an adapter holds for it, MB", 1 - 1.0 / senders, 0.01, peak)
                .atMost("first to last, rounds of credits of " + Check.text(ROUND_US * senders / ADAPTERS)
                    + " us", "3", 3, (last - first) / (ROUND_US * senders / ADAPTERS))
                .exactly("cells and packets dropped", 0, CircuitRuns.dropped(engine))
                .exactly("pauses", 0, engine.count(NicCounter.PAUSES));
        }
    }

    /** Adapters send at once what comes in; the elements lose nothing, the port what it has no room for. */
    private static void push(final Findings found, final Effort effort) {
        try (StardustEngine engine = new StardustEngine(pushed(effort.seed()), flows(ADAPTERS), effort.threads())) {
            // All of it is at the port: half as fast as it comes in, as the adapters have twice the links.
            effort.advance(engine::advance, 4 * ABSORPTION_BYTES / CELL_BYTES);
            engine.checkConserved();
            found.between("pushed through a buffer of 32 MB: MB lost", "94", 0.98 * 94, 1.02 * 94,
                (double) engine.count(NicCounter.PACKETS_LOST) * CELL_BYTES / 1e6);
        }
    }

    private static FlowSet flows(final int senders) {
        final FlowSet flows = new FlowSet();
        for (int adapter = 0; adapter < senders; adapter++) {
            flows.add(adapter, PORTS * adapter + 1, 0, ABSORPTION_BYTES, (int) (ABSORPTION_BYTES / CELL_BYTES) + 1, 0);
        }
        return flows;
    }

    private static Stardust pulled(final long seed) {
        return new Stardust(network(), LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL_BYTES, 1 << 17, 1 << 16, HostModel.PACED),
            new CellCut(1500, CELL_BYTES, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, 1.02 * CELL_BYTES, 0, 0, 1, true), LinkRules.USUAL, true, seed);
    }

    private static Stardust pushed(final long seed) {
        return new Stardust(network(), LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL_BYTES, BUFFER_BYTES / 2, BUFFER_BYTES / 4, HostModel.PACED),
            new CellCut(CELL_BYTES, CELL_BYTES, false, Packing.CONTINUOUS), Credits.paced(CELL_BYTES),
            LinkRules.dropping(1 << 20, Spraying.RENEWED), false, seed);
    }

    private static Deployment network() {
        return Deployment.full(new FoldedClos(new FoldedClosConfig(ADAPTERS, LINKS, 1, ADAPTERS, 0, List.of())));
    }
}
