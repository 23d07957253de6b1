package dev.skerry.dataplane.memory;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The content of regions, segments and arrays of numbers in blocks. A block that is zero takes one byte, as most of a
 * fabric's memory waits for use. One thread.
 */
final class StateBlocks {
    private static final int BLOCK = 4096;
    private static final int ZERO = 0;
    private static final int BYTES = 1;

    private final byte[] block = new byte[BLOCK];
    private final byte[] zero = new byte[BLOCK];

    /** Bytes of a value, or for a set of bits those of its words. */
    static long size(final Object value) {
        return switch (value) {
            case final boolean[] flags -> flags.length;
            case final BitSet bits -> (long) bits.toLongArray().length * Long.BYTES;
            default -> memory(value).byteSize();
        };
    }

    void write(final DataOutputStream out, final Object value) throws IOException {
        final MemorySegment memory = switch (value) {
            case final boolean[] flags -> MemorySegment.ofArray(bytes(flags));
            case final BitSet bits -> MemorySegment.ofArray(bits.toLongArray());
            default -> memory(value);
        };
        for (long at = 0; at < memory.byteSize(); at += BLOCK) {
            final int length = (int) Math.min(BLOCK, memory.byteSize() - at);
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, block, 0, length);
            if (Arrays.equals(block, 0, length, zero, 0, length)) {
                out.writeByte(ZERO);
            } else {
                out.writeByte(BYTES);
                out.write(block, 0, length);
            }
        }
    }

    /** Reads into a value of that size; a set of bits takes any size. */
    void read(final DataInputStream in, final Object value, final long size) throws IOException {
        switch (value) {
            case final boolean[] flags -> {
                final byte[] bytes = new byte[flags.length];
                read(in, MemorySegment.ofArray(bytes));
                set(flags, bytes);
            }
            case final BitSet bits -> {
                final long[] words = new long[(int) (size / Long.BYTES)];
                read(in, MemorySegment.ofArray(words));
                bits.clear();
                bits.or(BitSet.valueOf(words));
            }
            default -> read(in, memory(value));
        }
    }

    private void read(final DataInputStream in, final MemorySegment memory) throws IOException {
        for (long at = 0; at < memory.byteSize(); at += BLOCK) {
            final int length = (int) Math.min(BLOCK, memory.byteSize() - at);
            switch (in.readUnsignedByte()) {
                case ZERO -> memory.asSlice(at, length).fill((byte) 0);
                case BYTES -> {
                    in.readFully(block, 0, length);
                    MemorySegment.copy(block, 0, memory, ValueLayout.JAVA_BYTE, at, length);
                }
                default -> throw new IOException("it is damaged");
            }
        }
    }

    static void set(final boolean[] flags, final byte[] bytes) {
        for (int i = 0; i < flags.length; i++) {
            flags[i] = bytes[i] != 0;
        }
    }

    static byte[] bytes(final boolean[] flags) {
        final byte[] bytes = new byte[flags.length];
        for (int i = 0; i < flags.length; i++) {
            bytes[i] = (byte) (flags[i] ? 1 : 0);
        }
        return bytes;
    }

    /** The memory of a region, a segment or an array of numbers. */
    static MemorySegment memory(final Object value) {
        return switch (value) {
            case final Region region -> region.segment();
            case final MemorySegment segment -> segment;
            case final byte[] array -> MemorySegment.ofArray(array);
            case final short[] array -> MemorySegment.ofArray(array);
            case final char[] array -> MemorySegment.ofArray(array);
            case final int[] array -> MemorySegment.ofArray(array);
            case final long[] array -> MemorySegment.ofArray(array);
            case final float[] array -> MemorySegment.ofArray(array);
            case final double[] array -> MemorySegment.ofArray(array);
            default -> throw new IllegalStateException("no content: " + value.getClass());
        };
    }
}
