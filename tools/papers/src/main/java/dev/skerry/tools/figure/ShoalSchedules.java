package dev.skerry.tools.figure;

import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.Wiring;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.ShoalCost;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.BiPredicate;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Shoal's schedules on its switches, the slots that are lost when a part of them fails, and the cost of a rack of them:
 * Shoal §3.2, §3.5, §5, Appendix A (docs/spec/shoal.md §2, §5.5, §8).
 */
public final class ShoalSchedules {
    /**
     * The schedule of eight nodes, its switches, and the schedule for propagation delay: Shoal §3.2, Appendix A,
     * Figures 2 to 4 and 19 (docs/spec/shoal.md §2).
     */
    public static final Figure FIG3 = Figure.of("shoal-fig3", ShoalSchedules::schedules);
    /**
     * The share of its slots that a healthy node loses when one part of the fabric fails: Shoal §3.5, Table 1, computed
     * by tracing every cell of an epoch through the switches of a two-stage Clos (docs/spec/shoal.md §5.5). A pair
     * whose path fails in one direction loses both directions.
     */
    public static final Figure TABLE1 = Figure.of("shoal-table1", ShoalSchedules::lostSlots);
    /**
     * Cost and power of a rack of 512 nodes compared with those of a packet-switched one: Shoal §5, Figure 11. Power
     * follows from the printed power of the parts. One of the printed prices determines the cost of NICs, and the
     * others are checked (docs/spec/shoal.md §8).
     */
    public static final Figure FIG11 = Figure.of("shoal-fig11", ShoalSchedules::rackCost);

    private static final int NODES = 8;
    private static final int ODD = 7;
    /** Figure 3 as printed: the peers of the first and the last node by slot, nodes counted from 1. */
    private static final int[][] PRINTED = {{2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7}};
    private static final int RACK = 512;
    /**
     * Accepted deviation of a value printed with "about", caused by the nodes at the failed part and by rounding to
     * whole switches.
     */
    private static final double ABOUT = 0.04;

    private ShoalSchedules() {
    }

    private static void schedules(final Effort effort, final Findings found) {
        final RoundRobin schedule = RoundRobin.plain(NODES, 1);
        final Wiring wiring = new Clos(schedule, 4, Clos.SpineRule.BALANCED).wiring();
        found.exactly("Figure 3: entries of nodes 1 and 8 that are not the printed ones", 0, wrong((slot, node) ->
                node > 0 && node < NODES - 1
                    || schedule.peerAt(node, 0, slot) + 1 == PRINTED[node == 0 ? 0 : 1][slot]))
            .exactly("  pairs that do not meet once an epoch", 0, strangers(schedule))
            .exactly("Figure 2: 4-port switches for 8 nodes", 6, wiring.switches());
        final int[] path = new int[wiring.stages() + 1];
        found.exactly("Figure 4: slots of a node in which the switches connect another than Figure 3 says", 0,
                wrong((slot, node) -> {
                    final int length = wiring.trace(node, 0, slot, path);
                    return length > 0
                        && wiring.ports().nodeOf(path[length - 1]) == schedule.senderAt(node, 0, slot);
                }))
            .exactly("  switches that a cell crosses on every way, nodes of one leaf included", 3,
                wrong((slot, node) -> wiring.trace(node, 0, slot, path) == wiring.trace(0, 0, 0, path)) == 0
                    ? wiring.trace(0, 0, 0, path) - 1 : -1);
        final RoundRobin rearranged = RoundRobin.rearranged(NODES, 1, 0);
        gaps(found, "Figure 19(a): N = 7", RoundRobin.rearranged(ODD, 1, 0), (ODD - 1) / 2);
        gaps(found, "Figure 19(b): N = 8", rearranged, NODES / 2);
        final double plain = rate(schedule, effort);
        found.near("  permutation, cells per slot over those of the plain schedule", 1 - 1.0 / NODES, 0.01,
                rate(rearranged, effort) / plain)
            .remark("The table of Figure 4 does not fit a duplex wiring: its uplinks and its downlinks follow "
                + "different rules "
                + "(docs/spec/shoal.md \u00a72.5). The check is therefore that its switches produce Figure 3.");
    }

    /** Returns the number of pairs of a slot and a node for which a condition does not hold. */
    private static long wrong(final BiPredicate<Integer, Integer> holds) {
        return IntStream.range(0, (NODES - 1) * NODES).filter(i -> !holds.test(i / NODES, i % NODES)).count();
    }

    /** Returns the ordered pairs that are not connected exactly once in an epoch. */
    private static long strangers(final Schedule schedule) {
        final int[] met = new int[NODES * NODES];
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int node = 0; node < NODES; node++) {
                met[node * NODES + schedule.peerAt(node, 0, slot)]++;
            }
        }
        return IntStream.range(0, met.length).filter(pair -> met[pair] != (pair / NODES == pair % NODES ? 0 : 1))
            .count();
    }

    /** Checks the slots from a cell to the one in the other direction, over all pairs. */
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
        found.exactly(of + ", pairs whose way back is not half an epoch later", 0, IntStream.range(0, nodes * nodes)
            .filter(pair -> pair / nodes != pair % nodes && Math.floorMod(at[pair % nodes][pair / nodes]
                - at[pair / nodes][pair % nodes], epoch) != expected).count());
    }

    private static double rate(final RoundRobin schedule, final Effort effort) {
        return Runs.steady(Shoal.of(schedule, ReleaseRule.EXACT, true, 0), Runs.permutation(NODES, ShoalRates.PAYLOAD,
            effort.seed()), schedule.epochSlots() * 100L, schedule.epochSlots() * 2_000L, effort.silent()).rate(NODES);
    }

    private static void lostSlots(final Effort effort, final Findings found) {
        final Clos clos = Clos.of(RoundRobin.plain(RACK, 1), 32);
        final Wiring wiring = clos.wiring();
        final PortNumbers ports = wiring.ports();
        final int leaf = clos.leafSwitch(0, 1);
        final int spine = clos.spineSwitch(0, 1);
        final int up = ports.ofSwitch(leaf, clos.nodesPerLeaf());
        final int down = wiring.target(up);
        final int ofNode = wiring.target(ports.ofNode(0, 0, 0));
        final IntPredicate first = node -> node == 0;
        final IntPredicate ofLeaf = node -> node / clos.nodesPerLeaf() == 1;
        found.near("1 node", 1.0 / RACK, ABOUT,
                lost(wiring, port -> ports.isNode(port) && ports.nodeOf(port) == 0, first))
            .near("1 node-leaf link", 1.0 / RACK, ABOUT,
                lost(wiring, port -> port == ofNode || port == ports.ofNode(0, 0, 0), first))
            .near("1 leaf switch", 1 / Math.sqrt(2.0 * RACK), ABOUT,
                lost(wiring, port -> !ports.isNode(port) && ports.switchOf(port) == leaf, ofLeaf))
            .near("1 leaf-spine link", 2.0 / RACK, ABOUT,
                lost(wiring, port -> port == up || port == down, ofLeaf))
            .near("1 spine switch", 2 * Math.sqrt(2) / Math.sqrt(RACK), ABOUT,
                lost(wiring, port -> !ports.isNode(port) && ports.switchOf(port) == spine, node -> false))
            .remark("Over nodes that are not themselves at the failed part.");
    }

    /**
     * Returns the slots that a node loses on average.
     *
     * @param failed sending ports of the failed part.
     * @param attached nodes at the failed part, which are not counted.
     */
    private static double lost(final Wiring wiring, final IntPredicate failed, final IntPredicate attached) {
        final PortNumbers ports = wiring.ports();
        final int[] path = new int[wiring.stages() + 1];
        final BitSet pairs = new BitSet(RACK * RACK);
        for (int slot = 0; slot < RACK - 1; slot++) {
            for (int node = 0; node < RACK; node++) {
                final int length = wiring.trace(node, 0, slot, path);
                final int sender = ports.nodeOf(path[length - 1]);
                if (Arrays.stream(path, 0, length).anyMatch(failed)) {
                    pairs.set(sender * RACK + node);
                    pairs.set(node * RACK + sender);
                }
            }
        }
        final int[] healthy = IntStream.range(0, RACK).filter(attached.negate()).toArray();
        return Arrays.stream(healthy)
            .mapToLong(node -> pairs.get(node * RACK, (node + 1) * RACK).cardinality()).sum()
            / ((double) healthy.length * (RACK - 1));
    }

    private static void rackCost(final Effort effort, final Findings found) {
        final ShoalCost rack = ShoalCost.PAPER;
        final double[] price = IntStream.range(0, 61).mapToDouble(step -> step / 100.0).toArray();
        found.exactly("packet switches of 64 ports", 24, rack.packetSwitches())
            .exactly("circuit switches of 64 ports", 48, rack.circuitSwitches())
            .near("power of the packet-switched rack, kW", 8.72, 0.001, rack.packetW() / 1e3)
            .near("power of Shoal, kW", 2.55, 0.002, rack.shoalW() / 1e3)
            .within("  saved, %", 71, 0.5, 100 * rack.savedPower())
            .within("price of a circuit switch for the same cost, NICs 2x, %", 41.6, 0.1,
                100 * ShoalCost.switchRatio(1, 2))
            .within("  for 40 % less, NICs 2x, %", 18.3, 0.1, 100 * ShoalCost.switchRatio(0.6, 2))
            .within("  for 40 % less, NICs 3x, %", 9.6, 0.1, 100 * ShoalCost.switchRatio(0.6, 3))
            .within("area of a circuit switch, % of a packet switch", 15, 0.01, 100 * ShoalCost.area(0.5, 0.2, 0.3))
            .add(new Plot("cost", "Cost of Shoal over that of the packet-switched rack",
                "price of a circuit switch over that of a packet switch", "relative cost")
                .add("NICs 2x", Plot.Style.LINE, price, Arrays.stream(price).map(x -> ShoalCost.cost(x, 2)).toArray())
                .add("NICs 3x", Plot.Style.LINE, price, Arrays.stream(price).map(x -> ShoalCost.cost(x, 3)).toArray())
                .addBound("packet-switched rack", price, 1))
            .remark("The cost of NICs relative to that of switches, 1/6, is not printed: it is fitted to the printed "
                + "33.3 % for NICs 3x. It gives the printed 41.6 and 18.3 %, and 10.0 % in place of 9.6 %.");
    }
}
