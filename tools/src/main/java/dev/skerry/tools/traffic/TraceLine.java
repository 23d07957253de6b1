package dev.skerry.tools.traffic;

import java.nio.charset.StandardCharsets;

/**
 * The fields of one trace line, as ranges of the bytes it was read into. Fields are separated by a comma, by blanks
 * (space or tab) or by a comma between blanks; {@code #} starts a comment. Two commas hold an empty field between
 * them. One thread.
 */
final class TraceLine {
    /** Most fields that a line may have. */
    static final int FIELDS = 6;

    private static final int MAX_QUOTED = 40;

    private final int[] starts = new int[FIELDS];
    private final int[] ends = new int[FIELDS];
    private byte[] bytes;
    private int fields;

    /**
     * Finds the fields of a line.
     *
     * @return how many there are, which may be more than {@link #FIELDS}; 0 for a blank line or a comment.
     */
    int split(final byte[] text, final int start, final int end) {
        bytes = text;
        fields = 0;
        int at = skipBlanks(text, start, end);
        boolean open = at < end && text[at] != '#';
        while (open) {
            final int first = at;
            while (at < end && !isFieldEnd(text[at])) {
                at++;
            }
            add(first, at);
            at = skipBlanks(text, at, end);
            final boolean comma = at < end && text[at] == ',';
            if (comma) {
                at = skipBlanks(text, at + 1, end);
            }
            open = at < end && text[at] != '#';
            if (comma && !open) {
                add(at, at);
            }
        }
        return fields;
    }

    private void add(final int start, final int end) {
        if (fields < FIELDS) {
            starts[fields] = start;
            ends[fields] = end;
        }
        fields++;
    }

    private static boolean isFieldEnd(final byte b) {
        return b == ',' || b == ' ' || b == '\t' || b == '#';
    }

    private static int skipBlanks(final byte[] text, final int start, final int end) {
        int at = start;
        while (at < end && (text[at] == ' ' || text[at] == '\t')) {
            at++;
        }
        return at;
    }

    /** A field as a whole number, or {@link Decimals#NOT_A_NUMBER}. */
    long wholeNumber(final int field) {
        return Decimals.parseLong(bytes, starts[field], ends[field]);
    }

    /** A field as a decimal number, or NaN. */
    double number(final int field) {
        return Decimals.parseDouble(bytes, starts[field], ends[field]);
    }

    /** A field as it is. */
    String text(final int field) {
        return new String(bytes, starts[field], ends[field] - starts[field], StandardCharsets.ISO_8859_1);
    }

    /** A field in quotes for a message: shortened if long, with {@code ?} for what does not print. */
    String quote(final int field) {
        final int length = ends[field] - starts[field];
        final int shown = Math.min(length, MAX_QUOTED);
        final String text = new String(bytes, starts[field], shown, StandardCharsets.ISO_8859_1);
        return "'" + text.replaceAll("[^ -~]", "?") + (length > shown ? "...'" : "'");
    }
}
