package dev.skerry.tools.trace;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Writes all vectors of a source into the files of a folder, in one pass. One thread. */
public final class VectorFiles {
    private static final int LOOK_UP_MASK = (1 << 10) - 1;

    private final List<List<VectorWriter>> writers;
    private final VcdWriter vcd;
    private long vectors;
    private long count;
    private long first;
    private boolean complete = true;

    private VectorFiles(final List<List<VectorWriter>> writers, final VcdWriter vcd) {
        this.writers = writers;
        this.vcd = vcd;
    }

    /** Format of the files. */
    public enum Format {
        /** {@code SCOPE.hex} and {@code SCOPE_pkg.sv}. */
        HEX,
        /** {@code SCOPE.csv}. */
        CSV,
        /** {@code trace.vcd}. */
        VCD
    }

    /**
     * What was written.
     *
     * @param vectors  number of times.
     * @param values   number of values over all times.
     * @param changes  number of values written to the value change dump.
     * @param complete whether the source came to its end.
     */
    public record Written(long vectors, long values, long changes, boolean complete) {
    }

    /**
     * Writes the files.
     *
     * @param source  source of the vectors.
     * @param folder  empty folder.
     * @param formats formats to write.
     * @param unit    unit of time: slot or clock.
     * @param goOn    polled now and then; false ends the files early.
     * @return what was written.
     * @throws IOException if the write fails.
     */
    public static Written write(final VectorSource source, final Path folder, final Set<Format> formats,
        final String unit, final BooleanSupplier goOn) throws IOException {
        final List<Scope> scopes = source.scopes();
        final List<Closeable> files = new ArrayList<>();
        try {
            final List<List<VectorWriter>> writers = new ArrayList<>();
            for (final Scope scope : scopes) {
                writers.add(new ArrayList<>());
                if (formats.contains(Format.HEX)) {
                    writers.getLast().add(new HexWriter(open(folder, scope.name() + ".hex"), scope));
                }
                if (formats.contains(Format.CSV)) {
                    writers.getLast().add(new CsvWriter(open(folder, scope.name() + ".csv"), scope, unit));
                }
                files.addAll(writers.getLast());
            }
            VcdWriter vcd = null;
            if (formats.contains(Format.VCD)) {
                vcd = new VcdWriter(open(folder, "trace.vcd"), scopes, source.unitPs());
                files.add(vcd);
            }
            final VectorFiles all = new VectorFiles(writers, vcd);
            all.pump(source, goOn);
            for (final Scope scope : formats.contains(Format.HEX) ? scopes : List.<Scope>of()) {
                Files.writeString(folder.resolve(SvPackage.nameOf(scope) + ".sv"),
                    SvPackage.of(scope, scope.name() + ".hex", all.vectors, all.first, unit));
            }
            return new Written(all.vectors, all.count, vcd == null ? 0 : vcd.changes(), all.complete);
        } finally {
            close(files);
        }
    }

    private static OutputStream open(final Path folder, final String name) throws IOException {
        return Files.newOutputStream(folder.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Closes all files, whichever of them fail. */
    private static void close(final List<Closeable> files) throws IOException {
        if (!files.isEmpty()) {
            try (Closeable last = files.removeLast()) {
                assert last != null;
                close(files);
            }
        }
    }

    private void pump(final VectorSource source, final BooleanSupplier goOn) throws IOException {
        final List<Scope> scopes = source.scopes();
        final long[][] values = new long[scopes.size()][];
        Arrays.setAll(values, scope -> new long[scopes.get(scope).signals().size()]);
        while (complete && source.next()) {
            final long time = source.time();
            first = vectors++ == 0 ? time : first;
            if (vcd != null) {
                vcd.time(time);
            }
            for (int scope = 0; scope < values.length; scope++) {
                source.read(scope, values[scope]);
                if (vcd != null) {
                    vcd.vector(scope, values[scope]);
                }
                for (final VectorWriter writer : writers.get(scope)) {
                    writer.vector(time, values[scope]);
                }
                count += values[scope].length;
            }
            complete = (vectors & LOOK_UP_MASK) != 0 || goOn.getAsBoolean();
        }
    }
}
