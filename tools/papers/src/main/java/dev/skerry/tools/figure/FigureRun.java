package dev.skerry.tools.figure;

import dev.skerry.tools.figure.FigureProgress.StoppedException;

import java.io.Console;
import java.io.PrintWriter;
import java.util.function.BooleanSupplier;

/** Measures one figure, with its progress: on a terminal in one line, else a line now and then. */
public final class FigureRun {
    private static final double INTERVAL_SECONDS = 0.5;
    private static final String ERASE = "\r\033[K";

    private FigureRun() {
    }

    /** The figure measured, or null if it was stopped. */
    public static Measured measure(final Figure figure, final Effort effort, final BooleanSupplier stop,
        final PrintWriter err) {
        final Console console = System.console();
        final boolean terminal = console != null && console.isTerminal();
        final FigureClock clock = new FigureClock();
        final Effort own = effort.of(figure);
        final double[] next = {INTERVAL_SECONDS};
        try {
            final Findings found = figure.measure(own, share -> {
                if (stop.getAsBoolean()) {
                    throw new StoppedException();
                }
                clock.reach(share, own.kept().taken());
                if (terminal && clock.seconds() >= next[0]) {
                    next[0] = clock.seconds() + INTERVAL_SECONDS;
                    err.print(ERASE + figure.about().name() + " " + clock.status());
                    err.flush();
                }
                final String line = terminal ? null : clock.line();
                if (line != null) {
                    err.println("skerry: " + figure.about().name() + ": " + line);
                    err.flush();
                }
            });
            return new Measured(figure.about(), found, clock.seconds(), clock.processorSeconds());
        } catch (final StoppedException stopped) {
            return null;
        } finally {
            if (terminal) {
                err.print(ERASE);
                err.flush();
            }
        }
    }
}
