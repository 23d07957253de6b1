package dev.skerry.nic.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.edge.EdgeConfig.WhenFull;
import dev.skerry.nic.edge.EdgeMemory.CellShares.QueueTarget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Cells wait for as long as the target says and no longer, and as many cross as without one (docs/spec/edge.md). */
@Timeout(120)
final class QueueTargetTest {
    private static final int CELLS = 1_024;
    private static final int PACKETS = 3_000;

    /**
     * A fabric that takes some slots for a cell and carries a cell every few slots, with more than enough to send:
     * cells are home within the window, and the fabric is never without work.
     */
    @ParameterizedTest
    @CsvSource({"1, 14, 135", "1, 60, 120", "2, 14, 200", "5, 30, 800", "1, 100, 1000"})
    void shouldHoldTheTimeOfCellsToTheWindow(final int slotsPerCell, final int emptySlots, final int window) {
        final QueueTarget target = new QueueTarget(2, 1 << 12);
        target.setWindow(window);
        final Deque<Long> under = new ArrayDeque<>();
        long nextServed = 0;
        long served = 0;
        long worst = 0;
        final long settled = 200L * window;
        final long end = 2 * settled;
        for (long slot = 0; slot < end; slot++) {
            target.pass(slot);
            while (!under.isEmpty() && under.peek() + emptySlots <= slot && nextServed <= slot) {
                final long cut = under.poll();
                nextServed = slot + slotsPerCell;
                target.returned(1);
                if (slot >= settled) {
                    served++;
                    worst = Math.max(worst, slot - cut);
                }
            }
            while (target.hasRoom(1, under.size(), 1)) {
                under.add(slot);
            }
        }
        final long most = Math.max(window, (long) QueueTarget.LEAST_CELLS * slotsPerCell);
        final long slots = worst;
        assertTrue(worst <= most * 5 / 4 + emptySlots, () -> "slots " + slots + ", window " + window);
        assertTrue(served >= 0.99 * settled / slotsPerCell, "served " + served);
        assertEquals(1 << 12, target.limit(0), "a destination without packets keeps its limit");
    }

    @Test
    void shouldBoundNothingWithoutATarget() {
        final QueueTarget target = new QueueTarget(1, 64);
        for (long slot = 0; slot < 1_000; slot++) {
            target.full(0);
            target.pass(slot);
        }
        assertEquals(64, target.limit(0));
        assertTrue(target.hasRoom(0, 0, 64));
        target.setWindow(10);
        for (long slot = 1_000; slot < 2_000; slot++) {
            target.full(0);
            target.pass(slot);
        }
        assertEquals(QueueTarget.LEAST_CELLS, target.limit(0));
        assertFalse(target.hasRoom(0, 32, 1));
        assertTrue(target.hasRoom(0, 40, 40), "two packets of any length");
        target.setWindow(0);
        assertEquals(64, target.limit(0));
    }

    /** A target far below what a fabric needs for a cell costs no slots, and fewer cells stand. */
    @ParameterizedTest
    @EnumSource(value = Rig.Kind.class, names = ".*_LOCKSTEP", mode = Mode.MATCH_ALL)
    void shouldCarryAsMuchAsWithoutATarget(final Rig.Kind kind) {
        final long[] without = slotsAndCells(kind, 0);
        final long[] with = slotsAndCells(kind, 1);
        assertTrue(with[0] <= 1.05 * without[0], () -> "slots without a target " + without[0] + ", with " + with[0]);
        assertTrue(4 * with[1] <= 3 * without[1], () -> "cells without a target " + without[1] + ", with " + with[1]);
    }

    /** Slots for all packets of three ports to one, and the cells that stood at half of the time. */
    private static long[] slotsAndCells(final Rig.Kind kind, final long targetNs) {
        final List<PacedPort> ports = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            ports.add(new PacedPort(node, true, 3));
            ports.get(node).setDue(() -> PACKETS);
        }
        ports.add(new PacedPort(3, true));
        try (Rig rig = new Rig(kind, ports, CELLS, WhenFull.WAIT, targetNs)) {
            final long[] seen = new long[2];
            assertEquals(0, rig.run(() -> {
                if (seen[1] == 0 && ports.get(3).took() >= 2 * PACKETS) {
                    for (int node = 0; node < 3; node++) {
                        seen[1] += rig.edges.heldCells(node, 3);
                    }
                }
                seen[0] = rig.slots();
                return ports.get(3).took() == 3 * PACKETS;
            }));
            for (final int node : new int[] {0, 1, 2}) {
                assertEquals(PACKETS, ports.get(node).brought(3));
            }
            return seen;
        }
    }
}
