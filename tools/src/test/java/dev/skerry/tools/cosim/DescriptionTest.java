package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;

final class DescriptionTest {
    private static Twin twin(final String line) {
        return Description.of(line).twin(Arena.ofAuto());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pieo|5|8",
        "pieo capacity=16 idBits=5 rankBits=8 timeBits=8|5|8",
        "switch ports=2 rows=1,0/-1,1|6|11",
        "shoal|15|15",
        "shoal nodes=64 classes=3|15|15",
        "shale|9|9",
        "shale layout=L16 nodes=4096 phases=6 failures=1|9|9",
        "header file=shale-prototype|16|17",
        "header file=shoal payload=56|17|11"
    })
    void shouldMakeTheModelDescribed(final String line, final int inputs, final int outputs) {
        final Twin twin = twin(line);
        assertEquals(inputs, twin.names().inputs().length);
        assertEquals(outputs, twin.names().outputs().length);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "fifo|no such model: fifo",
        "pieo 64|not name=value: 64",
        "pieo capacity=x|capacity=x",
        "pieo capacity=0|capacity=0",
        "pieo colour=1|a pieo has no colour",
        "switch ports=2|rows",
        "switch ports=2 rows=0,0|not a partial permutation",
        "switch ports=2 rows=0|ports=2",
        "shoal nodes=2000|nodes=2000",
        "shale layout=L13|layout=L13",
        "shale layout=L12 failures=1|failure tokens",
        "header|file=",
        "header file=/nowhere|/nowhere",
        "header file=L12 payload=x|payload=x",
        "header file=L12 payload=-1|payload=-1"
    })
    void shouldRefuseWithAReason(final String line, final String reason) {
        final String message = assertThrows(IllegalArgumentException.class, () -> twin(line)).getMessage();
        assertTrue(message.contains(reason), message);
    }
}
