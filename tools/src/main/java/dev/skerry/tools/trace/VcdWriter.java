package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.util.List;

/**
 * Writes vectors as a value change dump (IEEE 1364-2005 §18.2), which GTKWave and most simulators read: all values at
 * the first time, then only changes. Without a date, so that equal vectors give equal files. One thread.
 */
public final class VcdWriter implements Closeable {
    private static final int FIRST_CODE = '!';
    private static final int CODES = '~' - FIRST_CODE + 1;

    private final Writer out;
    private final long unitPs;
    private final int[][] bits;
    private final String[][] codes;
    private final long[][] last;
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
     * @throws IOException if the write fails.
     */
    public VcdWriter(final OutputStream to, final List<Scope> scopes, final long unitPs) throws IOException {
        this.out = VectorFiles.VectorWriter.ascii(to);
        this.unitPs = unitPs;
        this.bits = new int[scopes.size()][];
        this.codes = new String[scopes.size()][];
        this.last = new long[scopes.size()][];
        out.write("$version skerry trace $end\n$timescale 1 ps $end\n");
        int code = 0;
        for (int i = 0; i < bits.length; i++) {
            final List<Signal> signals = scopes.get(i).signals();
            bits[i] = scopes.get(i).widths();
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
     * @param values one value per signal; bits above its width are ignored.
     * @throws IOException if the write fails.
     */
    public void vector(final int scope, final long[] values) throws IOException {
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

    /** Number of values written so far. */
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
