package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static java.nio.charset.StandardCharsets.US_ASCII;
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

/** {@code skerry trace --cells} and {@code skerry score} on it: all nodes and links, amid faults too. */
final class ScoreCellsTest {
    private static final int SLOT = 1;
    private static final int NODE = 2;
    private static final int PEER = 4;
    private static final int SOURCE = 5;
    private static final int DESTINATION = 6;
    private static final int SEQUENCE = 7;
    private static final int REPORT = 8;
    private static final int DUMMY = 9;
    private static final int FROM = 400;
    private static final String SHOAL = "--fabric shoal --nodes 9 --channels 1 --propagation-slots 3";
    private static final int SHALE_PEER = 3;
    private static final int SHALE_SOURCE = 4;
    private static final int SHALE_SEQUENCE = 6;
    private static final int SHALE_DUMMY = 14;
    private static final String SHALE = "--nodes 9 --propagation-slots 5 --tokens 1 --first-hop-tokens 2";
    private static final String SCRIPT = """
        100 link 3 4 down
        400 node 2 down
        500 corrupt 0.002
        700 corrupt 0
        900 node 2 up
        1200 link 3 4 up
        """;

    @TempDir
    private Path folder;

    private Path trace(final String options, final int slots) {
        final Path out = folder.resolve("trace");
        Invocation.ofLine("trace --cells --slots " + slots + " --out " + out + " " + options).ok();
        return out.resolve("cells.csv");
    }

    private Path trace(final String options) {
        return trace("--seed 3 " + options, 1500);
    }

    private Path script(final String lines) throws IOException {
        return Files.writeString(folder.resolve("script"), lines, US_ASCII);
    }

    private static Invocation score(final Path cells, final String options) {
        return Invocation.ofLine("score " + cells + " " + options);
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
            final Invocation scored = score(cells, options).ok();
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

    private static String[] first(final List<String[]> lines, final int from, final Predicate<String[]> wanted) {
        return lines.stream().skip(1).filter(line -> number(line, SLOT) >= from && wanted.test(line)).findFirst()
            .orElseThrow();
    }

    private static String[] first(final List<String[]> lines, final Predicate<String[]> wanted) {
        return first(lines, FROM, wanted);
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
                final String[] at = first(lines, ScoreCellsTest::isRelayed);
                dummy(at, at[NODE]);
                dummy(arrival(lines, at), at[NODE]);
                yield at;
            }
            case "relay changes a cell" -> {
                final String[] at = first(lines, ScoreCellsTest::isRelayed);
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
        final List<String[]> lines = lines(trace(SHOAL + " --workload permutation"));
        final String[] at = plant(mistake, lines);
        final Invocation found = score(write(lines), "--out " + folder.resolve("found") + " " + SHOAL).exits(1);
        expectFirst(found, at, law, mistake);
        assertTrue(Files.readString(folder.resolve("found/findings.txt"), US_ASCII).contains(">      " + at[SLOT]));
    }

    private static void expectFirst(final Invocation found, final String[] at, final String law, final String mistake) {
        final String first = found.out().lines().filter(line -> line.startsWith("first: ")).findFirst().orElse("");
        assertTrue(first.startsWith("first: slot " + at[SLOT] + " node " + at[NODE] + " link ")
            && first.contains(": " + law + ": expected"), mistake + " " + String.join(",", at) + ": " + found.out());
    }

    @Test
    void shouldFollowNumbersThatStartAgain() throws IOException {
        final List<String[]> lines = lines(trace(SHOAL + " --workload permutation"));
        lines.stream().skip(1).forEach(line -> line[SEQUENCE] = Integer.toString(number(line, SEQUENCE) & 31));
        assertTrue(lines.stream().skip(1).filter(line -> line[SEQUENCE].equals("31")).count() > 30);
        score(write(lines), "--sequence-bits 5 " + SHOAL).ok();
    }

    @Test
    void shouldReadHeaders() throws IOException {
        final HeaderDescription shoal = HeaderDescription.builtIn("shoal");
        final List<String> lines = lines(trace(SHOAL + " --workload permutation")).stream().skip(1).map(line -> {
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
        score(file, "--header shoal " + SHOAL).ok();
        score(file, "--coverage " + folder.resolve("c.json") + " --header shoal " + SHOAL)
            .refused("skerry: --coverage: ");
    }

    /** The script is what makes the cells that are lost, and the silence, lawful. */
    @ParameterizedTest
    @ValueSource(strings = {SHALE, "--nodes 16 --h 4 --propagation-slots 9 --tokens 1 --first-hop-tokens 2",
        "--nodes 27 --h 3 --propagation-slots 0 --tokens 1 --first-hop-tokens 3 --miss-limit 2"})
    void shouldFindNothingAmidFaults(final String fabric) throws IOException {
        final String faults = " --faults " + script(SCRIPT);
        final Path cells = trace("--workload permutation " + fabric + faults, 1600);
        final Invocation scored = score(cells, fabric + faults).ok();
        assertTrue(scored.out().matches("1599 slots of \\d+ nodes: [1-9]\\d{3,} cells sent[^$]*no law is broken\\s+"),
            scored.out());
        score(cells, fabric + " --faults " + script("1599 corrupt 0\n")).exits(1);
    }

    private static boolean isSent(final String[] line, final int dummy) {
        return line[0].equals("T") && number(line, SHALE_DUMMY) == dummy;
    }

    /** What arrives of a line on an intact link. */
    private static String[] arrivalOfShale(final List<String[]> lines, final String[] sent) {
        return first(lines, number(sent, SLOT) + 5, line -> line[0].equals("R") && line[NODE].equals(sent[SHALE_PEER])
            && number(line, SLOT) == number(sent, SLOT) + 5);
    }

    private static String[] plantAmidFaults(final String mistake, final List<String[]> lines) {
        return switch (mistake) {
            case "a cell lost on an intact link" -> {
                final String[] at = first(lines, 300, line -> line[0].equals("R") && number(line, SHALE_DUMMY) == 0);
                lines.remove(at);
                yield at;
            }
            case "a cell on a link that is cut" -> {
                final String[] like = first(lines, 300, line -> line[0].equals("R") && number(line, SHALE_DUMMY) == 0
                    && number(line, NODE) == 4);
                final String[] at = like.clone();
                final String[] cut = first(lines, 300, line -> line[0].equals("T") && number(line, NODE) == 3
                    && number(line, SHALE_PEER) == 4);
                at[SLOT] = Integer.toString(number(cut, SLOT) + 5);
                lines.add(lines.indexOf(first(lines, number(at, SLOT), line -> true)), at);
                yield at;
            }
            case "silence on a link that is up" -> {
                final String[] at = first(lines, 300, line -> isSent(line, 1));
                lines.remove(arrivalOfShale(lines, at));
                lines.remove(at);
                yield at;
            }
            case "a dummy on a link that is down" -> {
                final String[] at = first(lines, 420, line -> isSent(line, 3) && number(line, SHALE_PEER) == 2);
                at[SHALE_DUMMY] = "1";
                yield at;
            }
            case "a cell of a device that is down" -> {
                final String[] at = first(lines, 350, line -> isSent(line, 0) && number(line, NODE) == 2).clone();
                at[SLOT] = Integer.toString(number(at, SLOT) + 100);
                lines.add(lines.indexOf(first(lines, number(at, SLOT), line -> true)), at);
                yield at;
            }
            default -> {
                final String[] at = first(lines, 300, line -> isSent(line, 0)
                    && !line[SHALE_SOURCE].equals(line[NODE]));
                final String changed = Integer.toString(number(at, SHALE_SEQUENCE) + 3000);
                arrivalOfShale(lines, at)[SHALE_SEQUENCE] = changed;
                at[SHALE_SEQUENCE] = changed;
                yield at;
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"a cell lost on an intact link, conservation", "a cell on a link that is cut, conservation",
        "silence on a link that is up, schedule", "a dummy on a link that is down, schedule",
        "a cell of a device that is down, schedule", "a cell that never came, conservation"})
    void shouldFindWhatIsPlantedAmidFaultsInItsSlot(final String mistake, final String law) throws IOException {
        final String faults = " --faults " + script(SCRIPT);
        final List<String[]> lines = lines(trace("--workload permutation " + SHALE + faults, 700));
        final String[] at = plantAmidFaults(mistake, lines);
        expectFirst(score(write(lines), SHALE + faults), at, law, mistake);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        score CELLS --fabric shoal --nodes 9 --h 2             | --h: 2: an option of shale; the fabric is
        score CELLS --fabric shoal --nodes 9 --from 5          | --from: 5: nodes of this fabric are
        score CELLS --fabric shoal --nodes 9 --channels 9      | --channels: 9:
        score CELLS --fabric shoal --nodes 9 --shoal-rule basic | --shoal-rule: basic: only devices with two
        score CELLS --fabric shoal --nodes 9 --shoal-schedule x | --shoal-schedule: x: there is no such choice
        score CELLS --fabric shoal --nodes 8                   | trace: CELLS:
        score CELLS --fabric shoal --nodes 9 --channels 2 --header L12 | trace: CELLS:1: there is no column
        score CELLS --fabric stardust --nodes 9                | --fabric: stardust: score cannot follow
        score CELLS --nodes 9 --channels 1                     | --channels: 1: an option of shoal; the fabric
        trace --cells --node 3 --out X                         | command line: skerry trace: it names more than
        trace --cells NODES --faults FAULTS --slots 9 --out X  | --cells: all nodes: nodes of this fabric that
        trace --cells CLASSES --slots 9 --out X                | --cells: all nodes: cells of several
        """)
    void shouldRefuseWrongOptions(final String line, final String beginning) throws IOException {
        final String cells = trace(SHOAL + " --workload permutation", 9).toString();
        refuses(line.replace("CELLS", cells).replace("FAULTS", script("5 node 3 down\n").toString())
            .replace("NODES", "--fabric shoal --nodes 8 --channels 1 --workload permutation")
            .replace("CLASSES", "--fabric shoal --nodes 8 --workload all-to-all --flow-bytes 20000 --class-bytes 10000")
            .replace(" X", " " + folder.resolve("x")), "skerry: " + beginning.replace("CELLS", cells));
    }

    /** {@code FAULTS} is a script of faults, {@code CLOCKS} one of clocks. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --faults FAULTS --from 5         | --from: shale: it is not checked with faults
        --faults FAULTS --header L12F    | --header: shale: it is not checked with faults
        --faults FAULTS --permit-nothing | --permit-nothing: shale: it is not checked with
        --faults FAULTS --miss-limit 9   | --miss-limit: 9:
        --faults CLOCKS                  | faults
        """)
    void shouldRefuseWhatIsNotJudged(final String options, final String beginning) throws IOException {
        score(trace("--workload permutation " + SHALE, 9), SHALE + " " + options
            .replace("FAULTS", script(SCRIPT).toString()).replace("CLOCKS",
                Files.writeString(folder.resolve("clocks"), "5 clock 3 40\n", US_ASCII).toString()))
            .refused("skerry: " + beginning);
    }
}
