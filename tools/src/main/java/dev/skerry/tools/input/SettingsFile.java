package dev.skerry.tools.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Files of options, {@code @FILE} on the command line: one option a line as it would be typed, without quotes; the text
 * behind the first blank or {@code =} is its value, to the end of the line. Empty lines and lines that begin with
 * {@code #} are ignored. An option on the command line overrides that of a file, unless it may be repeated.
 */
public final class SettingsFile {
    private static final String WHAT = "settings";
    private static final String ADVICE = "write one option per line, for example --port 0=tap:sk0";
    private static final int MOST_BYTES = 1 << 20;
    private static final char MARK = '@';
    /** Options that may be repeated: those of a file and of the command line are combined. */
    private static final Set<String> REPEATABLE = Set.of("--port", "--set", "--sbatch", "--weight", "--area",
        "--connect");

    private SettingsFile() {
    }

    /** Tells whether an option may be repeated. */
    public static boolean isRepeatable(final String option) {
        return REPEATABLE.contains(option);
    }

    /** Tells whether an argument names such a file. */
    public static boolean isOne(final String argument) {
        return argument.length() > 1 && argument.charAt(0) == MARK;
    }

    /**
     * Replaces the files among the arguments of a command line by their options.
     *
     * @throws InputException if a file cannot be read, or a line of it is not an option.
     */
    public static String[] expand(final String... arguments) {
        final List<String> words = new ArrayList<>();
        final Set<String> typed = Arrays.stream(arguments).filter(argument -> argument.startsWith("--"))
            .map(argument -> argument.replaceFirst("=.*", "")).filter(option -> !isRepeatable(option))
            .collect(Collectors.toSet());
        for (final String argument : arguments) {
            if (isOne(argument)) {
                read(Path.of(argument.substring(1)), typed, words);
            } else {
                words.add(argument);
            }
        }
        return words.toArray(String[]::new);
    }

    private static void read(final Path file, final Set<String> typed, final List<String> words) {
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
                final List<String> option = option(line, file + ":" + number);
                words.addAll(typed.contains(option.getFirst()) ? List.of() : option);
            }
        }
    }

    private static List<String> bounded(final Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            final byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            Choices.refuseIf(bytes.length > MOST_BYTES, WHAT, file, "it has more than " + MOST_BYTES + " bytes",
                ADVICE);
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().lines().toList();
        }
    }

    /** Returns the words of a line: an option, and its value if there is one. */
    private static List<String> option(final String line, final String where) {
        Choices.refuseIf(!line.startsWith("--") || line.length() < 3, WHAT, where, "it is not an option", ADVICE);
        int end = 2;
        while (end < line.length() && line.charAt(end) != '=' && !Character.isWhitespace(line.charAt(end))) {
            end++;
        }
        if (end == line.length()) {
            return List.of(line);
        }
        final String value = line.substring(end + 1).strip();
        Choices.refuseIf(value.startsWith("--"), WHAT, where, "it has another option in place of the value", ADVICE);
        return List.of(line.substring(0, end), value);
    }
}
