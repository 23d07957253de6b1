package dev.skerry.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.locks.LockSupport;

final class ProgressTest {
    private final StringWriter written = new StringWriter();

    private ProgressLine progress(final long slots) {
        return new ProgressLine(new PrintWriter(written), true, 256, slots, 40);
    }

    @Test
    void shouldShowSlotsFlowsSpeedAndTimeToGo() {
        assertEquals("25,000 of 100,000 slots (25 %), 10 of 40 flows, 3.2 M node-slots/s, 6 s to go",
            progress(100_000).line(25_000, 10, 2));
    }

    @Test
    void shouldGoByFlowsWhereTheRunEndsWithTheLast() {
        assertEquals("25,000 slots, 30 of 40 flows, 0.5 M node-slots/s, 4 s to go",
            progress(0).line(25_000, 30, 12));
    }

    @Test
    void shouldPromiseNothingBeforeTheFirstFlowIsDone() {
        assertEquals("25,000 slots, 0 of 40 flows, 3.2 M node-slots/s", progress(0).line(25_000, 0, 2));
    }

    @Test
    void shouldEndAtZeroSeconds() {
        assertEquals("100,000 of 100,000 slots (100 %), 40 of 40 flows, 2.6 M node-slots/s, 0 s to go",
            progress(100_000).line(100_000, 40, 10));
    }

    @Test
    void shouldWriteOneLineAfterTwoSecondsAndTakeItAwayAndNothingWhereThereIsNoTerminal() {
        final StringWriter elsewhere = new StringWriter();
        final ProgressLine silent = new ProgressLine(new PrintWriter(elsewhere), false, 256, 100_000, 40);
        final ProgressLine progress = progress(100_000);
        final long start = System.nanoTime();
        progress.show(10, 0);
        progress.clear();
        assertTrue(System.nanoTime() - start > 1_500_000_000L || written.toString().isEmpty(), "shown too early");
        while (System.nanoTime() - start < 2_050_000_000L) {
            LockSupport.parkNanos(10_000_000);
        }
        progress.show(50_000, 20);
        progress.show(60_000, 30);
        silent.show(50_000, 20);
        final String shown = written.toString();
        assertTrue(shown.startsWith("\r\033[K50,000 of 100,000 slots (50 %), 20 of 40 flows, "), shown);
        assertEquals(0, shown.lines().filter(line -> line.contains("60,000")).count(), "shown twice in one interval");
        progress.clear();
        assertEquals(shown + "\r\033[K", written.toString());
        silent.clear();
        assertEquals("", elsewhere.toString());
    }
}
