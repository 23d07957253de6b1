package dev.skerry.nic.fabric;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;

/**
 * What runs a fabric: all nodes slot by slot in lock step, or NICs and switches on threads of their own. The result
 * depends on the fabric, the flows and the seed alone, never on the engine or the number of its threads. One thread
 * builds, runs and closes an engine.
 */
public interface Engine extends AutoCloseable {
    /** Sees a run go by. */
    @FunctionalInterface
    interface Watch {
        /**
         * Called by the thread that runs, between slots: once in so many as are run through without a look around.
         *
         * @param slot      slots done.
         * @param delivered cells delivered, a little behind.
         * @param completed flows completed, a little behind.
         * @return whether the run is to go on.
         */
        boolean onProgress(long slot, long delivered, long completed);
    }

    /**
     * Runs until an end. Called once.
     *
     * @param slotLimit slots of the run, 0 to run until every cell has arrived or is lost. What is in flight at the end
     *                  still arrives: the fabric goes on for the propagation delay, sending too, as the authors'
     *                  simulator does (docs/spec/shale.md §11).
     * @param watch     sees the run go by.
     * @throws IllegalStateException if an invariant is broken; the message says which, where and when.
     */
    void run(long slotLimit, Watch watch);

    /** The value of a counter, over all nodes; not while the fabric runs. */
    long count(NicCounter counter);

    /** Cells of an {@link Edge} that it has been handed and has not given back; not while the fabric runs. */
    default long carried() {
        long carried = count(NicCounter.CELLS_INJECTED) - count(NicCounter.CELLS_DELIVERED);
        for (final NicCounter drop : NicCounter.DROPS) {
            carried -= count(drop);
        }
        return carried;
    }

    /** What came of the run. */
    Outcome outcome();

    /** Frees the memory; no thread of the engine may be running. */
    @Override
    void close();
}
