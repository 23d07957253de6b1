package dev.skerry.tools.port;

import dev.skerry.tools.input.InputException;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Cuts the text of a port, {@code KIND} or {@code KIND:PART,PART,...}, into its parts. A part is a word or {@code
 * KEY=VALUE}; none may repeat. A comma in a part is written with a backslash before it. Errors are one line and quote
 * the whole text. One thread.
 */
public final class PortText {
    private static final int MAX_SHOWN = 200;

    private final String kind;
    private final String text;
    private final String advice;
    private final String[] parts;
    private final Set<String> seen = new HashSet<>();
    private int at = -1;

    /**
     * Creates a text before its first part.
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
        this.parts = bare ? new String[0] : text.substring(kind.length() + 1).split("(?<!\\\\),", -1);
    }

    /** Whether a text has a kind. */
    public static boolean isOne(final String kind, final String text) {
        return text.equals(kind) || text.startsWith(kind + ":");
    }

    /** Moves to the first part and gives it as it is, where it is a name and no setting; empty if there is none. */
    public String first() {
        at = 0;
        return parts.length == 0 ? "" : part();
    }

    /** Moves to the next part. Returns false after the last. */
    public boolean next() {
        if (++at >= parts.length) {
            return false;
        }
        refuseIf(part().isEmpty(), "a part is empty");
        once(isWord() ? part() : key());
        return true;
    }

    /** Records a setting that has no key; refuses its repetition. */
    public void once(final String thing) {
        refuseIf(!seen.add(thing), "'" + part() + "' repeats an earlier setting");
    }

    /** Index of the part, from 0. */
    public int index() {
        return at;
    }

    /** Text of the part. */
    public String part() {
        return parts[at].replace("\\,", ",");
    }

    /** Whether the part is a word, without {@code =}. */
    public boolean isWord() {
        return part().indexOf('=') < 0;
    }

    /** True if the part is a word; throws if a value is given. */
    public boolean word() {
        if (!isWord()) {
            throw unknown();
        }
        return true;
    }

    /** Text before the first {@code =}, or the word. */
    public String key() {
        return isWord() ? part() : part().substring(0, part().indexOf('='));
    }

    /** Text after the first {@code =}; empty for a word. */
    public String value() {
        return isWord() ? "" : part().substring(part().indexOf('=') + 1);
    }

    /** The value as an integer within {@code [least, most]}. */
    public long number(final long least, final long most) {
        try {
            final long number = Long.parseLong(value());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Reported below like a number out of range.
        }
        throw wrong(key() + " must be a whole number from " + least + " to " + most + ": " + part());
    }

    /** Index of the value among words. */
    public int choice(final String... words) {
        final List<String> all = List.of(words);
        refuseIf(!all.contains(value()), key() + " must be " + String.join(", ", all.subList(0, all.size() - 1))
            + " or " + all.getLast() + ": " + part());
        return all.indexOf(value());
    }

    /** The error for an unknown part. */
    public InputException unknown() {
        return wrong("there is no such part: '" + part() + "'");
    }

    /** A text with its secret hidden. */
    public static String shown(final String text) {
        return text.replaceAll("secret=(\\\\,|[^,])*", "secret=...");
    }

    /** Refuses settings for a reason, before whoever read them says in what text they are. */
    static void checkNot(final boolean wrong, final String why) {
        if (wrong) {
            throw new IllegalArgumentException(why);
        }
    }

    /** Refuses the text for a reason. */
    public void refuseIf(final boolean wrong, final String why) {
        if (wrong) {
            throw wrong(why);
        }
    }

    /** An error with a reason. */
    public InputException wrong(final String why) {
        final String line = shown(text).replaceAll("\\p{Cntrl}", "?");
        return new InputException(kind, line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) + "..." : line, why,
            advice);
    }
}
