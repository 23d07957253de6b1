package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The nodes of a complete schedule of {@code r^h} nodes that exist, and those of them that are endpoints of user
 * traffic.
 *
 * <pre>
 *               forwards cells   endpoint   created by
 *   endpoint         yes           yes
 *   filler           yes           no       {@link #fill}: surplus, forwards cells
 *   hole             no            no       {@link #of}: surplus, left out
 *   failed           no            no       {@link #of}, {@link #failing}: requested, but never answers
 * </pre>
 *
 * Users number the endpoints 0, 1, .. without gaps, in ascending order of their nodes before any exchange of
 * coordinates. Immutable; any thread may call.
 */
public final class Population {
    /** Result of {@link #endpointOf} for a node that is not an endpoint. */
    public static final int NONE = -1;

    private final Coordinates coordinates;
    private final BitSet present;
    /** Bitmap words for the links of a node in a phase. */
    private final int words;
    /**
     * Links that lead to present nodes, tested 64 at a time; null if every node is present. Bit k mod 64 of word
     * (phase * nodes + node) * words + k div 64 is link k of the phase.
     */
    private final long[] links;
    private final int absent;
    private final int[] nodeOf;
    private final int[] endpointOf;

    private Population(final Phased schedule, final BitSet present, final int absent, final int[] nodeOf) {
        this.coordinates = schedule.coordinates();
        this.present = present;
        this.words = schedule.linkWords();
        this.links = absent == 0 ? null : links(schedule, present);
        this.absent = absent;
        this.nodeOf = nodeOf;
        this.endpointOf = new int[coordinates.nodes()];
        Arrays.fill(endpointOf, NONE);
        for (int endpoint = 0; endpoint < nodeOf.length; endpoint++) {
            endpointOf[nodeOf[endpoint]] = endpoint;
        }
    }

    private static long[] links(final Phased schedule, final BitSet present) {
        final int words = schedule.linkWords();
        final long[] links = new long[schedule.phases() * schedule.nodes() * words];
        for (int phase = 0; phase < schedule.phases(); phase++) {
            for (int node = 0; node < schedule.nodes(); node++) {
                for (int link = 0; link < schedule.linksPerPhase(); link++) {
                    if (present.get(schedule.peerOf(node, phase, link))) {
                        links[(phase * schedule.nodes() + node) * words + (link >>> 6)] |= 1L << link;
                    }
                }
            }
        }
        return links;
    }

    /** Places the endpoints on the first present nodes. */
    private Population(final Phased schedule, final BitSet present, final int absent, final int endpoints) {
        this(schedule, present, absent, present.stream().limit(endpoints).toArray());
    }

    /** The population in which every node of the schedule is an endpoint. */
    public static Population complete(final Phased schedule) {
        return fill(schedule, schedule.nodes());
    }

    /**
     * A fabric without the surplus nodes (mode HOLES, docs/spec/shale.md §2.5) and with failed nodes
     * (docs/spec/shale.md §8.6). Both are spread over the phase groups. If there are no holes, the failed nodes are
     * those of the Shale authors' simulator. If the radix is {@link #radixFor}, a group has at most h holes.
     *
     * <p>If h is large relative to the group (h of 3 or more with a radix below 8), many last spraying hops find no
     * link with a complete direct path ({@link #lastSprayLinks}) and their cells are lost: use {@link #fill} in that
     * case.
     *
     * @param schedule    the complete schedule.
     * @param nodes       number of nodes requested, including failed ones, 2 to {@code schedule.nodes()}.
     * @param failedNodes how many of these nodes never answer, 0 to {@code nodes - 1}.
     * @return a population of {@code nodes - failedNodes} endpoints.
     * @throws IllegalArgumentException if a number is out of range, or if the holes leave a node without a neighbour in
     *                                  one of the phases.
     */
    public static Population of(final Phased schedule, final int nodes, final int failedNodes) {
        checkNodes(schedule, nodes);
        Bounds.refuseIf(failedNodes < 0 || failedNodes >= nodes, "failedNodes must be 0 to nodes - 1: failedNodes=",
            failedNodes, " nodes=", nodes);
        final BitSet present = all(schedule);
        final int holes = schedule.nodes() - nodes;
        final Layers layers = new Layers(schedule.coordinates(), present);
        layers.removeHoles(holes);
        checkNeighbours(schedule, present, nodes);
        layers.removeFailed(failedNodes);
        return new Population(schedule, present, holes + failedNodes, nodes - failedNodes);
    }

    /**
     * A fabric without the surplus nodes, as in {@link #of}, in which the given nodes have failed. Endpoints are the
     * remaining requested nodes, in ascending order of their numbers.
     *
     * @param schedule the complete schedule.
     * @param nodes    number of nodes requested, including failed ones, 2 to {@code schedule.nodes()}.
     * @param failed   numbers, 0 to {@code nodes - 1}, of the requested nodes that never answer; at least two nodes
     *                 must be left.
     * @param exchange whether failed nodes exchange their coordinates with others, so that every phase group lacks as
     *                 few nodes as possible (docs/spec/shale.md §8.7). All other nodes keep their coordinates.
     * @throws IllegalArgumentException if a number is out of range, or a node has no neighbour in one of the phases.
     */
    public static Population failing(final Phased schedule, final int nodes, final BitSet failed,
        final boolean exchange) {
        checkNodes(schedule, nodes);
        Bounds.refuseIf(failed.length() > nodes || failed.cardinality() > nodes - 2,
            "failed nodes must be 0 to nodes - 1, and at least two must remain: nodes=", nodes, " failed=",
            failed.cardinality(), " last=", failed.length() - 1);
        final BitSet standing = all(schedule);
        new Layers(schedule.coordinates(), standing).removeHoles(schedule.nodes() - nodes);
        checkNeighbours(schedule, standing, nodes);
        final int[] of = standing.stream().toArray();
        final BitSet down = new BitSet();
        failed.stream().forEach(number -> down.set(of[number]));
        final int[] positions = exchange
            ? new CoordinateExchange(schedule.coordinates(), standing, down).positions()
            : IntStream.range(0, schedule.nodes()).toArray();
        final int[] endpoints = Arrays.stream(of).filter(node -> !down.get(node)).map(node -> positions[node])
            .toArray();
        final BitSet present = new BitSet();
        Arrays.stream(endpoints).forEach(present::set);
        checkNeighbours(schedule, present, endpoints.length);
        return new Population(schedule, present, schedule.nodes() - endpoints.length, endpoints);
    }

    /**
     * A fabric in which surplus nodes forward cells but are not endpoints (mode FILL, as in the Shale authors'
     * simulator, docs/spec/shale.md §2.5).
     *
     * @param schedule the complete schedule.
     * @param nodes    number of endpoints, 2 to {@code schedule.nodes()}; endpoint i is node i.
     */
    public static Population fill(final Phased schedule, final int nodes) {
        checkNodes(schedule, nodes);
        return new Population(schedule, all(schedule), 0, nodes);
    }

    /**
     * The smallest radix with which a fabric of {@code phases} phases has room for {@code nodes} nodes.
     *
     * @param phases h, 1 to 8.
     * @param nodes  at least 2; {@code radix^phases} must stay below 2^20.
     * @return the smallest r of at least 2 with {@code r^phases >= nodes}.
     */
    public static int radixFor(final int phases, final int nodes) {
        Bounds.require("phases", phases, 1, Phased.MAX_PHASES);
        Bounds.atLeast("nodes", nodes, 2);
        int radix = 2;
        while (power(radix, phases) < Math.min(nodes, Phased.MAX_NODES)) {
            radix++;
        }
        Bounds.refuseIf(power(radix, phases) >= Phased.MAX_NODES, "no radix with radix^phases from nodes to ",
            Phased.MAX_NODES - 1, ": nodes=", nodes, " phases=", phases);
        return radix;
    }

    /**
     * The same nodes in another schedule with the same number of nodes, for schedules that share the slots.
     *
     * @throws IllegalArgumentException if a node has no neighbour in a phase of the schedule.
     */
    public Population in(final Phased schedule) {
        checkNeighbours(schedule, present, coordinates.nodes() - absent);
        return new Population(schedule, present, absent, nodeOf);
    }

    /** Number of endpoints. */
    public int endpoints() {
        return nodeOf.length;
    }

    /** The node of an endpoint, 0 to {@code endpoints() - 1}. */
    public int nodeOf(final int endpoint) {
        return nodeOf[endpoint];
    }

    /** The endpoint at a node, or {@link #NONE}. */
    public int endpointOf(final int node) {
        return endpointOf[node];
    }

    /** Number of nodes that statistics list: endpoints, followed by fillers. */
    public int listed() {
        return coordinates.nodes() - absent;
    }

    /**
     * The number under which statistics list a node: that of its endpoint, or its own for a filler; {@link #NONE} if
     * absent.
     */
    public int numberOf(final int node) {
        return endpointOf[node] != NONE || !present(node) ? endpointOf[node] : node;
    }

    /** Whether a node sends, receives and forwards. The links of an absent node are down at both ends. */
    public boolean present(final int node) {
        return present.get(node);
    }

    /** Whether every node of the schedule is present, so that no link needs to be checked. */
    public boolean allPresent() {
        return absent == 0;
    }

    /** Maximum number of absent nodes in a phase group that has any present node. Scans all nodes. */
    public int mostAbsentOfGroup() {
        return CoordinateExchange.mostAbsent(coordinates, present);
    }

    /** Number of absent nodes: holes and failed nodes. */
    public int absent() {
        return absent;
    }

    /**
     * Bitmap of the links of a node that lead to present nodes. The node itself may be absent. Only if not
     * {@link #allPresent}.
     *
     * @param phase phase of the links.
     * @param word  index of a group of 64 links: bit k is link {@code 64 * word + k} of the phase.
     */
    public long presentLinks(final int node, final int phase, final int word) {
        return links[(phase * coordinates.nodes() + node) * words + word];
    }

    /**
     * Bitmap, as in {@link #presentLinks}, of the links usable for a last spraying hop: those to present nodes whose
     * direct hops to the destination lead through present nodes only (docs/spec/shale.md §8.6).
     *
     * @param node        the sender.
     * @param phase       phase of the links. The first direct hop is in the first phase after it, in cyclic order, in
     *                    which node and destination differ; the last one may be in the phase itself.
     * @param destination end of the direct hops; no link is usable if the destination is absent.
     * @param word        index of a group of 64 links, as in {@link #presentLinks}.
     */
    public long lastSprayLinks(final int node, final int phase, final int destination, final int word) {
        return present(destination) ? openLinks(node, phase, destination, word) : 0;
    }

    private long openLinks(final int node, final int phase, final int destination, final int word) {
        // The direct hops after any link change the same digits as the direct hops from the node itself. Each of
        // them therefore leads to // the end of the same link, taken at the node where the hops without that link would
        // be.
        long open = presentLinks(node, phase, word);
        int at = node;
        for (int step = 1; step < coordinates.phases(); step++) {
            final int next = phase + step < coordinates.phases() ? phase + step : phase + step - coordinates.phases();
            at = coordinates.withDigit(at, next, coordinates.digit(destination, next));
            open &= presentLinks(at, phase, word);
        }
        return open;
    }

    /**
     * Whether a cell can be lost because no link is usable: some node has no {@link #lastSprayLinks} to a present
     * destination. Tries every path, unless there are fewer than r - 1 absent nodes: each blocks at most one link of a
     * phase.
     */
    public boolean hasDeadEnds() {
        final int nodes = coordinates.nodes();
        boolean found = false;
        for (int phase = 0; absent >= coordinates.radix() - 1 && phase < coordinates.phases() && !found; phase++) {
            for (int node = 0; node < nodes && !found; node++) {
                found = present(node) && isDeadEnd(node, phase, 0, node);
            }
        }
        return found;
    }

    /**
     * Whether a path leads to a destination that cannot be reached; {@code at} is the node after {@code steps} steps.
     */
    private boolean isDeadEnd(final int node, final int phase, final int steps, final int at) {
        if (steps == coordinates.phases() - 1) {
            boolean open = false;
            boolean wanted = present(at);
            for (int word = 0; word < words; word++) {
                wanted |= presentLinks(at, phase, word) != 0;
                open |= openLinks(node, phase, at, word) != 0;
            }
            return wanted && !open;
        }
        final int next = (phase + steps + 1) % coordinates.phases();
        boolean found = false;
        for (int digit = 0; digit < coordinates.radix() && !found; digit++) {
            found = isDeadEnd(node, phase, steps + 1, coordinates.withDigit(at, next, digit));
        }
        return found;
    }

    /**
     * For consecutive nodes, whether the node and its peer on a link are both present.
     *
     * @param first the first node.
     * @param count number of nodes.
     * @param phase phase of the link.
     * @param link  number of the link in the phase.
     * @param into  receives 1 or 0 in [0, count).
     */
    public void joined(final int first, final int count, final int phase, final int link, final int[] into) {
        for (int i = 0; i < count; i++) {
            into[i] = (int) (presentLinks(first + i, phase, link >>> 6) >>> link & 1) & (present(first + i) ? 1 : 0);
        }
    }

    private static BitSet all(final Phased schedule) {
        final BitSet nodes = new BitSet();
        nodes.set(0, schedule.nodes());
        return nodes;
    }

    private static void checkNodes(final Phased schedule, final int nodes) {
        Bounds.require("nodes", nodes, 2, schedule.nodes());
    }

    private static void checkNeighbours(final Phased schedule, final BitSet present, final int nodes) {
        for (int node = 0; node < schedule.nodes(); node++) {
            for (int phase = 0; present.get(node) && phase < schedule.phases(); phase++) {
                int link = 0;
                while (!present.get(schedule.peerOf(node, phase, link))) {
                    if (++link == schedule.linksPerPhase()) {
                        throw new IllegalArgumentException("too few nodes for phases=" + schedule.phases() + " radix="
                            + schedule.radix() + ", some have no neighbour in a phase: nodes=" + nodes);
                    }
                }
            }
        }
    }

    private static long power(final int radix, final int phases) {
        long power = 1;
        for (int phase = 0; phase < phases && power < Phased.MAX_NODES; phase++) {
            power *= radix;
        }
        return power;
    }

    /** Numbers of endpoints and nodes, and a hash that distinguishes populations of the same size. */
    @Override
    public String toString() {
        return nodeOf.length + " endpoints, " + present.cardinality() + " of " + coordinates.nodes() + " nodes, sum "
            + Integer.toHexString(31 * present.hashCode() + Arrays.hashCode(nodeOf));
    }

    /**
     * The layers of a fabric, which are sets of nodes of equal digit sum, and the selection of absent nodes from them.
     *
     * <p>Two nodes of a phase group differ in one digit only, so a layer holds at most one node of each group: removing
     * whole layers spreads the absent nodes evenly over all groups (docs/spec/shale.md §2.5, §8.6). For set-up; one
     * thread at a time.
     */
    static final class Layers {
        private static final int SEED = 1;

        private final Coordinates coordinates;
        private final BitSet present;
        private final int[] layer;
        private int size;

        /**
         * Creates layers of the nodes that are still present.
         *
         * @param present the set from which the selected nodes are removed.
         */
        Layers(final Coordinates coordinates, final BitSet present) {
            this.coordinates = coordinates;
            this.present = present;
            this.layer = new int[coordinates.nodes()];
        }

        /**
         * Removes surplus nodes: layers of digit sum -1, -2, .. modulo r. Each layer has one node of every phase group,
         * so the numbers of nodes removed from two groups differ by at most one, and node 0 stays (docs/spec/shale.md
         * §2.5, mode HOLES).
         */
        void removeHoles(final int count) {
            final int radix = coordinates.radix();
            int left = count;
            for (int residue = radix - 1; left > 0; residue--) {
                size = 0;
                for (int sum = residue; sum <= highestSum(); sum += radix) {
                    add(0, sum, 0);
                }
                left -= removeAtMost(left);
            }
        }

        /**
         * Removes failed nodes as the Shale authors' simulator does: layers of digit sum b, b + 1, b - 1, b + 2, ..
         * with b half the highest sum, rounded down (docs/spec/shale.md §8.6).
         */
        void removeFailed(final int count) {
            final int base = highestSum() / 2;
            int left = count;
            for (int step = 0; left > 0; step++) {
                size = 0;
                add(0, step % 2 == 0 ? base - step / 2 : base + (step + 1) / 2, 0);
                left -= removeAtMost(left);
            }
        }

        private int highestSum() {
            return coordinates.phases() * (coordinates.radix() - 1);
        }

        /**
         * Adds the present nodes whose digits from {@code phase} on sum to {@code sum} to the layer; digit 0 varies
         * slowest.
         */
        private void add(final int phase, final int sum, final int node) {
            final boolean last = phase == coordinates.phases() - 1;
            if (sum < 0 || last && sum >= coordinates.radix()) {
                return;
            }
            if (last) {
                final int found = node + sum * coordinates.weight(phase);
                if (present.get(found)) {
                    layer[size++] = found;
                }
                return;
            }
            for (int digit = 0; digit < coordinates.radix(); digit++) {
                add(phase + 1, sum - digit, node + digit * coordinates.weight(phase));
            }
        }

        /** Removes the layer, or its first {@code most} nodes in shuffled order if it has more. */
        private int removeAtMost(final int most) {
            if (size > most) {
                // A new generator for each layer, as in the simulator.
                new Mt19937(SEED).shuffle(layer, size);
            }
            final int removed = Math.min(size, most);
            for (int i = 0; i < removed; i++) {
                present.clear(layer[i]);
            }
            return removed;
        }
    }

    /**
     * Failed nodes exchange their coordinates with others, so that every phase group lacks as few nodes as possible
     * (Shale §3.4, docs/spec/shale.md §8.7).
     *
     * <p>Nodes of equal digit sum modulo r form a class: each class has one node of every phase group. The exchange
     * concentrates the absent nodes in as few classes as possible. Classes that lack nodes anyway are used first, then
     * those with most failed nodes, which keep their coordinates this way. For set-up; one thread at a time.
     *
     * @param standing nodes that are not holes.
     * @param failed   those of them that have failed.
     */
    private record CoordinateExchange(Coordinates coordinates, BitSet standing, BitSet failed) {
        /**
         * The node whose coordinates each node has after the exchange; nodes that do not take part map to themselves.
         */
        int[] positions() {
            final int[] positions = IntStream.range(0, coordinates.nodes()).toArray();
            final BitSet vacated = spread();
            final BitSet leaving = (BitSet) failed.clone();
            leaving.andNot(vacated);
            vacated.andNot(failed);
            int with = vacated.nextSetBit(0);
            for (int node = leaving.nextSetBit(0); node >= 0; node = leaving.nextSetBit(node + 1)) {
                positions[node] = with;
                positions[with] = node;
                with = vacated.nextSetBit(with + 1);
            }
            return positions;
        }

        /** Selects one set of coordinates per failed node, from as few classes as possible. */
        private BitSet spread() {
            final int radix = coordinates.radix();
            final int[] holes = new int[radix];
            final int[] failures = new int[radix];
            for (int node = 0; node < coordinates.nodes(); node++) {
                holes[classOf(node)] += standing.get(node) ? 0 : 1;
                failures[classOf(node)] += failed.get(node) ? 1 : 0;
            }
            final int[] order = IntStream.range(0, radix).boxed()
                .sorted(Comparator.comparingInt((Integer each) -> -holes[each]).thenComparing(each -> -failures[each]))
                .mapToInt(Integer::intValue).toArray();
            final BitSet chosen = new BitSet();
            int left = failed.cardinality();
            for (int i = 0; left > 0; i++) {
                left -= choose(order[i], failed, left, chosen);
                left -= choose(order[i], standing, left, chosen);
            }
            return chosen;
        }

        /** Adds up to {@code most} nodes of a class that are in {@code from}, in ascending order; returns how many. */
        private int choose(final int one, final BitSet from, final int most, final BitSet chosen) {
            int count = 0;
            for (int node = from.nextSetBit(0); node >= 0 && count < most; node = from.nextSetBit(node + 1)) {
                if (classOf(node) == one && !chosen.get(node)) {
                    chosen.set(node);
                    count++;
                }
            }
            return count;
        }

        private int classOf(final int node) {
            int sum = 0;
            for (int phase = 0; phase < coordinates.phases(); phase++) {
                sum += coordinates.digit(node, phase);
            }
            return sum % coordinates.radix();
        }

        /** Maximum number of nodes absent from a phase group that has any present node. */
        static int mostAbsent(final Coordinates coordinates, final BitSet present) {
            int most = 0;
            for (int phase = 0; phase < coordinates.phases(); phase++) {
                for (int node = present.nextSetBit(0); node >= 0; node = present.nextSetBit(node + 1)) {
                    int absent = 0;
                    for (int digit = 0; digit < coordinates.radix(); digit++) {
                        absent += present.get(coordinates.withDigit(node, phase, digit)) ? 0 : 1;
                    }
                    most = Math.max(most, absent);
                }
            }
            return most;
        }
    }
}
