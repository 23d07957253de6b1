package dev.skerry.tools.port;

import dev.skerry.tools.input.InputException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The text of a port, {@code KIND} or {@code KIND:PART,PART,...}. A part is a word or {@code KEY=VALUE}; parts must not
 * repeat. A comma within a part is preceded by a backslash. A parser takes each of its parts once; {@link #read}
 * refuses the remaining ones. Error messages are one line and quote the whole text. Not thread-safe.
 */
public final class PortText {
    private static final int MAX_SHOWN = 200;

    private final String kind;
    private final String text;
    private final String advice;
    /** Parts that have not been taken yet. */
    private final List<String> parts;

    /**
     * Splits a text.
     *
     * @param kind   expected kind of port.
     * @param text   text of the command line.
     * @param advice correct form, for error messages.
     * @throws InputException if the text has another kind.
     */
    public PortText(final String kind, final String text, final String advice) {
        this.kind = kind;
        this.text = text;
        this.advice = advice;
        refuseIf(!isOne(kind, text), "it does not start with " + kind + ":");
        final boolean bare = text.length() <= kind.length() + 1;
        this.parts = new ArrayList<>(bare ? List.of()
            : Arrays.asList(text.substring(kind.length() + 1).split("(?<!\\\\),", -1)));
        parts.replaceAll(part -> part.replace("\\,", ","));
    }

    /** Returns the filter in the text of any kind of port; empty if there is none. */
    public static String filter(final String text) {
        final String kind = text.replaceFirst("(?s):.*", "");
        return Objects.toString(new PortText(kind, text, "").value(PacketFilter.KEY), "");
    }

    /** Tells whether a text has a kind. */
    public static boolean isOne(final String kind, final String text) {
        return text.equals(kind) || text.startsWith(kind + ":");
    }

    /**
     * Parses settings.
     *
     * @param settings takes parts and creates the settings; throws an IllegalArgumentException if they are
     *     inconsistent.
     * @throws InputException if the settings are invalid, or a part has not been taken.
     */
    <S> S read(final Supplier<S> settings) {
        try {
            final S read = settings.get();
            refuseIf(parts.contains(""), "a part is empty");
            if (!parts.isEmpty()) {
                throw unknown(parts.getFirst());
            }
            return read;
        } catch (final IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    /** Takes the first part unchanged if it is a name; empty if there is none. */
    String first() {
        return parts.isEmpty() ? "" : parts.removeFirst();
    }

    /** Tells whether the first part is a word, without {@code =}. */
    boolean startsWithAWord() {
        return !parts.isEmpty() && isWord(parts.getFirst());
    }

    private static boolean isWord(final String part) {
        return !part.isEmpty() && part.indexOf('=') < 0;
    }

    /** Takes all remaining words. */
    List<String> words() {
        final List<String> words = parts.stream().filter(PortText::isWord).toList();
        parts.removeAll(words);
        return words;
    }

    /** Takes a part, such as {@code abstract} or {@code speed=max}; returns false if it is absent. */
    boolean has(final String part) {
        return parts.contains(part) && part(part.split("=")[0]) != null;
    }

    /** Returns the message for a part that repeats an earlier one. */
    static String repeats(final String part) {
        return "'" + part + "' repeats an earlier setting";
    }

    /** Takes the part of a key; null if there is none. */
    private String part(final String key) {
        final List<String> found = parts.stream()
            .filter(part -> part.equals(key) || part.startsWith(key + "=")).toList();
        parts.removeAll(found);
        refuseIf(found.size() > 1, repeats(found.isEmpty() ? "" : found.getLast()));
        return found.isEmpty() ? null : found.getFirst();
    }

    /** Takes the value of a key; null if there is none. */
    String value(final String key) {
        final String part = part(key);
        return part == null ? null : part.substring(Math.min(part.length(), key.length() + 1));
    }

    /** Takes all values of a key that may repeat. */
    List<String> values(final String key) {
        final List<String> found = parts.stream().filter(part -> part.startsWith(key + "=")).toList();
        parts.removeAll(found);
        return found.stream().map(part -> part.substring(key.length() + 1)).toList();
    }

    /** Tells whether there is a part with a key. */
    boolean hasKey(final String key) {
        return parts.stream().anyMatch(part -> part.equals(key) || part.startsWith(key + "="));
    }

    /** Takes the value of a key as an integer within {@code [least, most]}; returns the default if there is none. */
    long number(final String key, final long usual, final long least, final long most) {
        final String value = value(key);
        try {
            final long number = value == null ? usual : Long.parseLong(value);
            if (value == null || number >= least && number <= most) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Reported below, like a number out of range.
        }
        throw wrong(key + " must be a whole number from " + least + " to " + most + ": " + key + "=" + value);
    }

    /** Takes the value of a key; returns its index among the words, or -1 if there is none. */
    int choice(final String key, final String... words) {
        final String value = value(key);
        final List<String> all = List.of(words);
        refuseIf(value != null && !all.contains(value), key + " must be "
            + String.join(", ", all.subList(0, all.size() - 1)) + " or " + all.getLast() + ": " + key + "=" + value);
        return all.indexOf(value == null ? "" : value);
    }

    /** Returns the error for an unknown part. */
    InputException unknown(final String part) {
        return wrong("there is no such part: '" + part + "'");
    }

    /** Returns a text with its secret hidden. */
    public static String shown(final String text) {
        return text.replaceAll("secret=(\\\\,|[^,])*", "secret=...");
    }

    /** Refuses settings if a condition holds. The caller of the parser adds the text to the message. */
    static void checkNot(final boolean wrong, final String why) {
        if (wrong) {
            throw new IllegalArgumentException(why);
        }
    }

    /** Refuses the text if a condition holds. */
    public void refuseIf(final boolean wrong, final String why) {
        if (wrong) {
            throw wrong(why);
        }
    }

    /** Returns an error with a reason. */
    public InputException wrong(final String why) {
        final String line = shown(text).replaceAll("\\p{Cntrl}", "?");
        return new InputException(kind, line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) + "..." : line, why,
            advice);
    }
}
