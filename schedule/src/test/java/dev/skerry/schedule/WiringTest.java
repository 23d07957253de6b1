package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The answers of a wiring; a wiring with any fault is refused, with the place named. */
class WiringTest {
    private static final RoundRobin FOUR = RoundRobin.plain(4, 2);

    @Test
    void shouldNumberPortsWithoutGaps() {
        final PortNumbers ports = PhaseGroupSwitches.wiring(new Phased(2, 3)).ports();

        assertEquals(9 * 2 + 6 * 3, ports.total());
        assertEquals("node 4 channel 0 port 1", ports.describe(ports.ofNode(4, 0, 1)));
        assertEquals("phase 1 group 2 port 1", ports.describe(ports.ofSwitch(5, 1)));
        for (int port = 0; port < ports.total(); port++) {
            assertEquals(port < 18, ports.isNode(port));
            assertEquals(0, ports.channelOf(port));
            assertEquals(port, ports.isNode(port) ? ports.ofNode(ports.nodeOf(port), 0, ports.localPort(port))
                : ports.ofSwitch(ports.switchOf(port), ports.localPort(port)));
        }
    }

    /** The selector of a node follows the phase; outside its phase a switch is dark. */
    @Test
    void shouldServeAPhaseWithItsSwitchesOnly() {
        final Phased schedule = new Phased(2, 3);
        final Wiring wiring = PhaseGroupSwitches.wiring(schedule);

        assertEquals(1, wiring.stages());
        assertEquals(List.of(0, 0, 1, 1), IntStream.range(0, 4).mapToObj(wiring::nodePortAt).toList());
        // node 5 has digits 2 and 1: second group of phase 0, third of phase 1
        assertEquals(1, PhaseGroupSwitches.switchOf(schedule, 5, 0));
        assertEquals(3 + 2, PhaseGroupSwitches.switchOf(schedule, 5, 1));
        assertEquals(wiring.ports().ofSwitch(1, 2), wiring.feeder(wiring.ports().ofNode(5, 0, 0)));
        assertEquals(wiring.ports().ofSwitch(5, 1), wiring.target(wiring.ports().ofNode(5, 0, 1)));
        for (int slot = 0; slot < 4; slot++) {
            for (int port = 0; port < wiring.ports().total(); port++) {
                final boolean lit = wiring.ports().isNode(port) ? port % 2 == slot / 2
                    : wiring.ports().switchOf(port) / 3 == slot / 2;
                assertEquals(lit, wiring.sends(port, slot));
                assertEquals(lit, wiring.receives(port, slot));
            }
        }
        // 4 tables would do; 2 are enough
        assertEquals(2, wiring.ports().switches().stream().map(PortNumbers.Switch::table).distinct().count());
    }

    /** Two channels: three shifts, so the second slot of the second one is idle. */
    @Test
    void shouldTellTheWayOfACell() {
        final Wiring wiring = Crossbar.wiring(FOUR);
        final int[] path = new int[wiring.stages() + 1];

        assertEquals(2, wiring.trace(0, 1, 0, path));
        assertEquals(wiring.ports().ofSwitch(1, 0), path[0]);
        assertEquals(wiring.ports().ofNode(1, 1, 0), path[1]);
        assertEquals(0, wiring.trace(0, 1, 1, path));
        assertFalse(wiring.sends(wiring.ports().ofNode(0, 1, 0), 1));
        assertTrue(wiring.sends(wiring.ports().ofNode(0, 1, 0), 0));
    }

    /** A fabric of one switch a plane, to be broken by a test. */
    private static final class Spoilt {
        private final List<SwitchTable.Builder> tables = new ArrayList<>();
        private final int[] nodePortAt = new int[2];
        private PortNumbers ports;
        private int[] feeder;

        Spoilt(final Consumer<List<SwitchTable.Builder>> withTables) {
            for (int channel = 0; channel < 2; channel++) {
                tables.add(new SwitchTable.Builder(5, 2));
                for (int slot = 0; slot < 2; slot++) {
                    for (int node = 0; node < 4; node++) {
                        final int peer = FOUR.peerAt(node, channel, slot);
                        // left out here: node 3 on channel 0 in slot 1
                        if (peer != Schedule.IDLE && (node != 3 || channel != 0 || slot != 1)) {
                            tables.get(channel).connect(slot, node, peer);
                        }
                    }
                }
            }
            withTables.accept(tables);
            ports = new PortNumbers(FOUR, 1, List.of(new PortNumbers.Switch("A", 0, tables.get(0).build()),
                new PortNumbers.Switch("B", 1, tables.get(1).build())));
            feeder = Wiring.unconnected(ports);
            for (int channel = 0; channel < 2; channel++) {
                for (int node = 0; node < 4; node++) {
                    Wiring.connect(feeder, ports.ofNode(node, channel, 0), ports.ofSwitch(channel, node));
                }
            }
        }

        static Spoilt whole() {
            return new Spoilt(tables -> tables.get(0).connect(1, 3, 1));
        }

        Wiring wiring() {
            return new Wiring(FOUR, ports, nodePortAt, feeder);
        }

        void refused(final String what) {
            final String message = assertThrows(IllegalArgumentException.class, this::wiring).getMessage();
            assertTrue(message.contains(what), message);
        }
    }

    @Test
    void shouldAcceptWhatIsWhole() {
        assertEquals(2, Spoilt.whole().wiring().switches());
    }

    @Test
    void shouldRefuseATableThatForgetsACell() {
        new Spoilt(tables -> { }).refused("a cell would be lost after node 3 channel 0 port 0: slotInEpoch=1");
    }

    @Test
    void shouldRefuseATableThatTakesWhatIsNotSent() {
        new Spoilt(tables -> {
            tables.get(0).connect(1, 3, 1);
            tables.get(1).connect(1, 2, 0);
        }).refused("nothing would come for the taker after node 2 channel 1 port 0: slotInEpoch=1");
        new Spoilt(tables -> {
            tables.get(0).connect(1, 3, 1);
            tables.get(1).connect(1, 4, 4);
        }).refused("B port 4");
    }

    /** Two crossed fibres: all cells arrive, at the wrong nodes. */
    @Test
    void shouldRefuseCrossedFibres() {
        final Spoilt spoilt = Spoilt.whole();
        spoilt.feeder[spoilt.ports.ofNode(0, 0, 0)] = spoilt.ports.ofSwitch(0, 1);
        spoilt.feeder[spoilt.ports.ofNode(1, 0, 0)] = spoilt.ports.ofSwitch(0, 0);
        spoilt.refused("C2: a node would hear 0 instead of 3: node=0 channel=0 slotInEpoch=0");
    }

    @Test
    void shouldRefuseAFibreBetweenPlanes() {
        final Spoilt spoilt = Spoilt.whole();
        spoilt.feeder[spoilt.ports.ofNode(0, 0, 0)] = spoilt.ports.ofSwitch(1, 0);
        spoilt.refused("C3: a fibre would join two planes: B port 0 feeds node 0 channel 0 port 0");
    }

    @Test
    void shouldRefuseAForkedFibre() {
        final Spoilt spoilt = Spoilt.whole();
        spoilt.feeder[spoilt.ports.ofNode(1, 0, 0)] = spoilt.ports.ofSwitch(0, 0);
        spoilt.refused("C1: an output would feed two inputs: A port 0");
    }

    @Test
    void shouldRefuseAFibreThatIsMissing() {
        final Spoilt spoilt = Spoilt.whole();
        spoilt.feeder[spoilt.ports.ofNode(1, 0, 0)] = Wiring.NONE;
        spoilt.refused("nothing feeds node 1 channel 0 port 0");
        final Spoilt other = Spoilt.whole();
        other.feeder[other.ports.ofSwitch(0, 1)] = Wiring.NONE;
        other.refused("a cell would be lost after node 1 channel 0 port 0");
    }

    @Test
    void shouldRefusePartsThatDoNotExist() {
        final Spoilt spoilt = Spoilt.whole();
        spoilt.feeder[0] = spoilt.ports.total();
        spoilt.refused("no such port: feeder=18 of node 0");
        final Spoilt other = Spoilt.whole();
        other.nodePortAt[1] = 1;
        other.refused("no such node port: nodePortAt=1");
        final PortNumbers ports = Spoilt.whole().ports;
        assertThrows(IllegalArgumentException.class,
            () -> new Wiring(FOUR, ports, new int[3], Wiring.unconnected(ports)));
        assertThrows(IllegalArgumentException.class, () -> new Wiring(FOUR, ports, new int[2], new int[17]));
    }

    /** A loop of fibre from a switch to itself: the cell of port 4 would need itself first. */
    @Test
    void shouldRefuseACircle() {
        final Spoilt spoilt = new Spoilt(tables -> {
            tables.get(0).connect(1, 3, 1);
            tables.get(0).connect(0, 4, 4);
        });
        spoilt.feeder[spoilt.ports.ofSwitch(0, 4)] = spoilt.ports.ofSwitch(0, 4);
        spoilt.refused("cells would run in a circle");
    }

    @Test
    void shouldRefuseSwitchesThatDoNotFit() {
        final SwitchTable longer = new SwitchTable.Builder(4, 3).build();
        final SwitchTable fits = new SwitchTable.Builder(4, 2).build();
        refused("Z epochSlots=3 of 2", new PortNumbers.Switch("Z", 0, longer));
        refused("Z plane=2", new PortNumbers.Switch("Z", 2, fits));
        refused("Z plane=-1", new PortNumbers.Switch("Z", -1, fits));
        assertThrows(IllegalArgumentException.class, () -> new PortNumbers(FOUR, 0, List.of()));
        assertThrows(IllegalArgumentException.class, () -> new PortNumbers(FOUR, Integer.MAX_VALUE, List.of()));
    }

    private static void refused(final String what, final PortNumbers.Switch one) {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> new PortNumbers(FOUR, 1, List.of(one))).getMessage();
        assertTrue(message.contains(what), message);
    }
}
