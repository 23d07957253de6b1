package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes vectors as a value change dump (IEEE 1364-2005 §18.2), which GTKWave and most simulators read: all values at
 * the first time, then the ones that change. It holds no date, so equal vectors are equal files. One thread.
 */
public final class VcdWriter implements AutoCloseable {
    private static final int FIRST_CODE = '!';
    private static final int CODES = '~' - FIRST_CODE + 1;

    private final ByteOutput out;
    private final long unitPs;
    private final int[][] bits;
    private final byte[][][] codes;
    private final long[][] last;
    private long time = -1;
    private boolean stamped;
    private int dumped;
    private long changes;

    /**
     * Begins a file with its declarations.
     *
     * @param to     takes the file; closed with this.
     * @param scopes what is traced.
     * @param unitPs length of a unit of time in ps, at least 1.
     */
    public VcdWriter(final OutputStream to, final List<Scope> scopes, final long unitPs) throws IOException {
        this.out = new ByteOutput(to);
        this.unitPs = unitPs;
        this.bits = new int[scopes.size()][];
        this.codes = new byte[scopes.size()][][];
        this.last = new long[scopes.size()][];
        out.text("$version skerry trace $end\n$timescale 1 ps $end\n");
        int code = 0;
        for (int i = 0; i < bits.length; i++) {
            final List<Signal> signals = scopes.get(i).signals();
            bits[i] = scopes.get(i).widths();
            codes[i] = new byte[signals.size()][];
            last[i] = new long[signals.size()];
            out.text("$scope module ").text(scopes.get(i).name()).text(" $end\n");
            for (int s = 0; s < signals.size(); s++) {
                codes[i][s] = code(code++);
                declare(signals.get(s), codes[i][s]);
            }
            out.text("$upscope $end\n");
        }
        out.text("$enddefinitions $end\n");
    }

    private void declare(final Signal signal, final byte[] code) throws IOException {
        out.text("$var wire ").decimal(signal.bits()).put(' ').bytes(code).put(' ').text(signal.name());
        if (signal.bits() > 1) {
            out.text(" [").decimal(signal.bits() - 1).text(":0]");
        }
        out.text(" $end\n");
    }

    private static byte[] code(final int number) {
        final StringBuilder text = new StringBuilder();
        for (int rest = number; rest >= 0; rest = rest / CODES - 1) {
            text.append((char) (FIRST_CODE + rest % CODES));
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Goes to a time; later than the one before. */
    public void time(final long to) {
        if (to <= time) {
            throw new IllegalArgumentException("time goes on: time=" + to + " before=" + time);
        }
        time = to;
        stamped = false;
    }

    /**
     * The vector of a scope at this time. All scopes are written at the first time.
     *
     * @param scope  its place in the list.
     * @param values of its signals; bits above their widths are ignored.
     */
    public void vector(final int scope, final long[] values) throws IOException {
        final long[] before = last[scope];
        final int[] widths = bits[scope];
        final byte[][] names = codes[scope];
        final boolean first = dumped < bits.length;
        for (int i = 0; i < before.length; i++) {
            final long value = values[i] & Scope.mask(widths[i]);
            if (value != before[i] || first) {
                before[i] = value;
                change(value, widths[i], names[i]);
            }
        }
        if (first && ++dumped == bits.length) {
            out.text("$end\n");
        }
    }

    private void change(final long value, final int width, final byte[] code) throws IOException {
        if (!stamped) {
            stamped = true;
            out.put('#').decimal(time * unitPs).put('\n');
            if (changes == 0) {
                out.text("$dumpvars\n");
            }
        }
        changes++;
        if (width == 1) {
            out.put(value == 0 ? '0' : '1');
        } else {
            out.put('b').binary(value).put(' ');
        }
        out.bytes(code).put('\n');
    }

    /** Values written. */
    public long changes() {
        return changes;
    }

    /** Ends the file one unit after the last time, so that the last values can be seen. */
    @Override
    public void close() throws IOException {
        try (out) {
            if (time >= 0) {
                out.put('#').decimal((time + 1) * unitPs).put('\n');
            }
        }
    }
}
