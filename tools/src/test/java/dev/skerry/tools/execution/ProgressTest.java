package dev.skerry.tools.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.PrintWriter;
import java.io.StringWriter;

final class ProgressTest {
    private static final long MS = 1_000_000;

    private final StringWriter written = new StringWriter();
    /** The clock may pass its end while a run goes on. */
    private long nowNs = Long.MAX_VALUE - 1_000 * MS;

    private ProgressLine progress(final long slots) {
        return new ProgressLine(new PrintWriter(written), true, 256, slots, 40, () -> nowNs);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        100000 | 25000  | 10 | 2  | 25,000 of 100,000 slots (25 %), 10 of 40 flows, 3.2 M node-slots/s, 6 s to go
        0      | 25000  | 30 | 12 | 25,000 slots, 30 of 40 flows, 0.5 M node-slots/s, 4 s to go
        0      | 25000  | 0  | 2  | 25,000 slots, 0 of 40 flows, 3.2 M node-slots/s
        100000 | 100000 | 40 | 10 | 100,000 of 100,000 slots (100 %), 40 of 40 flows, 2.6 M node-slots/s, 0 s to go
        """)
    void shouldShowSlotsFlowsSpeedAndTimeToGo(final long slots, final long done, final int flows, final double seconds,
        final String line) {
        assertEquals(line, progress(slots).line(done, flows, seconds));
    }

    @Test
    void shouldWriteOneLineAfterTwoSecondsAndTakeItAway() {
        final ProgressLine progress = progress(100_000);
        nowNs += 999 * MS;
        progress.show(10, 0);
        nowNs += 1_000 * MS;
        progress.show(10, 0);
        progress.clear();
        assertEquals("", written.toString(), "shown too early");
        nowNs += MS;
        progress.show(50_000, 20);
        nowNs += 249 * MS;
        progress.show(60_000, 30);
        final String shown = written.toString();
        assertTrue(shown.startsWith("\r\033[K50,000 of 100,000 slots (50 %), 20 of 40 flows, "), shown);
        assertFalse(shown.contains("60,000"), "shown twice in one interval");
        nowNs += MS;
        progress.show(70_000, 30);
        final String both = written.toString();
        assertTrue(both.startsWith(shown + "\r\033[K70,000 of 100,000 slots (70 %), 30 of 40 flows, "), both);
        progress.clear();
        assertEquals(both + "\r\033[K", written.toString());
    }

    @Test
    void shouldWriteALineEveryTenSecondsWhereThereIsNoTerminal() {
        final ProgressLine progress = new ProgressLine(new PrintWriter(written), false, 256, 100_000, 40, () -> nowNs);
        nowNs += 9_999 * MS;
        progress.show(20_000, 5);
        progress.clear();
        assertEquals("", written.toString(), "shown too early");
        nowNs += MS;
        progress.show(50_000, 20);
        nowNs += 9_999 * MS;
        progress.show(60_000, 30);
        progress.clear();
        final String shown = written.toString();
        assertTrue(shown.startsWith("skerry: run: 50,000 of 100,000 slots (50 %), 20 of 40 flows, "), shown);
        assertEquals(1, shown.lines().count(), shown);
    }
}
