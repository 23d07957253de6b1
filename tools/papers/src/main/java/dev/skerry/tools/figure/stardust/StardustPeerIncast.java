package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * The incast of Stardust Figure 10c over packet switches, with the transports that the paper compares Stardust with
 * (docs/spec/stardust.md §10 row 14).
 */
public final class StardustPeerIncast {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig10c-peers", "Figure 10c",
        "incast of n of 432 hosts over packet switches, DCTCP, DCQCN and MPTCP, first and last to end", 1, 0.02,
        StardustPeerIncast::measure);

    private static final long BYTES = 450_000;
    private static final double ALONE_MS = BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    private static final int[] SENDERS = {11, 51, 101, 201, 431};
    /** Stardust ends within 1.05 of the optimum, better than MPTCP. */
    private static final double WORSE = 1.05;
    private static final int QUICK = 2;
    private static final int SEEDS = 5;
    private static final double STEP_MS = 0.5;
    private static final double MOST_MS = 10_000;

    private StardustPeerIncast() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = StardustIncast.plot();
        measure(found, plot, PeerTree.DCTCP, 1, effort.part(0, 0.3));
        measure(found, plot, PeerTree.DCQCN, 1, effort.part(0.3, 0.6));
        measure(found, plot, PeerTree.MPTCP, WORSE, effort.part(0.6, 1));
        return found.add(plot).remark("Stardust is stardust-fig10c: its last ends within 5 % of the optimum, its first "
            + "at 0.95 of its last or later. Here a port drops a packet that finds 100 in its queue, but for DCQCN, "
            + "whose switches pause the links into them. Up to 51 senders the last of DCTCP and DCQCN lie on one line, "
            + "the optimum. The paper has no value for DCQCN.");
    }

    private static void measure(final Findings found, final Plot plot, final PeerTree peer, final double least,
        final Effort effort) {
        final int counts = effort.either(QUICK, SENDERS.length);
        final Sample[] firsts = new Sample[counts];
        final Sample[] lasts = new Sample[counts];
        for (int i = 0; i < counts; i++) {
            final int senders = SENDERS[i];
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, counts),
                seeded -> numbers(peer, senders, seeded.seed()));
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
    private static double[] numbers(final PeerTree peer, final int senders, final long seed) {
        final StardustTcp times = StardustTcp.PAPER;
        final FlowSet flows = new FlowSet();
        for (int sender = 1; sender <= senders; sender++) {
            flows.add(sender, sender, 0, BYTES, 1, 0);
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
}
