package dev.skerry.dataplane.memory;

import org.agrona.UnsafeApi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Values at native addresses, in native byte order, without checks, of arrays neither: callers make them. An access of
 * Agrona's is one step for the compilers and makes a short run a tenth faster (bench/results/2026-11-26-start-up.md).
 * It needs the package {@code jdk.internal.misc} open, as the launcher and the jar's manifest have it; elsewhere
 * variable handles and segments do the same.
 */
final class NativeMemory {
    private static final boolean IS_OPEN =
        Object.class.getModule().isOpen("jdk.internal.misc", UnsafeApi.class.getModule());

    /** Where an array's elements begin. */
    private static final long INTS = IS_OPEN ? UnsafeApi.arrayBaseOffset(int[].class) : 0;
    private static final long LONGS = IS_OPEN ? UnsafeApi.arrayBaseOffset(long[].class) : 0;

    private NativeMemory() {
    }

    static long getLong(final long address) {
        return IS_OPEN ? UnsafeApi.getLong(null, address)
            : (long) Handles.LONG.get(Handles.MEMORY, address & Handles.ADDRESSES);
    }

    static void setLong(final long address, final long value) {
        if (IS_OPEN) {
            UnsafeApi.putLong(null, address, value);
        } else {
            Handles.LONG.set(Handles.MEMORY, address & Handles.ADDRESSES, value);
        }
    }

    static int getInt(final long address) {
        return IS_OPEN ? UnsafeApi.getInt(null, address)
            : (int) Handles.INT.get(Handles.MEMORY, address & Handles.ADDRESSES);
    }

    static void setInt(final long address, final int value) {
        if (IS_OPEN) {
            UnsafeApi.putInt(null, address, value);
        } else {
            Handles.INT.set(Handles.MEMORY, address & Handles.ADDRESSES, value);
        }
    }

    static char getChar(final long address) {
        return IS_OPEN ? UnsafeApi.getChar(null, address)
            : (char) Handles.CHAR.get(Handles.MEMORY, address & Handles.ADDRESSES);
    }

    static void setChar(final long address, final char value) {
        if (IS_OPEN) {
            UnsafeApi.putChar(null, address, value);
        } else {
            Handles.CHAR.set(Handles.MEMORY, address & Handles.ADDRESSES, value);
        }
    }

    static byte getByte(final long address) {
        return IS_OPEN ? UnsafeApi.getByte(null, address)
            : (byte) Handles.BYTE.get(Handles.MEMORY, address & Handles.ADDRESSES);
    }

    static void setByte(final long address, final byte value) {
        if (IS_OPEN) {
            UnsafeApi.putByte(null, address, value);
        } else {
            Handles.BYTE.set(Handles.MEMORY, address & Handles.ADDRESSES, value);
        }
    }

    static void getInts(final long address, final int[] into, final int from, final int count) {
        if (IS_OPEN) {
            UnsafeApi.copyMemory(null, address, into, INTS + (long) from * Integer.BYTES, (long) count * Integer.BYTES);
        } else {
            MemorySegment.copy(Region.MEMORY, ValueLayout.JAVA_INT_UNALIGNED, address, into, from, count);
        }
    }

    static void setInts(final long address, final int[] ints, final int from, final int count) {
        if (IS_OPEN) {
            UnsafeApi.copyMemory(ints, INTS + (long) from * Integer.BYTES, null, address, (long) count * Integer.BYTES);
        } else {
            MemorySegment.copy(ints, from, Region.MEMORY, ValueLayout.JAVA_INT_UNALIGNED, address, count);
        }
    }

    static void getLongs(final long address, final long[] into, final int from, final int count) {
        if (IS_OPEN) {
            UnsafeApi.copyMemory(null, address, into, LONGS + (long) from * Long.BYTES, (long) count * Long.BYTES);
        } else {
            MemorySegment.copy(Region.MEMORY, ValueLayout.JAVA_LONG_UNALIGNED, address, into, from, count);
        }
    }

    static void setLongs(final long address, final long[] longs, final int from, final int count) {
        if (IS_OPEN) {
            UnsafeApi.copyMemory(longs, LONGS + (long) from * Long.BYTES, null, address, (long) count * Long.BYTES);
        } else {
            MemorySegment.copy(longs, from, Region.MEMORY, ValueLayout.JAVA_LONG_UNALIGNED, address, count);
        }
    }

    /** Made when first used: every start would pay for them. */
    private static final class Handles {
        private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
        private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle();
        private static final VarHandle CHAR = ValueLayout.JAVA_CHAR_UNALIGNED.varHandle();
        private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
        private static final MemorySegment MEMORY = Region.MEMORY;
        /** Where regions lie: a compiler that sees the mask drops the check of bounds. */
        private static final long ADDRESSES = -1L >>> Long.SIZE - Region.ADDRESS_BITS;
    }
}
