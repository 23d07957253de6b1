package dev.skerry.tools.cosim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Rows of 64-bit words in memory, in native byte order. Offsets are bytes, fields are words. */
final class Words {
    private Words() {
    }

    static long get(final MemorySegment row, final long at, final int word) {
        return row.get(ValueLayout.JAVA_LONG, at + (long) word * Long.BYTES);
    }

    static void set(final MemorySegment row, final long at, final int word, final long value) {
        row.set(ValueLayout.JAVA_LONG, at + (long) word * Long.BYTES, value);
    }

    /**
     * A word that is a number in a range.
     *
     * @throws IllegalArgumentException if it is not.
     */
    static int intOf(final MemorySegment row, final long at, final int word, final String name, final long least,
        final long most) {
        return (int) check(get(row, at, word), name, least, most);
    }

    /** The value, if it is in the range. */
    static long check(final long value, final String name, final long least, final long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                name + " must be from " + least + " to " + most + ": " + name + "=" + value);
        }
        return value;
    }
}
