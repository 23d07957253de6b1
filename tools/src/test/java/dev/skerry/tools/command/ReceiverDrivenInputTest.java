package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;

/** RD and NDP on the command line: what makes no sense is refused in one line; threads give what lock step gives. */
final class ReceiverDrivenInputTest {
    private static final String NDP = "run --nodes 64 --h 3 --load 0.9 --slots 3000 --propagation-slots 7 "
        + "--cc ndp --rd-max-queue 3 --rd-cells-per-pull 4 --rd-rate 0.5 --rd-budget 60";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        run --rd-budget 40                | --rd-budget: 40: it requires rd or ndp in --cc, leave it out
        run --cc hbh --rd-rate 0.5        | --rd-rate: 0.5: it requires rd or ndp in --cc, leave it out
        run --cc rd --rd-max-queue 10     | --rd-max-queue: 10: rd cuts no cells, leave it out or use ndp
        run --cc ndp --rd-max-queue 0     | --rd-max-queue: 0: must be 1 to
        run --cc rd --rd-rate 0           | --rd-rate: 0.0: a receiver takes up to one cell a slot, give more than 0
        run --cc rd --rd-rate 1.5         | --rd-rate: 1.5: a receiver takes up to one cell a slot, give more than 0
        run --cc rd --rd-rate NaN         | --rd-rate: NaN: a receiver takes up to one cell a slot, give more than 0
        run --cc rd --rd-cells-per-pull 0 | --rd-cells-per-pull: 0: must be 1 to
        run --cc ndp --rd-budget 19       | --rd-budget: 19: a flow would wait for ever, as its receiver asks for more
        run --cc rd --rd-cells-per-pull 833 --rd-budget 832 | --rd-budget: 832: a flow would wait for ever, as its
        run --cc rd+ndp                   | --cc: rd+ndp: there is no such congestion control, use none
        run --cc rd+rd                    | --cc: rd+rd: there is no such congestion control, use none
        run --cc rd --faults none.csv     | --faults: none.csv: rd and ndp do not repeat messages that are lost, leave
        run --nodes 16 --h 4 --failed-nodes 1 --cc hbh+rd | --cc: hbh+rd: rd and ndp do not repeat cells that are lost
        run --fabric shoal --rd-rate 0.5  | --rd-rate: 0.5: an option of shale
        trace --node 5 --nodes 16 --rd-budget 40 --cc rd --out o | --node: 5: a node alone has only cells, and rd needs
        live --fabric shale --cc ndp --rd-budget 20 --port 0=gen:64B,max,to=1 | --cc: ndp: ports keep no packets to
        """)
    void shouldRefuse(final String line, final String said) {
        Invocation.refuses(line, "skerry: " + said);
    }

    @Test
    void shouldGiveTheSameWithThreadsAndNameWhatWasCut() throws IOException {
        final JsonNode alone = summary(NDP + " --check");
        assertTrue(alone.findValue("cellsTrimmed").asLong() > 1000, alone.toString());
        assertTrue(alone.findValue("cellsRetransmitted").asLong() > 1000, alone.toString());
        assertEquals(0, alone.get("cellsDropped").asLong());
        assertEquals(3, alone.get("maxQueueLength").asInt());
        for (final String other : new String[] {"--threads 2", "--threads 3", "--mode threads --threads 3"}) {
            assertEquals(alone.get("digest"), summary(NDP + " " + other).get("digest"), other);
        }
    }
}
