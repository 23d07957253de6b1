package dev.skerry.nic.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Who takes over from a clock master that stops, when, and which clocks leave their window until then. */
final class ClockTakeoverTest {
    private static final int NODES = 16;

    private static ClockTakeover play(final double windowNs, final double driftPpm, final long takeoverSlots,
        final Fault... script) {
        return ClockTakeover.of(new FaultPlan(List.of(script)), NODES,
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
        assertTrue(off > NODES / 2, "off=" + off);
        final FaultState state = new FaultState(clocks.plan(), 1, NODES);
        state.turnTo(100 + takeover);
        for (int node = 0; node < NODES; node++) {
            assertEquals(node == 9, state.isOutOfWindow(node), "node=" + node);
        }
    }

    @Test
    void shouldStopWhereNobodyIsLeft() {
        final Fault[] all = new Fault[NODES];
        for (int node = 0; node < NODES; node++) {
            all[node] = new Fault.Node(5, node, false);
        }
        assertTrue(play(1, 10, 3, all).takeovers().isEmpty());
    }
}
