package dev.skerry.nic.fabric;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;

/**
 * Runs a fabric: all nodes slot by slot in lock step, or NICs and switches on separate threads. The result depends only
 * on the fabric, the flows and the seed, never on the engine or the number of its threads. One thread, the owner,
 * builds, runs and closes an engine. No thread of the engine is alive when {@link #run} has returned or thrown.
 */
public interface Engine extends AutoCloseable {
    /** Observes a run. */
    @FunctionalInterface
    interface Watch {
        /**
         * Called by the owner between slots: in lock step once per stride, with threads every few milliseconds. The
         * numbers never decrease.
         *
         * @param slot      slots done by all nodes.
         * @param delivered cells delivered, slightly outdated.
         * @param completed flows completed, slightly outdated. Flows that failed are not complete.
         * @return whether to continue the run.
         */
        boolean onProgress(long slot, long delivered, long completed);
    }

    /**
     * Runs the fabric to its end. May be called once.
     *
     * @param slotLimit slots of the run, 0 to run until every cell has arrived or is lost. Circuit fabrics continue,
     *                  including sending, for the propagation delay after it, so that cells in flight at the end
     *                  arrive, as in the Shale authors' simulator (docs/spec/shale.md §11). Stardust has no such
     *                  reference: it stops there, and in-flight cells count as held.
     * @param watch     observes the run. Its exceptions end the run and are rethrown unchanged.
     * @throws IllegalStateException if a thread failed, for example because an invariant is broken: the message names
     *                               the thread, the cause is its exception. Also if the owner is interrupted: the run
     *                               is stopped then, and the owner stays interrupted.
     */
    void run(long slotLimit, Watch watch);

    /** Runs without a watch. */
    default void run(final long slotLimit) {
        run(slotLimit, (slot, delivered, completed) -> true);
    }

    /** The value of a counter, summed over all nodes. Not while the fabric runs. */
    long count(NicCounter counter);

    /**
     * Number of cells that the fabric took from its {@link Edge}s and has neither delivered nor dropped. Not while the
     * fabric runs.
     */
    default long carried() {
        long carried = count(NicCounter.CELLS_INJECTED) - count(NicCounter.CELLS_DELIVERED);
        for (final NicCounter drop : NicCounter.DROPS) {
            carried -= count(drop);
        }
        return carried;
    }

    /** Number of threads used, which may be lower than requested. Not during a run. */
    default int threads() {
        return 1;
    }

    /**
     * Nanoseconds that workers have slept at barriers because others were late, summed over all workers; 0 if not
     * counted. Any thread may call, but not after {@link #close}.
     */
    default long waitedNs() {
        return 0;
    }

    /**
     * Nanoseconds that the first worker continued alone because barriers cost more than they saved; 0 if all workers
     * always work together. Not while the fabric runs.
     */
    default long aloneNs() {
        return 0;
    }

    /** Off-heap bytes allocated so far; 0 if not counted. Any thread may call. */
    default long memoryBytes() {
        return 0;
    }

    /** The result of the run, after its end. */
    Outcome outcome();

    /** Frees the memory; no thread of the engine may be running. */
    @Override
    void close();
}
