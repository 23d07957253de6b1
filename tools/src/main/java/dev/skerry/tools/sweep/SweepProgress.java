package dev.skerry.tools.sweep;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** How far a sweep has come: one line that changes on a terminal, lines at least a second apart elsewhere. */
final class SweepProgress {
    private static final long INTERVAL_NS = 1_000_000_000L;

    private final PrintWriter out;
    private final boolean terminal;
    private final int total;
    private final int before;
    private final LongSupplier clock;
    private final long start;
    private long last;
    private boolean shown;

    SweepProgress(final PrintWriter out, final boolean terminal, final int total, final int before,
        final LongSupplier clock) {
        this.out = out;
        this.terminal = terminal;
        this.total = total;
        this.before = before;
        this.clock = clock;
        this.start = clock.getAsLong();
        this.last = start - INTERVAL_NS;
    }

    /** Something ended or began. The last line of all is always written. */
    void show(final int done, final int running, final int failed) {
        final long now = clock.getAsLong();
        if (now - last < INTERVAL_NS && done + failed < total) {
            return;
        }
        last = now;
        shown = true;
        out.print((terminal ? "\r\033[K" : "") + line(done, running, failed, (now - start) / 1e9)
            + (terminal ? "" : System.lineSeparator()));
        out.flush();
    }

    /** Leaves the line of a terminal. */
    void end() {
        if (terminal && shown) {
            out.println();
            out.flush();
        }
    }

    /** The time to go follows from the runs that ended since the start. */
    String line(final int done, final int running, final int failed, final double seconds) {
        final int ended = done + failed - before;
        return String.format(Locale.ROOT, "skerry: sweep: %,d of %,d runs done, %d running%s%s", done, total, running,
            failed > 0 ? ", " + failed + " failed" : "", ended > 0 && done + failed < total
                ? String.format(Locale.ROOT, ", %,d s to go", Math.round(seconds / ended * (total - done - failed)))
                : "");
    }
}
