package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the line of progress says; the part of a figure that was kept tells nothing of the rest. */
final class FigureClockTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0.01|0.01|100|1 %", "0.5|0.5|30|50 %, 30 s left",
        "0.25|0.25|600|25 %, 30 min left", "0.1|0.1|7200|10 %, 18.0 h left",
        "0.75|0.25|600|75 %, 10 min left", "0.75|0.01|600|75 %"})
    void shouldGuessTheRestFromWhatIsDone(final double share, final double run,
        final double seconds, final String line) {
        assertEquals(line, FigureClock.status(share, run, seconds));
    }
}
