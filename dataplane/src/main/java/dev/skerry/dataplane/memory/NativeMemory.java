package dev.skerry.dataplane.memory;

import org.agrona.UnsafeApi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Values at native addresses, in native byte order, without checks. An access of Agrona's is one step for the compilers
 * and makes a short run a tenth faster (bench/results/2026-11-26-start-up.md). It needs the package {@code
 * jdk.internal.misc} open, as the launcher and the jar's manifest have it; elsewhere a variable handle does the same.
 */
final class NativeMemory {
    private static final boolean IS_OPEN =
        Object.class.getModule().isOpen("jdk.internal.misc", UnsafeApi.class.getModule());

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
