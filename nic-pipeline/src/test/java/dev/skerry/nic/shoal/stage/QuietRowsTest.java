package dev.skerry.nic.shoal.stage;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class QuietRowsTest {
    private static final int LINK = 1;
    private static final int KEPT = 3;

    private final QuietRows rows = new QuietRows(3, KEPT);

    @Test
    void shouldBeQuietAtFirst() {
        assertTrue(rows.nothingToSay(LINK));
        assertTrue(rows.nothingAwaited(LINK));
    }

    @Test
    void shouldAwaitReportsOnACellForAsLongAsItIsRemembered() {
        rows.sent(LINK, true, false);
        for (int turn = 0; turn < KEPT; turn++) {
            assertFalse(rows.nothingAwaited(LINK), "turn=" + turn);
            assertTrue(rows.nothingToSay(LINK), "turn=" + turn);
            rows.sent(LINK, false, false);
        }
        assertTrue(rows.nothingAwaited(LINK));
    }

    @Test
    void shouldTellOfACellThatJoinedFourTurnsLong() {
        rows.received(LINK, true);
        for (int turn = 0; turn < 4; turn++) {
            assertFalse(rows.nothingAwaited(LINK), "turn=" + turn);
            assertFalse(rows.nothingToSay(LINK), "turn=" + turn);
            rows.received(LINK, false);
        }
        assertTrue(rows.nothingAwaited(LINK));
        assertTrue(rows.nothingToSay(LINK));
    }

    @Test
    void shouldTellOfReadyFlowsUntilThereAreNone() {
        rows.sent(LINK, false, true);
        assertFalse(rows.nothingToSay(LINK));
        rows.sent(LINK, false, false);
        assertTrue(rows.nothingToSay(LINK));
    }

    @Test
    void shouldKeepLinksApart() {
        rows.sent(LINK, true, true);
        rows.received(LINK, true);
        assertTrue(rows.nothingToSay(0) && rows.nothingAwaited(0));
        assertTrue(rows.nothingToSay(2) && rows.nothingAwaited(2));
    }
}
