package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.Wiring;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.traffic.Permutation;

import java.util.Arrays;

/**
 * The schedule of eight nodes, its switches, and the schedule for propagation delay: Shoal §3.2, Appendix A, Figures 2
 * to 4 and 19 (docs/spec/shoal.md §2).
 */
public final class ShoalSchedules {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-fig3", "Figures 2, 3, 4, 19",
        "the schedule of eight nodes on its switches, and the one for propagation delay", 0.1, 0.05,
        ShoalSchedules::measure);

    private static final int NODES = 8;
    private static final int PORTS = 4;
    private static final int ODD = 7;
    /** Figure 3 as printed: the first and the last node, by slot, nodes from 1. */
    private static final int[][] PRINTED = {{2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7}};
    private static final int EPOCHS = 2_000;

    private ShoalSchedules() {
    }

    private static Findings measure(final Effort effort) {
        final RoundRobin schedule = RoundRobin.plain(NODES, 1);
        final Findings found = new Findings();
        int other = 0;
        for (int slot = 0; slot < NODES - 1; slot++) {
            other += schedule.peerAt(0, 0, slot) + 1 == PRINTED[0][slot] ? 0 : 1;
            other += schedule.peerAt(NODES - 1, 0, slot) + 1 == PRINTED[1][slot] ? 0 : 1;
        }
        found.exactly("Figure 3: entries of nodes 1 and 8 that are not the printed ones", 0, other);
        found.exactly("  pairs that do not meet once an epoch", 0, strangers(schedule));
        final Wiring wiring = new Clos(schedule, PORTS, Clos.SpineRule.BALANCED).wiring();
        found.exactly("Figure 2: 4-port switches for 8 nodes", 6, wiring.switches());
        found.exactly("Figure 4: slots of a node in which the switches connect another than Figure 3 says", 0,
            misrouted(schedule, wiring));
        found.exactly("  switches that a cell crosses on every way, nodes of one leaf included", 3, crossed(wiring));
        gaps(found, "Figure 19(a): N = 7", RoundRobin.rearranged(ODD, 1, 0), (ODD - 1) / 2);
        gaps(found, "Figure 19(b): N = 8", RoundRobin.rearranged(NODES, 1, 0), NODES / 2);
        final double plain = rate(schedule, effort);
        effort.done(0.5);
        return found.near("  permutation, cells per slot over those of the plain schedule", 1 - 1.0 / NODES, 0.01,
            rate(RoundRobin.rearranged(NODES, 1, 0), effort) / plain)
            .remark("Figure 4's own table fits no duplex wiring: its way up and its way down follow different rules "
                + "(docs/spec/shoal.md \u00a72.5). What is checked is what it is for: its switches make Figure 3.");
    }

    /** Ordered pairs that do not meet exactly once in an epoch. */
    private static int strangers(final Schedule schedule) {
        final int[] met = new int[NODES * NODES];
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int node = 0; node < NODES; node++) {
                met[node * NODES + schedule.peerAt(node, 0, slot)]++;
            }
        }
        int wrong = 0;
        for (int pair = 0; pair < met.length; pair++) {
            wrong += met[pair] == (pair / NODES == pair % NODES ? 0 : 1) ? 0 : 1;
        }
        return wrong;
    }

    private static int misrouted(final Schedule schedule, final Wiring wiring) {
        final int[] path = new int[wiring.stages() + 1];
        int wrong = 0;
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int node = 0; node < NODES; node++) {
                final int length = wiring.trace(node, 0, slot, path);
                wrong += length > 0 && wiring.ports().nodeOf(path[length - 1]) == schedule.senderAt(node, 0, slot)
                    ? 0 : 1;
            }
        }
        return wrong;
    }

    /** Switches on each way; -1 if two ways differ. */
    private static int crossed(final Wiring wiring) {
        final int[] path = new int[wiring.stages() + 1];
        final int[] lengths = new int[(NODES - 1) * NODES];
        for (int slot = 0; slot < NODES - 1; slot++) {
            for (int node = 0; node < NODES; node++) {
                lengths[slot * NODES + node] = wiring.trace(node, 0, slot, path) - 1;
            }
        }
        return Arrays.stream(lengths).allMatch(length -> length == lengths[0]) ? lengths[0] : -1;
    }

    /** Slots from a cell to the one back, over all pairs. */
    private static void gaps(final Findings found, final String of, final RoundRobin schedule, final int expected) {
        final int nodes = schedule.nodes();
        final int epoch = schedule.epochSlots();
        final int[][] at = new int[nodes][nodes];
        for (int slot = 0; slot < epoch; slot++) {
            for (int node = 0; node < nodes; node++) {
                final int peer = schedule.peerAt(node, 0, slot);
                if (peer != Schedule.IDLE) {
                    at[node][peer] = slot;
                }
            }
        }
        int wrong = 0;
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                wrong += from == to || Math.floorMod(at[to][from] - at[from][to], epoch) == expected ? 0 : 1;
            }
        }
        found.exactly(of + ", pairs whose way back is not half an epoch later", 0, wrong);
    }

    private static double rate(final RoundRobin schedule, final Effort effort) {
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(NODES, ParetoRuns.PAYLOAD, 1,
            effort.seed());
        final Shoal shoal = Shoal.of(schedule, ReleaseRule.EXACT, true, 0);
        return CircuitRuns.steady(shoal, flows, schedule.epochSlots() * 100L, schedule.epochSlots() * (long) EPOCHS,
            effort.silent()).rate(NODES);
    }
}
