package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Table 1 of the paper (docs/spec/shoal.md §5.5): at N = 512, k = sqrt(2N) = 32 by the wiring alone, and in a smaller
 * fabric that runs while a part of its Clos fails: nodes find out for themselves whom they have lost, and leave the
 * turns unused that the wiring says they must.
 */
final class LostSlotsTest {
    private static final int NODES = 512;
    private static final int PORTS = 32;
    private static final int LEAVES = 32;
    private static final int SPINES = 16;

    /** The fabric that runs, and the slot in which its part fails. */
    private static final int RUNNING = 32;
    private static final RoundRobin SCHEDULE = RoundRobin.plain(RUNNING, 1);
    private static final Clos CLOS = Clos.of(SCHEDULE, 8);
    private static final long FAILS = 3L * SCHEDULE.epochSlots() + 5;
    private static final Clos BALANCED = new Clos(RoundRobin.plain(NODES, 1), PORTS, Clos.SpineRule.BALANCED);
    private static final Clos RECIPROCAL = new Clos(RoundRobin.plain(NODES, 1), PORTS, Clos.SpineRule.RECIPROCAL);
    private static final LostSlots OF_BALANCED = new LostSlots(BALANCED.wiring());
    private static final LostSlots OF_RECIPROCAL = new LostSlots(RECIPROCAL.wiring());

    /** 1/N, the slot to the node that is gone, and 1/sqrt(2N), the slots to the nodes of the leaf; both exact. */
    @ParameterizedTest
    @EnumSource(value = Clos.SpineRule.class, names = {"BALANCED", "RECIPROCAL"})
    void shouldLoseOneSlotWithANodeOrItsLinkAndThoseOfALeaf(final Clos.SpineRule rule) {
        final Clos clos = rule == Clos.SpineRule.BALANCED ? BALANCED : RECIPROCAL;
        final LostSlots lost = rule == Clos.SpineRule.BALANCED ? OF_BALANCED : OF_RECIPROCAL;
        for (final int node : new int[]{0, 17, 300, 511}) {
            final int port = clos.wiring().ports().ofNode(node, 0, 0);
            for (final LostSlots.Share share : new LostSlots.Share[]{lost.ofNode(node), lost.ofLink(port),
                lost.ofLink(clos.wiring().target(port))}) {
                exactly(1, share);
            }
        }
        for (final int leaf : new int[]{0, 13, 31}) {
            exactly(16, lost.ofSwitch(clos.leafSwitch(0, leaf)));
        }
        assertEquals(0.00196, 1.0 / 511, 0.000005);
        assertEquals(0.03131, 16.0 / 511, 0.000005);
    }

    private static void exactly(final int slots, final LostSlots.Share share) {
        assertArrayEquals(new double[] {slots / 511.0, slots / 511.0, slots / 511.0},
            new double[] {share.least(), share.mean(), share.most()}, 1e-12);
    }

    /** 2/N and 2 sqrt(2) / sqrt(N), 0.125, on paper; some pairs lose both directions at once, so slightly less. */
    @Test
    void shouldLoseBothWaysOverASpineOrALinkToIt() {
        final double mean = meanOfSpineLinks(OF_BALANCED, BALANCED);
        assertEquals(0.00378, mean, 0.000005);
        assertTrue(mean < 2.0 / 511);

        final List<LostSlots.Share> shares = ofSpines(OF_BALANCED, BALANCED);
        assertEquals(0.1207, mean(shares), 0.00005);
        for (final LostSlots.Share share : shares) {
            assertTrue(share.least() >= 0.11545 && share.most() <= 0.12135, share.toString());
        }
    }

    @Test
    void shouldLoseHalfOfThatIfReciprocal() {
        // 1/511, of which the specification prints 0.0019, and 0.0625
        assertEquals(1.0 / 511, meanOfSpineLinks(OF_RECIPROCAL, RECIPROCAL), 1e-9);
        assertEquals(0.0625, mean(ofSpines(OF_RECIPROCAL, RECIPROCAL)), 0.00005);
    }

    /** With fewer leaves than spines no node may depend on a few spines: the fabric of the paper's simulation. */
    @Test
    void shouldSpreadTheLossOfASpineOverAllNodes() {
        final Clos clos = Clos.of(RoundRobin.plain(NODES, 1), 64);
        final LostSlots lost = new LostSlots(clos.wiring());
        for (int spine = 0; spine < 32; spine += 4) {
            final LostSlots.Share share = lost.ofSwitch(clos.spineSwitch(0, spine));
            assertTrue(share.least() > 0.230 && share.most() < 0.241, share.toString());
        }
    }

    /** A phase group's switch cuts each of its nodes off the others of the group; no other node is affected. */
    @Test
    void shouldLoseAPhaseGroup() {
        final Phased schedule = new Phased(2, 4);
        final Wiring wiring = PhaseGroupSwitches.wiring(schedule);

        assertEquals(new LostSlots.Share(0, 0, 0), new LostSlots(wiring).ofSwitch(0));
        // node 6 has 3 peers in either phase
        assertEquals(new LostSlots.Share(6.0 / 6 / 15, 0, 1.0 / 6), new LostSlots(wiring).ofNode(6));
    }

    /** Over twice as many links as there are leaves: at least two of each leaf and each spine. */
    private static double meanOfSpineLinks(final LostSlots lost, final Clos clos) {
        return IntStream.range(0, 2 * LEAVES).mapToObj(i -> lost.ofLink(clos.wiring().ports().ofSwitch(
            clos.leafSwitch(0, i % LEAVES), SPINES + (i + i / LEAVES * 5) % SPINES)))
            .mapToDouble(LostSlots.Share::mean).average().orElseThrow();
    }

    private static List<LostSlots.Share> ofSpines(final LostSlots lost, final Clos clos) {
        return IntStream.range(0, SPINES).mapToObj(spine -> lost.ofSwitch(clos.spineSwitch(0, spine))).toList();
    }

    private static double mean(final List<LostSlots.Share> shares) {
        return shares.stream().mapToDouble(LostSlots.Share::mean).average().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"node", "node link", "leaf", "leaf-spine link", "spine"})
    void shouldLeaveTheTurnsUnusedThatTable1Says(final String what) {
        final Wiring wiring = CLOS.wiring();
        final PortNumbers ports = wiring.ports();
        final LostSlots lost = new LostSlots(wiring);
        final int node = 9;
        BitSet fibres = new BitSet();
        final LostSlots.Share expected = switch (what) {
            case "node", "node link" -> {
                fibres = lost.link(ports.ofNode(node, 0, 0));
                yield what.equals("node") ? lost.ofNode(node) : lost.ofLink(ports.ofNode(node, 0, 0));
            }
            case "leaf-spine link" -> {
                final int port = ports.ofSwitch(CLOS.spineSwitch(0, 1), CLOS.spinePort(1, 2));
                fibres = lost.link(port);
                yield lost.ofLink(port);
            }
            default -> lost.ofSwitch(what.equals("leaf") ? CLOS.leafSwitch(0, 2) : CLOS.spineSwitch(0, 1));
        };
        final Faults faults = switch (what) {
            case "node" -> Scripts.of(new Fault.Node(FAILS, node, false));
            case "leaf", "spine" -> stopped(what.equals("leaf") ? CLOS.leafSwitch(0, 2) : CLOS.spineSwitch(0, 1));
            default -> Scripts.of(lost.crossing(fibres)
                .map(way -> new Fault.Link(FAILS, way[0], way[1], false)).toArray(Fault[]::new));
        };
        // Not attached to the failed part: all but the node, or its leaf, or the leaf of the link.
        final BitSet healthy = new BitSet();
        healthy.set(0, RUNNING);
        healthy.clear(what.startsWith("node") ? node : 8, what.startsWith("node") ? node + 1
            : what.equals("spine") ? 8 : 12);
        final double[] share = unused(faults);
        double sum = 0;
        double most = 0;
        for (int id = healthy.nextSetBit(0); id >= 0; id = healthy.nextSetBit(id + 1)) {
            sum += share[id];
            most = Math.max(most, share[id]);
        }
        assertTrue(expected.mean() > 0, what);
        assertEquals(expected.mean(), sum / healthy.cardinality(), 1e-12, what);
        assertEquals(expected.most(), most, 1e-12, what);
    }

    /** Share of unused turns of each node, measured over ten epochs after a while. */
    private static double[] unused(final Faults faults) {
        try (FaultyShoal fabric = new FaultyShoal(Parts.shoal(SCHEDULE, 0), Flows.endless(RUNNING, 5), faults,
            RUNNING)) {
            fabric.stepTo(10L * SCHEDULE.epochSlots());
            final double[] share = new double[RUNNING];
            for (int id = 0; id < RUNNING; id++) {
                share[id] = -fabric.banks[id].count(NicCounter.TURNS_UNUSED);
            }
            fabric.stepTo(20L * SCHEDULE.epochSlots());
            for (int id = 0; id < RUNNING; id++) {
                share[id] = (share[id] + fabric.banks[id].count(NicCounter.TURNS_UNUSED)) / 10 / (RUNNING - 1);
            }
            return share;
        }
    }

    private static Faults stopped(final int index) {
        return Scripts.of(new Fault.Switch(FAILS, index, false, CLOS.wiring().pairsThrough(index)));
    }

    /**
     * The cost of one failed element: the share of its outgoing slots that a healthy node loses permanently.
     *
     * <p>A slot is lost if its cell, or the cell in the reverse direction, would cross the failed element: a node stops
     * sending to a node that it does not hear (docs/spec/shoal.md §5.2). The share is taken over nodes that are not
     * attached to the element: not the failed node, the node at a failed link, the nodes of a failed leaf, or those of
     * the leaf at a failed link to a spine.
     */
    private static final class LostSlots {
        private final Wiring wiring;
        private final PortNumbers ports;
        private final int channels;
        /** Of each slot of a node: sender, receiver, and the ports that send into the fibres between them. */
        private final List<int[]> ways = new ArrayList<>();
        private final int[] slots;

        /** Share of a node's outgoing slots lost, 0 to 1, over the nodes counted. */
        record Share(double mean, double least, double most) {
        }

        /** For a fabric that connects every pair at most once an epoch. */
        LostSlots(final Wiring wiring) {
            this.wiring = wiring;
            this.ports = wiring.ports();
            final Schedule schedule = wiring.schedule();
            this.channels = schedule.channels();
            this.slots = new int[schedule.nodes()];
            final int[] path = new int[wiring.stages() + 1];
            for (int turn = 0; turn < channels * schedule.epochSlots() * slots.length; turn++) {
                final int node = turn % slots.length;
                final int at = turn / slots.length;
                final int length = wiring.trace(node, at % channels, at / channels, path);
                if (length > 0) {
                    final int[] way = new int[2 + length];
                    way[0] = ports.nodeOf(path[length - 1]);
                    way[1] = node;
                    System.arraycopy(path, 0, way, 2, length);
                    ways.add(way);
                    slots[way[0]]++;
                }
            }
        }

        Share ofNode(final int node) {
            final BitSet fibres = new BitSet();
            for (int channel = 0; channel < channels; channel++) {
                for (int port = 0; port < ports.nodePorts(); port++) {
                    fibres.or(link(ports.ofNode(node, channel, port)));
                }
            }
            return lost(fibres, only(node));
        }

        Share ofSwitch(final int index) {
            final BitSet fibres = new BitSet();
            for (int port = 0; port < wiring.table(index).ports(); port++) {
                fibres.or(link(ports.ofSwitch(index, port)));
            }
            return lost(fibres, attachedTo(index));
        }

        /** The loss when both fibres of a link fail that has a port, of a node or a switch, at one end. */
        Share ofLink(final int port) {
            final BitSet attached = new BitSet();
            for (final int end : new int[] {port, wiring.target(port)}) {
                if (ports.isNode(end)) {
                    return lost(link(port), only(ports.nodeOf(end)));
                }
                attached.or(attachedTo(ports.switchOf(end)));
            }
            return lost(link(port), attached);
        }

        /** Both fibres of a link, named by the ports that send into them. */
        BitSet link(final int port) {
            final BitSet fibres = only(port);
            if (wiring.feeder(port) != Wiring.NONE) {
                fibres.set(wiring.feeder(port));
            }
            return fibres;
        }

        /** Ways that cross one of some fibres. */
        Stream<int[]> crossing(final BitSet fibres) {
            return ways.stream().filter(way -> {
                boolean crosses = false;
                for (int i = 2; i < way.length; i++) {
                    crosses |= fibres.get(way[i]);
                }
                return crosses;
            });
        }

        private static BitSet only(final int one) {
            final BitSet set = new BitSet();
            set.set(one);
            return set;
        }

        private BitSet attachedTo(final int index) {
            return IntStream.range(0, wiring.table(index).ports())
                .map(port -> wiring.feeder(ports.ofSwitch(index, port)))
                .filter(from -> from != Wiring.NONE && ports.isNode(from))
                .map(ports::nodeOf).collect(BitSet::new, BitSet::set, BitSet::or);
        }

        /** The loss of nodes not attached when fibres are cut. */
        private Share lost(final BitSet fibres, final BitSet attached) {
            final BitSet[] cutFrom = Stream.generate(BitSet::new).limit(slots.length).toArray(BitSet[]::new);
            crossing(fibres).forEach(way -> {
                // A direction that loses a slot costs the reverse direction its slot too.
                cutFrom[way[0]].set(way[1]);
                cutFrom[way[1]].set(way[0]);
            });
            final DoubleSummaryStatistics shares = IntStream.range(0, slots.length)
                .filter(node -> !attached.get(node))
                .mapToDouble(node -> (double) cutFrom[node].cardinality() / slots[node]).summaryStatistics();
            return new Share(shares.getAverage(), shares.getMin(), shares.getMax());
        }
    }
}
