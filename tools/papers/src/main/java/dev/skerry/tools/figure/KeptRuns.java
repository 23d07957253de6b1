package dev.skerry.tools.figure;

import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.WholeFile;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * Completed parts of figures, one file each in a folder: a figure that is measured again, however its process ended,
 * reads them from there. A run of an engine is identified by the version of the engines and all its inputs; figures can
 * therefore share runs, and a figure whose drawing changes keeps its runs. Numbers derived from runs are identified by
 * the version of the whole program, the figure, its effort, and their place in the figure. Several processes may share
 * a folder. One thread per figure.
 */
public final class KeptRuns {
    /** Keeps nothing. */
    public static final KeptRuns NONE = new KeptRuns(null, "", "", new AtomicInteger());

    private static final int FORMAT = 2;

    private final Path folder;
    private final String engines;
    private final String prefix;
    private final AtomicInteger written;
    private int place;
    private int taken;

    private KeptRuns(final Path folder, final String engines, final String prefix, final AtomicInteger written) {
        this.folder = folder;
        this.engines = engines;
        this.prefix = prefix;
        this.written = written;
    }

    /**
     * Creates an object that keeps runs in a folder, which is created when the first run is complete.
     *
     * @param engines version of the engines.
     * @param program version of the whole program.
     */
    public static KeptRuns in(final Path folder, final String engines, final String program) {
        return new KeptRuns(folder, engines, program, new AtomicInteger());
    }

    /** Returns the kept runs of one figure, counted from its first numbers. */
    KeptRuns of(final String figure, final Effort effort) {
        return folder == null ? this : new KeptRuns(folder, engines, prefix + '\n' + figure + '\n' + effort.quick()
            + '\n' + effort.seed() + '\n' + effort.extent(), written);
    }

    /** Tells whether runs of any figure were added, so that a user who stops now continues later with more. */
    public boolean hasGrown() {
        return written.get() > 0;
    }

    /** Returns the number of results of this figure that were read from the folder. */
    int taken() {
        return taken;
    }

    /**
     * Returns the result of a run of an engine.
     *
     * @param type type of the result: a record of numbers, arrays of numbers, histograms of slots, and such records.
     * @param what all inputs that determine the result.
     * @param run measures the result if it is not in the folder.
     * @throws InputException if the folder cannot be written, or a file in it is damaged.
     */
    <T extends Record> T run(final Class<T> type, final String what, final Supplier<T> run) {
        return kept(type, engines + '\n' + what, run);
    }

    /**
     * Returns the next numbers of the figure, as {@link #run}; {@code what} distinguishes them from others at the same
     * place.
     */
    <T extends Record> T numbers(final Class<T> type, final String what, final Supplier<T> run) {
        return kept(type, prefix + '\n' + place++ + '\n' + what, run);
    }

    private <T extends Record> T kept(final Class<T> type, final String known, final Supplier<T> run) {
        if (folder == null) {
            return run.get();
        }
        final String identity = FORMAT + "\n" + type.getName() + '\n' + known;
        final Path file = folder.resolve(name(identity));
        if (Files.exists(file)) {
            taken++;
            try {
                return read(file, identity, type);
            } catch (final IOException e) {
                throw new InputException("--keep", file.toString(), "it is damaged (" + e + ")", "remove it");
            }
        }
        final T result = run.get();
        try {
            Files.createDirectories(folder);
            WholeFile.write(file, whole -> write(whole, identity, type, result));
            written.incrementAndGet();
            return result;
        } catch (final IOException e) {
            throw InputException.notWritten("--keep", file, e, "name a folder with room that you may write to");
        }
    }

    private String name(final String identity) {
        final CRC32C sum = new CRC32C();
        sum.update(identity.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x-%08x.run", identity.hashCode(), sum.getValue());
    }

    private static <T extends Record> T read(final Path file, final String identity, final Class<T> type)
        throws IOException {
        final CheckedInputStream sum = new CheckedInputStream(new BufferedInputStream(Files.newInputStream(file)),
            new CRC32C());
        try (DataInputStream in = new DataInputStream(sum)) {
            if (!in.readUTF().equals(identity)) {
                throw new IOException("it belongs to another run");
            }
            final T result = type.cast(read(in, type));
            final long expected = sum.getChecksum().getValue();
            if (in.readLong() != expected) {
                throw new IOException("its checksum is wrong");
            }
            return result;
        }
    }

    private static void write(final OutputStream whole, final String identity, final Class<?> type,
        final Object result) throws IOException {
        final CheckedOutputStream sum = new CheckedOutputStream(whole, new CRC32C());
        final DataOutputStream out = new DataOutputStream(sum);
        out.writeUTF(identity);
        write(out, type, result);
        out.writeLong(sum.getChecksum().getValue());
        out.flush();
    }

    /** Writes a value, with one byte that tells whether it is present if it may be missing. */
    private static void write(final DataOutputStream out, final Class<?> type, final Object value) throws IOException {
        switch (value) {
            case null -> out.writeBoolean(false);
            case final Long number -> out.writeLong(number);
            case final Integer number -> out.writeInt(number);
            case final Double number -> out.writeDouble(number);
            default -> {
                out.writeBoolean(true);
                writePresent(out, type, value);
            }
        }
    }

    private static void writePresent(final DataOutputStream out, final Class<?> type, final Object value)
        throws IOException {
        if (type.isArray()) {
            out.writeInt(Array.getLength(value));
            for (int i = 0; i < Array.getLength(value); i++) {
                write(out, type.componentType(), Array.get(value, i));
            }
        } else if (value instanceof final SlotHistogram histogram) {
            final List<long[]> counts = new ArrayList<>();
            histogram.forEach((slots, count) -> counts.add(new long[] {slots, count}));
            out.writeInt(counts.size());
            for (final long[] count : counts) {
                out.writeInt((int) count[0]);
                out.writeLong(count[1]);
            }
        } else if (value instanceof Record) {
            for (final RecordComponent part : type.getRecordComponents()) {
                try {
                    write(out, part.getType(), part.getAccessor().invoke(value));
                } catch (final ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            }
        } else {
            throw new IllegalStateException("no way to keep " + type.getName());
        }
    }

    /** Reads a value of the same type that {@link #write(DataOutputStream, Class, Object)} wrote. */
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
        if (type.isArray()) {
            final Object values = Array.newInstance(type.componentType(), in.readInt());
            for (int i = 0; i < Array.getLength(values); i++) {
                Array.set(values, i, read(in, type.componentType()));
            }
            return values;
        }
        if (type == SlotHistogram.class) {
            final SlotHistogram histogram = new SlotHistogram();
            for (int left = in.readInt(); left > 0; left--) {
                histogram.record(in.readInt(), in.readLong());
            }
            return histogram;
        }
        final Class<?>[] types = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
        final Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            values[i] = read(in, types[i]);
        }
        try {
            return type.getDeclaredConstructor(types).newInstance(values);
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
