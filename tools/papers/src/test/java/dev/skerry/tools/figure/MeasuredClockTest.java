package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the line of progress says of the rest. */
final class MeasuredClockTest {
    private double now;
    private final Measured.Clock clock = new Measured.Clock(() -> now, () -> now / 2);

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0.01|100|1 %", "0.5|30|50 %, 30 s left", "0.25|600|25 %, 30 min left",
        "0.25|120|25 %, 6.0 min left", "0.1|7200|10 %, 18.0 h left"})
    void shouldGuessTheRestFromWhatIsDone(final double share, final double seconds, final String status) {
        now = seconds;
        clock.reach(share, 0);
        assertEquals(status, clock.status());
    }

    /** Runs that were kept took no time: half of the work in one jump tells nothing. */
    @Test
    void shouldGuessTheRestFromWhatWasRun() {
        now = 1;
        clock.reach(0.5, 10);
        assertEquals("50 %", clock.status());
        now = 601;
        clock.reach(0.75, 10);
        assertEquals("75 %, 10 min left; CPU time: 5.0 min used, 5.0 min left", clock.line());
    }

    /** The start takes long for its share of the work; what is left is right without it. */
    @Test
    void shouldLeaveTheStartBehind() {
        now = 600;
        clock.reach(0.03, 0);
        for (int percent = 4; percent <= 50; percent++) {
            now += 60;
            clock.reach(percent / 100.0, 0);
        }
        assertEquals("50 %, 50 min left", clock.status());
    }

    @Test
    void shouldSayALineForEachTwentiethAndNoMoreThanOneAMinute() {
        now = 59;
        clock.reach(0.06, 0);
        assertNull(clock.line());
        now = 62;
        clock.reach(0.06, 0);
        assertEquals("6 %, 16 min left; CPU time: 31 s used, 8.1 min left", clock.line());
        now = 300;
        clock.reach(0.1, 0);
        assertNull(clock.line());
    }
}
