package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Regular expressions say what the fields and numbers of a line are. */
class LineReaderTest {
    private static final Pattern SEPARATOR = Pattern.compile("[ \t]*,[ \t]*|[ \t]+");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
    private static final String LETTERS = "0123456789012345.eE+-,, \t\u000B#x";
    private static final int LINES = 20_000;
    private static final int MOST_LETTERS = 14;
    private static final long SEED = 7;

    @TempDir
    private Path folder;

    @Test
    void shouldCutAsRegularExpressionsDo() throws IOException {
        final SplittableRandom random = new SplittableRandom(SEED);
        final List<String> lines = new ArrayList<>();
        for (int line = 0; line < LINES; line++) {
            final StringBuilder text = new StringBuilder();
            for (int left = random.nextInt(MOST_LETTERS); left > 0; left--) {
                text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
            }
            lines.add(text.toString());
        }
        final Path file = folder.resolve("lines");
        Files.write(file, lines, StandardCharsets.ISO_8859_1);
        int decimals = 0;
        try (LineReader reader = new LineReader("lines", file)) {
            for (final String line : lines) {
                assertTrue(reader.next());
                decimals += check(line, reader);
            }
            assertFalse(reader.next());
        }
        assertTrue(decimals > LINES / 2, "decimals=" + decimals);
    }

    /** Returns how many fields are numbers. */
    private static int check(final String line, final LineReader reader) {
        final String where = "seed=" + SEED + " line='" + line + "'";
        final int comment = line.indexOf('#');
        final String text = (comment < 0 ? line : line.substring(0, comment)).strip();
        final String[] fields = text.isEmpty() ? new String[0] : SEPARATOR.split(text, -1);
        assertArrayEquals(fields, IntStream.range(0, reader.fields()).mapToObj(reader::text).toArray(), where);
        int decimals = 0;
        for (int field = 0; field < fields.length; field++) {
            final boolean isDecimal = DECIMAL.matcher(fields[field]).matches();
            assertEquals(isDecimal ? Double.parseDouble(fields[field]) : Double.NaN, reader.number(field), where);
            decimals += isDecimal ? 1 : 0;
            assertEquals(wholeNumber(fields[field]), reader.wholeNumber(field), where);
        }
        return decimals;
    }

    private static long wholeNumber(final String text) {
        try {
            return Long.parseLong(text);
        } catch (final NumberFormatException e) {
            return LineReader.NOT_A_NUMBER;
        }
    }

    @Test
    void shouldCutLinesThatCrossTheBuffer() throws IOException {
        final SplittableRandom random = new SplittableRandom(SEED);
        final StringBuilder all = new StringBuilder("\u00EF\u00BB\u00BF");
        final List<String> lines = new ArrayList<>();
        for (int line = 0; line < 40; line++) {
            final String text = "9".repeat(line < 6 ? 16 + line : random.nextInt(LineReader.MAX_LINE_BYTES - 3));
            lines.add(text);
            all.append(text).append(List.of("\n", "\r\n", "\r").get(random.nextInt(3)));
        }
        lines.add("last");
        all.append("last");
        final Path file = folder.resolve("long");
        Files.writeString(file, all, StandardCharsets.ISO_8859_1);
        try (LineReader reader = new LineReader("lines", file)) {
            for (final String line : lines) {
                assertTrue(reader.next());
                assertEquals(line.isEmpty() ? 0 : 1, reader.fields(), "seed=" + SEED);
                assertTrue(line.isEmpty() || line.equals(reader.text(0)), "seed=" + SEED);
                assertTrue(line.isEmpty() || wholeNumber(line) == reader.wholeNumber(0), "seed=" + SEED);
            }
            assertFalse(reader.next());
        }
    }
}
