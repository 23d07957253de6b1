package dev.skerry.dataplane.memory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.zip.CRC32;

/**
 * The whole state of a model as bytes: saved, restored into an equal model of this or another process, and compared by
 * name. Every field of every object that can be reached is in it, so no structure can be forgotten.
 *
 * <pre>
 *   0       4          8                                                              end - 4
 *   +-------+----------+--  ..  --+--------+------+--------+---------+--  ..  --+-------+
 *   | magic | entries  |          | path   | unit | length | bytes   |          | CRC32 |
 *   +-------+----------+--  ..  --+--------+------+--------+---------+--  ..  --+-------+
 *                                 |-------------- an entry ----------|
 *   path: from the root, in modified UTF-8; unit: bytes of one of its values; length: of its bytes, -1 for none
 * </pre>
 *
 * Numbers of the frame are big-endian, values in the native order of the machine. One thread, which owns the model;
 * nothing here is meant for the path of a cell.
 */
public final class StateImage {
    private static final int MAGIC = 0x534B5331;
    private static final int CRC_BYTES = Integer.BYTES;

    private final Object root;
    private final Arena arena;
    private final Predicate<Object> constant;

    /**
     * The images of a model.
     *
     * @param root     the model.
     * @param arena    where memory comes from that a structure has taken since it was made.
     * @param constant what never changes and is the same in an equal model.
     */
    public StateImage(final Object root, final Arena arena, final Predicate<Object> constant) {
        this.root = root;
        this.arena = arena;
        this.constant = constant;
    }

    /**
     * Where two images differ first in one of their entries.
     *
     * @param path  of the value, from the root.
     * @param index of the value among those of the entry.
     * @param first what the first image has there, in words.
     * @param second what the second one has.
     */
    public record Difference(String path, int index, String first, String second) {
        @Override
        public String toString() {
            return path + (index < 0 ? "" : "[" + index + "]") + ": " + first + ", not " + second;
        }
    }

    private record Entry(int unit, byte[] bytes) {
    }

    /** The state now. */
    public byte[] save() {
        return write(entries());
    }

    private Map<String, Entry> entries() {
        final Map<String, Entry> entries = new LinkedHashMap<>();
        new StateWalk(constant, new StateWalk.Visitor() {
            @Override
            public void field(final String path, final Object holder, final Field field)
                throws IllegalAccessException {
                entries.put(path, new Entry(Long.BYTES, longBytes(read(holder, field))));
            }

            @Override
            public Object reference(final String path, final Class<?> type, final Object value, final boolean fixed) {
                entries.put(path, entry(value));
                return value;
            }
        }).walk("model", root);
        return entries;
    }

    /**
     * Puts a model into a state.
     *
     * @param image what {@link #save} of an equal model returned.
     * @throws IllegalArgumentException if it is damaged or of another model; the model is as before if it is damaged,
     *                                  and of no use if it was of another model.
     */
    public void restore(final byte[] image) {
        final Map<String, Entry> entries = parse(image);
        final int[] taken = new int[1];
        new StateWalk(constant, new StateWalk.Visitor() {
            @Override
            public void field(final String path, final Object holder, final Field field)
                throws IllegalAccessException {
                taken[0]++;
                final long value = ByteBuffer.wrap(find(entries, path).bytes).order(ByteOrder.nativeOrder())
                    .getLong();
                if (!Modifier.isFinal(field.getModifiers())) {
                    write(holder, field, value);
                } else if (value != read(holder, field)) {
                    throw foreign(path);
                }
            }

            @Override
            public Object reference(final String path, final Class<?> type, final Object value, final boolean fixed) {
                taken[0]++;
                return put(path, type, value, fixed, find(entries, path));
            }
        }).walk("model", root);
        if (taken[0] != entries.size()) {
            throw foreign("entries=" + entries.size() + " expected=" + taken[0]);
        }
    }

    /**
     * What differs between two images of equal models.
     *
     * @return for each entry that differs its first difference, in order of their paths; empty if they are equal.
     */
    public static List<Difference> differences(final byte[] first, final byte[] second) {
        final List<Difference> differences = new ArrayList<>();
        final Map<String, Entry> others = parse(second);
        parse(first).forEach((path, entry) -> {
            final Entry other = others.remove(path);
            if (other == null) {
                differences.add(new Difference(path, -1, "present", "there"));
            } else if (!Arrays.equals(entry.bytes, other.bytes)) {
                differences.add(difference(path, entry, other));
            }
        });
        others.keySet().forEach(path -> differences.add(new Difference(path, -1, "absent", "present")));
        return differences;
    }

    private static Difference difference(final String path, final Entry entry, final Entry other) {
        if (entry.bytes == null || other.bytes == null || entry.bytes.length != other.bytes.length) {
            return new Difference(path, -1, size(entry), size(other));
        }
        final int index = Arrays.mismatch(entry.bytes, other.bytes) / entry.unit;
        final boolean single = entry.bytes.length == entry.unit;
        return new Difference(path, single ? -1 : index, Long.toString(unit(entry, index)),
            Long.toString(unit(other, index)));
    }

    private static String size(final Entry entry) {
        return entry.bytes == null ? "none" : entry.bytes.length + " bytes";
    }

    private static long unit(final Entry entry, final int index) {
        final MemorySegment bytes = MemorySegment.ofArray(entry.bytes);
        final long at = (long) index * entry.unit;
        return switch (entry.unit) {
            case Byte.BYTES -> bytes.get(ValueLayout.JAVA_BYTE, at);
            case Integer.BYTES -> bytes.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            default -> bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        };
    }

    private static Entry entry(final Object value) {
        return switch (value) {
            case null -> new Entry(1, null);
            case final Region region -> new Entry(region.bytes() % Integer.BYTES == 0 ? Integer.BYTES : 1,
                region.copy());
            case final MemorySegment segment -> new Entry(segment.byteSize() % Integer.BYTES == 0 ? Integer.BYTES : 1,
                segment.toArray(ValueLayout.JAVA_BYTE));
            case final BitSet bits -> new Entry(1, bits.toByteArray());
            case final boolean[] flags -> new Entry(1, bytesOf(flags));
            case final Object[] array -> new Entry(Long.BYTES, longBytes(array.length));
            case final Object array when array.getClass().isArray() -> new Entry(unitOf(array), segment(array)
                .toArray(ValueLayout.JAVA_BYTE));
            default -> new Entry(1, new byte[0]);
        };
    }

    /** Makes what stands in a place what an entry says, in the same object where it can be. */
    private Object put(final String path, final Class<?> type, final Object value, final boolean fixed,
        final Entry entry) {
        final Entry now = entry(value);
        final boolean same = now.bytes != null && entry.bytes != null && now.bytes.length == entry.bytes.length;
        if (entry.bytes == null && value == null) {
            return null;
        }
        if (value instanceof final BitSet bits) {
            bits.clear();
            bits.or(BitSet.valueOf(entry.bytes));
            return bits;
        }
        if (same && !(value instanceof Object[])) {
            fill(value, entry.bytes);
            return value;
        }
        if (value instanceof final Object[] array && entry.bytes != null && array.length == (int) unit(entry, 0)) {
            return array;
        }
        if (fixed) {
            throw foreign(path);
        }
        return entry.bytes == null ? null : make(path, type, entry);
    }

    private Object make(final String path, final Class<?> type, final Entry entry) {
        final Object made;
        if (type == Region.class) {
            made = Region.allocate(arena, entry.bytes.length);
        } else if (type.isArray() && type.getComponentType().isPrimitive()) {
            made = Array.newInstance(type.getComponentType(), entry.bytes.length / entry.unit);
        } else if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), (int) unit(entry, 0));
        } else {
            throw foreign(path);
        }
        fill(made, entry.bytes);
        return made;
    }

    private static void fill(final Object value, final byte[] bytes) {
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
            default -> throw new IllegalStateException("no state of this type: " + array.getClass());
        };
    }

    private static int unitOf(final Object array) {
        return array instanceof long[] ? Long.BYTES : array instanceof int[] ? Integer.BYTES : Byte.BYTES;
    }

    private static long read(final Object holder, final Field field) throws IllegalAccessException {
        return field.getType() == boolean.class ? field.getBoolean(holder) ? 1 : 0 : field.getLong(holder);
    }

    private static void write(final Object holder, final Field field, final long value)
        throws IllegalAccessException {
        if (field.getType() == boolean.class) {
            field.setBoolean(holder, value != 0);
        } else if (field.getType() == int.class) {
            field.setInt(holder, (int) value);
        } else if (field.getType() == long.class) {
            field.setLong(holder, value);
        } else {
            throw new IllegalStateException("no state of this type: " + field);
        }
    }

    private static byte[] longBytes(final long value) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array();
    }

    private static Entry find(final Map<String, Entry> entries, final String path) {
        final Entry entry = entries.get(path);
        if (entry == null) {
            throw foreign(path);
        }
        return entry;
    }

    private static IllegalArgumentException foreign(final String where) {
        return new IllegalArgumentException("the state is that of another model: " + where);
    }

    private static byte[] write(final Map<String, Entry> entries) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MAGIC);
            out.writeInt(entries.size());
            for (final Map.Entry<String, Entry> named : entries.entrySet()) {
                final Entry entry = named.getValue();
                out.writeUTF(named.getKey());
                out.writeByte(entry.unit);
                out.writeInt(entry.bytes == null ? -1 : entry.bytes.length);
                out.write(entry.bytes == null ? new byte[0] : entry.bytes);
            }
            out.writeInt(crc(bytes.toByteArray(), bytes.size()));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static int crc(final byte[] bytes, final int length) {
        final CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static Map<String, Entry> parse(final byte[] image) {
        final int body = image.length - CRC_BYTES;
        if (body < 2 * Integer.BYTES || ByteBuffer.wrap(image).getInt() != MAGIC
            || ByteBuffer.wrap(image).getInt(body) != crc(image, body)) {
            throw new IllegalArgumentException("not a saved state, or damaged: bytes=" + image.length);
        }
        final Map<String, Entry> entries = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(image, Integer.BYTES, body))) {
            for (int left = in.readInt(); left > 0; left--) {
                final String path = in.readUTF();
                final int unit = in.readByte();
                final int length = in.readInt();
                entries.put(path, new Entry(unit, length < 0 ? null : in.readNBytes(length)));
            }
        } catch (final IOException e) {
            throw new IllegalArgumentException("not a saved state: bytes=" + image.length, e);
        }
        return entries;
    }
}
