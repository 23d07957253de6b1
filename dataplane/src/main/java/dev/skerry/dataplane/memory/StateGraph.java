package dev.skerry.dataplane.memory;

import org.agrona.collections.Long2LongCounterMap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Goes through the whole state of a running fabric: every field of every object reachable from a root, each object
 * once, superclasses after their subclass, fields in order of their names. A new field needs no registration. An
 * object that it cannot go through stops it, so nothing is left out in silence: an object is state, or its class is
 * named as constant here or by the caller.
 *
 * <p>One thread, which owns the fabric; nothing else runs meanwhile.
 */
final class StateGraph {
    static final String OURS = "dev.skerry.";
    /** Pure functions of their arguments. */
    private static final String[] CONSTANT = {"dev.skerry.schedule.", "dev.skerry.codec."};
    private static final String STATE_OF_SCHEDULE = "dev.skerry.schedule.SprayOrder";
    private static final Map<Class<?>, Field[]> FIELDS = new ConcurrentHashMap<>();

    private final Predicate<Object> constant;
    private final Codec codec;
    private final Map<Object, Boolean> entered = new IdentityHashMap<>();

    /** Writes or reads the state, place by place, in the same order. */
    interface Codec {
        /** A number: returns what the place is to hold. A fixed one must stay as it is. */
        long number(String path, long present, boolean fixed) throws IOException;

        /**
         * A reference to state, or null.
         *
         * @param type    declared type of the place.
         * @param present the object that the place holds.
         * @param fixed   whether the place is final.
         * @return the object that it is to hold; the content of regions, segments and arrays of numbers is in place.
         */
        Object reference(String path, Class<?> type, Object present, boolean fixed) throws IOException;
    }

    StateGraph(final Predicate<Object> constant, final Codec codec) {
        this.constant = constant;
        this.codec = codec;
    }

    /**
     * Goes through the state from an object.
     *
     * @throws IllegalStateException if it reaches an object that is neither state nor named as constant.
     * @throws IOException           from the codec.
     */
    void walk(final String path, final Object from) throws IOException {
        enter(path, from);
    }

    private void enter(final String path, final Object value) throws IOException {
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

    /** Lists of objects keep them; only what these hold may change. */
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
        for (Class<?> type = value.getClass(); type.getName().startsWith(OURS); type = type.getSuperclass()) {
            for (final Field field : FIELDS.computeIfAbsent(type, StateGraph::fields)) {
                try {
                    field(path + "." + field.getName(), value, field);
                } catch (final IllegalAccessException e) {
                    throw new IllegalStateException("state out of reach: " + path + "." + field.getName(), e);
                }
            }
        }
    }

    /** Final fields first: what they hold is known by the time a field that can turn to it is read. */
    private static Field[] fields(final Class<?> type) {
        final Field[] fields = Arrays.stream(type.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()))
            .sorted(Comparator.comparing((Field field) -> !Modifier.isFinal(field.getModifiers()))
                .thenComparing(Field::getName)).toArray(Field[]::new);
        try {
            Arrays.stream(fields).forEach(field -> field.setAccessible(true));
        } catch (final InaccessibleObjectException e) {
            throw new IllegalStateException("state out of reach: " + type.getName(), e);
        }
        return fields;
    }

    private void field(final String path, final Object holder, final Field field)
        throws IllegalAccessException, IOException {
        final boolean fixed = Modifier.isFinal(field.getModifiers());
        if (field.getType().isPrimitive()) {
            final long present = StateNumbers.read(holder, field);
            final long then = codec.number(path, present, fixed);
            if (then != present) {
                StateNumbers.write(holder, field, then);
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
        if (StateRecords.isValue(type)) {
            return StateRecords.place(path, type, value, fixed, codec);
        }
        if (value != null && isConstant(value)) {
            return value;
        }
        if (value != null && !isState(value)) {
            throw new IllegalStateException("state out of reach: " + path + ": " + value.getClass().getName());
        }
        final Object then = codec.reference(path, type, value, fixed);
        if (then != null) {
            enter(path, then);
        }
        return then;
    }

    /** Whether the bytes of an object are all there is to it. */
    static boolean isData(final Object value) {
        return value instanceof Region || value instanceof MemorySegment || value instanceof BitSet
            || value.getClass().isArray() && value.getClass().getComponentType().isPrimitive();
    }

    private static boolean isState(final Object value) {
        return isData(value) || value instanceof Object[] || value instanceof AtomicLong
            || value instanceof List<?> || value instanceof Set<?> || value instanceof Map<?, ?>
            || value instanceof Long2LongCounterMap
            || value.getClass().getName().startsWith(OURS);
    }

    /** Whether objects of a class are functions of their arguments alone. */
    static boolean isPure(final Class<?> type) {
        return Arrays.stream(CONSTANT).anyMatch(type.getName()::startsWith)
            && !type.getName().startsWith(STATE_OF_SCHEDULE);
    }

    private boolean isConstant(final Object value) {
        return value instanceof Arena || value instanceof Prefetcher || value instanceof Enum<?>
            || value instanceof String || value instanceof Number && !(value instanceof AtomicLong)
            || isPure(value.getClass()) || constant.test(value);
    }
}
