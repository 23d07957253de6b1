package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.run.ShoalSetUp;

import java.util.Arrays;

/**
 * The prototype with the latencies that its paper measured, cell by cell: Shoal Figures 9 and 10. A cell that arrives
 * within a slot goes on in the next one, so a way of 1,576 ns takes 21 slots of 76.8 ns.
 */
public final class ShoalPrototype {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-prototype", "Figures 9, 10",
        "throughput by slot size and completion of an incast, with the latencies of the boards", 0.1, 0.05,
        ShoalPrototype::measure);

    private static final int NODES = ShoalSetUp.PROTOTYPE.nodes();
    private static final double WAY_NS = ShoalSetUp.PROTOTYPE.way().totalNs();
    private static final int LEAST_BYTES = 64;
    private static final int[] CELL_BYTES = {64, 128, 256, 512, 1024, 2048, 4096};
    private static final double NS_PER_BYTE = 0.8;
    /** Guard band and MAC, of every slot. */
    private static final double OVERHEAD_NS = 25.6;
    /** Exact limit of a permutation of eight nodes. */
    private static final double LIMIT = 4.0 / 7;
    private static final int SENDERS = 7;

    private ShoalPrototype() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        incast(found, effort);
        final double[] rates = new double[CELL_BYTES.length];
        final double[] slots = new double[CELL_BYTES.length];
        for (int i = 0; i < rates.length; i++) {
            slots[i] = CELL_BYTES[i] * NS_PER_BYTE + OVERHEAD_NS;
            rates[i] = permutation(slots[i], effort.part((i + 1.0) / 8, (i + 2.0) / 8));
            final String of = "Figure 9, slot of " + Check.text(slots[i]) + " ns, cells per slot of a node";
            found.between(of, i == 0 ? "far below a half" : "towards a half", i == 0 ? 0 : rates[i - 1],
                i == 0 ? LIMIT / 2 : LIMIT + 0.001, rates[i]);
        }
        found.atLeast("Figure 9, the longest slot, cells per slot of a node", "about 0.5", 0.5,
            rates[rates.length - 1]);
        return found.add(new Plot("slot", "Figure 9: average throughput of a permutation of eight nodes", "slot (ns)",
            "cells per node and slot").add("measured", Plot.Style.DOTS, slots, rates)
                .add("half, to which the paper's converges", Plot.Style.BOUND, slots,
                    Arrays.stream(slots).map(slot -> 0.5).toArray()))
            .remark("The paper's 6.9 us are two ways and 49 slots in the last queue. Cells of seven relays come there "
                + "one after the other, so some of that wait is over when they come.");
    }

    /** Figure 10: seven cells from each of seven nodes to the eighth. */
    private static void incast(final Findings found, final Effort effort) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < SENDERS; from++) {
            flows.add(from, from, SENDERS, (long) SENDERS * LEAST_BYTES, SENDERS, 0);
        }
        final double slotNs = ShoalSetUp.PROTOTYPE.slotNs();
        final Outcome outcome = CircuitRuns.run(shoal(slotNs), flows, 0, effort.part(0, 0.1));
        final double us = slotNs / 1e3;
        found.between("Figure 10, slowest of 7:1, us", "6.9", 6.4, 7,
            us * (Arrays.stream(outcome.completedIn()).max().orElseThrow() + 1));
        found.between("Figure 10, fastest of 7:1, us", "6.05", 6, 6.2,
            us * (Arrays.stream(outcome.completedIn()).min().orElseThrow() + 1));
        found.atMost("Figure 10, longest queue, cells", "7", SENDERS, CircuitRuns.max(outcome.nodes().queueLength()));
    }

    private static double permutation(final double slotNs, final Effort effort) {
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < NODES; node++) {
            CircuitRuns.endless(flows, node, (node + 3) % NODES);
        }
        return CircuitRuns.steady(shoal(slotNs), flows, 2_000, effort.either(20_000, 100_000), effort)
            .rate(NODES);
    }

    private static Shoal shoal(final double slotNs) {
        return Shoal.of(RoundRobin.plain(NODES, 1), ReleaseRule.EXACT, true, (int) Math.ceil(WAY_NS / slotNs - 1e-9));
    }
}
