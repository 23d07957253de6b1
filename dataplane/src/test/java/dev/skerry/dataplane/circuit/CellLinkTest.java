package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
                    final long at = link.offset(slot) + 8L * node;
                    assertEquals(CellLink.NO_CELL, link.route(at), "idle at the start");
                    assertEquals(CellLink.NO_FEEDBACK, link.feedback(at), "idle at the start");
                }
            }
            for (long slot = 0; slot < 5L * window; slot++) {
                for (int node = 0; node < nodes; node++) {
                    final long at = link.offset(slot) + 8L * node;
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

    private static void holds(final CellLink link, final long slot, final int nodes) {
        for (int node = 0; node < nodes; node++) {
            final long at = link.offset(slot) + 8L * node;
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
