package dev.skerry.tools.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.header.HeaderDescription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** {@code skerry trace --cells} and {@code skerry score} on it: all nodes of Shoal, and the links between them. */
final class ScoreShoalTest {
    private static final int SLOT = 1;
    private static final int NODE = 2;
    private static final int PEER = 4;
    private static final int SOURCE = 5;
    private static final int DESTINATION = 6;
    private static final int SEQUENCE = 7;
    private static final int REPORT = 8;
    private static final int DUMMY = 9;
    private static final int FROM = 400;
    private static final String FABRIC = "--fabric shoal --nodes 9 --channels 1 --propagation-slots 3";

    @TempDir
    private Path folder;

    private Path trace(final String options) {
        return trace(options, 1500);
    }

    private Path trace(final String options, final int slots) {
        final Path out = folder.resolve("trace");
        final Invocation traced = run("trace --cells --seed 3 --slots " + slots + " --out " + out + " " + options);
        assertEquals(0, traced.code(), traced.err());
        return out.resolve("cells.csv");
    }

    private static Invocation run(final String line) {
        return Invocation.of(line.split(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--fabric shoal --nodes 9 --channels 1 --propagation-slots 0",
        "--fabric shoal --nodes 8 --channels 3 --propagation-slots 5",
        "--fabric shoal --nodes 9 --channels 1 --shoal-schedule delay --propagation-slots 3",
        "--fabric shoal --nodes 12 --channels 1 --shoal-rule paper-literal --propagation-slots 20",
        "--nodes 16 --propagation-slots 7 --first-hop-tokens 2",
        "--nodes 8 --h 3 --tokens 2 --first-hop-tokens 2 --propagation-slots 0"})
    void shouldFindNothingInFabricsOfOurs(final String options) {
        for (final String workload : List.of("permutation", "all-to-all --flow-bytes 9000")) {
            final Path cells = trace(options + " --workload " + workload);
            final Invocation scored = run("score " + cells + " " + options);
            assertEquals(0, scored.code(), scored.out() + scored.err());
            assertTrue(scored.out().matches("1499 slots of \\d+ nodes: [1-9]\\d+ cells sent[^$]*no law is broken\\s+"),
                scored.out());
            cells.toFile().delete();
            cells.getParent().toFile().delete();
        }
    }

    private static List<String[]> lines(final Path file) throws IOException {
        return new ArrayList<>(Files.readAllLines(file, US_ASCII).stream().map(line -> line.split(",")).toList());
    }

    private Path write(final List<String[]> lines) throws IOException {
        return Files.write(folder.resolve("changed.csv"), lines.stream().map(line -> String.join(",", line)).toList(),
            US_ASCII);
    }

    private static int number(final String[] line, final int field) {
        return Integer.parseInt(line[field]);
    }

    private static String[] first(final List<String[]> lines, final Predicate<String[]> wanted) {
        return lines.stream().skip(1).filter(line -> number(line, SLOT) >= FROM && wanted.test(line)).findFirst()
            .orElseThrow();
    }

    private static boolean isCell(final String[] line) {
        return number(line, DUMMY) == 0;
    }

    private static boolean isRelayed(final String[] line) {
        return line[0].equals("T") && isCell(line) && !line[SOURCE].equals(line[NODE]);
    }

    /** What the neighbour receives of a line. */
    private static String[] arrival(final List<String[]> lines, final String[] sent) {
        return lines.stream().filter(line -> line[0].equals("R") && number(line, SLOT) == number(sent, SLOT) + 3
            && line[NODE].equals(sent[PEER])).findFirst().orElseThrow();
    }

    private static void dummy(final String[] line, final String of) {
        line[SOURCE] = of;
        line[DESTINATION] = of;
        line[SEQUENCE] = "0";
        line[DUMMY] = "1";
    }

    /** Plants a mistake in a node or on a link; returns the line of it. */
    private static String[] plant(final String mistake, final List<String[]> lines) {
        return switch (mistake) {
            case "cell lost on the way" -> {
                final String[] at = first(lines, line -> line[0].equals("R") && isCell(line));
                dummy(at, "0");
                yield at;
            }
            case "report changed on the way" -> {
                final String[] at = first(lines, line -> line[0].equals("R"));
                at[REPORT] = Integer.toString(number(at, REPORT) + 1);
                yield at;
            }
            case "cell changed on the way" -> {
                final String[] at = first(lines, line -> line[0].equals("R") && isCell(line));
                at[SEQUENCE] = Integer.toString(number(at, SEQUENCE) + 1);
                yield at;
            }
            case "relay keeps a cell back" -> {
                final String[] at = first(lines, ScoreShoalTest::isRelayed);
                dummy(at, at[NODE]);
                dummy(arrival(lines, at), at[NODE]);
                yield at;
            }
            case "relay changes a cell" -> {
                final String[] at = first(lines, ScoreShoalTest::isRelayed);
                at[SEQUENCE] = Integer.toString(number(at, SEQUENCE) + 100);
                arrival(lines, at)[SEQUENCE] = at[SEQUENCE];
                yield at;
            }
            case "report too high" -> {
                final String[] at = first(lines, line -> line[0].equals("T"));
                at[REPORT] = Integer.toString(number(at, REPORT) + 9);
                arrival(lines, at)[REPORT] = at[REPORT];
                yield at;
            }
            case "another neighbour" -> {
                final String[] at = first(lines, line -> line[0].equals("T"));
                at[PEER] = Integer.toString((number(at, PEER) + 1) % 9);
                yield at;
            }
            default -> {
                final String[] at = first(lines, line -> line[0].equals("T") && !isCell(line));
                lines.remove(at);
                lines.remove(arrival(lines, at));
                yield at;
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"cell lost on the way, conservation", "report changed on the way, token",
        "cell changed on the way, payload", "relay keeps a cell back, order", "relay changes a cell, payload",
        "report too high, token", "another neighbour, schedule", "silence, schedule"})
    void shouldFindWhatIsPlantedInItsSlot(final String mistake, final String law) throws IOException {
        final List<String[]> lines = lines(trace(FABRIC + " --workload permutation"));
        final String[] at = plant(mistake, lines);
        final Invocation found = run("score " + write(lines) + " --out " + folder.resolve("found") + " " + FABRIC);
        assertEquals(1, found.code(), found.err());
        final String first = found.out().lines().filter(line -> line.startsWith("first: ")).findFirst().orElseThrow();
        assertTrue(first.startsWith("first: slot " + at[SLOT] + " node " + at[NODE] + " link ")
            && first.contains(": " + law + ": expected"), mistake + ": " + first);
        assertTrue(Files.readString(folder.resolve("found/findings.txt"), US_ASCII).contains(">      " + at[SLOT]));
    }

    /** Sequence numbers of a few bits start again and again. */
    @Test
    void shouldFollowNumbersThatStartAgain() throws IOException {
        final List<String[]> lines = lines(trace(FABRIC + " --workload permutation"));
        lines.stream().skip(1).forEach(line -> line[SEQUENCE] = Integer.toString(number(line, SEQUENCE) & 31));
        assertTrue(lines.stream().skip(1).filter(line -> line[SEQUENCE].equals("31")).count() > 30);
        final Invocation scored = run("score " + write(lines) + " --sequence-bits 5 " + FABRIC);
        assertEquals(0, scored.code(), scored.out() + scored.err());
    }

    /** The same cells as bits of Shoal's header. */
    @Test
    void shouldReadHeaders() throws IOException {
        final HeaderDescription shoal = HeaderDescription.builtIn("shoal");
        final List<String> lines = lines(trace(FABRIC + " --workload permutation")).stream().skip(1).map(line -> {
            final long[] values = new long[shoal.size()];
            values[shoal.indexOf("source")] = number(line, SOURCE);
            values[shoal.indexOf("destination")] = number(line, DESTINATION);
            values[shoal.indexOf("sequence")] = number(line, SEQUENCE);
            values[shoal.indexOf("feedback")] = number(line, REPORT);
            return String.join(",", Arrays.copyOf(line, 4)) + ","
                + HexFormat.of().formatHex(shoal.pack(values, new byte[56]));
        }).collect(Collectors.toCollection(ArrayList::new));
        lines.addFirst("kind,slot,node,channel,header");
        final Path file = Files.write(folder.resolve("headers.csv"), lines, US_ASCII);
        final Invocation scored = run("score " + file + " --header shoal " + FABRIC);
        assertEquals(0, scored.code(), scored.out() + scored.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        score CELLS --fabric shoal --nodes 9 --h 2             | skerry: --h: 2: an option of shale; the fabric is
        score CELLS --fabric shoal --nodes 9 --from 5          | skerry: --from: 5: nodes of this fabric are
        score CELLS --fabric shoal --nodes 9 --channels 9      | skerry: --channels: 9:
        score CELLS --fabric shoal --nodes 9 --shoal-rule basic | skerry: --shoal-rule: basic: only devices with two
        score CELLS --fabric shoal --nodes 9 --shoal-schedule x | skerry: --shoal-schedule: x: there is no such choice
        score CELLS --fabric shoal --nodes 8                   | skerry: trace: CELLS:
        score CELLS --fabric shoal --nodes 9 --channels 2 --header L12 | skerry: trace: CELLS:1: there is no column
        score CELLS --fabric stardust --nodes 9                | skerry: --fabric: stardust: score cannot follow
        score CELLS --nodes 9 --channels 1                     | skerry: --channels: 1: an option of shoal; the fabric
        trace --cells --node 3 --out X                         | skerry: command line: skerry trace: it says more than
        trace --cells SHOAL --faults FAULTS --slots 9 --out X  | skerry: --cells: all nodes: nodes of this fabric that
        trace --cells CLASSES --slots 9 --out X                | skerry: --cells: all nodes: schedules
        """)
    void shouldRefuseWrongOptions(final String line, final String beginning) throws IOException {
        final Path cells = trace(FABRIC + " --workload permutation", 9);
        final Path faults = Files.writeString(folder.resolve("faults"), "5 node 3 down\n");
        final Invocation refused = run(line.replace("CELLS", cells.toString()).replace("FAULTS", faults.toString())
            .replace("SHOAL", "--fabric shoal --nodes 8 --channels 1 --workload permutation")
            .replace("CLASSES", "--fabric shoal --nodes 8 --workload all-to-all --flow-bytes 20000 --class-bytes 10000")
            .replace(" X", " " + folder.resolve("x")));
        assertEquals(2, refused.code(), refused.out());
        assertEquals(1, refused.errors().size(), refused.err());
        assertTrue(refused.errors().getFirst().startsWith(beginning.replace("CELLS", cells.toString())),
            refused.err());
    }
}
