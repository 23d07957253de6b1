package dev.skerry.tools.figure;

import dev.skerry.tools.figure.FigureProgress.StoppedException;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** Measures one figure, with its progress on a terminal. */
public final class FigureRun {
    private static final long INTERVAL_NS = 500_000_000L;
    private static final String ERASE = "\r\033[K";

    private FigureRun() {
    }

    /** The figure measured, or null if it was stopped. */
    public static Measured measure(final Figure figure, final Effort effort, final BooleanSupplier stop,
        final PrintWriter err) {
        final Console console = System.console();
        final boolean terminal = console != null && console.isTerminal();
        final long start = System.nanoTime();
        final long[] next = {start + INTERVAL_NS};
        try {
            final Findings found = figure.measure(effort.of(figure), share -> {
                if (stop.getAsBoolean()) {
                    throw new StoppedException();
                }
                final long now = System.nanoTime();
                if (terminal && now >= next[0]) {
                    next[0] = now + INTERVAL_NS;
                    err.print(ERASE + figure.about().name() + " " + percent(share));
                    err.flush();
                }
            });
            return new Measured(figure.about(), found, (System.nanoTime() - start) / 1e9);
        } catch (final StoppedException stopped) {
            return null;
        } finally {
            if (terminal) {
                err.print(ERASE);
                err.flush();
            }
        }
    }

    private static String percent(final double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }
}
