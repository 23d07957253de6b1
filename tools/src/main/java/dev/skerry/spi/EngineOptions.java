package dev.skerry.spi;

import dev.skerry.tools.input.Choices;
import picocli.CommandLine.Option;

/** The options that say what runs a fabric, as typed; the same for flows and for packets from outside. */
public final class EngineOptions {
    @Option(names = "--mode", paramLabel = "NAME",
        description = "How it runs: lockstep, one loop over all nodes; or threads, NICs and one agent a switch "
            + "(Stardust: adapters and elements) on threads of their own. The result is the same (default: lockstep; "
            + "live: threads if there is a processor for each, or with --nic-threads, --switch-threads, --pin or "
            + "--clos-ports).")
    public String mode;

    @Option(names = "--threads", paramLabel = "W",
        description = "Threads; the result does not depend on them. Lock step takes fewer where waiting for each other "
            + "would cost more than it saves (default: 1 in lock step, else as many as processors).")
    public Integer threads;

    @Option(names = "--nic-threads", paramLabel = "W",
        description = "Mode threads: threads for NICs or adapters only, with --switch-threads in place of --threads.")
    public Integer nicThreads;

    @Option(names = "--switch-threads", paramLabel = "W",
        description = "Mode threads: threads for circuit switches or elements only; as many as there are gives each "
            + "its own.")
    public Integer switchThreads;

    @Option(names = "--idle", paramLabel = "NAME", completionCandidates = Choices.Idles.class,
        description = "Mode threads: what a thread does while it waits: ${COMPLETION-CANDIDATES} (default: "
            + "backoff).")
    public String idle;

    @Option(names = "--pin", paramLabel = "CPUS",
        description = "Mode threads: processors to pin the threads to, in order, for example 0,1. Linux only.")
    public String pin;

    EngineOptions() {
    }
}
