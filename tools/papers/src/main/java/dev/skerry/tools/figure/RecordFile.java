package dev.skerry.tools.figure;

import dev.skerry.nic.count.SlotHistogram;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/**
 * Writes and reads results: records of numbers, arrays of numbers, histograms of slots, and such records. A field that
 * may be missing takes a byte that says so. Any thread may call.
 */
final class RecordFile {
    private RecordFile() {
    }

    /**
     * Writes a value.
     *
     * @throws IllegalStateException if there is no way to write a part of it.
     */
    static void write(final DataOutputStream out, final Class<?> type, final Object value) throws IOException {
        if (type == long.class) {
            out.writeLong((long) value);
        } else if (type == int.class) {
            out.writeInt((int) value);
        } else if (type == double.class) {
            out.writeDouble((double) value);
        } else {
            out.writeBoolean(value != null);
            if (value != null) {
                writePresent(out, type, value);
            }
        }
    }

    private static void writePresent(final DataOutputStream out, final Class<?> type, final Object value)
        throws IOException {
        switch (value) {
            case final long[] numbers -> {
                out.writeInt(numbers.length);
                for (final long number : numbers) {
                    out.writeLong(number);
                }
            }
            case final int[] numbers -> {
                out.writeInt(numbers.length);
                for (final int number : numbers) {
                    out.writeInt(number);
                }
            }
            case final double[] numbers -> {
                out.writeInt(numbers.length);
                for (final double number : numbers) {
                    out.writeDouble(number);
                }
            }
            case final SlotHistogram histogram -> writeHistogram(out, histogram);
            case final Record whole -> {
                for (final RecordComponent part : type.getRecordComponents()) {
                    try {
                        write(out, part.getType(), part.getAccessor().invoke(whole));
                    } catch (final ReflectiveOperationException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
            default -> throw new IllegalStateException("no way to keep " + type.getName());
        }
    }

    private static void writeHistogram(final DataOutputStream out, final SlotHistogram histogram) {
        final int[] values = new int[1];
        histogram.forEach((_, _) -> values[0]++);
        try {
            out.writeInt(values[0]);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        histogram.forEach((slots, count) -> {
            try {
                out.writeInt(slots);
                out.writeLong(count);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /**
     * Reads what {@link #write} wrote for the same type.
     *
     * @throws IOException if there is less of it.
     */
    static Object read(final DataInputStream in, final Class<?> type) throws IOException {
        if (type == long.class) {
            return in.readLong();
        }
        if (type == int.class) {
            return in.readInt();
        }
        if (type == double.class) {
            return in.readDouble();
        }
        return in.readBoolean() ? readPresent(in, type) : null;
    }

    private static Object readPresent(final DataInputStream in, final Class<?> type) throws IOException {
        if (type == SlotHistogram.class) {
            final SlotHistogram histogram = new SlotHistogram();
            for (int left = in.readInt(); left > 0; left--) {
                histogram.record(in.readInt(), in.readLong());
            }
            return histogram;
        }
        if (type == long[].class) {
            final long[] numbers = new long[in.readInt()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = in.readLong();
            }
            return numbers;
        }
        if (type == int[].class) {
            final int[] numbers = new int[in.readInt()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = in.readInt();
            }
            return numbers;
        }
        if (type == double[].class) {
            final double[] numbers = new double[in.readInt()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = in.readDouble();
            }
            return numbers;
        }
        return readRecord(in, type);
    }

    private static Object readRecord(final DataInputStream in, final Class<?> type) throws IOException {
        final RecordComponent[] parts = type.getRecordComponents();
        final Object[] values = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            values[i] = read(in, parts[i].getType());
        }
        try {
            final Constructor<?> constructor = type.getDeclaredConstructor(
                Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return constructor.newInstance(values);
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
