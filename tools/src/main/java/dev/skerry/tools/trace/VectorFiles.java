package dev.skerry.tools.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Writes all vectors of a source into the files of a folder, in one pass. One thread. */
public final class VectorFiles {
    private VectorFiles() {
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
        final List<HexWriter> hex = new ArrayList<>();
        final List<CsvWriter> csv = new ArrayList<>();
        final long[][] values = new long[scopes.size()][];
        try (OpenFiles files = new OpenFiles(hex, csv)) {
            for (int i = 0; i < values.length; i++) {
                values[i] = new long[scopes.get(i).signals().size()];
                if (formats.contains(Format.HEX)) {
                    hex.add(new HexWriter(open(folder, scopes.get(i).name() + ".hex"), scopes.get(i)));
                }
                if (formats.contains(Format.CSV)) {
                    csv.add(new CsvWriter(open(folder, scopes.get(i).name() + ".csv"), scopes.get(i), unit));
                }
            }
            if (formats.contains(Format.VCD)) {
                files.vcd = new VcdWriter(open(folder, "trace.vcd"), scopes, source.unitPs());
            }
            return files.pump(source, values, folder, unit, goOn);
        }
    }

    private static OutputStream open(final Path folder, final String name) throws IOException {
        return Files.newOutputStream(folder.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** The open files. */
    private static final class OpenFiles implements AutoCloseable {
        private static final int LOOK_UP_MASK = (1 << 10) - 1;

        private final List<HexWriter> hex;
        private final List<CsvWriter> csv;
        private VcdWriter vcd;

        OpenFiles(final List<HexWriter> hex, final List<CsvWriter> csv) {
            this.hex = hex;
            this.csv = csv;
        }

        Written pump(final VectorSource source, final long[][] values, final Path folder, final String unit,
            final BooleanSupplier goOn) throws IOException {
            long vectors = 0;
            long count = 0;
            long first = 0;
            boolean on = true;
            while (on && source.next()) {
                first = vectors == 0 ? source.time() : first;
                vectors++;
                if (vcd != null) {
                    vcd.time(source.time());
                }
                for (int scope = 0; scope < values.length; scope++) {
                    source.read(scope, values[scope]);
                    write(scope, source.time(), values[scope]);
                    count += values[scope].length;
                }
                on = (vectors & LOOK_UP_MASK) != 0 || goOn.getAsBoolean();
            }
            for (int scope = 0; scope < hex.size(); scope++) {
                final Scope of = source.scopes().get(scope);
                Files.writeString(folder.resolve(SvPackage.nameOf(of) + ".sv"),
                    SvPackage.of(of, of.name() + ".hex", vectors, first, unit));
            }
            return new Written(vectors, count, vcd == null ? 0 : vcd.changes(), on);
        }

        private void write(final int scope, final long time, final long[] values) throws IOException {
            if (vcd != null) {
                vcd.vector(scope, values);
            }
            if (!hex.isEmpty()) {
                hex.get(scope).vector(values);
            }
            if (!csv.isEmpty()) {
                csv.get(scope).vector(time, values);
            }
        }

        @Override
        public void close() throws IOException {
            IOException failure = null;
            final List<AutoCloseable> all = new ArrayList<>(hex);
            all.addAll(csv);
            if (vcd != null) {
                all.add(vcd);
            }
            for (final AutoCloseable file : all) {
                try {
                    file.close();
                } catch (final IOException e) {
                    failure = e;
                } catch (final Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            if (failure != null) {
                throw failure;
            }
        }
    }
}
