package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.skerry.schedule.Clos.EdgeColouring;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The answers of a wiring; a wiring with any fault is refused, with the place named. */
class WiringTest {
    private static final RoundRobin FOUR = RoundRobin.plain(4, 2);
    private static final int DARK = -1;
    /** Slots 1 to 7 of §2.5: up, then down, from input to output; a and b are the nodes, c and d the spines. */
    private static final String[] LEAF_ONE = {"a-c b-d; d-a c-b", "a-d b-c; d-a c-b", "a-d b-c; c-a d-b",
        "a-c b-d; c-a d-b", "a-c b-d; d-a c-b", "a-d b-c; d-a c-b", "a-d b-c; c-a d-b"};
    private static final int GRAPHS = 3_000;

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

        /** The port of a node, CHANNEL:NODE, or of switch A or B; - is none. */
        int port(final String name) {
            final int number = name.charAt(name.length() - 1) - '0';
            return name.equals("-") ? Wiring.NONE : name.length() == 3
                ? ports.ofNode(number, name.charAt(0) - '0', 0) : ports.ofSwitch(name.charAt(0) - 'A', number);
        }

        void refused(final String what) {
            final String message = assertThrows(IllegalArgumentException.class, this::wiring).getMessage();
            assertTrue(message.contains(what), message);
        }
    }

    /** Of crossed fibres all cells arrive, at the wrong nodes. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0:0=A1 0:1=A0|C2: a node would receive from 0 instead of 3: node=0 channel=0 slotInEpoch=0",
        "0:0=B0|C3: a fibre would join two planes: B port 0 feeds node 0 channel 0 port 0",
        "0:1=A0|C1: an output would feed two inputs: A port 0",
        "0:1=-|nothing feeds node 1 channel 0 port 0",
        "A1=-|a cell would be lost after node 1 channel 0 port 0"})
    void shouldRefuseWrongFibres(final String fibres, final String what) {
        final Spoilt spoilt = Spoilt.whole();
        assertEquals(2, spoilt.wiring().switches());
        for (final String fibre : fibres.split(" ")) {
            final String[] ends = fibre.split("=");
            spoilt.feeder[spoilt.port(ends[0])] = spoilt.port(ends[1]);
        }
        spoilt.refused(what);
    }

    @Test
    void shouldRefuseATableThatForgetsACellOrTakesWhatIsNotSent() {
        new Spoilt(tables -> { }).refused("a cell would be lost after node 3 channel 0 port 0: slotInEpoch=1");
        final Spoilt taker = new Spoilt(tables -> {
            tables.get(0).connect(1, 3, 1);
            tables.get(1).connect(1, 2, 0);
        });
        taker.refused("nothing would arrive for the receiver after node 2 channel 1 port 0: slotInEpoch=1");
        new Spoilt(tables -> {
            tables.get(0).connect(1, 3, 1);
            tables.get(1).connect(1, 4, 4);
        }).refused("B port 4");
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
        spoilt.refused("cells would loop");
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

    /** Every way of a plane crosses one spine; a leaf has the ways from its nodes and to them. */
    @ParameterizedTest
    @CsvSource({"8, 1, 4", "16, 3, 8", "18, 2, 6", "11, 1, 6"})
    void shouldCrossASpineAndTheLeavesOfBothEnds(final int nodes, final int channels, final int ports) {
        final Clos clos = Clos.of(RoundRobin.plain(nodes, channels), ports);
        LongStream spines = LongStream.empty();
        for (int plane = 0; plane < channels; plane++) {
            for (int spine = 0; spine < clos.spineSwitches(); spine++) {
                spines = LongStream.concat(spines, LongStream.of(
                    clos.wiring().pairsThrough(clos.leafSwitch(plane, clos.leaves() + spine))));
            }
        }
        final long[] ways = spines.sorted().toArray();
        assertEquals(nodes * (nodes - 1), ways.length);
        assertEquals(ways.length, LongStream.of(ways).distinct().count());
        for (int leaf = 0; leaf < clos.leaves(); leaf++) {
            final int number = leaf;
            long count = 0;
            for (int plane = 0; plane < channels; plane++) {
                final long[] through = clos.wiring().pairsThrough(clos.leafSwitch(plane, leaf));
                count += through.length;
                assertEquals(through.length, LongStream.of(through).filter(way -> isOn(clos, number, way)).count());
            }
            assertEquals(LongStream.of(ways).filter(way -> isOn(clos, number, way)).count(), count);
        }
    }

    private static boolean isOn(final Clos clos, final int leaf, final long way) {
        return (way >>> 32) / clos.nodesPerLeaf() == leaf || (int) way / clos.nodesPerLeaf() == leaf;
    }

    /** Each row builds its own wiring, so that a single row does not cost all of them (PIT runs rows one by one). */
    static Stream<Arguments> fabrics() {
        return Stream.of(
            fabric("8 nodes, k=4", () -> clos(RoundRobin.plain(8, 1), 4)),
            fabric("16 nodes, k=8", () -> clos(RoundRobin.plain(16, 1), 8)),
            fabric("18 nodes, k=6", () -> clos(RoundRobin.plain(18, 1), 6)),
            fabric("18 nodes, k=8, coloured", () -> clos(RoundRobin.plain(18, 1), 8)),
            fabric("19 nodes, k=8, coloured, 3 channels", () -> clos(RoundRobin.plain(19, 3), 8)),
            fabric("19 nodes, k=8, re-arranged", () -> clos(RoundRobin.rearranged(19, 1, 0), 8)),
            fabric("18 nodes, k=8, re-arranged", () -> clos(RoundRobin.rearranged(18, 1, 0), 8)),
            fabric("24 nodes, k=14, re-arranged, 2 channels", () -> clos(RoundRobin.rearranged(24, 2, 0), 14)),
            fabric("64 nodes, k=16", () -> clos(RoundRobin.plain(64, 1), 16)),
            fabric("64 nodes, k=16, re-arranged, 4 channels", () -> clos(RoundRobin.rearranged(64, 4, 0), 16)),
            fabric("64 nodes, k=16, coloured",
                () -> new Clos(RoundRobin.plain(64, 1), 16, Clos.SpineRule.COLOURED).wiring()),
            fabric("64 nodes, k=16, reciprocal",
                () -> new Clos(RoundRobin.plain(64, 1), 16, Clos.SpineRule.RECIPROCAL).wiring()),
            fabric("512 nodes, k=64", () -> clos(RoundRobin.plain(512, 1), 64)),
            fabric("512 nodes, k=32", () -> clos(RoundRobin.plain(512, 1), 32)),
            fabric("512 nodes, k=64, re-arranged, 4 channels", () -> clos(RoundRobin.rearranged(512, 4, 0), 64)),
            fabric("16 nodes, h=2", () -> PhaseGroupSwitches.wiring(new Phased(2, 4))),
            fabric("16 nodes, h=4", () -> PhaseGroupSwitches.wiring(new Phased(4, 2))),
            fabric("256 nodes, h=2", () -> PhaseGroupSwitches.wiring(new Phased(2, 16))),
            fabric("27 nodes, h=3", () -> PhaseGroupSwitches.wiring(new Phased(3, 3))),
            fabric("27 nodes, h=3, crossbar", () -> Crossbar.wiring(new Phased(3, 3))),
            fabric("16 nodes, h=2, 8 lanes", () -> Crossbar.lanes(new LanedSchedule(new Phased(2, 4), 8))),
            fabric("27 nodes, h=3, 3 lanes", () -> Crossbar.lanes(new LanedSchedule(new Phased(3, 3), 3))),
            fabric("27 nodes, h=3, 1 lane", () -> Crossbar.lanes(new LanedSchedule(new Phased(3, 3), 1))),
            fabric("64 nodes, 3 channels, crossbar", () -> Crossbar.wiring(RoundRobin.plain(64, 3))),
            fabric("16 nodes, h=2, k=8, coloured",
                () -> new Clos(new Phased(2, 4), 8, Clos.SpineRule.COLOURED).wiring()));
    }

    /**
     * C2 and C3 by sending (docs/spec/shoal.md §2.4, docs/spec/shale.md §2.6): every node puts its id on its fibre, the
     * switches repeat what their outputs select, stage after stage, and every node must receive the id of the sender
     * that the schedule names.
     */
    @ParameterizedTest
    @MethodSource("fabrics")
    void shouldHandEveryNodeTheCellOfItsSender(final Supplier<Wiring> made) {
        final Wiring wiring = made.get();
        final Schedule schedule = wiring.schedule();
        final PortNumbers ports = wiring.ports();
        final int[] onFibre = new int[ports.total()];
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            Arrays.fill(onFibre, DARK);
            final int nodePort = wiring.nodePortAt(slot);
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    if (schedule.peerAt(node, channel, slot) != Schedule.IDLE) {
                        // a cell of the channel: it must not come out on another
                        onFibre[ports.ofNode(node, channel, nodePort)] = node * schedule.channels() + channel;
                    }
                }
            }
            for (int stage = 0; stage < wiring.stages(); stage++) {
                permute(wiring, slot, stage, onFibre);
            }
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int sender = schedule.senderAt(node, channel, slot);
                    assertEquals(sender == Schedule.IDLE ? DARK : sender * schedule.channels() + channel,
                        onFibre[wiring.feeder(ports.ofNode(node, channel, nodePort))]);
                }
            }
        }
    }

    private static void permute(final Wiring wiring, final int slot, final int stage, final int[] onFibre) {
        final PortNumbers ports = wiring.ports();
        for (int index = 0; index < wiring.switches(); index++) {
            final SwitchTable table = wiring.table(index);
            for (int out = 0; out < table.ports(); out++) {
                final int in = table.selected(slot, out);
                if (wiring.stageOf(ports.ofSwitch(index, out)) == stage && in != SwitchTable.DARK) {
                    onFibre[ports.ofSwitch(index, out)] = onFibre[wiring.feeder(ports.ofSwitch(index, in))];
                }
            }
        }
    }

    private static Wiring clos(final RoundRobin schedule, final int ports) {
        return Clos.of(schedule, ports).wiring();
    }

    private static Arguments fabric(final String name, final Supplier<Wiring> made) {
        return Arguments.argumentSet(name, made);
    }

    @Test
    void shouldGiveTheFirstLeafOfTheExampleItsTable() {
        final Clos clos = Clos.of(RoundRobin.plain(8, 1), 4);
        final SwitchTable leaf = clos.wiring().table(clos.leafSwitch(0, 0));
        for (int slot = 0; slot < LEAF_ONE.length; slot++) {
            final int a = leaf.selected(slot, 0);
            final int b = leaf.selected(slot, 1);
            assertEquals(LEAF_ONE[slot], "a-" + "abcd".charAt(leaf.reached(slot, 0)) + " b-"
                + "abcd".charAt(leaf.reached(slot, 1)) + "; " + "abcd".charAt(a) + "-a " + "abcd".charAt(b) + "-b");
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 4, 4, 2", "512, 64, 16, 8", "512, 32, 32, 16", "16, 8, 4, 2", "18, 6, 6, 3", "18, 8, 5, 4",
        "8, 64, 1, 1", "2, 2, 2, 1", "1024, 64, 32, 16", "1000, 64, 32, 16", "2, 4, 1, 1"})
    void shouldHaveAsManySwitchesAsTheSizesSay(final int nodes, final int ports, final int leaves, final int spines) {
        final Clos clos = Clos.of(RoundRobin.plain(nodes, 1), ports);
        assertArrayEquals(new int[] {leaves, spines, leaves + spines, 3}, new int[] {clos.leaves(),
            clos.spineSwitches(), clos.wiring().switches(), clos.wiring().stages()});
        for (int node = 0; node < nodes; node++) {
            for (int slot = 0; slot < nodes - 1; slot++) {
                assertTrue(clos.spineOf(node, 0, slot) >= 0 && clos.spineOf(node, 0, slot) < ports / 2);
            }
        }
    }

    @Test
    void shouldHaveAPlaneForEveryChannel() {
        final Clos clos = Clos.of(RoundRobin.plain(512, 4), 64);
        assertEquals(4 * 24, clos.wiring().switches());
        assertEquals("plane 3 leaf 15", clos.wiring().ports().switches().get(clos.leafSwitch(3, 15)).name());
        assertEquals("plane 1 spine switch 7", clos.wiring().ports().switches().get(clos.spineSwitch(1, 31)).name());
        assertEquals(3 * 16 + 5, clos.spinePort(31, 5));
    }

    /** Up through stage 0, spines are stage 1, down is stage 2: leaves serve two of them. */
    @Test
    void shouldTellStagesApart() {
        final Clos clos = Clos.of(RoundRobin.plain(16, 1), 8);
        final PortNumbers ports = clos.wiring().ports();
        for (int leaf = 0; leaf < 4; leaf++) {
            for (int port = 0; port < 8; port++) {
                assertEquals(port < 4 ? 2 : 0, clos.wiring().stageOf(ports.ofSwitch(clos.leafSwitch(0, leaf), port)));
                assertEquals(1, clos.wiring().stageOf(ports.ofSwitch(clos.spineSwitch(0, leaf), port)));
            }
        }
        assertEquals(Wiring.NONE, clos.wiring().stageOf(ports.ofNode(3, 0, 0)));
    }

    /** Both closed forms: every node sends and receives over every spine N/h times an epoch, within one. */
    @ParameterizedTest
    @CsvSource({"8, 4, BALANCED", "512, 64, BALANCED", "512, 32, BALANCED", "64, 16, BALANCED", "24, 8, BALANCED",
        "12, 8, BALANCED", "1024, 64, BALANCED", "8, 4, RECIPROCAL", "512, 64, RECIPROCAL", "512, 32, RECIPROCAL",
        "64, 16, RECIPROCAL", "40, 20, RECIPROCAL"})
    void shouldUseAllSpinesAlike(final int nodes, final int ports, final Clos.SpineRule rule) {
        final Clos clos = new Clos(RoundRobin.plain(nodes, 1), ports, rule);
        final int spines = ports / 2;
        final int[] sent = new int[nodes * spines];
        final int[] received = new int[nodes * spines];
        for (int slot = 0; slot < nodes - 1; slot++) {
            for (int node = 0; node < nodes; node++) {
                final int spine = clos.spineOf(node, 0, slot);
                sent[node * spines + spine]++;
                received[(node + slot + 1) % nodes * spines + spine]++;
            }
        }
        for (int i = 0; i < sent.length; i++) {
            assertTrue(Math.abs(sent[i] - nodes / spines) <= 1, "node " + i / spines + " sends " + sent[i]);
            assertTrue(Math.abs(received[i] - nodes / spines) <= 1, "node " + i / spines + " gets " + received[i]);
        }
    }

    @Test
    void shouldReturnOverTheSameSpineIfReciprocal() {
        for (final RoundRobin schedule : new RoundRobin[]{RoundRobin.plain(64, 1), RoundRobin.rearranged(64, 1, 31),
            RoundRobin.rearranged(64, 4, 7), RoundRobin.plain(64, 3)}) {
            final Clos clos = new Clos(schedule, 16, Clos.SpineRule.RECIPROCAL);
            for (int i = 0; i < 64; i++) {
                for (int j = 0; j < i; j++) {
                    assertEquals(clos.spineOf(i, schedule.channelTo(i, j), schedule.slotTo(i, j)),
                        clos.spineOf(j, schedule.channelTo(j, i), schedule.slotTo(j, i)), "i=" + i + " j=" + j);
                }
            }
        }
    }

    @Test
    void shouldHaveNoSpineInAnIdleSlot() {
        final Clos clos = Clos.of(RoundRobin.rearranged(8, 1, 0), 4);
        assertTrue(clos.spineOf(3, 0, 3) >= 0);
        assertEquals(Clos.NO_SPINE, clos.spineOf(4, 0, 3));
        assertEquals(Clos.NO_SPINE, clos.spineOf(3, 0, 7));
    }

    @ParameterizedTest
    @CsvSource({"8, 3, BALANCED, even number of ports: ports=3", "8, 0, BALANCED, even number of ports: ports=0",
        "9, 4, COLOURED, 8 nodes: nodes=9", "18, 4, BALANCED, 8 nodes: nodes=18",
        "18, 8, BALANCED, divisible by 4", "12, 8, RECIPROCAL, divisible by 8", "513, 32, COLOURED, has at most 512 "
            + "nodes"})
    void shouldRefuseFabricsThatDoNotExist(final int nodes, final int ports, final Clos.SpineRule rule,
        final String what) {
        final RoundRobin schedule = RoundRobin.plain(nodes, 1);
        final String message =
            assertThrows(IllegalArgumentException.class, () -> new Clos(schedule, ports, rule)).getMessage();
        assertTrue(message.contains(what), message);
    }

    @ParameterizedTest
    @EnumSource(Clos.SpineRule.class)
    void shouldCarryOtherSchedulesColouredOnly(final Clos.SpineRule rule) {
        final Phased schedule = new Phased(2, 4);
        if (rule == Clos.SpineRule.COLOURED) {
            assertEquals(6, new Clos(schedule, 8, rule).wiring().switches());
        } else {
            assertThrows(IllegalArgumentException.class, () -> new Clos(schedule, 8, rule));
        }
    }

    /** The largest fabric the switches allow: each is full, none is too many. */
    @Test
    void shouldReachTheBound() {
        IntStream.of(2, 4, 6, 8, 10).forEach(ports -> {
            final Clos clos = Clos.of(RoundRobin.plain(ports * ports / 2, 1), ports);
            assertEquals(ports + ports / 2, clos.wiring().switches());
        });
    }

    /** u = (i + floor(s / w)) mod h with w = h where h divides L, else L. */
    @ParameterizedTest
    @CsvSource({"8, 4, 2", "24, 8, 6", "12, 8, 3", "18, 6, 3"})
    void shouldChooseBalancedSpinesInClosedForm(final int nodes, final int ports, final int width) {
        final RoundRobin schedule = RoundRobin.plain(nodes, 1);
        final Clos clos = Clos.of(schedule, ports);
        assertEquals(ports, clos.ports());
        assertEquals(ports / 2, clos.nodesPerLeaf());
        assertEquals("plane 0 spine switch 0", clos.wiring().ports().switches().get(clos.spineSwitch(0, 0)).name());
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int node = 0; node < nodes; node++) {
                assertEquals((node + (slot + 1) / width) % (ports / 2), clos.spineOf(node, 0, slot),
                    "nodes=" + nodes + " ports=" + ports + " node=" + node + " slot=" + slot);
            }
        }
    }

    @Test
    void shouldRefuseSwitchesOfOnePort() {
        final RoundRobin schedule = RoundRobin.plain(4, 1);
        assertThrows(IllegalArgumentException.class, () -> Clos.of(schedule, 1));
    }

    @Test
    void shouldSelectWhatIsConnectedAndNothingElse() {
        final SwitchTable table = new SwitchTable.Builder(3, 2).connect(0, 2, 0).connect(0, 0, 1).connect(1, 1, 1)
            .build();
        assertEquals("2 0 - | - 1 -", selections(table));
        assertArrayEquals(new int[] {1, SwitchTable.DARK, 0, 1},
            new int[] {table.reached(0, 0), table.reached(0, 1), table.reached(0, 2), table.reached(1, 1)});
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 0, C1: an output would select two inputs", "0, 2, 1, C1: an input would feed two outputs",
        "2, 1, 1, no such entry", "-1, 1, 1, no such entry", "1, 3, 1, no such entry", "1, -1, 1, no such entry",
        "1, 1, 3, no such entry", "1, 1, -1, no such entry"})
    void shouldRefuseConflicts(final int slot, final int in, final int out, final String what) {
        final SwitchTable.Builder builder = new SwitchTable.Builder(3, 2).connect(0, 2, 0);
        final String message =
            assertThrows(IllegalArgumentException.class, () -> builder.connect(slot, in, out)).getMessage();
        assertTrue(message.startsWith(what) && message.contains("slotInEpoch=" + slot + " in=" + in + " out=" + out),
            message);
        // and it is as it was
        assertEquals("2 - - | - - -", selections(builder.build()));
    }

    @Test
    void shouldNotChangeOnceBuilt() {
        final SwitchTable.Builder builder = new SwitchTable.Builder(2, 1);
        final SwitchTable table = builder.build();
        assertThrows(IllegalArgumentException.class, () -> builder.connect(0, 0, 0));
        assertEquals("- -", selections(table));
    }

    @Test
    void shouldUseEveryPort() {
        final int last = SwitchTable.MAX_PORTS - 1;
        final SwitchTable table = new SwitchTable.Builder(SwitchTable.MAX_PORTS, 1).connect(0, last, last).build();
        assertEquals(last, table.selected(0, last));
        assertEquals(last, table.reached(0, last));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "65536, 1", "1, 0", "65535, 4097", "65535, 2147483647"})
    void shouldRefuseSizesOutOfRange(final int ports, final int epochSlots) {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> new SwitchTable.Builder(ports, epochSlots)).getMessage();
        assertTrue(message.contains("ports=" + ports), message);
    }

    private static String selections(final SwitchTable table) {
        final StringBuilder text = new StringBuilder();
        for (int slot = 0; slot < table.epochSlots(); slot++) {
            text.append(slot == 0 ? "" : " | ");
            for (int out = 0; out < table.ports(); out++) {
                final int in = table.selected(slot, out);
                text.append(out == 0 ? "" : " ").append(in == SwitchTable.DARK ? "-" : in);
            }
        }
        return text.toString();
    }

    @Test
    void shouldColourAnyGraphWithAsManyColoursAsEdgesAtAVertex() {
        for (int seed = 0; seed < GRAPHS; seed++) {
            final Random random = new Random(seed);
            final int vertices = 1 + random.nextInt(8);
            final int colours = 1 + random.nextInt(8);
            // whole permutations laid over each other, which need every colour, and their edges mixed and thinned
            final int[] left = new int[vertices * colours];
            final int[] right = new int[vertices * colours];
            for (int edge = 0; edge < left.length; edge++) {
                left[edge] = edge % vertices;
            }
            for (int first = 0; first < left.length; first += vertices) {
                for (int i = 0; i < vertices; i++) {
                    right[first + i] = i;
                }
                shuffle(random, right, first, first + vertices);
            }
            mix(random, left, right);
            final int edges = random.nextBoolean() ? left.length : random.nextInt(left.length + 1);
            final EdgeColouring colouring = new EdgeColouring(vertices, colours);
            final int[] colour = new int[edges];
            colouring.colour(edges, left, right, colour);
            check(edges, left, right, colour, colours, seed);
            // reused, it gives the same again
            final int[] again = new int[edges];
            colouring.colour(edges, left, right, again);
            assertArrayEquals(colour, again);
        }
    }

    @Test
    void shouldTakeTheLowestColourFreeAtBothEnds() {
        final int[] colour = new int[4];
        new EdgeColouring(3, 2).colour(4, new int[]{0, 1, 0, 2}, new int[]{0, 1, 1, 2}, colour);
        assertArrayEquals(new int[]{0, 0, 1, 0}, colour);
    }

    @Test
    void shouldTurnAPathOverWhereNoColourIsFreeAtBothEnds() {
        final int[] colour = new int[4];
        // edges 1 and 2 leave colour 0 to left 1 and colour 1 to right 1: the path edge 2, edge 0 is turned over
        new EdgeColouring(2, 2).colour(4, new int[]{0, 1, 0, 1}, new int[]{0, 0, 1, 1}, colour);
        check(4, new int[]{0, 1, 0, 1}, new int[]{0, 0, 1, 1}, colour, 2, 0);
        new EdgeColouring(3, 2).colour(4, new int[]{0, 1, 2, 1}, new int[]{0, 0, 1, 1}, colour);
        assertArrayEquals(new int[]{0, 1, 1, 0}, colour);
    }

    @Test
    void shouldRefuseAVertexOfTooManyEdges() {
        final EdgeColouring colouring = new EdgeColouring(2, 2);
        assertThrows(IllegalArgumentException.class,
            () -> colouring.colour(3, new int[]{0, 0, 0}, new int[]{0, 1, 1}, new int[3]));
        assertThrows(IllegalArgumentException.class,
            () -> colouring.colour(3, new int[]{0, 1, 1}, new int[]{0, 0, 0}, new int[3]));
    }

    private static void check(final int edges, final int[] left, final int[] right, final int[] colour,
        final int colours, final int seed) {
        final BitSet seen = new BitSet();
        for (int edge = 0; edge < edges; edge++) {
            final int atLeft = (left[edge] * colours + colour[edge]) * 2;
            final int atRight = (right[edge] * colours + colour[edge]) * 2 + 1;
            if (colour[edge] < 0 || colour[edge] >= colours || seen.get(atLeft) || seen.get(atRight)) {
                fail("seed=" + seed + " edge=" + edge + " colour=" + colour[edge]);
            }
            seen.set(atLeft);
            seen.set(atRight);
        }
    }

    private static void shuffle(final Random random, final int[] numbers, final int from, final int to) {
        for (int i = to - 1; i > from; i--) {
            swap(numbers, i, from + random.nextInt(i - from + 1));
        }
    }

    private static void mix(final Random random, final int[] left, final int[] right) {
        for (int i = left.length - 1; i > 0; i--) {
            final int other = random.nextInt(i + 1);
            swap(left, i, other);
            swap(right, i, other);
        }
    }

    private static void swap(final int[] numbers, final int one, final int other) {
        final int number = numbers[one];
        numbers[one] = numbers[other];
        numbers[other] = number;
    }
}
