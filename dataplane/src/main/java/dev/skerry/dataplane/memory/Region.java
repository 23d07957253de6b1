package dev.skerry.dataplane.memory;

import dev.skerry.schedule.check.Bounds;
import org.agrona.UnsafeApi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A block of zeroed off-heap memory and the only way to read and write it. Data structures hold a region and compute
 * offsets; they never access a {@link MemorySegment} themselves.
 *
 * <p>Bounds are checked by an {@code assert}: enabled in tests, disabled in production, because a check on every access
 * costs a fifth of the engine's speed (bench/results). If state is not trusted, {@link #BOUNDS} enables the checks. An
 * unchecked access is one instruction on a native address. This is sound because the address never changes, offsets are
 * computed from indices that were validated on entry, and the arena outlives every structure built on it.
 *
 * <p>Accesses are plain, in native byte order, without ordering between threads: a region belongs to one thread at a
 * time. Offsets are bytes from the start.
 */
public final class Region {
    /** Alignment of regions in bytes, so that structures made of whole cache lines stay aligned to them. */
    public static final int ALIGNMENT = 64;

    static final MemorySegment MEMORY = everything();
    /** Maximum number of bits of a region's address. */
    static final int ADDRESS_BITS = 56;
    private static final int RECORD_BYTES = -1 >>> 12;
    /**
     * Property that, if true before the first region is created, enables bounds checks on every access. For state that
     * others may have written, such as a checkpoint: an index outside the region then causes an exception.
     */
    public static final String BOUNDS = "skerry.bounds";
    private static final boolean CHECKED = Boolean.getBoolean(BOUNDS);

    private final MemorySegment segment;
    private final long address;
    private final long bytes;

    private Region(final MemorySegment segment) {
        this.segment = segment;
        this.address = segment.address();
        this.bytes = segment.byteSize();
        Bounds.refuseIf(address >>> ADDRESS_BITS != 0, "memory must lie below 2^56: segment=", segment);
    }

    /**
     * Allocates at least one byte of zeroed memory, freed when the arena closes.
     *
     * @param arena shared or global if more than one thread will use it.
     * @param bytes size, at least 0.
     */
    public static Region allocate(final Arena arena, final long bytes) {
        return new Region(arena.allocate(Math.max(bytes, 1), ALIGNMENT));
    }

    /**
     * Wraps memory allocated elsewhere. It must not be accessed after its scope has ended.
     *
     * @param segment native, writable, aligned to {@link #ALIGNMENT} bytes.
     * @throws IllegalArgumentException if it is not native, not aligned or not writable.
     */
    public static Region over(final MemorySegment segment) {
        Bounds.refuseIf(!segment.isNative() || segment.isReadOnly() || segment.address() % ALIGNMENT != 0,
            "memory must be native, aligned and writable: segment=", segment);
        return new Region(segment);
    }

    /**
     * Byte offset of a record in an array. The masks tell the compiler that the operands are not negative, which makes
     * the product cheaper.
     *
     * @param index index of the record, 0 or more.
     * @param bytes size of a record, 0 to 2^20 - 1.
     */
    public static long offset(final int index, final int bytes) {
        assert index >= 0 && (bytes & RECORD_BYTES) == bytes : "index=" + index + " bytes=" + bytes;
        return (long) (index & Integer.MAX_VALUE) * (bytes & RECORD_BYTES);
    }

    /** Size in bytes. */
    public long bytes() {
        return bytes;
    }

    /** The memory segment, for state images. */
    MemorySegment segment() {
        return segment;
    }

    /** The long at an offset. */
    public long getLong(final long offset) {
        return NativeMemory.getLong(at(offset, Long.BYTES));
    }

    /** Writes the long at an offset. */
    public void setLong(final long offset, final long value) {
        NativeMemory.setLong(at(offset, Long.BYTES), value);
    }

    /** The int at an offset. */
    public int getInt(final long offset) {
        return NativeMemory.getInt(at(offset, Integer.BYTES));
    }

    /** Writes the int at an offset. */
    public void setInt(final long offset, final int value) {
        NativeMemory.setInt(at(offset, Integer.BYTES), value);
    }

    /**
     * Reads consecutive ints into an array. Compilers vectorise loops over arrays, not over regions.
     *
     * @param offset byte offset of the first int.
     * @param into   receives the ints in [from, from + count).
     * @param from   first index.
     * @param count  0 or more.
     * @throws IndexOutOfBoundsException if they do not fit the array.
     */
    public void getInts(final long offset, final int[] into, final int from, final int count) {
        Objects.checkFromIndexSize(from, count, into.length);
        NativeMemory.read(run(offset, count, Integer.BYTES), ValueLayout.JAVA_INT_UNALIGNED, into, NativeMemory.INTS,
            from, count);
    }

    /**
     * Writes consecutive ints.
     *
     * @param offset byte offset of the first int.
     * @param ints   holds the ints in [from, from + count).
     * @param from   first index.
     * @param count  0 or more.
     * @throws IndexOutOfBoundsException if the array does not contain them.
     */
    public void setInts(final long offset, final int[] ints, final int from, final int count) {
        Objects.checkFromIndexSize(from, count, ints.length);
        NativeMemory.write(run(offset, count, Integer.BYTES), ValueLayout.JAVA_INT_UNALIGNED, ints, NativeMemory.INTS,
            from, count);
    }

    /**
     * Reads consecutive longs, see {@link #getInts}.
     *
     * @throws IndexOutOfBoundsException if they do not fit the array.
     */
    public void getLongs(final long offset, final long[] into, final int from, final int count) {
        Objects.checkFromIndexSize(from, count, into.length);
        NativeMemory.read(run(offset, count, Long.BYTES), ValueLayout.JAVA_LONG_UNALIGNED, into, NativeMemory.LONGS,
            from, count);
    }

    /**
     * Writes consecutive longs, see {@link #setInts}.
     *
     * @throws IndexOutOfBoundsException if the array does not contain them.
     */
    public void setLongs(final long offset, final long[] longs, final int from, final int count) {
        Objects.checkFromIndexSize(from, count, longs.length);
        NativeMemory.write(run(offset, count, Long.BYTES), ValueLayout.JAVA_LONG_UNALIGNED, longs, NativeMemory.LONGS,
            from, count);
    }

    /** The n-th long, a constant from 0 to 7, of a record at an offset; a record is at most one cache line long. */
    public long getLong(final long record, final int n) {
        return NativeMemory.getLong(record(record, n, Long.BYTES));
    }

    /** Writes the n-th long of a record. */
    public void setLong(final long record, final int n, final long value) {
        NativeMemory.setLong(record(record, n, Long.BYTES), value);
    }

    /** The n-th int of a record, 0 to 15. */
    public int getInt(final long record, final int n) {
        return NativeMemory.getInt(record(record, n, Integer.BYTES));
    }

    /** Writes the n-th int of a record. */
    public void setInt(final long record, final int n, final int value) {
        NativeMemory.setInt(record(record, n, Integer.BYTES), value);
    }

    /** The unsigned 16-bit number at an offset. */
    public int getShort(final long offset) {
        return NativeMemory.getChar(at(offset, Short.BYTES));
    }

    /** Writes the low 16 bits of a number at an offset. */
    public void setShort(final long offset, final int value) {
        NativeMemory.setChar(at(offset, Short.BYTES), (char) value);
    }

    /** The unsigned byte at an offset. */
    public int getByte(final long offset) {
        return NativeMemory.getByte(at(offset, Byte.BYTES)) & 0xFF;
    }

    /** Writes the low 8 bits of a number at an offset. */
    public void setByte(final long offset, final int value) {
        NativeMemory.setByte(at(offset, Byte.BYTES), (byte) value);
    }

    /**
     * Reads the first int of each listed record in a loop that does nothing else, so that cache misses overlap.
     *
     * @param first record at place 0.
     * @param which places, in [from, end).
     * @param from  first index.
     * @param end   index after the last.
     * @param size  size of a record in bytes.
     * @return the sum of the ints, which the caller must store: compilers drop reads whose results are not used.
     */
    public int fetch(final int first, final int[] which, final int from, final int end, final int size) {
        int read = 0;
        for (int k = from; k < end; k++) {
            read += getInt(offset(first + which[k], size));
        }
        return read;
    }

    /** Sets every byte, 0 or -1 for all bits clear or set. */
    public void fill(final byte value) {
        segment.fill(value);
    }

    /** The native address of a value of {@code size} bytes at an offset. */
    long at(final long offset, final int size) {
        check(offset, size);
        return address + offset;
    }

    /**
     * The native address of the n-th value of a record. It is added last, so that a constant n becomes part of the
     * instruction.
     */
    private long record(final long record, final int n, final int size) {
        assert n >= 0 && n < ALIGNMENT / size;
        check(record + (long) n * size, size);
        return address + record + (long) n * size;
    }

    /** The native address of consecutive values. */
    private long run(final long offset, final int count, final int size) {
        if (count != 0) {
            check(offset, size);
            check(offset + (count - 1L) * size, size);
        }
        return address + offset;
    }

    private void check(final long offset, final int size) {
        assert inside(offset, size);
        if (CHECKED && Long.compareUnsigned(offset, bytes - size) > 0) {
            throw outside(offset, size);
        }
    }

    private boolean inside(final long offset, final int size) {
        if (offset < 0 || offset > bytes - size || (offset & size - 1) != 0) {
            throw outside(offset, size);
        }
        return segment.scope().isAlive();
    }

    private IndexOutOfBoundsException outside(final long offset, final int size) {
        return new IndexOutOfBoundsException("offset=" + offset + " size=" + size + " bytes=" + bytes);
    }

    /** The whole address space as one constant segment, so that an access needs neither bounds nor scope. */
    @SuppressWarnings("restricted")
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /**
     * Values at native addresses in native byte order. Nothing is checked, including array bounds; callers must do so.
     * Compilers treat an access through Agrona as a single operation, which makes a short run a tenth faster
     * (bench/results/2026-11-26-start-up.md). It requires the package {@code jdk.internal.misc} to be open, as the
     * launcher and the jar's manifest arrange; otherwise variable handles and segments are used.
     */
    static final class NativeMemory {
        private static final boolean IS_OPEN =
            Object.class.getModule().isOpen("jdk.internal.misc", UnsafeApi.class.getModule());

        /** Offset of the first element in arrays. */
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

        /** Reads values into an array whose elements start at offset {@code base}. */
        static void read(final long address, final ValueLayout layout, final Object into, final long base,
            final int from, final int count) {
            if (IS_OPEN) {
                UnsafeApi.copyMemory(null, address, into, base + from * layout.byteSize(), count * layout.byteSize());
            } else {
                MemorySegment.copy(Region.MEMORY, layout, address, into, from, count);
            }
        }

        /** Writes values from an array whose elements start at offset {@code base}. */
        static void write(final long address, final ValueLayout layout, final Object values, final long base,
            final int from, final int count) {
            if (IS_OPEN) {
                UnsafeApi.copyMemory(values, base + from * layout.byteSize(), null, address, count * layout.byteSize());
            } else {
                MemorySegment.copy(values, from, Region.MEMORY, layout, address, count);
            }
        }

        /** Initialised on first use, because otherwise every start would pay for it. */
        private static final class Handles {
            private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
            private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle();
            private static final VarHandle CHAR = ValueLayout.JAVA_CHAR_UNALIGNED.varHandle();
            private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
            private static final MemorySegment MEMORY = Region.MEMORY;
            /** Range of region addresses: with this mask the compiler eliminates the bounds check. */
            private static final long ADDRESSES = -1L >>> Long.SIZE - Region.ADDRESS_BITS;
        }
    }
}
