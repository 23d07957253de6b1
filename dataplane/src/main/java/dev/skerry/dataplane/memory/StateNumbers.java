package dev.skerry.dataplane.memory;

import java.lang.reflect.Field;

/** Fields of primitive types as 64 bits. Without state; any thread. */
final class StateNumbers {
    private StateNumbers() {
    }

    /** The value of a field; of a double or a float its bits. */
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

    /** Sets a field to what {@link #read} returned. */
    static void write(final Object holder, final Field field, final long value) throws IllegalAccessException {
        final Class<?> type = field.getType();
        if (type == boolean.class) {
            field.setBoolean(holder, value != 0);
        } else if (type == int.class) {
            field.setInt(holder, (int) value);
        } else if (type == long.class) {
            field.setLong(holder, value);
        } else if (type == double.class) {
            field.setDouble(holder, Double.longBitsToDouble(value));
        } else if (type == float.class) {
            field.setFloat(holder, Float.intBitsToFloat((int) value));
        } else if (type == byte.class) {
            field.setByte(holder, (byte) value);
        } else if (type == short.class) {
            field.setShort(holder, (short) value);
        } else {
            field.setChar(holder, (char) value);
        }
    }

    /** The same number as an object of a primitive type. */
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
