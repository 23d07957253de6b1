package dev.skerry.tools.input;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.dataplane.worker.Idle;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks of options: constants of an enum, in lower case with dashes; numbers in a range; options that must be left
 * out.
 */
public final class Choices {
    private static final Pattern TIME = Pattern.compile("([1-9][0-9]{0,11})(s|min|h)");

    private Choices() {
    }

    /** The packings of Stardust, for help. */
    public static final class Packings implements Iterable<String> {
        /** Created by picocli. */
        public Packings() {
        }

        @Override
        public Iterator<String> iterator() {
            return names(Packing.values()).iterator();
        }
    }

    /** The ways in which threads wait, for help. */
    public static final class Idles implements Iterable<String> {
        /** Created by picocli. */
        public Idles() {
        }

        @Override
        public Iterator<String> iterator() {
            return names(Idle.values()).iterator();
        }
    }

    /**
     * Returns the folder in which processes of this user are found.
     *
     * @param named folder given for the option; null for the default one, which must belong to this user alone.
     * @throws InputException if it does not.
     */
    public static Path userFolder(final String option, final Path named) {
        final Path folder = named != null ? named : PrivateFiles.userFolder();
        try {
            return named != null ? named : PrivateFiles.checked(folder);
        } catch (final IOException e) {
            throw new InputException(option, folder.toString(), PrivateFiles.reason(e),
                "name another folder, or ask root to remove it");
        }
    }

    /**
     * Returns the constant that was typed.
     *
     * @param typed  text given for the option; null for the default.
     * @param values all constants.
     * @throws InputException if it is none of them.
     */
    public static <E extends Enum<E>> E of(final String option, final String typed, final E usual, final E[] values) {
        if (typed == null) {
            return usual;
        }
        final List<String> names = names(values);
        final int found = names.indexOf(typed);
        if (found < 0) {
            final int last = names.size() - 1;
            throw new InputException(option, typed, "there is no such choice",
                "use " + String.join(", ", names.subList(0, last)) + " or " + names.get(last));
        }
        return values[found];
    }

    /**
     * Returns what was typed, of two choices.
     *
     * @throws InputException if it is neither.
     */
    public static String oneOf(final String option, final String typed, final String usual, final String other) {
        refuseIf(typed != null && !typed.equals(usual) && !typed.equals(other), option, typed,
            "there is no such choice", "use " + usual + " or " + other);
        return typed == null ? usual : typed;
    }

    /**
     * Returns a suggestion for the end of a message, the name that a mistyped word may mean; empty if it resembles
     * none.
     */
    public static String nearest(final String typed, final List<String> names) {
        return names.stream().filter(name -> distance(typed.toLowerCase(Locale.ROOT), name) <= 1 + name.length() / 4)
            .min(Comparator.comparingInt(name -> distance(typed.toLowerCase(Locale.ROOT), name)))
            .map(name -> "; did you mean " + name + "?").orElse("");
    }

    /** Returns the number of letters to insert, remove, replace or swap with the next until one word is the other. */
    private static int distance(final String one, final String other) {
        final int[][] steps = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                if (i == 0 || j == 0) {
                    steps[i][j] = i + j;
                    continue;
                }
                final boolean same = one.charAt(i - 1) == other.charAt(j - 1);
                steps[i][j] = Math.min(Math.min(steps[i - 1][j], steps[i][j - 1]) + 1,
                    steps[i - 1][j - 1] + (same ? 0 : 1));
                if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2)
                    && one.charAt(i - 2) == other.charAt(j - 1)) {
                    steps[i][j] = Math.min(steps[i][j], steps[i - 2][j - 2] + 1);
                }
            }
        }
        return steps[one.length()][other.length()];
    }

    /** Refuses a number out of range, and returns it otherwise. */
    public static int inRange(final String option, final int value, final int from, final int to) {
        if (value < from || value > to) {
            throw new InputException(option, Integer.toString(value), "must be " + from + " to " + to,
                "give a number in this range");
        }
        return value;
    }

    /** Checks the number given for an option in the same way; returns the default if none was. */
    public static int inRange(final String option, final Integer typed, final int from, final int to, final int usual) {
        return typed == null ? usual : inRange(option, typed, from, to);
    }

    /**
     * Returns what was given for an option, else the default.
     *
     * @throws InputException if it is less than {@code least}.
     */
    public static long atLeast(final String option, final Long typed, final long least, final long usual) {
        if (typed != null && typed < least) {
            throw new InputException(option, typed.toString(), "must be " + least + " or more", "give a whole number");
        }
        return typed == null ? usual : typed;
    }

    /** Parses a time as typed, a number from 1 on and s, min or h; null if it is none. */
    public static Duration time(final String typed) {
        final Matcher period = TIME.matcher(typed);
        if (!period.matches()) {
            return null;
        }
        final long number = Long.parseLong(period.group(1));
        return switch (period.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "min" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    /** Adds a typed value to settings; nothing if there is none. */
    public static void put(final Map<String, String> settings, final String name, final Object typed) {
        if (typed != null) {
            settings.put(name, typed.toString());
        }
    }

    /**
     * Refuses an option that cannot be combined with others.
     *
     * @param value  value that was typed; null if none was.
     * @param why    reason why it does not apply.
     * @param advice advice on what to do instead.
     */
    public static void refuse(final String option, final Object value, final String why, final String advice) {
        if (value != null) {
            throw new InputException(option, value instanceof Boolean ? null : value.toString(), why, advice);
        }
    }

    /**
     * Refuses input if it is wrong.
     *
     * @param value value as {@link InputException} shows it; null for an option without a value.
     * @throws InputException if it is wrong.
     */
    public static void refuseIf(final boolean wrong, final String option, final Object value, final String why,
        final String advice) {
        if (wrong) {
            throw new InputException(option, Objects.toString(value, null), why, advice);
        }
    }

    private static List<String> names(final Enum<?>[] values) {
        return Arrays.stream(values).map(value -> value.name().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
    }
}
