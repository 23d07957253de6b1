package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the line of progress says. */
final class FigureRunTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0.01|100|1 %", "0.5|30|50 %, 30 s left", "0.25|600|25 %, 30 min left",
        "0.1|7200|10 %, 18.0 h left"})
    void shouldGuessTheRestFromWhatIsDone(final double share, final double seconds, final String line) {
        assertEquals(line, FigureRun.status(share, seconds));
    }
}
