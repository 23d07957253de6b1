package dev.skerry.tools.figure;

import java.time.Duration;
import java.util.Locale;

/**
 * How far a figure is and what the rest of it takes, if that goes on as the part that was run here; runs that were kept
 * took no time. One thread.
 */
final class FigureClock {
    /** Of the work before a guess of the rest is worth printing. */
    private static final double LEAST_SHARE = 0.02;
    private static final double SECONDS_PER_MINUTE = 60;
    private static final double SECONDS_PER_HOUR = 3600;
    /** Minutes below this have a decimal. */
    private static final double TENTHS_MINUTES = 10;
    private static final double NS_PER_SECOND = 1e9;
    private static final double LINES = 20;
    private static final double LINE_SECONDS = 60;

    private final long start = System.nanoTime();
    private final double processorStart = processor();
    private double share;
    private double run;
    private int taken;
    private double lineShare;
    private double lineSeconds;

    /**
     * The work has come this far.
     *
     * @param to        share of all the figure's work.
     * @param takenRuns runs that were kept, of the figure so far.
     */
    void reach(final double to, final int takenRuns) {
        if (takenRuns == taken) {
            run += to - share;
        }
        taken = takenRuns;
        share = to;
    }

    /** Since this was made. */
    double seconds() {
        return (System.nanoTime() - start) / NS_PER_SECOND;
    }

    /** Of this process since this was made, compiler and garbage collector included. */
    double processorSeconds() {
        return processor() - processorStart;
    }

    /** How far it is and what is left, for a terminal. */
    String status() {
        return status(share, run, seconds());
    }

    /** {@link #status()} and processor time, if a twentieth of the work and a minute have gone by, else null. */
    String line() {
        if (share < lineShare + 1 / LINES || seconds() < lineSeconds + LINE_SECONDS) {
            return null;
        }
        lineShare = share;
        lineSeconds = seconds();
        return String.format(Locale.ROOT, "%s; of processor time %s used", status(), span(processorSeconds()))
            + (run < LEAST_SHARE ? "" : ", " + span(left(share, run, processorSeconds())) + " left");
    }

    /** How far a figure is, and how long the rest takes if it goes on as the part that was run in some seconds. */
    static String status(final double share, final double run, final double seconds) {
        final String percent = String.format(Locale.ROOT, "%.0f %%", 100 * share);
        return run < LEAST_SHARE ? percent : percent + ", " + span(left(share, run, seconds)) + " left";
    }

    private static double left(final double share, final double run, final double seconds) {
        return seconds / run * (1 - share);
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

    private static double processor() {
        return ProcessHandle.current().info().totalCpuDuration().map(Duration::toNanos).orElse(0L) / NS_PER_SECOND;
    }
}
