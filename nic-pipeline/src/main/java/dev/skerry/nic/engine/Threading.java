package dev.skerry.nic.engine;

import dev.skerry.dataplane.worker.Idle;

import java.util.Arrays;

/**
 * The threads of a free-running fabric. Either all threads share banks and switches, each taking a bank of NICs and a
 * group of switches, or NICs and switches have threads of their own. Stardust's adapters count as NICs, its elements as
 * switches.
 *
 * @param nicThreads    threads for NICs only, each with one bank; 0: shared threads.
 * @param switchThreads threads for switches only; 0: shared threads. As many as there are switches gives each its own.
 * @param sharedThreads threads for both, if the other two are 0.
 * @param idle          what a thread does while it waits.
 * @param cpus          processors the threads are pinned to, in order, first those of NICs; none: not pinned.
 */
public record Threading(int nicThreads, int switchThreads, int sharedThreads, Idle idle, int... cpus) {
    /** Checks that there are threads, of one kind or the other. */
    public Threading {
        final boolean shared = sharedThreads > 0 && nicThreads == 0 && switchThreads == 0;
        final boolean separate = sharedThreads == 0 && nicThreads > 0 && switchThreads > 0;
        if (!shared && !separate) {
            throw new IllegalArgumentException("threads must be shared, or some for NICs and some for switches: nics="
                + nicThreads + " switches=" + switchThreads + " shared=" + sharedThreads);
        }
        cpus = cpus.clone();
    }

    /** Threads that share everything. */
    public static Threading shared(final int threads, final Idle idle, final int... cpus) {
        return new Threading(0, 0, threads, idle, cpus);
    }

    /** Threads of their own for NICs and for switches. */
    public static Threading separate(final int nicThreads, final int switchThreads, final Idle idle,
        final int... cpus) {
        return new Threading(nicThreads, switchThreads, 0, idle, cpus);
    }

    /** All threads. */
    public int threads() {
        return sharedThreads > 0 ? sharedThreads : nicThreads + switchThreads;
    }

    /** Banks of NICs, an agent each. */
    public int banks() {
        return sharedThreads > 0 ? sharedThreads : nicThreads;
    }

    /** Groups of switches, an agent each. */
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
