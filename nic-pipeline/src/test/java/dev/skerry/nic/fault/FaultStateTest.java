package dev.skerry.nic.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fault.LinkFaults.LinkFaultInjector;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.List;

/** The state of a slot, the plans that are refused, and what links do and clock masters that stop. */
final class FaultStateTest {
    private static final int CLOCKED = 16;
    private static final int NODES = 6;
    private static final RoundRobin SCHEDULE = RoundRobin.plain(NODES, 2);
    private static final long HEADER = 0xFFF;
    @AutoClose
    private final Arena arena = Arena.ofConfined();

    @Test
    void shouldHoldFromItsSlotOn() {
        final FaultState state = Scripts.of(new Fault.Node(9, 2, true), new Fault.Node(5, 2, false),
            new Fault.Link(6, 0, 1, false), new Fault.Link(8, 0, 1, true)).state(4);
        final boolean[] changes = {false, false, false, false, false, true, true, false, true, true, false};
        for (int slot = 0; slot < changes.length; slot++) {
            assertEquals(changes[slot], state.turnTo(slot), "slot=" + slot);
            assertEquals(slot >= 5, state.any());
            assertEquals(slot < 5 || slot >= 9, state.isCalm(), "slot=" + slot);
            assertEquals(slot >= 5 && slot < 9, state.isDown(2), "slot=" + slot);
            assertEquals(slot >= 5 && slot < 9, state.isLost(2, 3), "slot=" + slot);
            assertEquals(slot >= 5 && slot < 9, state.isLost(3, 2), "slot=" + slot);
            assertEquals(slot >= 6 && slot < 8, state.isLost(0, 1), "slot=" + slot);
            assertFalse(state.isLost(1, 0), "the other direction is not meant");
        }
    }

    @Test
    void shouldBeCalmOnlyWhileNoWayIsCut() {
        final FaultState state = Scripts.of(new Fault.Link(1, 0, 1, false), new Fault.Link(2, 0, 1, true)).state(2);
        for (int slot = 0; slot < 4; slot++) {
            state.turnTo(slot);
            assertEquals(slot != 1, state.isCalm(), "slot=" + slot);
        }
    }

    @Test
    void shouldDamageTheShareOfCellsItWasTold() {
        final int slots = 2_000;
        final FaultState state = new FaultState(new FaultPlan(List.of(new Fault.Corruption(10, 0.01))), 7, 64);
        final FaultState other = new FaultState(new FaultPlan(List.of(new Fault.Corruption(10, 0.01))), 8, 64);
        int damaged = 0;
        int same = 0;
        for (int slot = 0; slot < slots; slot++) {
            state.turnTo(slot);
            other.turnTo(slot);
            assertEquals(slot < 10, state.isCalm());
            for (int node = 0; node < 64; node++) {
                for (int channel = 0; channel < 4; channel++) {
                    final boolean hit = state.isDamaged(node, node + 1, node, channel);
                    assertFalse(hit && slot < 10);
                    damaged += hit ? 1 : 0;
                    same += hit && other.isDamaged(node, node + 1, node, channel) ? 1 : 0;
                }
            }
        }
        assertEquals(0.01 * 64 * 4 * (slots - 10), damaged, 0.05 * 64 * 4 * slots * 0.01, "seed=7");
        assertTrue(same < damaged / 20, "another seed damages others: same=" + same);
    }

    /** A link with a damage of its own damages what it carries, in one direction, until it is told to stop. */
    @Test
    void shouldDamageCellsOfOneLinkOnly() {
        final FaultState state = new FaultState(new FaultPlan(List.of(new Fault.LinkCorruption(10, 3, 5, 0.2),
            new Fault.LinkCorruption(1010, 3, 5, 0))), 7, 8);
        int damaged = 0;
        for (int slot = 0; slot < 1200; slot++) {
            state.turnTo(slot);
            final boolean on = slot >= 10 && slot < 1010;
            assertEquals(!on, state.isCalm());
            assertFalse(state.isDamaged(5, 3, 5, 0) || state.isDamaged(3, 4, 3, 0));
            final boolean hit = state.isDamaged(3, 5, 3, 0);
            assertFalse(hit && !on);
            damaged += hit ? 1 : 0;
        }
        assertEquals(200, damaged, 60, "seed=7");
    }

    @Test
    void shouldRefuseWhatCannotBe() {
        for (final List<Fault> faults : List.<List<Fault>>of(List.of(new Fault.LinkCorruption(3, 1, 2, 1.5)),
            List.of(new Fault.LinkCorruption(3, 1, 4, 0.5)),
            List.of(new Fault.Node(3, 1, false), new Fault.Node(4, 1, false)), List.of(new Fault.Link(3, 1, 2, true)),
            List.of(new Fault.Corruption(3, 1.5)), List.of(new Fault.Corruption(-1, 0.5)),
            List.of(new Fault.Node(3, 4, false)), List.of(new Fault.Switch(0, 0, false, new long[] {8L << 32})))) {
            assertThrows(IllegalArgumentException.class, () -> new FaultState(new FaultPlan(faults), 1, 4),
                faults::toString);
        }
    }

    /** A way through two switches and over a link that fail is open again when all three are repaired. */
    @Test
    void shouldKeepAWayCutUntilAllThatCutItAreRepaired() {
        final long[] both = {3L << 32 | 5, 5L << 32 | 3};
        final FaultState state = Scripts.of(new Fault.Switch(10, 0, false, both),
            new Fault.Switch(20, 1, false, new long[] {3L << 32 | 5}), new Fault.Link(30, 3, 5, false),
            new Fault.Switch(40, 0, true, both), new Fault.Link(50, 3, 5, true),
            new Fault.Switch(60, 1, true, new long[] {3L << 32 | 5})).state(8);
        for (long slot = 0; slot < 70; slot++) {
            state.turnTo(slot);
            assertEquals(slot >= 10 && slot < 60, state.isLost(3, 5), "slot=" + slot);
            assertEquals(slot >= 10 && slot < 40, state.isLost(5, 3), "slot=" + slot);
            assertEquals(slot < 10 || slot >= 60, state.isCalm(), "slot=" + slot);
        }
    }

    /** Who takes over from a clock master that stops, when, and which clocks leave their window until then. */
    private static ClockTakeover play(final double windowNs, final double driftPpm, final long takeoverSlots,
        final Fault... script) {
        return ClockTakeover.of(new FaultPlan(List.of(script)), CLOCKED,
            new ClockTakeover.Clocks(2, windowNs, driftPpm, 100, takeoverSlots), 7);
    }

    /** The lowest node that is up; the next one when that stops, and nobody new while the master runs. */
    @Test
    void shouldFollowTheLowestNodeThatIsUp() {
        final ClockTakeover clocks = play(1, 0, 50, new Fault.Node(10, 0, false), new Fault.Node(100, 2, false),
            new Fault.Node(120, 1, false), new Fault.Node(500, 0, true), new Fault.Node(600, 3, false),
            new Fault.Node(900, 5, false));
        assertEquals(List.of(new ClockTakeover.Takeover(100, 2, 150, 3, 0),
            new ClockTakeover.Takeover(600, 3, 650, 0, 0)), clocks.takeovers());
        assertEquals(6, clocks.plan().faults().size());
    }

    /** A clock leaves its window once it has run off that far: never sooner at the greatest rate, most in the end. */
    @Test
    void shouldLeaveTheWindowNoSoonerThanTheGreatestRateAllows() {
        final long takeover = 4_000_000;
        final ClockTakeover clocks = play(2, 50, takeover, new Fault.Node(100, 2, false),
            new Fault.Clock(90, 9, false));
        // 50 parts in a million of 100 ns are 0.005 ns a slot: 400 slots to 2 ns.
        int off = 0;
        for (final Fault fault : clocks.plan().faults()) {
            if (fault instanceof final Fault.Clock clock && clock.slot() > 90) {
                assertTrue(clock.inWindow() || clock.slot() >= 100 + 400, clock.toString());
                assertTrue(!clock.inWindow() || clock.slot() == 100 + takeover, clock.toString());
                off += clock.inWindow() || clock.slot() > takeover ? 0 : 1;
            }
        }
        assertEquals(off, clocks.takeovers().getFirst().strayed());
        assertTrue(off > CLOCKED / 2, "off=" + off);
        final FaultState state = new FaultState(clocks.plan(), 1, CLOCKED);
        state.turnTo(100 + takeover);
        for (int node = 0; node < CLOCKED; node++) {
            assertEquals(node == 9, state.isOutOfWindow(node), "node=" + node);
        }
    }

    @Test
    void shouldStopWhereNobodyIsLeft() {
        final Fault[] all = new Fault[CLOCKED];
        for (int node = 0; node < CLOCKED; node++) {
            all[node] = new Fault.Node(5, node, false);
        }
        assertTrue(play(1, 10, 3, all).takeovers().isEmpty());
    }

    /**
     * Fills one slot: cells from even nodes, idle cells from odd nodes, silence from the last node, nothing in dark
     * slots.
     */
    private static void write(final InFlightCells link, final long slot) {
        for (int channel = 0; channel < 2; channel++) {
            for (int id = 0; id < NODES; id++) {
                final long at = at(link, slot, channel, id);
                if (SCHEDULE.peerAt(id, channel, SCHEDULE.slotInEpoch(slot)) < 0) {
                    link.sendIdle(at, InFlightCells.NO_FEEDBACK);
                } else if (id == NODES - 1) {
                    link.silence(at);
                } else if (id % 2 == 0) {
                    link.send(at, 100 + id, 200 + id, 300 + id);
                } else {
                    link.sendIdle(at, 300 + id);
                }
            }
        }
    }

    private static long at(final InFlightCells link, final long slot, final int channel, final int id) {
        return link.offset(slot) + ((long) channel * NODES + id) * InFlightCells.PLACE_BYTES;
    }

    private static LinkFaultInjector injector(final FaultState state, final InFlightCells link, final int first,
        final int end) {
        return new LinkFaultInjector(new NodeRange(first, end), SCHEDULE, state, link, HEADER,
            LinkFaultInjector.Bytes.NONE);
    }

    @Test
    void shouldSilenceWhatIsCutOff() {
        final InFlightCells link = new InFlightCells(arena, 2 * NODES, 4);
        final FaultState state = Scripts.of(new Fault.Link(1, 0, 2, false), new Fault.Link(1, 1, 3, false),
            new Fault.Node(2, 4, false)).state(NODES);
        final LinkFaultInjector medium = injector(state, link, 0, NODES);
        int silent = 0;
        int cells = 0;
        for (long slot = 0; slot < 3 * SCHEDULE.epochSlots(); slot++) {
            write(link, slot);
            state.turnTo(slot);
            medium.afflict(slot);
            for (int channel = 0; channel < 2; channel++) {
                for (int id = 0; id < NODES; id++) {
                    final int peer = SCHEDULE.peerAt(id, channel, SCHEDULE.slotInEpoch(slot));
                    final long at = at(link, slot, channel, id);
                    final boolean lost = peer >= 0 && id < NODES - 1 && (slot >= 2 && (id == 4 || peer == 4)
                        || slot >= 1 && peer == id + 2 && id < 2);
                    silent += lost ? 1 : 0;
                    cells += lost && id % 2 == 0 ? 1 : 0;
                    final long expected = peer < 0 ? InFlightCells.NO_CELL : lost || id == NODES - 1
                        ? InFlightCells.SILENCE
                        : id % 2 == 0 ? 100 + id : InFlightCells.NO_CELL;
                    assertEquals(expected, link.route(at), "slot=" + slot + " node=" + id);
                    assertEquals(expected == InFlightCells.SILENCE || peer < 0
                        ? InFlightCells.NO_FEEDBACK : 300 + id,
                        link.feedback(at), "slot=" + slot + " node=" + id);
                }
            }
        }
        assertTrue(silent > 10 && cells > 0 && cells < silent);
        assertEquals(cells, medium.lost());
        assertEquals(0, medium.damaged());
    }

    /**
     * However the nodes are split into banks, the same cells are damaged in the same way. Silence cannot be damaged.
     */
    @Test
    void shouldDamageTheSameCellsWhateverTheBanks() {
        final Faults faults = Scripts.of(new Fault.Corruption(1, 0.3));
        final int slots = 400;
        final InFlightCells whole = new InFlightCells(arena, 2 * NODES, slots);
        final InFlightCells split = new InFlightCells(arena, 2 * NODES, slots);
        final FaultState state = faults.state(NODES);
        final LinkFaultInjector one = injector(state, whole, 0, NODES);
        final LinkFaultInjector first = injector(state, split, 0, 2);
        final LinkFaultInjector second = injector(state, split, 2, NODES);
        final int[] seen = new int[3];
        for (long slot = 0; slot < slots; slot++) {
            write(whole, slot);
            write(split, slot);
            state.turnTo(slot);
            one.afflict(slot);
            second.afflict(slot);
            first.afflict(slot);
            for (int place = 0; place < 2 * NODES; place++) {
                final long at = at(whole, slot, 0, place);
                assertEquals(whole.route(at), split.route(at));
                assertEquals(whole.feedback(at), split.feedback(at));
                if (whole.route(at) == InFlightCells.DAMAGED) {
                    final long wrong = whole.feedback(at) ^ 300 + place % NODES;
                    assertTrue(slot > 0 && place % NODES < NODES - 1 && (wrong & ~HEADER) == 0);
                    seen[0]++;
                    seen[1] += place % 2 == 0 ? 1 : 0;
                    seen[2] += wrong == 0 ? 1 : 0;
                }
            }
        }
        assertEquals(seen[0], one.damaged());
        assertEquals(seen[1], one.damagedCells());
        assertEquals(one.damaged(), first.damaged() + second.damaged());
        // Damage has probability 0.3. Five of six nodes are not silent, in five of six slots. Half of the damaged
        // cells have a correct header.
        assertEquals(0.3 * slots * 2 * 5 * 5 / 6, seen[0], 120);
        assertEquals(seen[0] / 2.0, seen[2], seen[0] * 0.1);
    }
}
