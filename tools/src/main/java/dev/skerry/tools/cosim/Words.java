package dev.skerry.tools.cosim;

import dev.skerry.dataplane.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Access to rows of 64-bit words in native byte order. Offsets count bytes, fields count words. */
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
     * Reads a word and checks its range.
     *
     * @throws IllegalArgumentException if it is out of range.
     */
    static int intOf(final MemorySegment row, final long at, final int word, final String name, final long least,
        final long most) {
        return (int) Bounds.require(name, get(row, at, word), least, most);
    }
}
