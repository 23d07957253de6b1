package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CellBatchTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 65, CellBatch.CELLS})
    void shouldHaveRoomForAsManyCellsAsAskedFor(final int cells) {
        final CellBatch batch = new CellBatch(cells);
        for (int cell = 0; cell < cells; cell++) {
            batch.add(cell, 3 * cell, 5 * cell, 7L * cell);
        }
        assertEquals(cells, batch.count());
        for (int cell = 0; cell < cells; cell++) {
            assertEquals(cell, batch.node()[cell]);
            assertEquals(3 * cell, batch.hop()[cell]);
            assertEquals(5 * cell, batch.queue()[cell]);
            assertEquals(7L * cell, batch.word()[cell]);
        }
        assertThrows(IndexOutOfBoundsException.class, () -> batch.add(0, 0, 0, 0));
        batch.clear();
        assertEquals(0, batch.count());
        batch.add(1, 2, 3, 4, 5);
        assertEquals(1, batch.count());
        assertEquals(1, batch.node()[0]);
        assertEquals(2, batch.queue()[0]);
        assertEquals(3, batch.length()[0]);
        assertEquals(4, batch.word()[0]);
        assertEquals(5, batch.cell()[0]);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, CellBatch.CELLS + 1, Integer.MAX_VALUE})
    void shouldRefuseOtherSizes(final int cells) {
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> new CellBatch(cells));
        assertEquals("cells must be 1 to " + CellBatch.CELLS + ": cells=" + cells, refused.getMessage());
    }

    @Test
    void shouldMakeBlocksOfAllNodesOrAsManyAsFit() {
        assertEquals(1, CellBatch.block(1));
        assertEquals(CellBatch.CELLS - 1, CellBatch.block(CellBatch.CELLS - 1));
        assertEquals(CellBatch.CELLS, CellBatch.block(CellBatch.CELLS));
        assertEquals(CellBatch.CELLS, CellBatch.block(CellBatch.CELLS + 1));
        assertEquals(CellBatch.CELLS, CellBatch.block(Integer.MAX_VALUE));
    }
}
