package dev.skerry.nic.engine;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;

/**
 * The threads of a free-running fabric: either shared threads, each with a bank of NICs and a group of switches, or
 * separate threads for NICs and for switches. In Stardust, adapters are the NICs and elements the switches. Immutable.
 *
 * @param nicThreads    threads for NICs only, each with one bank; 0 for shared threads.
 * @param switchThreads threads for switches only; 0 for shared threads.
 * @param sharedThreads threads for both; 0 for separate threads.
 * @param idle          idle strategy of a thread.
 * @param cpus          processors to which the threads are pinned, those of NICs first; empty: not pinned.
 */
public record Threading(int nicThreads, int switchThreads, int sharedThreads, Idle idle, int... cpus) {
    /** Checks that threads are either shared or separate. */
    public Threading {
        final boolean shared = sharedThreads > 0 && nicThreads == 0 && switchThreads == 0;
        final boolean separate = sharedThreads == 0 && nicThreads > 0 && switchThreads > 0;
        Bounds.refuseIf(!shared && !separate, "threads must be shared, or some for NICs and some for switches: nics=",
            nicThreads, " switches=", switchThreads, " shared=", sharedThreads);
        cpus = cpus.clone();
    }

    /** Shared threads. */
    public static Threading shared(final int threads, final Idle idle, final int... cpus) {
        return new Threading(0, 0, threads, idle, cpus);
    }

    /** Separate threads for NICs and for switches. */
    public static Threading separate(final int nicThreads, final int switchThreads, final Idle idle,
        final int... cpus) {
        return new Threading(nicThreads, switchThreads, 0, idle, cpus);
    }

    /** Number of threads. */
    public int threads() {
        return sharedThreads > 0 ? sharedThreads : nicThreads + switchThreads;
    }

    /** Number of banks of NICs, each one agent. */
    public int banks() {
        return sharedThreads > 0 ? sharedThreads : nicThreads;
    }

    /** Number of groups of switches, each one agent. */
    public int switchGroups() {
        return sharedThreads > 0 ? sharedThreads : switchThreads;
    }

    @Override
    public int[] cpus() {
        return cpus.clone();
    }

    @Override
    public String toString() {
        return (sharedThreads > 0 ? sharedThreads + " shared" : nicThreads + " + " + switchThreads)
            + " threads, " + idle + (cpus.length == 0 ? "" : ", pinned to " + Arrays.toString(cpus));
    }
}
