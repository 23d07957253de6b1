package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an entry says of a cell. */
final class SentCellsTest {
    @ParameterizedTest
    @CsvSource({"0, 0, true", "1, 0, true", "0, 1, true", "4091, 2046, true", "4091, 2047, false", "0, 2047, false"})
    void shouldKeepFlowAndServices(final int flow, final int services, final boolean joins) {
        final int entry = SentCells.entry(flow, services);
        assertEquals(flow, SentCells.flow(entry));
        assertEquals(services, SentCells.services(entry));
        assertEquals(joins, SentCells.joins(entry));
        assertTrue(entry >= 0, "of a flow");
    }

    @Test
    void shouldTellWhatHasNoFlow() {
        assertFalse(SentCells.joins(SentCells.NONE));
        assertTrue(SentCells.joins(SentCells.UNAWAITED));
        assertTrue(SentCells.NONE < 0 && SentCells.UNAWAITED < 0);
    }
}
