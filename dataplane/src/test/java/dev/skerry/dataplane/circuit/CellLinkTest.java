package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;

final class CellLinkTest {
    @ParameterizedTest
    @CsvSource({"1, 1", "9, 2", "16, 7", "5, 10"})
    void shouldKeepEveryCellForItsWindow(final int nodes, final int window) {
        try (Arena arena = Arena.ofConfined()) {
            final CellLink link = new CellLink(arena, nodes, window);
            for (int slot = 0; slot < window; slot++) {
                for (int node = 0; node < nodes; node++) {
                    final long at = link.offset(slot) + (long) CellLink.CELL_BYTES * node;
                    assertEquals(CellLink.NO_CELL, link.route(at), "idle at the start");
                    assertEquals(CellLink.NO_FEEDBACK, link.feedback(at), "idle at the start");
                }
            }
            for (long slot = 0; slot < 5L * window; slot++) {
                for (int node = 0; node < nodes; node++) {
                    final long at = link.offset(slot) + (long) CellLink.CELL_BYTES * node;
                    if ((slot + node) % 3 == 0) {
                        link.sendIdle(at, word(slot, node, 2));
                    } else {
                        link.send(at, word(slot, node, 0), word(slot, node, 1), word(slot, node, 2));
                    }
                }
                for (long sent = Math.max(0, slot - window + 1); sent <= slot; sent++) {
                    holds(link, sent, nodes);
                }
            }
        }
    }

    /** What is no cell of a flow has words of its own, whatever was there before. */
    @Test
    void shouldTellMarksFromCells() {
        try (Arena arena = Arena.ofConfined()) {
            final CellLink link = new CellLink(arena, 3, 2);
            final long at = link.offset(1) + 2 * CellLink.CELL_BYTES;
            assertEquals(5, link.handle(at));
            assertEquals(at, link.place(5));
            link.send(at, 7, 8, 0b1100);
            assertTrue(CellLink.isCell(link.route(at)));
            link.damage(at, 0b0110);
            assertEquals(CellLink.DAMAGED, link.route(at));
            assertEquals(0b1010, link.feedback(at));
            link.sendControl(at, 9);
            assertEquals(CellLink.CONTROL, link.route(at));
            assertEquals(9, link.feedback(at));
            link.silence(at);
            assertEquals(CellLink.SILENCE, link.route(at));
            assertEquals(CellLink.NO_FEEDBACK, link.feedback(at));
            for (long mark = CellLink.CONTROL; mark < 0; mark++) {
                assertFalse(CellLink.isCell(mark));
            }
            assertTrue(CellLink.isCell(CellLink.CONTROL - 1) && CellLink.isCell(0) && CellLink.isCell(Long.MAX_VALUE));
        }
    }

    private static void holds(final CellLink link, final long slot, final int nodes) {
        for (int node = 0; node < nodes; node++) {
            final long at = link.offset(slot) + (long) CellLink.CELL_BYTES * node;
            if ((slot + node) % 3 == 0) {
                assertEquals(CellLink.NO_CELL, link.route(at));
            } else {
                assertEquals(word(slot, node, 0), link.route(at));
                assertEquals(word(slot, node, 1), link.cell(at));
            }
            assertEquals(word(slot, node, 2), link.feedback(at));
        }
    }

    private static long word(final long slot, final int node, final int which) {
        return slot << 32 | node << 8 | which;
    }
}
