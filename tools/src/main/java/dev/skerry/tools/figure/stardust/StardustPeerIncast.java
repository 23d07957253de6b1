package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The incast of Stardust Figure 10c over packet switches, with the transports that the paper compares Stardust with
 * (docs/spec/stardust.md §10 row 14).
 */
public final class StardustPeerIncast implements Figure {
    private static final long BYTES = 450_000;
    private static final double ALONE_MS = BYTES * Byte.SIZE / StardustTcp.GBPS / 1e6;
    private static final int[] SENDERS = {11, 51, 101, 201, 431};
    /** Stardust ends within 1.05 of the optimum, better than MPTCP. */
    private static final double WORSE = 1.05;
    private static final int QUICK = 2;
    private static final int SEEDS = 5;
    private static final double STEP_MS = 0.5;
    private static final double MOST_MS = 10_000;

    @Override
    public About about() {
        return new About("stardust-fig10c-peers", "Stardust", "Figure 10c",
            "incast of n of 432 hosts over packet switches, DCTCP, DCQCN and MPTCP, first and last to end", 1, 0.02);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        final Plot plot = StardustIncast.plot();
        measure(found, plot, PeerTree.DCTCP, 1, effort, progress.part(0, 0.3));
        measure(found, plot, PeerTree.DCQCN, 1, effort, progress.part(0.3, 0.6));
        measure(found, plot, PeerTree.MPTCP, WORSE, effort, progress.part(0.6, 1));
        return found.add(plot).remark("Stardust is stardust-fig10c: its last ends within 5 % of the optimum, its first "
            + "at 0.95 of its last or later. Here a port drops a packet that finds 100 in its queue, but for DCQCN, "
            + "whose switches pause the links into them. The paper has no value for DCQCN.");
    }

    private static void measure(final Findings found, final Plot plot, final PeerTree peer, final double least,
        final Effort effort, final FigureProgress progress) {
        final int counts = effort.either(QUICK, SENDERS.length);
        final int seeds = effort.either(1, SEEDS);
        final double[] x = new double[counts];
        final double[] firsts = new double[counts];
        final double[] lasts = new double[counts];
        for (int i = 0; i < counts; i++) {
            final double[] first = new double[seeds];
            final double[] last = new double[seeds];
            for (int seed = 0; seed < seeds; seed++) {
                final double[] ended = run(peer, found, SENDERS[i], effort.seed() + seed);
                first[seed] = ended[0];
                last[seed] = ended[ended.length - 1];
                progress.done((i + (seed + 1.0) / seeds) / counts);
            }
            final Sample ends = new Sample(last);
            x[i] = SENDERS[i];
            firsts[i] = new Sample(first).mean();
            lasts[i] = ends.mean();
            found.atLeast(peer.name() + ", " + SENDERS[i] + " senders: last over optimum", "", least,
                    lasts[i] / (SENDERS[i] * ALONE_MS))
                .spread("last, ms", ends).reported("  first over last", "", firsts[i] / lasts[i]);
        }
        plot.add(peer.name() + ", last", Plot.Style.DOTS, x, lasts)
            .add(peer.name() + ", first", Plot.Style.DOTS, x, firsts);
    }

    /** When the flows ended, in ms, ascending; NaN for a flow that did not. */
    private static double[] run(final PeerTree peer, final Findings found, final int senders, final long seed) {
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
            peer.addLosses(found, ", " + senders + " senders, seed " + seed, network);
            final double[] ended = new double[senders];
            Arrays.setAll(ended, flow -> network.completedBefore(flow) == 0 ? Double.NaN
                : times.ms(network.completedBefore(flow)));
            Arrays.sort(ended);
            return ended;
        }
    }
}
