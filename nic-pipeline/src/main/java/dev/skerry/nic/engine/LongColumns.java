package dev.skerry.nic.engine;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Columns of numbers as bytes: the length of each column, then its numbers. */
final class LongColumns {
    private LongColumns() {
    }

    static byte[] bytes(final long[]... columns) {
        final int longs = Arrays.stream(columns).mapToInt(column -> 1 + column.length).sum();
        final ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(longs, Long.BYTES));
        final LongBuffer into = bytes.asLongBuffer();
        for (final long[] column : columns) {
            into.put(column.length).put(column);
        }
        return bytes.array();
    }

    static long[][] of(final byte[] bytes) {
        final LongBuffer from = ByteBuffer.wrap(bytes).asLongBuffer();
        final List<long[]> columns = new ArrayList<>();
        while (from.hasRemaining()) {
            final long[] column = new long[(int) from.get()];
            from.get(column);
            columns.add(column);
        }
        return columns.toArray(long[][]::new);
    }

    static long[] longs(final int[] of) {
        return Arrays.stream(of).asLongStream().toArray();
    }

    static int[] ints(final long[] of) {
        return Arrays.stream(of).mapToInt(Math::toIntExact).toArray();
    }
}
