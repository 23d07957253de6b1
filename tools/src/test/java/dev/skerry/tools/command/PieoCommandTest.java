package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** {@code skerry pieo}: traces that are replayed, lines that differ, and what is refused. */
final class PieoCommandTest {
    /** Eight operations on a PIEO of 4, right as they stand. */
    private static final String TRACE = """
        # made by hand
        E 0 20 5 1
        E 1 10 9 1
        D 4 0

        D 5 1 0 20 5
        E 2 10 9 1
        F 2 1 2 10 9
        F 3 0
        D 9 1 1 10 9
        """;

    @TempDir
    private Path folder;
    private final StringWriter printed = new StringWriter();

    private int run(final String... arguments) {
        final PieoCommand command = new PieoCommand();
        final CommandLine line = new CommandLine(command).setOut(new PrintWriter(printed));
        line.parseArgs(arguments);
        return command.call();
    }

    private Path write(final String text) throws IOException {
        return Files.writeString(folder.resolve("trace.txt"), text, StandardCharsets.ISO_8859_1);
    }

    private int replay(final String text) throws IOException {
        return run("--size", "4", "--replay", write(text).toString());
    }

    /** What is said of a command that is refused, in one line. */
    private String complaint(final String... arguments) {
        final String message = assertThrows(InputException.class, () -> run(arguments)).getMessage();
        assertFalse(message.contains("\n"), message);
        return message;
    }

    private String complaintOf(final String text) throws IOException {
        return complaint("--size", "4", "--replay", write(text).toString());
    }

    private void equal(final int operations) {
        assertEquals(operations + " operations, all equal", printed.toString().strip());
    }

    private static Path gzip(final Path file, final byte[] text, final int cutBytes) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(text);
        }
        final byte[] whole = Files.readAllBytes(file);
        return Files.write(file, Arrays.copyOf(whole, whole.length - cutBytes));
    }

    @Test
    void shouldReplayAnEqualTraceAlsoWithTabsAndOtherLineEndsAndGzip() throws IOException {
        final Path packed = gzip(folder.resolve("t.txt.gz"), TRACE.getBytes(StandardCharsets.US_ASCII), 0);
        final Path tabs = write(TRACE.replace("\n", " \r\n").replace(" ", "\t "));
        for (final Path trace : List.of(packed, tabs, Files.writeString(folder.resolve("plain.txt"), TRACE))) {
            printed.getBuffer().setLength(0);
            assertEquals(0, run("--size", "4", "--replay", trace.toString()));
            equal(8);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "D 5 1 0 20 5, D 5 1 0 21 5, 6",
        "D 5 1 0 20 5, D 5 1 1 20 5, 6",
        "D 5 1 0 20 5, D 5 1 0 20 4, 6",
        "D 5 1 0 20 5, D 5 0, 6",
        "F 2 1 2 10 9, F 2 0, 8",
    })
    void shouldNameTheFirstLineThatDiffers(final String right, final String wrong, final int line) throws IOException {
        assertEquals(1, replay(TRACE.replace(right, wrong)));
        assertTrue(printed.toString().contains(
            "trace.txt:" + line + ": expected \"" + wrong + "\", got \"" + right + "\""), printed.toString());
        assertEquals(1, printed.toString().lines().count());
    }

    @ParameterizedTest
    @CsvSource({
        "E 0 1 1 0, E 0 1 1 1",
        "E 0 65535 1 1, E 0 65535 1 0 (the rank does not fit its bits or is all ones)",
        "E 0 1 65535 1, E 0 1 65535 0 (the time does not fit its bits or is all ones)",
        "D 3 1 0 1 1, D 3 0 (no element is eligible)",
        "D 65535 1 0 1 1, D 65535 0 (the time does not fit its bits or is all ones)",
        "F 3 1 3 1 1, F 3 0 (no element with this id is held)",
    })
    void shouldSayWhyTheModelRefuses(final String expected, final String got) throws IOException {
        assertEquals(1, replay(expected));
        assertTrue(printed.toString().contains(
            "trace.txt:1: expected \"" + expected + "\", got \"" + got + "\", after 0 equal"), printed.toString());
        printed.getBuffer().setLength(0);
        assertEquals(1, replay("E 0 1 1 1\n".repeat(5)));
        assertTrue(printed.toString().contains("trace.txt:5: expected \"E 0 1 1 1\", got \"E 0 1 1 0 (full)\""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "X 1 2 3 1 | is not an operation",
        "E | is not an operation",
        "E1 2 3 1 | is not an operation",
        "E 0 20 5 | 3 numbers where 4 belong",
        "E 0 20 5 1 7 | 5 numbers where 4 belong",
        "E 0 20 5 2 | valid is 2",
        "E 0 -20 5 1 | rank is not a whole number",
        "E 0 2x 5 1 | rank is not a whole number",
        "E 4 20 5 1 | id 4 does not fit 2 bits",
        "E 0 65536 5 1 | rank 65536 does not fit 16 bits",
        "E 0 20 65536 1 | send_time 65536 does not fit 16 bits",
        "E 0 99999999999999999999999 5 1 | rank is far too large",
        "D 5 | 1 numbers where 5 belong",
        "D 5 0 1 2 3 | 5 numbers where 2 belong",
        "D 5 1 0 20 | 4 numbers where 5 belong",
        "D 5 1 0 20 5 6 | 6 numbers where 5 belong",
        "D 70000 0 | now 70000 does not fit 16 bits",
        "D 5 1 9 20 5 | id 9 does not fit 2 bits",
        "F 4 0 | flow 4 does not fit 2 bits",
        "F 1 1 1 1 70000 | send_time 70000 does not fit 16 bits",
    })
    void shouldNameAMalformedLine(final String line, final String why) throws IOException {
        final String message = complaintOf("E 1 2 3 1\n\n" + line + "\nD 0 0\n");
        assertTrue(message.startsWith("skerry: pieo trace: "), message);
        assertTrue(message.contains("trace.txt:3: "), message);
        assertTrue(message.contains(why), message);
    }

    @Test
    void shouldQuoteALongBinaryLineInOneShortLine() throws IOException {
        final String message = complaintOf("\u001b\u0000\u00e9" + "z".repeat(100_000));
        assertTrue(message.length() < 300 && message.chars().allMatch(c -> c >= ' ' && c <= '~'), message);
    }

    @Test
    void shouldRefuseWhatIsNoTrace() throws IOException {
        for (final String text : List.of("", "\n\n", "# nothing\n")) {
            assertTrue(complaintOf(text).contains("holds no operation"), text);
        }
        final Path cut = gzip(folder.resolve("cut.gz"), TRACE.getBytes(StandardCharsets.US_ASCII), 12);
        Map.of(folder.resolve("nowhere.txt"), "nowhere.txt: no such file, check", folder, "cannot be read",
            cut, "cut.gz: cannot be read (after line ").forEach((file, why) -> {
                final String message = complaint("--size", "4", "--replay", file.toString());
                assertTrue(message.contains(why), message);
            });
        for (final String size : List.of("0", "-1", "65537")) {
            assertEquals("skerry: --size: " + size + ": a PIEO holds 1 to 65536 elements, give a number in this range",
                complaint("--size", size));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "10", "64", "1000"})
    void shouldCheckItself(final String size) {
        assertEquals(0, run("--size", size));
        equal(100_000);
    }

    @Test
    void shouldReplayTheExampleOfItsHelp() {
        final String help = new CommandLine(new PieoCommand()).getUsageMessage(CommandLine.Help.Ansi.OFF);
        final String example = help.lines().filter(l -> l.contains("./skerry pieo")).findFirst().orElseThrow().strip();
        final String[] words = example.split(" ");
        final String fromModule = Path.of("..").resolve(words[3]).toString();
        assertEquals(0, run(words[2], fromModule));
        equal(20_000);
    }
}
