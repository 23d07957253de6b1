package dev.skerry.tools.figure.shoal;

import dev.skerry.schedule.Clos;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Wiring;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The share of its slots that a healthy node loses with one part of the fabric: Shoal §3.5, Table 1, by following every
 * cell of an epoch through the switches of a two-stage Clos (docs/spec/shoal.md §5.5). A pair whose way fails in one
 * direction loses both.
 */
public final class ShoalLostSlots {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-table1", "Table 1",
        "slots that are lost with one part of the fabric, 512 nodes, switches of 32 ports", 0.1, 0.1,
        ShoalLostSlots::measure);

    private static final int NODES = 512;
    private static final int PORTS = 32;
    /** Of about. */
    private static final double ABOUT = 0.1;

    private ShoalLostSlots() {
    }

    private static Findings measure(final Effort effort) {
        final Clos clos = Clos.of(RoundRobin.plain(NODES, 1), PORTS);
        final Wiring wiring = clos.wiring();
        final PortNumbers ports = wiring.ports();
        final int leaf = clos.leafSwitch(0, 1);
        final int spine = clos.spineSwitch(0, 1);
        final int up = ports.ofSwitch(leaf, clos.nodesPerLeaf());
        final int down = wiring.target(up);
        final int ofNode = wiring.target(ports.ofNode(0, 0, 0));
        final IntPredicate first = node -> node == 0;
        final IntPredicate ofLeaf = node -> node / clos.nodesPerLeaf() == 1;
        return new Findings()
            .near("1 node", 1.0 / NODES, ABOUT,
                lost(wiring, port -> ports.isNode(port) && ports.nodeOf(port) == 0, first))
            .near("1 node-leaf link", 1.0 / NODES, ABOUT,
                lost(wiring, port -> port == ofNode || port == ports.ofNode(0, 0, 0), first))
            .near("1 leaf switch", 1 / Math.sqrt(2.0 * NODES), ABOUT,
                lost(wiring, port -> !ports.isNode(port) && ports.switchOf(port) == leaf, ofLeaf))
            .near("1 leaf-spine link", 2.0 / NODES, ABOUT,
                lost(wiring, port -> port == up || port == down, ofLeaf))
            .near("1 spine switch", 2 * Math.sqrt(2) / Math.sqrt(NODES), ABOUT,
                lost(wiring, port -> !ports.isNode(port) && ports.switchOf(port) == spine, node -> false))
            .remark("Over nodes that are not themselves at the failed part.");
    }

    /**
     * Lost slots of a node on average.
     *
     * @param failed   ports of the failed part that send.
     * @param attached nodes at the failed part, which are not counted.
     */
    private static double lost(final Wiring wiring, final IntPredicate failed, final IntPredicate attached) {
        final PortNumbers ports = wiring.ports();
        final int[] path = new int[wiring.stages() + 1];
        final BitSet pairs = new BitSet(NODES * NODES);
        for (int slot = 0; slot < NODES - 1; slot++) {
            for (int node = 0; node < NODES; node++) {
                final int length = wiring.trace(node, 0, slot, path);
                final int sender = ports.nodeOf(path[length - 1]);
                if (Arrays.stream(path, 0, length).anyMatch(failed)) {
                    pairs.set(sender * NODES + node);
                    pairs.set(node * NODES + sender);
                }
            }
        }
        final int[] healthy = IntStream.range(0, NODES).filter(attached.negate()).toArray();
        return Arrays.stream(healthy).mapToLong(node -> pairs.get(node * NODES, (node + 1) * NODES).cardinality()).sum()
            / ((double) healthy.length * (NODES - 1));
    }
}
