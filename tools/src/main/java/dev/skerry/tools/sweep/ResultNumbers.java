package dev.skerry.tools.sweep;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the values of a JSON text as one flat map: names of nested objects joined by points, places of arrays as
 * numbers, but an object of an array that begins with its {@code bin} is named by that. Texts and {@code true} are kept
 * as written, {@code null} is left out. One thread, one text.
 */
final class ResultNumbers {
    private static final String BIN = "bin";

    private final String text;
    private final SortedMap<String, String> values = new TreeMap<>();
    private int at;

    private ResultNumbers(final String text) {
        this.text = text;
    }

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException if it is no whole JSON object.
     */
    static SortedMap<String, String> of(final String text) {
        final ResultNumbers reader = new ResultNumbers(text);
        if (reader.next() != '{') {
            throw reader.wrong();
        }
        reader.value("");
        if (reader.next() != 0) {
            throw reader.wrong();
        }
        return reader.values;
    }

    private void value(final String name) {
        switch (next()) {
            case '{' -> {
                at++;
                while (next() != '}') {
                    final String key = quoted();
                    expect(':');
                    value(name.isEmpty() ? key : name + "." + key);
                    separate('}');
                }
                at++;
            }
            case '[' -> {
                at++;
                for (int i = 0; next() != ']'; i++) {
                    final String bin = bin();
                    value(name + "." + (bin == null ? i : bin));
                    separate(']');
                }
                at++;
            }
            case '"' -> values.put(name, quoted());
            default -> plain(name);
        }
    }

    /** The bin that the next element says it is; null if it says none. */
    private String bin() {
        final int before = at;
        try {
            if (next() != '{') {
                return null;
            }
            at++;
            if (next() != '"' || !quoted().equals(BIN)) {
                return null;
            }
            expect(':');
            return quoted();
        } finally {
            at = before;
        }
    }

    private void plain(final String name) {
        final int from = at;
        while (at < text.length() && "{}[],:\" \n\r\t".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        if (from == at) {
            throw wrong();
        }
        final String word = text.substring(from, at);
        if (!word.equals("null")) {
            values.put(name, word);
        }
    }

    private String quoted() {
        if (next() != '"') {
            throw wrong();
        }
        final StringBuilder out = new StringBuilder();
        for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
            if (text.charAt(at) != '\\') {
                out.append(text.charAt(at));
            } else if (at + 5 < text.length() && text.charAt(at + 1) == 'u') {
                out.append((char) Integer.parseInt(text.substring(at + 2, at + 6), 16));
                at += 5;
            } else if (at + 1 < text.length()) {
                out.append(text.charAt(++at));
            }
        }
        if (at >= text.length()) {
            throw wrong();
        }
        at++;
        return out.toString();
    }

    private void separate(final char end) {
        if (next() == ',') {
            at++;
        } else if (next() != end) {
            throw wrong();
        }
    }

    private void expect(final char sign) {
        if (next() != sign) {
            throw wrong();
        }
        at++;
    }

    /** The next sign that is no space; 0 at the end. */
    private char next() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON at character " + at);
    }
}
