package dev.skerry.dataplane.memory;

import dev.skerry.schedule.check.Bounds;
import org.agrona.collections.Long2LongCounterMap;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Traverses the complete state of a running fabric: every field of every object reachable from a root, each object
 * once, subclasses before their superclasses, fields in order of their names. New fields need no registration. The
 * traversal fails at an object that it cannot handle, so nothing is omitted silently: an object is either state, or its
 * class is declared constant here or by the caller.
 *
 * <p>One thread, which owns the fabric; nothing else may run meanwhile.
 */
final class StateGraph {
    /** Packages of pure functions. */
    private static final String[] CONSTANT = {"dev.skerry.schedule.", "dev.skerry.codec."};
    /** Packages whose objects have unknown content: the traversal fails at them. */
    private static final String[] LIBRARIES = {"java.", "javax.", "jdk.", "sun.", "com.sun.", "org.agrona."};
    private static final Map<Class<?>, Field[]> FIELDS = new ConcurrentHashMap<>();

    private final StateAccess access;
    private final Codec codec;
    private final Map<Object, Boolean> entered = new IdentityHashMap<>();

    /** Writes or reads the state in traversal order. */
    interface Codec {
        /** Visits a number; returns its new value. A fixed number must not change. */
        long number(String path, long present, boolean fixed) throws IOException;

        /**
         * Visits a reference to state, or null.
         *
         * @param type    declared type of the field or element.
         * @param present the object that it holds.
         * @param fixed   whether it is final.
         * @return the object that it is to hold; the content of regions, segments and arrays of numbers is already set.
         */
        Object reference(String path, Class<?> type, Object present, boolean fixed) throws IOException;
    }

    StateGraph(final StateAccess access, final Codec codec) {
        this.access = access;
        this.codec = codec;
    }

    /**
     * Traverses the state from an object.
     *
     * @throws IllegalStateException if an object is reached that is neither state nor declared constant.
     * @throws IOException           from the codec.
     */
    void walk(final String path, final Object value) throws IOException {
        if (entered.put(value, true) != null || isData(value)) {
            return;
        }
        switch (value) {
            case final Object[] elements -> {
                final Class<?> type = elements.getClass().getComponentType();
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = place(path + "[" + i + "]", type, elements[i], false);
                }
            }
            case final List<?> list -> list(path, list);
            case final Map<?, ?> map -> StateCollections.map(path, map, codec);
            case final Long2LongCounterMap map -> counters(path, map);
            case final Set<?> set -> StateCollections.set(path, set, codec);
            case final AtomicLong number -> number.set(codec.number(path, number.get(), false));
            default -> object(path, value);
        }
    }

    /** Lists of objects keep their elements; only the content of the elements may change. */
    private void list(final String path, final List<?> list) throws IOException {
        if (codec.number(path + ".numbers", StateCollections.isNumbers(list) ? 1 : 0, !list.isEmpty()) == 1) {
            StateCollections.list(path, list, codec);
            return;
        }
        codec.number(path + ".size", list.size(), true);
        for (int i = 0; i < list.size(); i++) {
            place(path + "[" + i + "]", Object.class, list.get(i), true);
        }
    }

    private void counters(final String path, final Long2LongCounterMap map) throws IOException {
        final Map<Long, Long> counts = new TreeMap<>();
        map.forEach((key, count) -> counts.put(key, count));
        StateCollections.map(path, counts, codec);
        map.clear();
        counts.forEach((key, count) -> map.put((long) key, (long) count));
    }

    private void object(final String path, final Object value) throws IOException {
        for (Class<?> type = value.getClass(); isOfFabrics(type); type = type.getSuperclass()) {
            for (final Field field : FIELDS.computeIfAbsent(type, this::fields)) {
                try {
                    field(path + "." + field.getName(), value, field);
                } catch (final IllegalAccessException e) {
                    throw new IllegalStateException("state out of reach: " + path + "." + field.getName(), e);
                }
            }
        }
    }

    /** Final fields come first: their objects are then known when a non-final field that may refer to them is read. */
    private Field[] fields(final Class<?> type) {
        final Field[] fields = Arrays.stream(type.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()))
            .sorted(Comparator.comparing((Field field) -> !Modifier.isFinal(field.getModifiers()))
                .thenComparing(Field::getName)).toArray(Field[]::new);
        try {
            Arrays.stream(fields).forEach(this::open);
        } catch (final InaccessibleObjectException e) {
            throw new IllegalStateException("state out of reach: " + type.getName(), e);
        }
        return fields;
    }

    private void open(final AccessibleObject member) {
        if (!member.trySetAccessible()) {
            access.open(member);
        }
    }

    private void field(final String path, final Object holder, final Field field)
        throws IllegalAccessException, IOException {
        final boolean fixed = Modifier.isFinal(field.getModifiers());
        if (field.getType().isPrimitive()) {
            final long present = StateNumbers.read(holder, field);
            final long then = codec.number(path, present, fixed);
            if (then != present) {
                field.set(holder, StateNumbers.boxed(field.getType(), then));
            }
            return;
        }
        final Object value = field.get(holder);
        final Object then = place(path, field.getType(), value, fixed);
        if (then != value) {
            field.set(holder, then);
        }
    }

    private Object place(final String path, final Class<?> type, final Object value, final boolean fixed)
        throws IOException {
        if (isRecordOfNumbers(type)) {
            return record(path, type, value, fixed);
        }
        if (value != null && isConstant(value)) {
            return value;
        }
        if (value != null && !isState(value)) {
            throw new IllegalStateException("state out of reach: " + path + ": " + value.getClass().getName());
        }
        final Object then = codec.reference(path, type, value, fixed);
        if (then != null) {
            walk(path, then);
        }
        return then;
    }

    /**
     * Whether a type is a record of primitive components: such a reference may be replaced by another record, or null.
     */
    private static boolean isRecordOfNumbers(final Class<?> type) {
        return type.isRecord() && isOfFabrics(type) && !isPure(type)
            && Arrays.stream(type.getRecordComponents()).allMatch(part -> part.getType().isPrimitive());
    }

    /** The record that a reference is to hold: the present one if equal, otherwise a new one, or null. */
    private Object record(final String path, final Class<?> type, final Object present, final boolean fixed)
        throws IOException {
        try {
            final boolean isThere = codec.number(path + ".present", present == null ? 0 : 1, fixed) == 1;
            final RecordComponent[] parts = type.getRecordComponents();
            final Object[] values = new Object[parts.length];
            boolean same = isThere == (present != null);
            for (int i = 0; isThere && i < parts.length; i++) {
                final Field field = type.getDeclaredField(parts[i].getName());
                open(field);
                final long old = present == null ? 0 : StateNumbers.read(present, field);
                final long value = codec.number(path + "." + parts[i].getName(), old, fixed);
                same &= value == old;
                values[i] = StateNumbers.boxed(parts[i].getType(), value);
            }
            if (same || !isThere) {
                return isThere ? present : null;
            }
            final Constructor<?> maker = type.getDeclaredConstructor(
                Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
            open(maker);
            return maker.newInstance(values);
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException("state out of reach: " + path, e);
        }
    }

    /** Whether an object consists only of its bytes. */
    static boolean isData(final Object value) {
        return value instanceof Region || value instanceof MemorySegment || value instanceof BitSet
            || value.getClass().isArray() && value.getClass().getComponentType().isPrimitive();
    }

    private static boolean isState(final Object value) {
        return isData(value) || value instanceof Object[] || value instanceof AtomicLong
            || value instanceof List<?> || value instanceof Set<?> || value instanceof Map<?, ?>
            || value instanceof Long2LongCounterMap
            || isOfFabrics(value.getClass());
    }

    /** Whether a class belongs to a fabric or a part of one, including third-party fabrics, and not to a library. */
    private static boolean isOfFabrics(final Class<?> type) {
        return Arrays.stream(LIBRARIES).noneMatch(type.getName()::startsWith);
    }

    /** Whether objects of a class are pure functions of their arguments. */
    private static boolean isPure(final Class<?> type) {
        return Arrays.stream(CONSTANT).anyMatch(type.getName()::startsWith);
    }

    private boolean isConstant(final Object value) {
        return value instanceof Arena || value instanceof Enum<?>
            || value instanceof String || value instanceof Number && !(value instanceof AtomicLong)
            || isPure(value.getClass()) || access.isConstant(value);
    }

    /** Collections of whole numbers as state, sets and maps in ascending order. Stateless; any thread may call. */
    private static final class StateCollections {
        private static final int LONG = 0;
        private static final int INT = 1;

        private StateCollections() {
        }

        /** Whether a list contains only numbers, or is empty. */
        static boolean isNumbers(final Collection<?> collection) {
            return collection.stream().allMatch(element -> element instanceof Long || element instanceof Integer);
        }

        /** A list of numbers; the elements keep their boxed types. */
        static void list(final String path, final Collection<?> list, final StateGraph.Codec codec) throws IOException {
            keep(path, list, List.copyOf(list), codec);
        }

        /** A set of numbers. */
        static void set(final String path, final Set<?> set, final StateGraph.Codec codec) throws IOException {
            require(path, set);
            keep(path, set, List.copyOf(new TreeSet<>(set)), codec);
        }

        /** A map from numbers to numbers. */
        static void map(final String path, final Map<?, ?> map, final StateGraph.Codec codec) throws IOException {
            require(path, map.keySet());
            require(path, map.values());
            final Map<?, ?> present = new TreeMap<>(map);
            final List<Object> keys = numbers(path + ".keys", List.copyOf(present.keySet()), codec);
            final List<Object> values = numbers(path + ".values", List.copyOf(present.values()), codec);
            Bounds.refuseIf(keys.size() != values.size(), "state of another fabric: ", path);
            final Map<Object, Object> then = new LinkedHashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                then.put(keys.get(i), values.get(i));
            }
            if (!then.equals(present)) {
                @SuppressWarnings("unchecked")
                final Map<Object, Object> into = (Map<Object, Object>) map;
                into.clear();
                into.putAll(then);
            }
        }

        private static List<Object> numbers(final String path, final List<?> present, final StateGraph.Codec codec)
            throws IOException {
            final long size = codec.number(path + ".size", present.size(), false);
            final List<Object> then = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                final Object old = i < present.size() ? present.get(i) : 0L;
                final long kind = codec.number(path + "[" + i + "].kind", old instanceof Integer ? INT : LONG, false);
                final long value = codec.number(path + "[" + i + "]", ((Number) old).longValue(), false);
                then.add(kind == INT ? (Object) (int) value : (Object) value);
            }
            return then;
        }

        private static void keep(final String path, final Collection<?> collection, final List<?> present,
            final StateGraph.Codec codec) throws IOException {
            final List<Object> then = numbers(path, present, codec);
            if (!then.equals(present)) {
                @SuppressWarnings("unchecked")
                final Collection<Object> into = (Collection<Object>) collection;
                into.clear();
                into.addAll(then);
            }
        }

        private static void require(final String path, final Collection<?> collection) {
            if (!isNumbers(collection)) {
                throw new IllegalStateException("state out of reach: " + path + ": a collection of objects");
            }
        }
    }

    /** Fields of primitive types as 64 bits. Stateless; any thread may call. */
    private static final class StateNumbers {
        private StateNumbers() {
        }

        /** The value of a field; for a double or float, its bits. */
        static long read(final Object holder, final Field field) throws IllegalAccessException {
            final Class<?> type = field.getType();
            if (type == double.class) {
                return Double.doubleToRawLongBits(field.getDouble(holder));
            }
            if (type == float.class) {
                return Float.floatToRawIntBits(field.getFloat(holder));
            }
            return type == boolean.class ? field.getBoolean(holder) ? 1 : 0 : field.getLong(holder);
        }

        /** A number as an object of a primitive type. */
        static Object boxed(final Class<?> type, final long value) {
            if (type == double.class || type == float.class) {
                return type == double.class ? (Object) Double.longBitsToDouble(value)
                    : (Object) Float.intBitsToFloat((int) value);
            }
            return type == boolean.class ? (Object) (value != 0) : type == int.class ? (Object) (int) value
                : type == long.class ? (Object) value : type == byte.class ? (Object) (byte) value
                : type == short.class ? (Object) (short) value : (Object) (char) value;
        }
    }

    /**
     * The content of regions, segments and arrays of numbers in blocks. A block of zeros takes one byte, because most
     * of a fabric's memory is unused. One thread.
     */
    static final class StateBlocks {
        private static final int BLOCK = 4096;
        private static final int ZERO = 0;
        private static final int BYTES = 1;

        private final byte[] block = new byte[BLOCK];
        private final byte[] zero = new byte[BLOCK];

        /** Size of a value in bytes; for a bit set, of its words. */
        static long size(final Object value) {
            return switch (value) {
                case final boolean[] flags -> flags.length;
                case final BitSet bits -> (long) bits.toLongArray().length * Long.BYTES;
                default -> memory(value).byteSize();
            };
        }

        /**
         * Creates a region or array of the given number of bytes, or of objects; null if the type has no such values.
         */
        static Object make(final Arena arena, final Class<?> type, final long size) {
            if (type == Region.class) {
                return Region.allocate(arena, size);
            }
            final Class<?> element = type.getComponentType();
            final long bytes = element == null || element == boolean.class || !element.isPrimitive() ? 1
                : size(Array.newInstance(element, 1));
            return element == null || size / bytes > Integer.MAX_VALUE - Long.BYTES ? null
                : Array.newInstance(element, (int) (size / bytes));
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

        /** Reads into a value of that size; a bit set may have any size. */
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
}
