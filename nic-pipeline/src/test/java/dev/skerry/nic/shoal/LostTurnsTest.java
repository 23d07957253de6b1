package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Table 1 of the paper while a fabric runs (docs/spec/shoal.md §5.5): a part of the Clos fails, nodes find out for
 * themselves whom they have lost, and the turns they leave unused from then on are the ones that the wiring alone says
 * they must.
 */
final class LostTurnsTest {
    private static final int NODES = 32;
    private static final RoundRobin SCHEDULE = RoundRobin.plain(NODES, 1);
    private static final Clos CLOS = Clos.of(SCHEDULE, 8);
    private static final long FAILS = 3L * SCHEDULE.epochSlots() + 5;

    @ParameterizedTest
    @ValueSource(strings = {"node", "node link", "leaf", "leaf-spine link", "spine"})
    void shouldLeaveTheTurnsUnusedThatTable1Says(final String what) {
        final Wiring wiring = CLOS.wiring();
        final PortNumbers ports = wiring.ports();
        final LostSlots lost = new LostSlots(wiring);
        final int node = 9;
        final BitSet fibres = new BitSet();
        final LostSlots.Share expected = switch (what) {
            case "node", "node link" -> {
                addLink(wiring, ports.ofNode(node, 0, 0), fibres);
                yield what.equals("node") ? lost.ofNode(node) : lost.ofLink(ports.ofNode(node, 0, 0));
            }
            case "leaf-spine link" -> {
                final int port = ports.ofSwitch(CLOS.spineSwitch(0, 1), CLOS.spinePort(1, 2));
                addLink(wiring, port, fibres);
                yield lost.ofLink(port);
            }
            default -> {
                final int index = what.equals("leaf") ? CLOS.leafSwitch(0, 2) : CLOS.spineSwitch(0, 1);
                yield lost.ofSwitch(index);
            }
        };
        final Faults faults = switch (what) {
            case "node" -> Scripts.of(new Fault.Node(FAILS, node, false));
            case "leaf", "spine" -> stopped(what.equals("leaf") ? CLOS.leafSwitch(0, 2) : CLOS.spineSwitch(0, 1));
            default -> cut(fibres);
        };
        // Not attached to the failed part: all but the node, or its leaf, or the leaf of the link.
        final BitSet healthy = new BitSet();
        healthy.set(0, NODES);
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
        final Shoal shoal = Shoal.of(SCHEDULE, ReleaseRule.EXACT, true, 0);
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < NODES; from++) {
            flows.add(from, from, (from + 5) % NODES, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        try (FaultyShoal fabric = new FaultyShoal(shoal, flows, faults, NODES)) {
            fabric.stepTo(10L * SCHEDULE.epochSlots());
            final double[] share = new double[NODES];
            for (int id = 0; id < NODES; id++) {
                share[id] = -fabric.banks[id].count(NicCounter.TURNS_UNUSED);
            }
            fabric.stepTo(20L * SCHEDULE.epochSlots());
            for (int id = 0; id < NODES; id++) {
                share[id] = (share[id] + fabric.banks[id].count(NicCounter.TURNS_UNUSED)) / 10 / (NODES - 1);
            }
            return share;
        }
    }

    private static void addLink(final Wiring wiring, final int port, final BitSet fibres) {
        fibres.set(port);
        fibres.set(wiring.feeder(port));
    }

    private static Faults stopped(final int index) {
        return Scripts.of(new Fault.Switch(FAILS, index, false, CLOS.wiring().pairsThrough(index)));
    }

    /** All ways that cross one of these fibres, known by the ports that send into them. */
    private static Faults cut(final BitSet fibres) {
        final List<Fault> faults = new ArrayList<>();
        final int[] path = new int[CLOS.wiring().stages() + 1];
        for (int slot = 0; slot < SCHEDULE.epochSlots(); slot++) {
            for (int to = 0; to < NODES; to++) {
                final int length = CLOS.wiring().trace(to, 0, slot, path);
                boolean cut = false;
                for (int i = 0; i < length; i++) {
                    cut |= fibres.get(path[i]);
                }
                if (cut) {
                    faults.add(new Fault.Link(FAILS, SCHEDULE.senderAt(to, 0, slot), to, false));
                }
            }
        }
        return new Faults(new FaultPlan(faults), 1);
    }
}
