package dev.skerry.tools.figure;

import dev.skerry.tools.figure.FigureProgress.StoppedException;

import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** Measures one figure, with its progress on a terminal. */
public final class FigureRun {
    private static final long INTERVAL_NS = 500_000_000L;
    /** Of the work before a guess of the rest is worth printing. */
    private static final double LEAST_SHARE = 0.02;
    private static final double SECONDS_PER_MINUTE = 60;
    private static final double SECONDS_PER_HOUR = 3600;
    private static final String ERASE = "\r\033[K";

    private FigureRun() {
    }

    /** The figure measured, or null if it was stopped. */
    public static Measured measure(final Figure figure, final Effort effort, final BooleanSupplier stop,
        final PrintWriter err) {
        final Console console = System.console();
        final boolean terminal = console != null && console.isTerminal();
        final long start = System.nanoTime();
        final double processorBefore = processorSeconds();
        final long[] next = {start + INTERVAL_NS};
        try {
            final Findings found = figure.measure(effort.of(figure), share -> {
                if (stop.getAsBoolean()) {
                    throw new StoppedException();
                }
                final long now = System.nanoTime();
                if (terminal && now >= next[0]) {
                    next[0] = now + INTERVAL_NS;
                    err.print(ERASE + figure.about().name() + " " + status(share, (now - start) / 1e9));
                    err.flush();
                }
            });
            return new Measured(figure.about(), found, (System.nanoTime() - start) / 1e9,
                processorSeconds() - processorBefore);
        } catch (final StoppedException stopped) {
            return null;
        } finally {
            if (terminal) {
                err.print(ERASE);
                err.flush();
            }
        }
    }

    private static double processorSeconds() {
        return ProcessHandle.current().info().totalCpuDuration().map(Duration::toNanos).orElse(0L) / 1e9;
    }

    /** How far a figure is, and how long the rest takes if it goes on as so far. */
    static String status(final double share, final double seconds) {
        final String percent = String.format(Locale.ROOT, "%.0f %%", 100 * share);
        if (share < LEAST_SHARE) {
            return percent;
        }
        final double left = seconds / share - seconds;
        if (left < SECONDS_PER_MINUTE) {
            return percent + String.format(Locale.ROOT, ", %.0f s left", left);
        }
        return percent + (left < 2 * SECONDS_PER_HOUR
            ? String.format(Locale.ROOT, ", %.0f min left", left / SECONDS_PER_MINUTE)
            : String.format(Locale.ROOT, ", %.1f h left", left / SECONDS_PER_HOUR));
    }
}
