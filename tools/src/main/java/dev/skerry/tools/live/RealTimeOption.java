package dev.skerry.tools.live;

import dev.skerry.dataplane.worker.Scheduling;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

/** Whether live goes before other programs. */
final class RealTimeOption {
    @Option(names = "--real-time",
        description = "Go before all programs of the machine without a real-time class (SCHED_RR of Linux); for root.")
    boolean isWanted;

    /**
     * From now on, if that is wanted.
     *
     * @throws InputException if the kernel refuses.
     */
    void enter() {
        final String refused = isWanted ? Scheduling.enterRealTime() : "";
        if (!refused.isEmpty()) {
            throw new InputException("live", "--real-time", refused,
                "start as root, with CAP_SYS_NICE or after ulimit -r 1, or leave it out");
        }
    }
}
