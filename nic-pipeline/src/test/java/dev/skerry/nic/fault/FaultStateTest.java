package dev.skerry.nic.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The state of a slot, and the plans that are refused. */
final class FaultStateTest {
    @Test
    void shouldHoldFromItsSlotOn() {
        final FaultState state = new FaultState(new FaultPlan(List.of(
            new Fault.Node(9, 2, true), new Fault.Node(5, 2, false), new Fault.Link(6, 0, 1, false),
            new Fault.Link(8, 0, 1, true))), 1, 4);
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
        final FaultState state = new FaultState(new FaultPlan(List.of(new Fault.Link(1, 0, 1, false),
            new Fault.Link(2, 0, 1, true))), 1, 2);
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
        assertThrows(IllegalArgumentException.class,
            () -> new FaultPlan(List.of(new Fault.LinkCorruption(3, 1, 2, 1.5))));
        assertThrows(IllegalArgumentException.class, () -> new FaultState(new FaultPlan(List.of(
            new Fault.LinkCorruption(3, 1, 4, 0.5))), 1, 4));
        assertThrows(IllegalArgumentException.class,
            () -> new FaultPlan(List.of(new Fault.Node(3, 1, false), new Fault.Node(4, 1, false))));
        assertThrows(IllegalArgumentException.class, () -> new FaultPlan(List.of(new Fault.Link(3, 1, 2, true))));
        assertThrows(IllegalArgumentException.class, () -> new FaultPlan(List.of(new Fault.Corruption(3, 1.5))));
        assertThrows(IllegalArgumentException.class, () -> new FaultPlan(List.of(new Fault.Corruption(-1, 0.5))));
        final FaultPlan far = new FaultPlan(List.of(new Fault.Node(3, 4, false)));
        assertThrows(IllegalArgumentException.class, () -> new FaultState(far, 1, 4));
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
        assertThrows(IllegalArgumentException.class,
            () -> Scripts.of(new Fault.Switch(0, 0, false, new long[] {8L << 32})).state(8));
    }
}
