package dev.skerry.tools.figure;

import dev.skerry.tools.figure.Effort.StoppedException;
import dev.skerry.tools.figure.Findings.Verdict;

import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

/**
 * The results of a figure.
 *
 * @param figure the figure.
 * @param found its checks, plots and remarks.
 * @param seconds wall time, s.
 * @param processorSeconds CPU time of this process meanwhile, compiler and garbage collector included, s.
 */
public record Measured(Figure figure, Findings found, double seconds, double processorSeconds) {
    private static final double INTERVAL_SECONDS = 0.5;
    private static final String ERASE = "\r\033[K";

    /**
     * Measures a figure and prints its progress: in one line on a terminal, elsewhere as occasional lines.
     *
     * @return null if it was stopped.
     */
    public static Measured of(final Figure figure, final Effort effort, final BooleanSupplier stop,
        final PrintWriter err) {
        final Console console = System.console();
        final boolean terminal = console != null && console.isTerminal();
        final Clock clock = new Clock();
        final Effort own = effort.of(figure);
        final double[] next = {INTERVAL_SECONDS};
        try {
            final Findings found = figure.measure(own.heardBy(share -> {
                if (stop.getAsBoolean()) {
                    throw new StoppedException();
                }
                clock.reach(share, own.kept().taken());
                if (terminal && clock.seconds() >= next[0]) {
                    next[0] = clock.seconds() + INTERVAL_SECONDS;
                    err.print(ERASE + figure.name() + " " + clock.status());
                    err.flush();
                }
                final String line = terminal ? null : clock.line();
                if (line != null) {
                    err.println("skerry: " + figure.name() + ": " + line);
                    err.flush();
                }
            }));
            return new Measured(figure, found, clock.seconds(), clock.processorSeconds());
        } catch (final StoppedException stopped) {
            return null;
        } finally {
            if (terminal) {
                err.print(ERASE);
                err.flush();
            }
        }
    }

    /** Returns the number of checks that missed their rule. */
    public long missed() {
        return found.checks().stream().filter(check -> !check.accepted()).count();
    }

    /** Returns a verdict on all checks in a few words: {@code all 12 within their rules}. */
    public String verdict() {
        final long ruled = found.checks().stream().filter(check -> check.verdict() != Verdict.REPORTED).count();
        return ruled == 0 ? "no rule applies" : missed() == 0 ? "all " + ruled + " within their rules"
            : missed() + " of " + ruled + " miss their rules";
    }

    /**
     * The progress of a figure and an estimate of the remaining time, at the speed of the runs that this process made;
     * kept runs take no time. One thread.
     */
    static final class Clock {
        /** Share of the work from which an estimate of the remaining time is printed. */
        private static final double LEAST_SHARE = 0.02;
        private static final double SECONDS_PER_MINUTE = 60;
        private static final double SECONDS_PER_HOUR = 3600;
        /** Minutes below which a duration is printed with a decimal. */
        private static final double TENTHS_MINUTES = 10;
        private static final double NS_PER_SECOND = 1e9;
        private static final double LINES = 20;
        private static final double LINE_SECONDS = 60;

        /** Progress at a moment, in seconds of the wall time and CPU time. */
        private record Mark(double run, double seconds, double processor) {
        }

        private final DoubleSupplier clock;
        private final DoubleSupplier processor;
        private final double start;
        private final double processorStart;
        private double share;
        private double run;
        private int taken;
        /**
         * The estimate uses the speed since this mark, which excludes the start of the virtual machine and its
         * compilers.
         */
        private Mark earlier = new Mark(0, 0, 0);
        private Mark later = earlier;
        private double lineShare;
        private double lineSeconds;

        /** Starts with the wall clock and the CPU time of this process. */
        Clock() {
            this(() -> System.nanoTime() / NS_PER_SECOND, () -> ProcessHandle.current().info().totalCpuDuration()
                .map(Duration::toNanos).orElse(0L) / NS_PER_SECOND);
        }

        Clock(final DoubleSupplier clock, final DoubleSupplier processor) {
            this.clock = clock;
            this.processor = processor;
            this.start = clock.getAsDouble();
            this.processorStart = processor.getAsDouble();
        }

        /**
         * Records progress.
         *
         * @param to completed share of all work of the figure.
         * @param takenRuns kept runs of the figure so far.
         */
        void reach(final double to, final int takenRuns) {
            if (takenRuns == taken) {
                run += to - share;
            }
            taken = takenRuns;
            share = to;
            if (run >= LEAST_SHARE && run >= 2 * later.run) {
                earlier = later;
                later = new Mark(run, seconds(), processorSeconds());
            }
        }

        /** Returns the wall time since the construction, s. */
        double seconds() {
            return clock.getAsDouble() - start;
        }

        /**
         * Returns the CPU time of the process since the construction, compiler and garbage collector included, s.
         */
        double processorSeconds() {
            return processor.getAsDouble() - processorStart;
        }

        /** Returns the progress and the remaining time, for a terminal. */
        String status() {
            final String percent = String.format(Locale.ROOT, "%.0f %%", 100 * share);
            return run < LEAST_SHARE ? percent : percent + ", " + span(left(seconds() - earlier.seconds)) + " left";
        }

        /**
         * Returns {@link #status()} and the CPU time if a twentieth of the work and a minute have passed since
         * the last line, else null.
         */
        String line() {
            if (share < lineShare + 1 / LINES || seconds() < lineSeconds + LINE_SECONDS) {
                return null;
            }
            lineShare = share;
            lineSeconds = seconds();
            final double used = processorSeconds();
            return String.format(Locale.ROOT, "%s; CPU time: %s used", status(), span(used))
                + (run < LEAST_SHARE ? "" : ", " + span(left(used - earlier.processor)) + " left");
        }

        /** Returns the remaining time at the speed since the earlier mark. */
        private double left(final double since) {
            return since / (run - earlier.run) * (1 - share);
        }

        private static String span(final double seconds) {
            if (seconds < SECONDS_PER_MINUTE) {
                return String.format(Locale.ROOT, "%.0f s", seconds);
            }
            if (seconds < TENTHS_MINUTES * SECONDS_PER_MINUTE) {
                return String.format(Locale.ROOT, "%.1f min", seconds / SECONDS_PER_MINUTE);
            }
            return seconds < 2 * SECONDS_PER_HOUR ? String.format(Locale.ROOT, "%.0f min", seconds / SECONDS_PER_MINUTE)
                : String.format(Locale.ROOT, "%.1f h", seconds / SECONDS_PER_HOUR);
        }
    }
}
