package dev.skerry.dataplane.memory;

import dev.skerry.dataplane.memory.StateGraph.StateBlocks;
import dev.skerry.schedule.check.Bounds;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The whole state of a model as bytes: saved, restored into an equal model of this or another process, and compared by
 * name. It holds every field of every reachable object, so no structure can be forgotten. An image fits models made by
 * the same build on machines of the same byte order.
 *
 * <p>One thread, which owns the model. Allocates freely; not for the path of a cell.
 */
public final class StateImage {
    private static final String ROOT = "model";
    private static final int NO_INDEX = -1;

    private final Object root;
    private final Arena arena;
    private final StateAccess access;

    /**
     * The images of a model.
     *
     * @param root     the model.
     * @param arena    gives the memory that a structure has taken since it was made.
     * @param access   what is constant, and the way to fields.
     */
    public StateImage(final Object root, final Arena arena, final StateAccess access) {
        this.root = root;
        this.arena = arena;
        this.access = access;
    }

    /**
     * The first difference between two images in one of their entries.
     *
     * @param path   of the value, from the root.
     * @param index  of the value among those of the entry; negative if it has one value, or their sizes differ.
     * @param first  the value in the first image, in words.
     * @param second the value in the second one.
     */
    public record Difference(String path, int index, String first, String second) {
        @Override
        public String toString() {
            return path + (index < 0 ? "" : "[" + index + "]") + ": " + first + ", not " + second;
        }
    }

    /** The present state. */
    public byte[] save() {
        final Map<String, StateEntry> entries = new LinkedHashMap<>();
        walk(new StateGraph.Codec() {
            @Override
            public long number(final String path, final long present, final boolean fixed) {
                entries.put(path, StateEntry.of(present));
                return present;
            }

            @Override
            public Object reference(final String path, final Class<?> type, final Object present,
                final boolean fixed) {
                entries.put(path, StateEntry.of(present));
                return present;
            }
        });
        return StateFormat.write(entries);
    }

    /**
     * Puts a model into a state.
     *
     * @param image what {@link #save} of an equal model returned.
     * @throws IllegalArgumentException if it is damaged or of another model; the model is unchanged if it is damaged,
     *                                  and useless if it was of another model.
     */
    public void restore(final byte[] image) {
        final Map<String, StateEntry> entries = StateFormat.parse(image);
        walk(new StateGraph.Codec() {
            @Override
            public long number(final String path, final long present, final boolean fixed) {
                final long value = take(entries, path).number(0);
                if (fixed && value != present) {
                    throw foreign(path);
                }
                return value;
            }

            @Override
            public Object reference(final String path, final Class<?> type, final Object present,
                final boolean fixed) {
                return put(path, type, present, fixed, take(entries, path));
            }
        });
        if (!entries.isEmpty()) {
            throw foreign(entries.keySet().iterator().next());
        }
    }

    private void walk(final StateGraph.Codec codec) {
        try {
            new StateGraph(access, codec).walk(ROOT, root);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The differences between two images of equal models.
     *
     * @return the first difference of each entry that differs, in order of their paths; empty if the images are equal.
     * @throws IllegalArgumentException if an image is damaged.
     */
    public static List<Difference> differences(final byte[] first, final byte[] second) {
        final List<Difference> differences = new ArrayList<>();
        final Map<String, StateEntry> others = StateFormat.parse(second);
        StateFormat.parse(first).forEach((path, entry) -> {
            final StateEntry other = others.remove(path);
            if (other == null) {
                differences.add(new Difference(path, NO_INDEX, "present", "there"));
            } else if (!entry.sameBytes(other)) {
                differences.add(entry.difference(path, other));
            }
        });
        others.keySet().forEach(path -> differences.add(new Difference(path, NO_INDEX, "absent", "present")));
        return differences;
    }

    /** Gives a place the value of an entry, in the same object where its size allows. */
    private Object put(final String path, final Class<?> type, final Object value, final boolean fixed,
        final StateEntry entry) {
        if (entry.bytes() == null && value == null) {
            return null;
        }
        if (value instanceof final BitSet bits) {
            bits.clear();
            bits.or(BitSet.valueOf(entry.bytes()));
            return bits;
        }
        if (!(value instanceof Object[]) && StateEntry.of(value).sameSize(entry)) {
            entry.copyTo(value);
            return value;
        }
        if (value instanceof final Object[] array && entry.bytes() != null && array.length == (int) entry.number(0)) {
            return array;
        }
        if (fixed) {
            throw foreign(path);
        }
        return entry.bytes() == null ? null : make(path, type, entry);
    }

    private Object make(final String path, final Class<?> type, final StateEntry entry) {
        final Object made = StateBlocks.make(arena, type, Object[].class.isAssignableFrom(type) ? entry.number(0)
            : entry.bytes().length);
        if (made == null) {
            throw foreign(path);
        }
        entry.copyTo(made);
        return made;
    }

    private static StateEntry take(final Map<String, StateEntry> entries, final String path) {
        final StateEntry entry = entries.remove(path);
        if (entry == null) {
            throw foreign(path);
        }
        return entry;
    }

    private static IllegalArgumentException foreign(final String where) {
        return new IllegalArgumentException("the state is that of another model: " + where);
    }

    /**
     * The bytes of a {@link StateImage}.
     *
     * <pre>
     *   0       4          8                                                              end - 4
     *   +-------+----------+--  ..  --+--------+------+--------+---------+--  ..  --+-------+
     *   | magic | entries  |          | path   | unit | length | bytes   |          | CRC32 |
     *   +-------+----------+--  ..  --+--------+------+--------+---------+--  ..  --+-------+
     *                                 |-------------- an entry ----------|
     *   path: from the root, in modified UTF-8; unit: bytes of one of its numbers; length: of its bytes, -1 for null
     * </pre>
     *
     * Numbers of the frame are big-endian, values in the native order of the machine.
     */
    private static final class StateFormat {
        private static final int MAGIC = 0x534B5331;
        private static final int CRC_BYTES = Integer.BYTES;

        private StateFormat() {
        }

        /** The image of entries by path. */
        static byte[] write(final Map<String, StateEntry> entries) {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeInt(MAGIC);
                out.writeInt(entries.size());
                for (final Map.Entry<String, StateEntry> named : entries.entrySet()) {
                    final StateEntry entry = named.getValue();
                    out.writeUTF(named.getKey());
                    out.writeByte(entry.unit());
                    out.writeInt(entry.bytes() == null ? -1 : entry.bytes().length);
                    out.write(entry.bytes() == null ? new byte[0] : entry.bytes());
                }
                out.writeInt(crc(bytes.toByteArray(), bytes.size()));
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }

        /**
         * The entries of an image by path, in its order.
         *
         * @throws IllegalArgumentException if it is no image or damaged.
         */
        static Map<String, StateEntry> parse(final byte[] image) {
            final int body = image.length - CRC_BYTES;
            Bounds.refuseIf(body < 2 * Integer.BYTES || ByteBuffer.wrap(image).getInt() != MAGIC
                || ByteBuffer.wrap(image).getInt(body) != crc(image, body), "not a saved state, or damaged: bytes=",
                image.length);
            final Map<String, StateEntry> entries = new LinkedHashMap<>();
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(image, Integer.BYTES, body))) {
                for (int left = in.readInt(); left > 0; left--) {
                    final String path = in.readUTF();
                    final int unit = in.readByte();
                    final int length = in.readInt();
                    entries.put(path, new StateEntry(unit, length < 0 ? null : in.readNBytes(length)));
                }
            } catch (final IOException e) {
                throw new IllegalArgumentException("not a saved state: bytes=" + image.length, e);
            }
            return entries;
        }

        private static int crc(final byte[] bytes, final int length) {
            final CRC32 crc = new CRC32();
            crc.update(bytes, 0, length);
            return (int) crc.getValue();
        }
    }

    /**
     * The value of one place of a model as bytes, in the byte order of the machine.
     *
     * @param unit  bytes of one of its numbers: 1, 2, 4 or 8.
     * @param bytes the numbers; null where the place holds null.
     */
    private record StateEntry(int unit, byte[] bytes) {
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
                case final BitSet bits -> new StateEntry(1, bits.toByteArray());
                case final boolean[] flags -> new StateEntry(1, StateBlocks.bytes(flags));
                case final Object[] array -> of((long) array.length);
                case final Object data when StateGraph.isData(data) -> new StateEntry(unitOf(data),
                    StateBlocks.memory(data).toArray(ValueLayout.JAVA_BYTE));
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
            return new StateImage.Difference(path, bytes.length == unit ? NO_INDEX : index,
                Long.toString(number(index)), Long.toString(other.number(index)));
        }

        /** Writes the bytes into a region, a segment or an array of primitives of the same size. */
        void copyTo(final Object value) {
            if (value instanceof final boolean[] flags) {
                StateBlocks.set(flags, bytes);
            } else if (StateGraph.isData(value)) {
                StateBlocks.memory(value).copyFrom(MemorySegment.ofArray(bytes));
            }
        }

        private String size() {
            return bytes == null ? "none" : bytes.length + " bytes";
        }

        private static int unitOf(final Object data) {
            return switch (data) {
                case final long[] longs -> Long.BYTES;
                case final double[] doubles -> Double.BYTES;
                case final int[] ints -> Integer.BYTES;
                case final short[] shorts -> Short.BYTES;
                default -> data.getClass().isArray() || StateBlocks.size(data) % Integer.BYTES != 0 ? Byte.BYTES
                    : Integer.BYTES;
            };
        }
    }
}
