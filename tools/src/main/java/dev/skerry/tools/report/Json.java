package dev.skerry.tools.report;

import java.util.regex.Pattern;

/** Writes one indented JSON text. Values that are not finite become {@code null}, as JSON has no word for them. */
public final class Json {
    /** Java's doubles among them; what else starts with a zero or has an exponent is a text of the user's. */
    private static final Pattern LITERAL = Pattern.compile(
        "true|false|-?(0|[1-9][0-9]{0,18})|-?(0|[1-9][0-9]{0,14})\\.[0-9]{1,17}(E-?[0-9]{1,3})?");

    private final StringBuilder out = new StringBuilder(2048);
    private int depth;
    private boolean first = true;

    private Json() {
    }

    /** The object that a whole text is, with the version of its keys: adding one is no new version, renaming is. */
    public static Json document() {
        return document(1);
    }

    /** The same with a version. */
    static Json document(final int schema) {
        return new Json().open(null, '{').put("schema", schema);
    }

    /** Opens an object or an array; the name is {@code null} outside an object. */
    public Json open(final String name, final char bracket) {
        next(name);
        out.append(bracket);
        depth++;
        first = true;
        return this;
    }

    /** Closes what was opened last. */
    public Json close(final char bracket) {
        depth--;
        if (!first) {
            newLine();
        }
        out.append(bracket);
        first = false;
        return this;
    }

    /** A whole number; the name is {@code null} outside an object. */
    public Json put(final String name, final long value) {
        next(name);
        out.append(value);
        return this;
    }

    /** A number; the name is {@code null} outside an object. */
    public Json put(final String name, final double value) {
        next(name);
        out.append(Double.isFinite(value) ? Double.toString(value) : "null");
        return this;
    }

    /** A boolean; the name is {@code null} outside an object. */
    public Json put(final String name, final boolean value) {
        next(name);
        out.append(value);
        return this;
    }

    /** A text, or {@code null}; the name is {@code null} outside an object. */
    public Json put(final String name, final String value) {
        next(name);
        if (value == null) {
            out.append("null");
        } else {
            out.append(quoted(value));
        }
        return this;
    }

    /** A setting: a number or a boolean where it is written as one, else a string. */
    Json putSetting(final String name, final String value) {
        if (value != null && LITERAL.matcher(value).matches()) {
            next(name);
            out.append(value);
            return this;
        }
        return put(name, value);
    }

    @Override
    public String toString() {
        return out + "\n";
    }

    private void next(final String name) {
        if (!first) {
            out.append(',');
        }
        if (depth > 0) {
            newLine();
        }
        first = false;
        if (name != null) {
            out.append(quoted(name)).append(": ");
        }
    }

    private void newLine() {
        out.append('\n').repeat("  ", depth);
    }

    /** A text in quotes, as JSON writes it. */
    public static String quoted(final String text) {
        final StringBuilder out = new StringBuilder("\"");
        for (final char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c) || c == 0x7f) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
