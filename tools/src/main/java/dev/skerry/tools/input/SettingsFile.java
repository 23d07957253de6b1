package dev.skerry.tools.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Files of options, {@code @FILE} on the command line: an option a line as it would be typed, without quotes; what
 * stands behind the first blank or {@code =} is its value, to the end of the line. Empty lines and lines that begin
 * with {@code #} are left out.
 */
public final class SettingsFile {
    private static final String WHAT = "settings";
    private static final String ADVICE = "write an option a line, for example --port 0=tap:sk0";
    private static final int MOST_BYTES = 1 << 20;
    private static final char MARK = '@';

    private SettingsFile() {
    }

    /** Whether an argument names such a file. */
    public static boolean isOne(final String argument) {
        return argument.length() > 1 && argument.charAt(0) == MARK;
    }

    /**
     * Puts the options of files in their places among the arguments of a command line.
     *
     * @throws InputException if a file cannot be read, or a line of it is no option.
     */
    public static String[] expand(final String... arguments) {
        final List<String> words = new ArrayList<>();
        for (final String argument : arguments) {
            if (isOne(argument)) {
                read(Path.of(argument.substring(1)), words);
            } else {
                words.add(argument);
            }
        }
        return words.toArray(String[]::new);
    }

    private static void read(final Path file, final List<String> words) {
        final List<String> lines;
        try {
            lines = bounded(file);
        } catch (final CharacterCodingException e) {
            throw new InputException(WHAT, file.toString(), "it is not text", ADVICE);
        } catch (final IOException e) {
            throw new InputException(WHAT, file.toString(), Files.exists(file) ? "it cannot be read"
                : "there is no such file", "check name and permissions");
        }
        for (int number = 1; number <= lines.size(); number++) {
            final String line = lines.get(number - 1).strip();
            if (!line.isEmpty() && line.charAt(0) != '#') {
                read(line, file + ":" + number, words);
            }
        }
    }

    private static List<String> bounded(final Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            final byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new InputException(WHAT, file.toString(), "it has more than " + MOST_BYTES + " bytes", ADVICE);
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().lines().toList();
        }
    }

    private static void read(final String line, final String where, final List<String> words) {
        if (!line.startsWith("--") || line.length() < 3) {
            throw new InputException(WHAT, where, "it is no option", ADVICE);
        }
        int end = 2;
        while (end < line.length() && line.charAt(end) != '=' && !Character.isWhitespace(line.charAt(end))) {
            end++;
        }
        words.add(line.substring(0, end));
        if (end < line.length()) {
            final String value = line.substring(end + 1).strip();
            if (value.startsWith("--")) {
                throw new InputException(WHAT, where, "a second option stands where a value belongs", ADVICE);
            }
            words.add(value);
        }
    }
}
