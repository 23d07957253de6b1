package dev.skerry.nic.fabric;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;

/**
 * Runs a fabric: all nodes slot by slot in lock step, or NICs and switches on threads of their own. The result depends
 * on the fabric, the flows and the seed alone, never on the engine or the number of its threads. One thread builds,
 * runs and closes an engine.
 */
public interface Engine extends AutoCloseable {
    /** Observes the progress of a run and may stop it. */
    @FunctionalInterface
    interface Watch {
        /**
         * Called by the thread that runs, between slots, once per stride.
         *
         * @param slot      slots done.
         * @param delivered cells delivered; may lag.
         * @param completed flows completed; may lag.
         * @return whether to continue the run.
         */
        boolean onProgress(long slot, long delivered, long completed);
    }

    /**
     * Runs the fabric to its end. May be called once.
     *
     * @param slotLimit slots of the run; 0 to run until every cell has arrived or is lost. Cells in flight at the end
     *                  still arrive: the fabric runs for one more propagation delay, sending included, as the authors'
     *                  simulator does (docs/spec/shale.md §11).
     * @param watch     observes the run.
     * @throws IllegalStateException if an invariant is broken; the message names the invariant, the node and the slot.
     */
    void run(long slotLimit, Watch watch);

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

    /** The result of the run, after its end. */
    Outcome outcome();

    /** Frees the memory; no thread of the engine may be running. */
    @Override
    void close();
}
