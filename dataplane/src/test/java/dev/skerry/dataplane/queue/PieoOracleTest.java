package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.function.BiFunction;
import java.util.zip.GZIPInputStream;

/**
 * Operation by operation against the authors' RTL of 64 elements with 16-bit ranks and times: {@code rtl-*} is its
 * simulation; {@code ports-*} adds every output port and comes from a transcription of its register transfers.
 */
final class PieoOracleTest {
    private static String answer(final Pieo pieo, final String[] field) {
        final int argument = Integer.parseInt(field[1]);
        if (field[0].equals("E")) {
            final int code = pieo.enqueue(argument, Integer.parseInt(field[2]), Integer.parseInt(field[3]));
            return String.join(" ", field[0], field[1], field[2], field[3], code == Pieo.DONE ? "1" : "0");
        }
        final int code = field[0].equals("D") ? pieo.dequeue(argument) : pieo.dequeueF(argument);
        final String head = field[0] + " " + argument + " ";
        return code == Pieo.DONE
            ? head + "1 " + pieo.id() + " " + pieo.rank() + " " + pieo.sendTime() : head + "0";
    }

    /** {@code E id rank time | F flow sublist 0 | D now 0 0}, then the ports, clocks and free_list_head. */
    private static String ports(final Pieo pieo, final String[] field) {
        final int argument = Integer.parseInt(field[1]);
        switch (field[0]) {
            case "E" -> pieo.enqueue(argument, Integer.parseInt(field[2]), Integer.parseInt(field[3]));
            case "F" -> pieo.dequeueF(argument, Integer.parseInt(field[2]));
            default -> pieo.dequeue(argument);
        }
        return String.join(" ", field[0], field[1], field[2], field[3]) + " " + pieo.enqueuedInSublist() + " "
            + pieo.id() + " " + pieo.rank() + " " + pieo.sendTime() + " " + pieo.movedId() + " "
            + pieo.movedToSublist() + " " + pieo.clocks() + " " + pieo.memory().used();
    }

    private static int replay(final String file, final BiFunction<Pieo, String[], String> answer) throws IOException {
        final PieoLayout layout = new PieoLayout(64);
        final Pieo pieo = new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
        int lines = 0;
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(PieoOracleTest.class.getResourceAsStream("/pieo/" + file)),
            StandardCharsets.US_ASCII))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines++;
                assertEquals(line, answer.apply(pieo, line.split(" ")), file + ":" + lines);
                PieoInvariants.check(pieo, file + ":" + lines);
            }
        }
        return lines;
    }

    @ParameterizedTest
    @ValueSource(strings = {"rtl-101.txt.gz", "rtl-102.txt.gz", "rtl-103-ties.txt.gz"})
    void shouldAnswerEveryOperationAsTheRtl(final String file) throws IOException {
        assertEquals(20_000, replay(file, PieoOracleTest::answer));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ports-64-21.txt.gz", "ports-64-22.txt.gz"})
    void shouldDriveEveryPortAsTheRtl(final String file) throws IOException {
        assertEquals(4_000, replay(file, PieoOracleTest::ports));
    }
}
