package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A schedule on a two-stage Clos network of small circuit switches, with one plane per channel (Shoal §3.2,
 * docs/spec/shoal.md §2.4). Every cell goes up from its leaf to a spine and down to a leaf, even between two nodes of
 * the same leaf, so all paths have the same length.
 *
 * <pre>
 *   k ports per switch, h = k/2, L = ceil(N/h) leaves, h virtual spines of L ports, V = floor(k/L) of them on a switch
 *
 *   switch                      plane * (L + ceil(h/V)) + ..
 *     .. leaf                     0 .. L-1                    node i on leaf i div h
 *     .. spine switch             L ..                        virtual spine u on spine switch u div V
 *   port of a leaf              0 .. h-1      node i at i mod h
 *                               h .. 2h-1     virtual spine u at h + u
 *   port of a spine switch      (u mod V) * L + leaf
 * </pre>
 *
 * In each column, the cells that leave a leaf must take different spines, and so must the cells that reach a leaf;
 * {@link SpineRule} lists the ways to choose the spines. Immutable; any thread may call. The accessors do not check
 * their arguments.
 */
public final class Clos {
    /** No spine: the node does not send. */
    public static final int NO_SPINE = -1;

    private final int ports;
    private final int nodesPerLeaf;
    private final int leaves;
    private final int spinesPerSwitch;
    private final int spineSwitches;
    private final Wiring wiring;

    /**
     * Rule that spreads cells over the h spines: u(i, s) is the spine of node i in a column of shift s. The closed
     * forms are u = (i + g(s)) mod h: for any g, no two cells from or to the same leaf share a spine
     * (docs/spec/shoal.md §2.4).
     */
    public enum SpineRule {
        /**
         * g(s) = floor(s/w). Each node sends over every spine N/h times per epoch, with a difference of at most one,
         * and also receives that evenly if L - 1 and h have no common divisor above 2. The width w is h if h divides L;
         * otherwise it is L, because with w = h some spines would never carry the cells of a node if there are fewer
         * leaves than spines. Requires a round robin and an N divisible by h.
         */
        BALANCED,
        /**
         * Like {@link #BALANCED} with L/2 for L up to shift N/2; beyond, g(s) = g(N-s) - (N-s), so that both directions
         * of a pair take the same spine. This halves the cost of a failed spine. Requires a round robin and an N/2
         * divisible by h.
         */
        RECIPROCAL,
        /** An edge colouring of each column: works for any schedule and any number of nodes. */
        COLOURED
    }

    /**
     * Lays out the network for a schedule.
     *
     * @param schedule the connections to realise.
     * @param ports    k, the ports of each switch: even, with k²/2 at least the number of nodes.
     * @param rule     how cells are spread over the spines.
     * @throws IllegalArgumentException if the network does not exist; the message says why.
     */
    public Clos(final Schedule schedule, final int ports, final SpineRule rule) {
        final int nodes = schedule.nodes();
        Bounds.refuseIf(ports < 2 || ports % 2 != 0 || ports > SwitchTable.MAX_PORTS,
            "the switches of a Clos must have an even number of ports: ports=", ports);
        this.ports = ports;
        this.nodesPerLeaf = ports / 2;
        this.leaves = (nodes + nodesPerLeaf - 1) / nodesPerLeaf;
        Bounds.refuseIf(leaves > ports, "a Clos of ", ports, "-port switches has at most ", (long) ports * ports / 2,
            " nodes: nodes=", nodes);
        this.spinesPerSwitch = ports / leaves;
        this.spineSwitches = (nodesPerLeaf + spinesPerSwitch - 1) / spinesPerSwitch;
        checkRule(schedule, rule);
        final PortNumbers numbers = new PortNumbers(schedule, 1, tables(schedule, rule));
        this.wiring = new Wiring(schedule, numbers, new int[schedule.epochSlots()], fibres(schedule, numbers));
    }

    /** Lays out the network for a round robin: balanced if its nodes fill the leaves, coloured otherwise. */
    public static Clos of(final RoundRobin schedule, final int ports) {
        final boolean full = ports > 1 && schedule.nodes() % (ports / 2) == 0;
        return new Clos(schedule, ports, full ? SpineRule.BALANCED : SpineRule.COLOURED);
    }

    /** The switches, their tables and the fibres of all planes. */
    public Wiring wiring() {
        return wiring;
    }

    /** Ports of a switch, k. */
    public int ports() {
        return ports;
    }

    /** Nodes per leaf, which is also the number of virtual spines, h. */
    public int nodesPerLeaf() {
        return nodesPerLeaf;
    }

    /** Leaves of a plane, L. */
    public int leaves() {
        return leaves;
    }

    /** Spine switches of a plane. */
    public int spineSwitches() {
        return spineSwitches;
    }

    /** The switch number of a leaf, 0 to L - 1, of a plane. */
    public int leafSwitch(final int plane, final int leaf) {
        return plane * (leaves + spineSwitches) + leaf;
    }

    /** The number of the switch that holds a virtual spine, 0 to h - 1, of a plane. */
    public int spineSwitch(final int plane, final int spine) {
        return plane * (leaves + spineSwitches) + leaves + spine / spinesPerSwitch;
    }

    /** The port of its spine switch that connects a virtual spine to a leaf. */
    public int spinePort(final int spine, final int leaf) {
        return spine % spinesPerSwitch * leaves + leaf;
    }

    /** The virtual spine that the cell of a node crosses in a slot of the epoch, or {@link #NO_SPINE}. */
    public int spineOf(final int node, final int channel, final int slotInEpoch) {
        final SwitchTable leaf = wiring.table(leafSwitch(channel, node / nodesPerLeaf));
        final int up = leaf.reached(slotInEpoch, node % nodesPerLeaf);
        return up == SwitchTable.DARK ? NO_SPINE : up - nodesPerLeaf;
    }

    private void checkRule(final Schedule schedule, final SpineRule rule) {
        if (rule == SpineRule.COLOURED) {
            return;
        }
        final int multiple = rule == SpineRule.BALANCED ? nodesPerLeaf : 2 * nodesPerLeaf;
        Bounds.refuseIf(!(schedule instanceof RoundRobin) || schedule.nodes() % multiple != 0, rule,
            " spines need a round robin of a number of nodes divisible by ", multiple, ", take COLOURED: nodes=",
            schedule.nodes(), " ports=", ports);
    }

    private List<PortNumbers.Switch> tables(final Schedule schedule, final SpineRule rule) {
        final List<PortNumbers.Switch> switches = new ArrayList<>();
        final int nodes = schedule.nodes();
        final int[] peer = new int[nodes];
        final int[] spine = new int[nodes];
        final EdgeColouring colouring = new EdgeColouring(leaves, nodesPerLeaf);
        for (int plane = 0; plane < schedule.channels(); plane++) {
            final SwitchTable.Builder[] tables = new SwitchTable.Builder[leaves + spineSwitches];
            Arrays.setAll(tables, index -> new SwitchTable.Builder(ports, schedule.epochSlots()));
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                for (int node = 0; node < nodes; node++) {
                    peer[node] = schedule.peerAt(node, plane, slot);
                }
                choose(rule, peer, spine, colouring);
                connect(tables, slot, peer, spine);
            }
            for (int index = 0; index < tables.length; index++) {
                final String name = index < leaves ? " leaf " + index : " spine switch " + (index - leaves);
                switches.add(new PortNumbers.Switch("plane " + plane + name, plane, tables[index].build()));
            }
        }
        return switches;
    }

    /** Chooses the spine of every node that sends in a column. */
    private void choose(final SpineRule rule, final int[] peer, final int[] spine, final EdgeColouring colouring) {
        final int nodes = peer.length;
        if (rule != SpineRule.COLOURED) {
            for (int node = 0; node < nodes; node++) {
                final int shift = Math.floorMod(peer[node] - node, nodes);
                spine[node] = Math.floorMod(node + turn(rule, shift, nodes), nodesPerLeaf);
            }
            return;
        }
        final int[] sender = new int[nodes];
        final int[] left = new int[nodes];
        final int[] right = new int[nodes];
        final int[] colour = new int[nodes];
        int cells = 0;
        for (int node = 0; node < nodes; node++) {
            if (peer[node] != Schedule.IDLE) {
                sender[cells] = node;
                left[cells] = node / nodesPerLeaf;
                right[cells++] = peer[node] / nodesPerLeaf;
            }
        }
        colouring.colour(cells, left, right, colour);
        for (int cell = 0; cell < cells; cell++) {
            spine[sender[cell]] = colour[cell];
        }
    }

    /** g(s): rotation of a column's spines relative to the positions of the nodes on their leaves. */
    private int turn(final SpineRule rule, final int shift, final int nodes) {
        final int leavesTurned = rule == SpineRule.BALANCED ? leaves : leaves / 2;
        final int width = leavesTurned % nodesPerLeaf == 0 ? nodesPerLeaf : leavesTurned;
        return rule == SpineRule.BALANCED || shift <= nodes / 2 ? shift / width
            : (nodes - shift) / width - (nodes - shift);
    }

    private void connect(final SwitchTable.Builder[] tables, final int slot, final int[] peer, final int[] spine) {
        for (int node = 0; node < peer.length; node++) {
            if (peer[node] != Schedule.IDLE) {
                final int from = node / nodesPerLeaf;
                final int to = peer[node] / nodesPerLeaf;
                final int up = nodesPerLeaf + spine[node];
                tables[from].connect(slot, node % nodesPerLeaf, up);
                tables[leaves + spine[node] / spinesPerSwitch].connect(slot, spinePort(spine[node], from),
                    spinePort(spine[node], to));
                tables[to].connect(slot, up, peer[node] % nodesPerLeaf);
            }
        }
    }

    private int[] fibres(final Schedule schedule, final PortNumbers numbers) {
        final int[] feeder = Wiring.unconnected(numbers);
        for (int plane = 0; plane < schedule.channels(); plane++) {
            for (int node = 0; node < schedule.nodes(); node++) {
                Wiring.connect(feeder, numbers.ofNode(node, plane, 0),
                    numbers.ofSwitch(leafSwitch(plane, node / nodesPerLeaf), node % nodesPerLeaf));
            }
            for (int leaf = 0; leaf < leaves; leaf++) {
                for (int spine = 0; spine < nodesPerLeaf; spine++) {
                    Wiring.connect(feeder, numbers.ofSwitch(leafSwitch(plane, leaf), nodesPerLeaf + spine),
                        numbers.ofSwitch(spineSwitch(plane, spine), spinePort(spine, leaf)));
                }
            }
        }
        return feeder;
    }

    /**
     * Colours the edges of a bipartite multigraph so that no two edges at a vertex share a colour, with as many colours
     * as the highest degree (König's theorem). An edge takes the lowest colour free at both ends. If there is none, the
     * path of alternating colours that starts at its right end with the colour free at its left end is inverted first.
     * The same edges in the same order get the same colours. Reusable; one thread at a time.
     */
    static final class EdgeColouring {
        private static final int NONE = -1;

        private final int colours;
        /** Edge of each colour at each vertex: vertex * colours + colour. */
        private final int[] atLeft;
        private final int[] atRight;

        /**
         * Creates a colouring for graphs with the same number of vertices on either side.
         *
         * @param vertices vertices per side.
         * @param colours  number of colours, at least the highest degree.
         */
        EdgeColouring(final int vertices, final int colours) {
            this.colours = colours;
            this.atLeft = new int[vertices * colours];
            this.atRight = new int[vertices * colours];
        }

        /**
         * Colours a graph.
         *
         * @param edges  number of edges.
         * @param left   the left vertex of each edge.
         * @param right  the right vertex of each edge.
         * @param colour receives the colour of each edge in [0, edges).
         * @throws IllegalArgumentException if a vertex has more edges than there are colours.
         */
        void colour(final int edges, final int[] left, final int[] right, final int[] colour) {
            Arrays.fill(atLeft, NONE);
            Arrays.fill(atRight, NONE);
            final int[] path = new int[edges];
            for (int edge = 0; edge < edges; edge++) {
                final int l = left[edge] * colours;
                final int r = right[edge] * colours;
                int chosen = 0;
                while (chosen < colours && (atLeft[l + chosen] != NONE || atRight[r + chosen] != NONE)) {
                    chosen++;
                }
                if (chosen == colours) {
                    chosen = free(atLeft, left[edge]);
                    turnOver(right[edge], chosen, free(atRight, right[edge]), left, right, colour, path);
                }
                colour[edge] = chosen;
                atLeft[l + chosen] = edge;
                atRight[r + chosen] = edge;
            }
        }

        private int free(final int[] at, final int vertex) {
            for (int colour = 0; colour < colours; colour++) {
                if (at[vertex * colours + colour] == NONE) {
                    return colour;
                }
            }
            throw new IllegalArgumentException(
                "a vertex has more edges than there are colours: vertex=" + vertex + " colours=" + colours);
        }

        /** Exchanges two colours on the path that starts at a right vertex with the first colour. */
        private void turnOver(final int start, final int first, final int second, final int[] left, final int[] right,
            final int[] colour, final int[] path) {
            int length = 0;
            int next = atRight[start * colours + first];
            while (next != NONE) {
                path[length++] = next;
                final boolean goneLeft = length % 2 == 1;
                next = goneLeft ? atLeft[left[next] * colours + second] : atRight[right[next] * colours + first];
            }
            for (int i = 0; i < length; i++) {
                final int edge = path[i];
                atLeft[left[edge] * colours + colour[edge]] = NONE;
                atRight[right[edge] * colours + colour[edge]] = NONE;
            }
            for (int i = 0; i < length; i++) {
                final int edge = path[i];
                colour[edge] = first + second - colour[edge];
                atLeft[left[edge] * colours + colour[edge]] = edge;
                atRight[right[edge] * colours + colour[edge]] = edge;
            }
        }
    }
}
