package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.spi.LinkWords.Field;
import dev.skerry.tools.trace.VectorSource.Scope;
import dev.skerry.tools.trace.VectorSource.Selection;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Writes all vectors of a source into the files of a folder, in one pass. Not thread-safe. */
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
     * The result of writing.
     *
     * @param vectors number of times.
     * @param values number of values over all times.
     * @param changes number of values written to the value change dump.
     * @param complete whether the source reached its end.
     */
    public record Written(long vectors, long values, long changes, boolean complete) {
    }

    /**
     * Writes the files.
     *
     * @param signals selected signals of a source.
     * @param folder empty folder.
     * @param formats formats to write.
     * @param unit unit of time: slot or clock.
     * @param goOn polled periodically; false ends the files early.
     * @return the result.
     * @throws IOException if the write fails.
     */
    public static Written write(final Selection signals, final Path folder, final Set<Format> formats,
        final String unit, final BooleanSupplier goOn) throws IOException {
        final List<Scope> scopes = signals.scopes();
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
                vcd = new VcdWriter(open(folder, "trace.vcd"), scopes, signals.source.unitPs(),
                    signals.source.fields());
                files.add(vcd);
            }
            final VectorFiles all = new VectorFiles(writers, vcd);
            all.pump(signals, goOn);
            for (final Scope scope : formats.contains(Format.HEX) ? scopes : List.<Scope>of()) {
                Files.writeString(folder.resolve(HexWriter.packageOf(scope) + ".sv"),
                    HexWriter.sv(scope, all.vectors, all.first, unit, signals.source.fields()));
            }
            return new Written(all.vectors, all.count, vcd == null ? 0 : vcd.changes(), all.complete);
        } finally {
            close(files);
        }
    }

    private static OutputStream open(final Path folder, final String name) throws IOException {
        return Files.newOutputStream(folder.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Closes all files, even if closing some of them fails. */
    private static void close(final List<Closeable> files) throws IOException {
        if (!files.isEmpty()) {
            try (Closeable last = files.removeLast()) {
                assert last != null;
                close(files);
            }
        }
    }

    private void pump(final Selection signals, final BooleanSupplier goOn) throws IOException {
        final VectorSource source = signals.source;
        final List<Scope> scopes = signals.scopes();
        final long[][] values = new long[scopes.size()][];
        Arrays.setAll(values, scope -> new long[scopes.get(scope).signals().size()]);
        while (complete && source.next()) {
            final long time = source.time();
            first = vectors++ == 0 ? time : first;
            if (vcd != null) {
                vcd.time(time);
            }
            for (int scope = 0; scope < values.length; scope++) {
                signals.read(scope, values[scope]);
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

    /** Writes the vectors of a scope as CSV: one line per vector, unsigned decimal numbers. Not thread-safe. */
    static final class CsvWriter extends VectorWriter {
        /**
         * Writes the header line.
         *
         * @param to    stream of the file; {@link #close} closes it.
         * @param scope scope of the vectors.
         * @param unit  unit of time: slot or clock.
         * @throws IOException if the write fails.
         */
        CsvWriter(final OutputStream to, final Scope scope, final String unit) throws IOException {
            super(to, scope);
            out.write(unit);
            for (final Signal signal : scope.signals()) {
                out.append(',').append(signal.name());
            }
            out.append('\n');
        }

        @Override
        void vector(final long time, final long[] values) throws IOException {
            out.write(Long.toString(time));
            for (int i = 0; i < bits.length; i++) {
                out.append(',').append(Long.toUnsignedString(values[i] & Scope.mask(bits[i])));
            }
            out.append('\n');
        }
    }

    /**
     * Writes the vectors of a scope for {@code $readmemh}: one line per vector, with its signals as in a packed struct,
     * the first in the most significant bits; and the SystemVerilog package with the struct. Not thread-safe.
     *
     * <pre>
     *   bits - 1                                   0
     *   +----------+----------+-- .. --+-----------+
     *   | signal 0 | signal 1 |        | signal n-1|      zero bits on the left complete a digit
     *   +----------+----------+-- .. --+-----------+
     * </pre>
     */
    static final class HexWriter extends VectorWriter {
        private static final int HEX_BITS = 4;

        /** The vector, its least significant bit first. */
        private final long[] words;
        private final char[] row;

        /**
         * Creates a file without vectors.
         *
         * @param to    stream of the file; {@link #close} closes it.
         * @param scope scope of the vectors.
         * @throws IOException if the write fails.
         */
        HexWriter(final OutputStream to, final Scope scope) throws IOException {
            super(to, scope);
            final int digits = Math.ceilDiv(scope.bits(), HEX_BITS);
            this.words = new long[Math.ceilDiv(scope.bits(), Long.SIZE)];
            this.row = new char[digits + 1];
            row[digits] = '\n';
            out.append("// vectors of ").append(packageOf(scope)).append("::vector_t\n");
        }

        @Override
        void vector(final long time, final long[] values) throws IOException {
            Arrays.fill(words, 0);
            int at = 0;
            for (int i = bits.length - 1; i >= 0; i--) {
                final long value = values[i] & Scope.mask(bits[i]);
                words[at / Long.SIZE] |= value << at;
                if (at % Long.SIZE + bits[i] > Long.SIZE) {
                    words[at / Long.SIZE + 1] = value >>> -at;
                }
                at += bits[i];
            }
            for (int digit = 0; digit < row.length - 1; digit++) {
                final long word = words[digit * HEX_BITS / Long.SIZE];
                row[row.length - 2 - digit] = Character.forDigit((int) (word >>> digit * HEX_BITS) & 0xF, 16);
            }
            out.write(row);
        }

        /** Returns the name of the package of a scope. */
        static String packageOf(final Scope scope) {
            return scope.name() + "_pkg";
        }

        /**
         * Returns the text of the package: the struct of a vector, the number of vectors and the time of the first.
         *
         * @param scope scope of the vectors.
         * @param vectors number of vectors.
         * @param first time of the first vector.
         * @param unit unit of time: slots or clocks.
         * @param fields fields of its words, null if there are none.
         */
        static String sv(final Scope scope, final long vectors, final long first, final String unit,
            final WaveFields fields) {
            final StringBuilder text = new StringBuilder("""
                // Written by skerry trace. In a test bench:
                //   import %1$s::*;
                //   logic [BITS-1:0] golden [0:VECTORS-1];
                //   initial $readmemh(FILE, golden);
                //   vector_t v; assign v = golden[i]; ... v.%2$s
                // A signal without a value is all ones. A route: all ones is a dummy, all ones less one an empty slot.
                package %1$s;
                  localparam int FORMAT = 1;
                  localparam FILE = "%3$s.hex";
                  localparam int VECTORS = %4$d;
                  localparam longint FIRST = %5$d;  // %6$s
                  localparam int BITS = %7$d;
                  typedef struct packed {
                """.formatted(packageOf(scope), scope.signals().getFirst().name(), scope.name(), vectors, first, unit,
                scope.bits()));
            for (final Signal signal : scope.signals()) {
                text.append("    logic ");
                if (signal.bits() > 1) {
                    text.append('[').append(signal.bits() - 1).append(":0] ");
                }
                text.append(signal.name()).append(";\n");
            }
            text.append("  } vector_t;\n");
            for (final String word : fields == null ? List.<String>of() : List.of("route", "cell", "feedback")) {
                appendWord(text, word,
                    fields.words().fields().stream().filter(field -> field.word().equals(word)).toList());
            }
            return text.append("endpackage\n").toString();
        }

        /** Writes the struct of a word (docs/words.md): {@code route_t r = v.rx0_route; ... r.destination}. */
        private static void appendWord(final StringBuilder text, final String word, final List<Field> fields) {
            int end = Long.SIZE;
            text.append("  typedef struct packed {");
            for (final Field field : fields) {
                appendGap(text, end, field.low() + field.bits());
                // "sequence" is a keyword of SystemVerilog.
                final String name = field.name().equals("sequence") ? "sequence_number" : field.name();
                text.append(" logic [").append(field.bits() - 1).append(":0] ").append(name).append(';');
                end = field.low();
            }
            appendGap(text, end, 0);
            text.append(" } ").append(word).append("_t;\n");
        }

        private static void appendGap(final StringBuilder text, final int end, final int low) {
            if (end > low) {
                text.append(" logic [").append(end - low - 1).append(":0] zero").append(low).append(';');
            }
        }
    }

    /** Writes the vectors of one scope into a file of its own. Not thread-safe. */
    private abstract static class VectorWriter implements Closeable {
        final Writer out;
        /** Widths of the signals. */
        final int[] bits;

        private VectorWriter(final OutputStream to, final Scope scope) {
            this.out = ascii(to);
            this.bits = scope.widths();
        }

        /**
         * Writes one vector.
         *
         * @param time time in units of the source.
         * @param values one value per signal; bits above its width are ignored.
         * @throws IOException if the write fails.
         */
        abstract void vector(long time, long[] values) throws IOException;

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    /** Returns a buffered writer of ASCII text; closing it closes the stream. */
    private static Writer ascii(final OutputStream to) {
        return new BufferedWriter(new OutputStreamWriter(to, StandardCharsets.US_ASCII), 1 << 16);
    }

    /**
     * Writes vectors as a value change dump (IEEE 1364-2005 §18.2), which GTKWave and most simulators read: all values
     * at the first time, then only changes. It has no date, so that equal vectors give equal files. Not thread-safe.
     */
    public static final class VcdWriter implements Closeable {
        private static final int FIRST_CODE = '!';
        private static final int CODES = '~' - FIRST_CODE + 1;

        private final Writer out;
        private final long unitPs;
        private final int[][] bits;
        private final String[][] codes;
        private final long[][] last;
        /** Scopes extended by the fields of their words. */
        private final List<WaveFields.Extended> extended;
        private long time = -1;
        private boolean stamped;
        private int dumped;
        private long changes;

        /**
         * Writes the declarations.
         *
         * @param to     stream of the file; {@link #close} closes it.
         * @param scopes scopes of the vectors.
         * @param unitPs length of a unit of time in ps, at least 1.
         * @param fields fields of words to write as signals of their own, null for none.
         * @throws IOException if the write fails.
         */
        public VcdWriter(final OutputStream to, final List<Scope> scopes, final long unitPs, final WaveFields fields)
            throws IOException {
            this.out = ascii(to);
            this.extended = fields == null ? null : scopes.stream().map(scope -> fields.new Extended(scope)).toList();
            this.unitPs = unitPs;
            this.bits = new int[scopes.size()][];
            this.codes = new String[scopes.size()][];
            this.last = new long[scopes.size()][];
            out.write("$version skerry trace 1 $end\n$timescale 1 ps $end\n");
            int code = 0;
            for (int i = 0; i < bits.length; i++) {
                final Scope scope = extended == null ? scopes.get(i) : extended.get(i).scope();
                final List<Signal> signals = scope.signals();
                bits[i] = scope.widths();
                codes[i] = new String[signals.size()];
                last[i] = new long[signals.size()];
                out.append("$scope module ").append(scopes.get(i).name()).append(" $end\n");
                for (int s = 0; s < signals.size(); s++) {
                    codes[i][s] = code(code++);
                    declare(signals.get(s), codes[i][s]);
                }
                out.write("$upscope $end\n");
            }
            out.write("$enddefinitions $end\n");
        }

        private void declare(final Signal signal, final String code) throws IOException {
            out.write("$var wire " + signal.bits() + ' ' + code + ' ' + signal.name()
                + (signal.bits() > 1 ? " [" + (signal.bits() - 1) + ":0] $end\n" : " $end\n"));
        }

        private static String code(final int number) {
            final StringBuilder text = new StringBuilder();
            for (int rest = number; rest >= 0; rest = rest / CODES - 1) {
                text.append((char) (FIRST_CODE + rest % CODES));
            }
            return text.toString();
        }

        /**
         * Moves to a later time.
         *
         * @param to time in units, above the one before.
         */
        public void time(final long to) {
            if (to <= time) {
                throw new IllegalArgumentException("time goes on: time=" + to + " before=" + time);
            }
            time = to;
            stamped = false;
        }

        /**
         * Writes the vector of a scope at this time. The first time needs all scopes.
         *
         * @param scope  index of the scope.
         * @param given one value per signal of the scope; bits above its width are ignored.
         * @throws IOException if the write fails.
         */
        public void vector(final int scope, final long[] given) throws IOException {
            final long[] values = extended == null ? given : extended.get(scope).values(given);
            final long[] before = last[scope];
            final int[] widths = bits[scope];
            final String[] names = codes[scope];
            final boolean first = dumped < bits.length;
            for (int i = 0; i < before.length; i++) {
                final long value = values[i] & Scope.mask(widths[i]);
                if (value != before[i] || first) {
                    before[i] = value;
                    change(value, widths[i], names[i]);
                }
            }
            if (first && ++dumped == bits.length) {
                out.write("$end\n");
            }
        }

        private void change(final long value, final int width, final String code) throws IOException {
            if (!stamped) {
                stamped = true;
                out.append('#').append(Long.toUnsignedString(time * unitPs)).append('\n');
                if (changes == 0) {
                    out.write("$dumpvars\n");
                }
            }
            changes++;
            final String number = Long.toBinaryString(value);
            (width == 1 ? out.append(number) : out.append('b').append(number).append(' ')).append(code).append('\n');
        }

        /** Returns the number of values written so far. */
        public long changes() {
            return changes;
        }

        /** Ends the file one unit after the last time, so that viewers show the last values. */
        @Override
        public void close() throws IOException {
            try (out) {
                if (time >= 0) {
                    out.append('#').append(Long.toUnsignedString((time + 1) * unitPs)).append('\n');
                }
            }
        }
    }
}
