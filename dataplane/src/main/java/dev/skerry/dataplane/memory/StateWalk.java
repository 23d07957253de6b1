package dev.skerry.dataplane.memory;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Walks the mutable state of a model: every field of every object of the dataplane and the pipeline reachable from a
 * root, each object once, fields in order of their names. A new field of a structure is found without registration.
 * Constant objects are not entered, nor objects that hold addresses of this process.
 */
final class StateWalk {
    private static final String[] OURS = {"dev.skerry.dataplane.", "dev.skerry.nic.", "dev.skerry.schedule.SprayOrder"};

    private final Predicate<Object> constant;
    private final Visitor visitor;
    private final Map<Object, Boolean> seen = new IdentityHashMap<>();

    /** Receives the state. */
    interface Visitor {
        /** A field of a primitive type. */
        void field(String path, Object holder, Field field) throws IllegalAccessException;

        /**
         * A reference: null, a region, a segment, an array, a set of bits or an object of ours.
         *
         * @param type  declared type of the place.
         * @param value the present value.
         * @param fixed whether the place is final.
         * @return the value to put there.
         */
        Object reference(String path, Class<?> type, Object value, boolean fixed);
    }

    StateWalk(final Predicate<Object> constant, final Visitor visitor) {
        this.constant = constant;
        this.visitor = visitor;
    }

    /** Walks from an object. */
    void walk(final String path, final Object from) {
        if (seen.put(from, true) != null) {
            return;
        }
        for (Class<?> type = from.getClass(); isOurs(type); type = type.getSuperclass()) {
            final Field[] fields = type.getDeclaredFields();
            Arrays.sort(fields, Comparator.comparing(Field::getName));
            for (final Field field : fields) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    walkField(path + "." + field.getName(), from, field);
                }
            }
        }
    }

    private void walkField(final String path, final Object holder, final Field field) {
        try {
            field.setAccessible(true);
            if (field.getType().isPrimitive()) {
                visitor.field(path, holder, field);
                return;
            }
            final Object value = field.get(holder);
            final boolean fixed = Modifier.isFinal(field.getModifiers());
            if (isState(field.getType(), value)) {
                final Object then = visitor.reference(path, field.getType(), value, fixed);
                if (then != value) {
                    field.set(holder, then);
                }
                enter(path, then);
            }
        } catch (final IllegalAccessException | InaccessibleObjectException e) {
            throw new IllegalStateException("state out of reach: " + path, e);
        }
    }

    private void enter(final String path, final Object value) {
        if (value instanceof final Object[] elements) {
            final Class<?> type = elements.getClass().getComponentType();
            for (int i = 0; i < elements.length; i++) {
                if (isState(type, elements[i])) {
                    elements[i] = visitor.reference(path + "[" + i + "]", type, elements[i], false);
                    enter(path + "[" + i + "]", elements[i]);
                }
            }
        } else if (value != null && isOurs(value.getClass()) && !(value instanceof Region)) {
            walk(path, value);
        }
    }

    private boolean isState(final Class<?> type, final Object value) {
        if (value == null) {
            return type == Region.class || type == MemorySegment.class || type.isArray();
        }
        if (constant.test(value) || value instanceof Prefetcher || value instanceof Enum<?>) {
            return false;
        }
        return value instanceof Region || value instanceof MemorySegment || value instanceof BitSet
            || isOurs(value.getClass()) || value.getClass().isArray() && isStateArray(value);
    }

    private static boolean isStateArray(final Object array) {
        Class<?> element = array.getClass().getComponentType();
        while (element.isArray()) {
            element = element.getComponentType();
        }
        return element.isPrimitive() || isOurs(element) && Array.getLength(array) > 0;
    }

    private static boolean isOurs(final Class<?> type) {
        return !type.isHidden() && Arrays.stream(OURS).anyMatch(type.getName()::startsWith);
    }
}
