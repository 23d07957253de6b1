package dev.skerry.dataplane.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The value of one place of a model as bytes, in the byte order of the machine.
 *
 * @param unit  bytes of one of its numbers: 1, 2, 4 or 8.
 * @param bytes the numbers; null where the place holds null.
 */
record StateEntry(int unit, byte[] bytes) {
    private static final int NO_INDEX = -1;

    /** A primitive field, or the length of an array of objects. */
    static StateEntry of(final long value) {
        return new StateEntry(Long.BYTES,
            ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array());
    }

    /** A reference: null, a region, a segment, a set of bits or an array; an empty entry for any other object. */
    static StateEntry of(final Object value) {
        return switch (value) {
            case null -> new StateEntry(1, null);
            case final Region region -> new StateEntry(region.bytes() % Integer.BYTES == 0 ? Integer.BYTES : 1,
                region.copy());
            case final MemorySegment segment -> new StateEntry(
                segment.byteSize() % Integer.BYTES == 0 ? Integer.BYTES : 1, segment.toArray(ValueLayout.JAVA_BYTE));
            case final BitSet bits -> new StateEntry(1, bits.toByteArray());
            case final boolean[] flags -> new StateEntry(1, bytesOf(flags));
            case final Object[] array -> of((long) array.length);
            case final Object array when array.getClass().isArray() -> new StateEntry(unitOf(array), segment(array)
                .toArray(ValueLayout.JAVA_BYTE));
            default -> new StateEntry(1, new byte[0]);
        };
    }

    /** The number at an index, sign-extended. */
    long number(final int index) {
        final MemorySegment segment = MemorySegment.ofArray(bytes);
        final long at = (long) index * unit;
        return switch (unit) {
            case Byte.BYTES -> segment.get(ValueLayout.JAVA_BYTE, at);
            case Short.BYTES -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            case Integer.BYTES -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            default -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        };
    }

    boolean sameSize(final StateEntry other) {
        return bytes != null && other.bytes != null && bytes.length == other.bytes.length;
    }

    boolean sameBytes(final StateEntry other) {
        return Arrays.equals(bytes, other.bytes);
    }

    /** The first number in which an entry that is not the same differs, or their sizes. */
    StateImage.Difference difference(final String path, final StateEntry other) {
        if (!sameSize(other)) {
            return new StateImage.Difference(path, NO_INDEX, size(), other.size());
        }
        final int index = Arrays.mismatch(bytes, other.bytes) / unit;
        return new StateImage.Difference(path, bytes.length == unit ? NO_INDEX : index, Long.toString(number(index)),
            Long.toString(other.number(index)));
    }

    /** Writes the bytes into a region, a segment or an array of primitives of the same size. */
    void copyTo(final Object value) {
        if (value instanceof final Region region) {
            region.put(bytes);
        } else if (value instanceof final MemorySegment segment) {
            segment.copyFrom(MemorySegment.ofArray(bytes));
        } else if (value instanceof final boolean[] flags) {
            for (int i = 0; i < flags.length; i++) {
                flags[i] = bytes[i] != 0;
            }
        } else if (value.getClass().isArray()) {
            segment(value).copyFrom(MemorySegment.ofArray(bytes));
        }
    }

    private String size() {
        return bytes == null ? "none" : bytes.length + " bytes";
    }

    private static byte[] bytesOf(final boolean[] flags) {
        final byte[] bytes = new byte[flags.length];
        for (int i = 0; i < flags.length; i++) {
            bytes[i] = (byte) (flags[i] ? 1 : 0);
        }
        return bytes;
    }

    private static MemorySegment segment(final Object array) {
        return switch (array) {
            case final int[] ints -> MemorySegment.ofArray(ints);
            case final long[] longs -> MemorySegment.ofArray(longs);
            case final byte[] bytes -> MemorySegment.ofArray(bytes);
            case final short[] shorts -> MemorySegment.ofArray(shorts);
            case final double[] doubles -> MemorySegment.ofArray(doubles);
            default -> throw new IllegalStateException("no state of this type: " + array.getClass());
        };
    }

    private static int unitOf(final Object array) {
        return switch (array) {
            case final long[] longs -> Long.BYTES;
            case final double[] doubles -> Double.BYTES;
            case final int[] ints -> Integer.BYTES;
            case final short[] shorts -> Short.BYTES;
            default -> Byte.BYTES;
        };
    }
}
