package dev.skerry.dataplane.memory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Collections of whole numbers as state, sets and maps in ascending order. Without state; any thread. */
final class StateCollections {
    private static final int LONG = 0;
    private static final int INT = 1;

    private StateCollections() {
    }

    /** Whether a list holds numbers, or nothing. */
    static boolean isNumbers(final Collection<?> collection) {
        return collection.stream().allMatch(element -> element instanceof Long || element instanceof Integer);
    }

    /** A list of numbers; its elements stay boxed as they were. */
    static void list(final String path, final Collection<?> list, final StateGraph.Codec codec) throws IOException {
        final List<?> present = List.copyOf(list);
        final List<Object> then = numbers(path, present, codec);
        if (!then.equals(present)) {
            refill(list, then);
        }
    }

    /** A set of numbers. */
    static void set(final String path, final Set<?> set, final StateGraph.Codec codec) throws IOException {
        require(path, set);
        final List<?> present = List.copyOf(new TreeSet<>(set));
        final List<Object> then = numbers(path, present, codec);
        if (!then.equals(present)) {
            refill(set, then);
        }
    }

    /** A map from numbers to numbers. */
    static void map(final String path, final Map<?, ?> map, final StateGraph.Codec codec) throws IOException {
        require(path, map.keySet());
        require(path, map.values());
        final Map<?, ?> present = new TreeMap<>(map);
        final List<Object> keys = numbers(path + ".keys", List.copyOf(present.keySet()), codec);
        final List<Object> values = numbers(path + ".values", List.copyOf(present.values()), codec);
        if (keys.size() != values.size()) {
            throw new IllegalArgumentException("state of another fabric: " + path);
        }
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

    private static void refill(final Collection<?> old, final List<Object> then) {
        @SuppressWarnings("unchecked")
        final Collection<Object> into = (Collection<Object>) old;
        into.clear();
        into.addAll(then);
    }

    private static void require(final String path, final Collection<?> collection) {
        if (!isNumbers(collection)) {
            throw new IllegalStateException("state out of reach: " + path + ": a collection of objects");
        }
    }
}
