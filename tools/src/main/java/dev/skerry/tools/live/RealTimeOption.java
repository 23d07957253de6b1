package dev.skerry.tools.live;

import dev.skerry.dataplane.worker.Scheduling;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Whether live goes before other programs. */
final class RealTimeOption {
    private static final Path KERNEL = Path.of("/proc/sys/kernel");

    @Option(names = "--real-time",
        description = "Go before all programs of the machine without a real-time class (SCHED_RR of Linux); for root.")
    boolean isWanted;

    /**
     * From now on, if that is wanted.
     *
     * @return what the kernel does to a real-time thread that never waits, one line; empty if nothing.
     * @throws InputException if the kernel refuses.
     */
    String enter() {
        final String refused = isWanted ? Scheduling.enterRealTime() : "";
        if (!refused.isEmpty()) {
            throw new InputException("live", "--real-time", refused,
                "start as root, with CAP_SYS_NICE or after ulimit -r 1, or leave it out");
        }
        return isWanted ? limit() : "";
    }

    private static String limit() {
        try {
            final long runtime = number("sched_rt_runtime_us");
            final long period = number("sched_rt_period_us");
            return runtime < 0 || runtime >= period ? "" : String.format(Locale.ROOT, "--real-time: the kernel stops "
                + "real-time threads that have used %,d us of a processor for the rest of each %,d us: busy threads "
                + "rest for a fifth of the time, so that it need not; with --idle spin, yield or park they do not",
                runtime, period);
        } catch (final IOException | NumberFormatException e) {
            // A kernel without such a limit.
            return "";
        }
    }

    /** Read at once: these files give the rest of a number to no second read. */
    private static long number(final String name) throws IOException {
        try (BufferedReader file = Files.newBufferedReader(KERNEL.resolve(name))) {
            return Long.parseLong(file.readLine());
        }
    }
}
