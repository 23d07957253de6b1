package dev.skerry.dataplane.memory;

import java.lang.foreign.Arena;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

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
    private final Predicate<Object> constant;

    /**
     * The images of a model.
     *
     * @param root     the model.
     * @param arena    gives the memory that a structure has taken since it was made.
     * @param constant true for objects that never change and are the same in an equal model.
     */
    public StateImage(final Object root, final Arena arena, final Predicate<Object> constant) {
        this.root = root;
        this.arena = arena;
        this.constant = constant;
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
        new StateWalk(constant, new StateWalk.Visitor() {
            @Override
            public void field(final String path, final Object holder, final Field field)
                throws IllegalAccessException {
                entries.put(path, StateEntry.of(read(holder, field)));
            }

            @Override
            public Object reference(final String path, final Class<?> type, final Object value, final boolean fixed) {
                entries.put(path, StateEntry.of(value));
                return value;
            }
        }).walk(ROOT, root);
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
        final int[] taken = new int[1];
        new StateWalk(constant, new StateWalk.Visitor() {
            @Override
            public void field(final String path, final Object holder, final Field field)
                throws IllegalAccessException {
                taken[0]++;
                final long value = find(entries, path).number(0);
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
        }).walk(ROOT, root);
        if (taken[0] != entries.size()) {
            throw foreign("entries=" + entries.size() + " expected=" + taken[0]);
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
        final Object made;
        if (type == Region.class) {
            made = Region.allocate(arena, entry.bytes().length);
        } else if (type.isArray() && type.getComponentType().isPrimitive()) {
            made = Array.newInstance(type.getComponentType(), entry.bytes().length / entry.unit());
        } else if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), (int) entry.number(0));
        } else {
            throw foreign(path);
        }
        entry.copyTo(made);
        return made;
    }

    private static long read(final Object holder, final Field field) throws IllegalAccessException {
        if (field.getType() == double.class) {
            return Double.doubleToRawLongBits(field.getDouble(holder));
        }
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
        } else if (field.getType() == double.class) {
            field.setDouble(holder, Double.longBitsToDouble(value));
        } else {
            throw new IllegalStateException("no state of this type: " + field);
        }
    }

    private static StateEntry find(final Map<String, StateEntry> entries, final String path) {
        final StateEntry entry = entries.get(path);
        if (entry == null) {
            throw foreign(path);
        }
        return entry;
    }

    private static IllegalArgumentException foreign(final String where) {
        return new IllegalArgumentException("the state is that of another model: " + where);
    }
}
