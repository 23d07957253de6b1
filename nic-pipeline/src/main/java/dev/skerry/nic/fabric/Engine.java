package dev.skerry.nic.fabric;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;

/**
 * Runs a fabric: all nodes slot by slot in lock step, or NICs and switches on threads of their own. The result depends
 * on the fabric, the flows and the seed alone, never on the engine or the number of its threads. One thread, the owner,
 * builds, runs and closes an engine. No thread of the engine is alive when {@link #run} has returned or thrown.
 */
public interface Engine extends AutoCloseable {
    /** Observes a run. */
    @FunctionalInterface
    interface Watch {
        /**
         * Called by the owner between slots: in lock step once per stride, with threads every few milliseconds. No
         * number is ever less than it was before.
         *
         * @param slot      slots done by all nodes.
         * @param delivered cells delivered, a little behind.
         * @param completed flows completed, a little behind. Flows that failed are not complete.
         * @return whether the run is to go on.
         */
        boolean onProgress(long slot, long delivered, long completed);
    }

    /**
     * Runs the fabric to its end. May be called once.
     *
     * @param slotLimit slots of the run, 0 to run until every cell has arrived or is lost. Circuit fabrics go on for
     *                  the propagation delay after it, sending too, so that what was in flight at the end arrives, as
     *                  in the simulator of Shale's authors (docs/spec/shale.md §11). Stardust has no such reference: it
     *                  stops there, and cells in flight count as held.
     * @param watch     observes the run. What it throws ends the run and is thrown on as it is.
     * @throws IllegalStateException if a thread failed, as where an invariant is broken: the message names the thread,
     *                               the cause is what it threw. Also if the owner is interrupted: the run is stopped
     *                               then, and the owner stays interrupted.
     */
    void run(long slotLimit, Watch watch);

    /** The same without a watch. */
    default void run(final long slotLimit) {
        run(slotLimit, (slot, delivered, completed) -> true);
    }

    /** The value of a counter, summed over all nodes. Not while the fabric runs. */
    long count(NicCounter counter);

    /**
     * Cells that the fabric took from its {@link Edge}s and has neither delivered nor dropped. Not while the fabric
     * runs.
     */
    default long carried() {
        long carried = count(NicCounter.CELLS_INJECTED) - count(NicCounter.CELLS_DELIVERED);
        for (final NicCounter drop : NicCounter.DROPS) {
            carried -= count(drop);
        }
        return carried;
    }

    /** Number of threads that run it, which may be fewer than requested. Not during a run. */
    default int threads() {
        return 1;
    }

    /**
     * Nanoseconds that workers have slept at their meetings because others were late, summed over all; 0 where it
     * is not counted. Any thread may call, not after {@link #close}.
     */
    default long waitedNs() {
        return 0;
    }

    /**
     * Nanoseconds that the first worker went on alone because barriers cost more than others could save; 0 where all go
     * together. Not while the fabric runs.
     */
    default long aloneNs() {
        return 0;
    }

    /** Bytes off the heap that were allocated for it so far; 0 where they are not counted. Any thread may call. */
    default long memoryBytes() {
        return 0;
    }

    /** The result of the run, after its end. */
    Outcome outcome();

    /** Frees the memory; no thread of the engine may be running. */
    @Override
    void close();
}
