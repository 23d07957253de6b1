package dev.skerry.tools.port;

import dev.skerry.tools.input.InputException;

import java.util.HashSet;
import java.util.Set;

/**
 * A port as a user writes it, {@code KIND} or {@code KIND:PART,PART,...}, part by part. A part is {@code KEY=VALUE} or
 * a word; none is said twice. Its complaints are one line and name the whole text. For one thread, at the door.
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
     * A text before its first part.
     *
     * @param kind   of port.
     * @param text   what the user wrote.
     * @param advice how to write it, for complaints.
     * @throws InputException if it is not of this kind.
     */
    public PortText(final String kind, final String text, final String advice) {
        this.kind = kind;
        this.text = text;
        this.advice = advice;
        if (!isOne(kind, text)) {
            throw wrong("it does not start with " + kind + ":");
        }
        final boolean bare = text.length() <= kind.length() + 1;
        this.parts = bare ? new String[0] : text.substring(kind.length() + 1).split(",", -1);
    }

    /** Whether a text names a port of a kind. */
    public static boolean isOne(final String kind, final String text) {
        return text.equals(kind) || text.startsWith(kind + ":");
    }

    /** Moves to the next part; false behind the last. */
    public boolean next() {
        if (++at == parts.length) {
            return false;
        }
        if (part().isEmpty()) {
            throw wrong("a part is empty");
        }
        once(isWord() ? part() : key());
        return true;
    }

    /** Notes that something was said, for parts that are told by their look; refuses the second. */
    public void once(final String thing) {
        if (!seen.add(thing)) {
            throw wrong("'" + part() + "' says again what was said before");
        }
    }

    /** Number of the part, from 0. */
    public int index() {
        return at;
    }

    /** The part. */
    public String part() {
        return parts[at];
    }

    /** Whether the part is a word, without {@code =}. */
    public boolean isWord() {
        return part().indexOf('=') < 0;
    }

    /** What stands before the first {@code =}, or the word. */
    public String key() {
        return isWord() ? part() : part().substring(0, part().indexOf('='));
    }

    /** What stands behind the first {@code =}; empty for a word. */
    public String value() {
        return isWord() ? "" : part().substring(part().indexOf('=') + 1);
    }

    /** The value as a whole number within bounds. */
    public long number(final long least, final long most) {
        try {
            final long number = Long.parseLong(value());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // The complaint is the same.
        }
        throw wrong(key() + " must be a whole number from " + least + " to " + most + ": " + part());
    }

    /** The complaint about a part that is none. */
    public InputException unknown() {
        return wrong("there is no such part: '" + part() + "'");
    }

    /** A complaint. */
    public InputException wrong(final String why) {
        final String line = text.replaceAll("\\p{Cntrl}", "?");
        return new InputException(kind, line.length() > MAX_SHOWN ? line.substring(0, MAX_SHOWN) + "..." : line, why,
            advice);
    }
}
