package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore.SlabPayload;
import dev.skerry.nic.shale.stage.ShaleBank.Losses;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

final class LossesTest {
    private static final int CELLS = 16;

    /** Far more cells are lost, at their source's bank and at another one, than there is room for. */
    @Test
    void shouldGiveThePlacesOfLostCellsBack() {
        try (Arena arena = Arena.ofConfined()) {
            final SlabPayload[] stores = SlabPayload.stores(arena, 2, CELLS, 32);
            final NodeRange range = new NodeRange(4, 8);
            final Losses own = new Losses(range, stores[0]);
            final Losses other = new Losses(new NodeRange(8, 12), stores[1]);
            assertNull(own.first());
            for (int cell = 0; cell < 10 * CELLS; cell++) {
                own.turnTo(7 + cell / 4);
                own.onDrop(3 - cell % 4, stores[0].inject(Cell.of(0, cell)), NicCounter.DROPPED_LAST_HOP);
                other.onDrop(0, stores[0].inject(Cell.of(1, cell)), NicCounter.DROPPED_DAMAGED);
            }
            assertEquals(10 * CELLS, own.count(NicCounter.DROPPED_LAST_HOP));
            assertEquals(10 * CELLS, other.count(NicCounter.DROPPED_DAMAGED));
            assertEquals(new Outcome.Drop(7, 4), own.first());
            final long cell = stores[0].inject(Cell.of(2, 9));
            assertEquals(Cell.of(2, 9), stores[1].deliver(cell));
        }
    }
}
