package dev.skerry.tools.input;

import dev.skerry.dataplane.memory.PrivateFiles;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Wrong input from the command line or a file. It becomes one line on standard error,
 * {@code skerry: <what>: <where>: <why>, <what to do>}, and exit code 2; or 1 if an output could not be written.
 */
public final class InputException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private static final String CHOICES = "use ";
    private static final Set<String> NO_CHOICES = Set.of("one", "some", "of", "or", "and", "them", "parts", "joined",
        "with", "+");

    private static final int MOST_QUOTED = 40;
    private static final int WRONG_INPUT = 2;
    private static final int NOT_WRITTEN = 1;

    private final int exitCode;
    private final String what;
    private final String where;
    private final String why;
    private final String advice;

    /**
     * Creates an error.
     *
     * @param what   the kind of input, for example {@code trace} or {@code --nodes}.
     * @param where  the place, for example {@code flows.csv:12}; for an option, the value given. Shown as two quotes if
     *               empty; null for an option without a value.
     * @param why    what is wrong with it.
     * @param advice what to do instead.
     */
    public InputException(final String what, final String where, final String why, final String advice) {
        this(WRONG_INPUT, what, where, why, advice);
    }

    private InputException(final int exitCode, final String what, final String where, final String why,
        final String advice) {
        super("skerry: " + what + ": " + (where == null ? "" : where.isEmpty() ? "'': " : where + ": ") + why + ", "
            + advice + (why.contains("no such") && advice.startsWith(CHOICES) ? meant(where, advice) : ""));
        this.exitCode = exitCode;
        this.what = what;
        this.where = where;
        this.why = why;
        this.advice = advice;
    }

    /** Returns the same error about one of several runs of a command. */
    public InputException in(final String run) {
        return new InputException(exitCode, what, where, run + ": " + why, advice);
    }

    /**
     * Returns an error for an output that could not be written completely, as on a full disk; it is wrong input if no
     * file can have this name.
     *
     * @param what   the option that names it.
     * @param where  the file or folder.
     * @param why    what happened.
     * @param advice what to do instead.
     */
    public static InputException notWritten(final String what, final Path where, final IOException why,
        final String advice) {
        final boolean isName = why instanceof AccessDeniedException || why instanceof NoSuchFileException
            || why instanceof FileAlreadyExistsException || why instanceof NotDirectoryException
            || isBelowAFile(where.toAbsolutePath());
        return new InputException(isName ? WRONG_INPUT : NOT_WRITTEN, what, where.toString(), "cannot be written ("
            + PrivateFiles.reason(why) + ")", advice);
    }

    private static boolean isBelowAFile(final Path where) {
        Path folder = where.getParent();
        while (folder != null && !Files.exists(folder)) {
            folder = folder.getParent();
        }
        return folder != null && !Files.isDirectory(folder);
    }

    /**
     * Returns text of the input in quotes for a message: shortened if long, with {@code ?} for unprintable characters.
     */
    public static String quoted(final String text) {
        return "'" + (text.length() > MOST_QUOTED ? text.substring(0, MOST_QUOTED) + "..." : text)
            .replaceAll("[^ -~]", "?") + "'";
    }

    /** Returns the exit code of the process. */
    public int exitCode() {
        return exitCode;
    }

    /**
     * Returns the choice that a mistyped word is likely to mean; of parts joined by + or a comma, the first wrong one
     * counts.
     */
    private static String meant(final String typed, final String advice) {
        final List<String> choices = Arrays.stream(advice.substring(CHOICES.length()).split("[^A-Za-z0-9+-]+"))
            .filter(word -> !NO_CHOICES.contains(word)).toList();
        return Arrays.stream(typed.split("[+,]")).filter(part -> !choices.contains(part))
            .map(part -> Choices.nearest(part, choices)).filter(found -> !found.isEmpty()).findFirst().orElse("");
    }
}
