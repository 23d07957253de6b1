package dev.skerry.tools.cosim;

import java.lang.foreign.MemorySegment;

/**
 * A Java model that is stepped by rows of words, so that one C function and one wrapper around a verilated model serve
 * all of them. One thread at a time; nothing allocates in a step but what the model does.
 */
sealed interface Twin permits NodeTwin, PieoTwin, ShaleTwin, ShoalTwin, SwitchTwin {
    /** Words of an input row, in order. */
    String[] inputs();

    /** Words of an output row, in order. */
    String[] outputs();

    /**
     * One step.
     *
     * @param in    holds the input row.
     * @param inAt  where it begins, in bytes.
     * @param out   takes the output row, all of it.
     * @param outAt where it begins, in bytes.
     * @throws IllegalArgumentException if an input is none the model takes; its state is as before then.
     */
    void step(MemorySegment in, long inAt, MemorySegment out, long outAt);

    /** Fills in the inputs that hardware gets from its surroundings, which follow the model's state. */
    default void resolve(final MemorySegment in, final long inAt) {
    }

    /** Frees what the model has beyond the memory it was given. */
    default void close() {
    }
}
