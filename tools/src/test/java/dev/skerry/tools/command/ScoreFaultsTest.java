package dev.skerry.tools.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** {@code skerry score --faults} on traces of {@code skerry trace --cells --faults}. */
final class ScoreFaultsTest {
    private static final String FABRIC = "--nodes 9 --propagation-slots 5 --tokens 1 --first-hop-tokens 2";
    private static final String SCRIPT = """
        100 link 3 4 down
        400 node 2 down
        500 corrupt 0.002
        700 corrupt 0
        900 node 2 up
        1200 link 3 4 up
        """;
    private static final int SLOT = 1;
    private static final int NODE = 2;
    private static final int PEER = 3;
    private static final int SOURCE = 4;
    private static final int SEQUENCE = 6;
    private static final int DUMMY = 14;

    @TempDir
    private Path folder;

    private Path script() throws IOException {
        return Files.writeString(folder.resolve("script"), SCRIPT, US_ASCII);
    }

    private Path trace(final int slots, final String options) {
        final Path out = folder.resolve("trace");
        final Invocation traced = Invocation.of(("trace --cells --workload permutation --slots " + slots + " --out "
            + out + " " + options).split(" "));
        assertEquals(0, traced.code(), traced.err());
        return out.resolve("cells.csv");
    }

    private static Invocation score(final Path cells, final String options) {
        return Invocation.of(("score " + cells + " " + options).split(" "));
    }

    /** The script is what makes the cells that are lost, and the silence, lawful. */
    @ParameterizedTest
    @ValueSource(strings = {FABRIC, "--nodes 16 --h 4 --propagation-slots 9 --tokens 1 --first-hop-tokens 2",
        "--nodes 27 --h 3 --propagation-slots 0 --tokens 1 --first-hop-tokens 3 --miss-limit 2"})
    void shouldFindNothingInFabricsOfOurs(final String fabric) throws IOException {
        final String faults = " --faults " + script();
        final Path cells = trace(1600, fabric + faults);
        final Invocation scored = score(cells, fabric + faults);
        assertEquals(0, scored.code(), scored.out() + scored.err());
        assertTrue(scored.out().matches("1599 slots of \\d+ nodes: [1-9]\\d{3,} cells sent[^$]*no law is broken\\s+"),
            scored.out());
        final Path calm = Files.writeString(folder.resolve("calm"), "1599 corrupt 0\n", US_ASCII);
        assertEquals(1, score(cells, fabric + " --faults " + calm).code(), "nothing failed as far as the script says");
    }

    private static int number(final String[] line, final int field) {
        return Integer.parseInt(line[field]);
    }

    private static String[] first(final List<String[]> lines, final int from, final Predicate<String[]> wanted) {
        return lines.stream().skip(1).filter(line -> number(line, SLOT) >= from && wanted.test(line)).findFirst()
            .orElseThrow();
    }

    private static boolean isSent(final String[] line, final int dummy) {
        return line[0].equals("T") && number(line, DUMMY) == dummy;
    }

    /** What arrives of a line on an intact link. */
    private static String[] arrival(final List<String[]> lines, final String[] sent) {
        return first(lines, number(sent, SLOT) + 5, line -> line[0].equals("R") && line[NODE].equals(sent[PEER])
            && number(line, SLOT) == number(sent, SLOT) + 5);
    }

    /** Plants a mistake; returns its line. */
    private static String[] plant(final String mistake, final List<String[]> lines) {
        return switch (mistake) {
            case "a cell lost on an intact link" -> {
                final String[] at = first(lines, 300, line -> line[0].equals("R") && number(line, DUMMY) == 0);
                lines.remove(at);
                yield at;
            }
            case "a cell on a link that is cut" -> {
                final String[] like = first(lines, 300, line -> line[0].equals("R") && number(line, DUMMY) == 0
                    && number(line, NODE) == 4);
                final String[] at = like.clone();
                final String[] cut = first(lines, 300, line -> line[0].equals("T") && number(line, NODE) == 3
                    && number(line, PEER) == 4);
                at[SLOT] = Integer.toString(number(cut, SLOT) + 5);
                lines.add(lines.indexOf(first(lines, number(at, SLOT), line -> true)), at);
                yield at;
            }
            case "silence on a link that is up" -> {
                final String[] at = first(lines, 300, line -> isSent(line, 1));
                lines.remove(arrival(lines, at));
                lines.remove(at);
                yield at;
            }
            case "a dummy on a link that is down" -> {
                final String[] at = first(lines, 420, line -> isSent(line, 3) && number(line, PEER) == 2);
                at[DUMMY] = "1";
                yield at;
            }
            case "a cell of a device that is down" -> {
                final String[] at = first(lines, 350, line -> isSent(line, 0) && number(line, NODE) == 2).clone();
                at[SLOT] = Integer.toString(number(at, SLOT) + 100);
                lines.add(lines.indexOf(first(lines, number(at, SLOT), line -> true)), at);
                yield at;
            }
            default -> {
                final String[] at = first(lines, 300, line -> isSent(line, 0) && !line[SOURCE].equals(line[NODE]));
                final String changed = Integer.toString(number(at, SEQUENCE) + 3000);
                arrival(lines, at)[SEQUENCE] = changed;
                at[SEQUENCE] = changed;
                yield at;
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"a cell lost on an intact link, conservation", "a cell on a link that is cut, conservation",
        "silence on a link that is up, schedule", "a dummy on a link that is down, schedule",
        "a cell of a device that is down, schedule", "a cell that never came, conservation"})
    void shouldFindWhatIsPlantedInItsSlot(final String mistake, final String law) throws IOException {
        final String faults = " --faults " + script();
        final List<String[]> lines = new ArrayList<>(Files.readAllLines(trace(700, FABRIC + faults), US_ASCII).stream()
            .map(line -> line.split(",")).toList());
        final String[] at = plant(mistake, lines);
        final Path changed = Files.write(folder.resolve("changed.csv"), lines.stream().map(line -> String.join(",",
            line)).toList(), US_ASCII);
        final Invocation found = score(changed, FABRIC + faults);
        final String first = found.out().lines().filter(line -> line.startsWith("first: ")).findFirst().orElse("");
        assertTrue(first.startsWith("first: slot " + at[SLOT] + " node " + at[NODE] + " link ")
            && first.contains(": " + law + ": expected"), mistake + " " + String.join(",", at) + ": " + found.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --from 5            | skerry: --from: shale: with faults nobody judges it
        --header L12F       | skerry: --header: shale: with faults nobody judges it
        --permit-nothing    | skerry: --permit-nothing: shale: with faults
        --miss-limit 9      | skerry: --miss-limit: 9:
        """)
    void shouldRefuseWhatIsNotJudged(final String options, final String beginning) throws IOException {
        final Invocation refused = score(trace(9, FABRIC), FABRIC + " --faults " + script() + " " + options);
        assertEquals(2, refused.code(), refused.out());
        assertTrue(refused.err().startsWith(beginning), refused.err());
    }

    @Test
    void shouldRefuseClocks() throws IOException {
        final Path clocks = Files.writeString(folder.resolve("clocks"), "5 clock 3 40\n", US_ASCII);
        final Invocation refused = score(trace(9, FABRIC), FABRIC + " --faults " + clocks);
        assertEquals(2, refused.code(), refused.out());
        assertEquals(1, refused.errors().size(), refused.err());
    }
}
