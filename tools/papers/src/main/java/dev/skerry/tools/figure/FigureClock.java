package dev.skerry.tools.figure;

import java.time.Duration;
import java.util.Locale;
import java.util.function.DoubleSupplier;

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

    /** Where the work stood at a time, in seconds by the clock and of the processor. */
    private record Mark(double run, double seconds, double processor) {
    }

    private final DoubleSupplier clock;
    private final DoubleSupplier processor;
    private final double start;
    private final double processorStart;
    private double share;
    private double run;
    private int taken;
    /** The rest goes on as since the earlier: the start of the virtual machine and its compilers is left behind. */
    private Mark earlier = new Mark(0, 0, 0);
    private Mark later = earlier;
    private double lineShare;
    private double lineSeconds;

    /** Starts with the clock and the processor time of this process. */
    FigureClock() {
        this(() -> System.nanoTime() / NS_PER_SECOND, () -> ProcessHandle.current().info().totalCpuDuration()
            .map(Duration::toNanos).orElse(0L) / NS_PER_SECOND);
    }

    FigureClock(final DoubleSupplier clock, final DoubleSupplier processor) {
        this.clock = clock;
        this.processor = processor;
        this.start = clock.getAsDouble();
        this.processorStart = processor.getAsDouble();
    }

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
        if (run >= LEAST_SHARE && run >= 2 * later.run) {
            earlier = later;
            later = new Mark(run, seconds(), processorSeconds());
        }
    }

    /** Since this was made. */
    double seconds() {
        return clock.getAsDouble() - start;
    }

    /** Of this process since this was made, compiler and garbage collector included. */
    double processorSeconds() {
        return processor.getAsDouble() - processorStart;
    }

    /** How far it is and what is left, for a terminal. */
    String status() {
        final String percent = String.format(Locale.ROOT, "%.0f %%", 100 * share);
        return run < LEAST_SHARE ? percent : percent + ", " + span(left(seconds() - earlier.seconds)) + " left";
    }

    /** {@link #status()} and processor time, if a twentieth of the work and a minute have gone by, else null. */
    String line() {
        if (share < lineShare + 1 / LINES || seconds() < lineSeconds + LINE_SECONDS) {
            return null;
        }
        lineShare = share;
        lineSeconds = seconds();
        final double used = processorSeconds();
        return String.format(Locale.ROOT, "%s; of processor time %s used", status(), span(used))
            + (run < LEAST_SHARE ? "" : ", " + span(left(used - earlier.processor)) + " left");
    }

    /** What the rest takes if it goes on as since the earlier mark. */
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
