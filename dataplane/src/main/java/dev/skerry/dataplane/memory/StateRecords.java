package dev.skerry.dataplane.memory;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/** Records of ours that hold numbers alone, in places that may hold another one or none. Without state; any thread. */
final class StateRecords {
    private StateRecords() {
    }

    /** Whether all places of a type hold such records. */
    static boolean isValue(final Class<?> type) {
        return type.isRecord() && type.getName().startsWith(StateGraph.OURS) && !StateGraph.isPure(type)
            && Arrays.stream(type.getRecordComponents()).allMatch(part -> part.getType().isPrimitive());
    }

    /** The record that a place is to hold: the present one if it is equal, else a new one, or null. */
    static Object place(final String path, final Class<?> type, final Object present, final boolean fixed,
        final StateGraph.Codec codec) throws IOException {
        try {
            final boolean isThere = codec.number(path + ".present", present == null ? 0 : 1, fixed) == 1;
            final RecordComponent[] parts = type.getRecordComponents();
            final Object[] values = new Object[parts.length];
            boolean same = isThere == (present != null);
            for (int i = 0; isThere && i < parts.length; i++) {
                final long old = present == null ? 0 : part(type, present, parts[i]);
                final long value = codec.number(path + "." + parts[i].getName(), old, fixed);
                same &= value == old;
                values[i] = StateNumbers.boxed(parts[i].getType(), value);
            }
            return same ? present : isThere ? make(type, parts, values) : null;
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException("state out of reach: " + path, e);
        }
    }

    private static long part(final Class<?> type, final Object of, final RecordComponent part)
        throws ReflectiveOperationException {
        final Field field = type.getDeclaredField(part.getName());
        field.setAccessible(true);
        return StateNumbers.read(of, field);
    }

    private static Object make(final Class<?> type, final RecordComponent[] parts, final Object[] values)
        throws ReflectiveOperationException {
        final Constructor<?> maker = type.getDeclaredConstructor(
            Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
        maker.setAccessible(true);
        return maker.newInstance(values);
    }
}
