package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.stream.IntStream;

/** The two-stage fabrics of docs/spec/shoal.md §2.4 and §2.5: sizes, tables, how often each spine is used. */
class ClosTest {
    /** Slots 1 to 7 of §2.5: up, then down, from input to output; a and b are the nodes, c and d the spines. */
    private static final String[] LEAF_ONE = {"a-c b-d; d-a c-b", "a-d b-c; d-a c-b", "a-d b-c; c-a d-b",
        "a-c b-d; c-a d-b", "a-c b-d; d-a c-b", "a-d b-c; d-a c-b", "a-d b-c; c-a d-b"};

    @Test
    void shouldGiveTheFirstLeafOfTheExampleItsTable() {
        final Clos clos = ShoalPreset.PROTOTYPE.clos();
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

        assertEquals(leaves, clos.leaves());
        assertEquals(spines, clos.spineSwitches());
        assertEquals(leaves + spines, clos.wiring().switches());
        assertEquals(3, clos.wiring().stages());
        for (int node = 0; node < nodes; node++) {
            for (int slot = 0; slot < nodes - 1; slot++) {
                assertTrue(clos.spineOf(node, 0, slot) >= 0 && clos.spineOf(node, 0, slot) < ports / 2);
            }
        }
    }

    @Test
    void shouldHaveAPlaneForEveryChannel() {
        final Clos clos = ShoalPreset.AS_PRINTED.clos();

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
        "9, 4, COLOURED, 8 nodes at most: nodes=9", "18, 4, BALANCED, 8 nodes at most: nodes=18",
        "18, 8, BALANCED, divisible by 4", "12, 8, RECIPROCAL, divisible by 8", "513, 32, COLOURED, 512 nodes at most"})
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
        assertEquals("plane 0 spine switch 0",
            clos.wiring().ports().switches().get(clos.spineSwitch(0, 0)).name());
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
}
