package dev.skerry.tools.figure.shoal;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.shoal.ParetoRuns.Value;

/**
 * Epochs twice as long: half as many channels, each twice as fast, and twice as many nodes; Shoal §7.3
 * (docs/spec/shoal.md §9.3).
 */
public final class ShoalEpochLength {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-epoch", "Section 7.3",
        "completion times with epochs twice as long", 5, 0.8, ShoalEpochLength::measure);

    private static final double[] LOADS = {0.2, 1};
    private static final String[] NAMES = {"low load", "high load"};
    private static final double[] CHANNELS = {1.26, 1.15};
    private static final double[] NODES = {1.28, 1.2};
    /** How far a printed factor may be off, as its share. */
    private static final double ABOUT = 0.15;
    private static final int HEADER = 8;

    private ShoalEpochLength() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        for (int i = 0; i < LOADS.length; i++) {
            final Effort part = effort.turn(i, LOADS.length);
            final Sample base = tail(new ParetoFlows(ParetoRuns.NODES, LOADS[i], ParetoRuns.PAYLOAD,
                ParetoRuns.SLOT_NS), part.turn(0, 3));
            final Sample channels = tail(new ParetoFlows(ParetoRuns.NODES, LOADS[i],
                2 * (ParetoRuns.PAYLOAD + HEADER) - HEADER, 2 * ParetoRuns.SLOT_NS), part.turn(1, 3));
            final Sample nodes = tail(new ParetoFlows(2 * ParetoRuns.NODES, LOADS[i], ParetoRuns.PAYLOAD,
                ParetoRuns.SLOT_NS), part.turn(2, 3));
            found.reported(NAMES[i] + ": flows up to 100 KB, 99.9 %, us", "", base);
            found.near("  with 2x50 Gb/s over that with 4x25 Gb/s", CHANNELS[i], ABOUT, channels.over(base));
            found.near("  with 1,024 nodes over that with 512", NODES[i], ABOUT, nodes.over(base));
        }
        return found.remark("Half the channels: cells of 128 bytes in slots twice as long, as one channel of the "
            + "authors' simulator stands for four.");
    }

    private static Sample tail(final ParetoFlows flows, final Effort effort) {
        return ParetoRuns.of(flows, ParetoFlows.Pairs.UNIFORM,
            effort.either(2_500, 30_000) * flows.nodes() / ParetoRuns.NODES, 0, effort).get(Value.TAIL_US);
    }
}
