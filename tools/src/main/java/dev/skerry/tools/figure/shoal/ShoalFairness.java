package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Check;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.run.CircuitParts;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Random endless flows beside max-min fairness over virtual links: Shoal §7.2 (docs/spec/shoal.md §9.2 G5, §9.3).
 * Shares of single draws, of which 99 % is a good one.
 */
public final class ShoalFairness implements Figure {
    private static final double NEAR = 0.1;
    private static final int NODES = 64;
    private static final int WARM_EPOCHS = 20;
    private static final int[] FLOWS = {30, 100, 128, 300};
    private static final double[] FOUND = {1.00, 0.99, 0.955, 0.61};
    /** The shares found are given to half a percent. */
    private static final double ROUNDED = 0.005;
    private static final int FROM = 1;
    private static final int TO = 2;

    @Override
    public About about() {
        return new About("shoal-fairness", "Shoal", "Section 7.2 (G5)",
            "share of random flows within a tenth of what is fair, N = 64", 2, 0.3);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        final int draws = effort.either(4, 20);
        for (int i = 0; i < FLOWS.length; i++) {
            final double[] shares = new double[draws];
            for (int draw = 0; draw < draws; draw++) {
                shares[draw] = share(draw(FLOWS[i], effort.seed() + draw), effort);
                progress.done((i * draws + draw + 1.0) / (FLOWS.length * draws));
            }
            final double mean = Arrays.stream(shares).average().orElseThrow();
            final double variance = Arrays.stream(shares).map(s -> (s - mean) * (s - mean)).sum() / (draws - 1);
            final double away = Math.abs(FOUND[i] - mean);
            final String of = FLOWS[i] + " flows, % within a tenth of fair: ";
            found.reported(of + "mean of " + draws + " draws", "", 100 * mean);
            found.atMost("  standard deviations to a draw of the authors' simulator", Check.text(
                100 * FOUND[i]) + " %", 2, away < ROUNDED ? 0 : away / Math.sqrt(variance));
        }
        return found.remark("The paper's 99 % is a draw among draws: the mean of 100 flows is 97 to 98 %, of the "
            + "authors' simulator as well.");
    }

    private static FlowSet draw(final int count, final long seed) {
        final FlowSet flows = new FlowSet();
        final Set<Integer> pairs = new HashSet<>();
        final long key = CounterRandom.mix(seed);
        for (int i = 0; flows.size() < count; i++) {
            final int from = CounterRandom.below(CounterRandom.bits(key, 0, i, FROM), NODES);
            final int to = CounterRandom.below(CounterRandom.bits(key, 0, i, TO), NODES);
            if (from != to && pairs.add(from * NODES + to)) {
                CircuitRuns.endless(flows, from, to);
            }
        }
        return flows;
    }

    private static double share(final FlowSet flows, final Effort effort) {
        final double[] fair = new MaxMin(flows, NODES).rates();
        final double[] rates = rates(flows, effort.either(80, 150));
        double near = 0;
        for (int flow = 0; flow < fair.length; flow++) {
            near += Math.abs(rates[flow] - fair[flow]) <= NEAR * fair[flow] ? 1 : 0;
        }
        return near / fair.length;
    }

    /** Cells an epoch of each flow. */
    private static double[] rates(final FlowSet flows, final int epochs) {
        final double[] cells = new double[flows.size()];
        final Shoal shoal = Shoal.of(RoundRobin.plain(NODES, 1), ReleaseRule.EXACT, true, 0);
        final NodeCells received = new NodeCells(1);
        try (FabricModel model = new FabricModel(CircuitParts.of(shoal), flows)) {
            for (long slot = 0; slot < (long) (WARM_EPOCHS + epochs) * (NODES - 1); slot++) {
                model.step();
                for (int node = 0; slot >= (long) WARM_EPOCHS * (NODES - 1) && node < NODES; node++) {
                    model.received(node, received);
                    final long route = received.route(0);
                    if (InFlightCells.isCell(route) && ShoalCell.destination(route) == node) {
                        cells[Cell.flow(received.cell(0))] += 1.0 / epochs;
                    }
                }
            }
        }
        return cells;
    }
}
