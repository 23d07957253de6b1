package dev.skerry.nic.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which banks have been taken in a stride. A worker takes its own banks in ascending order, then what others have left,
 * from their last one down. So a worker without a processor holds one bank, not all of its own, and while all workers
 * run each keeps its banks in its caches.
 *
 * <p>A bank belongs to the worker that took it until the next meeting, which orders one worker's stride before
 * another's. Nothing in a bank depends on who takes it.
 */
public final class BankClaims {
    /** Longs between the words of two banks: no two on neighbouring cache lines. */
    private static final int SPACING = 16;
    private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);

    /** By bank, the end of the last stride it was taken in. */
    private final long[] takenUntil;

    /** No bank taken. */
    public BankClaims(final int banks) {
        takenUntil = new long[banks * SPACING];
    }

    /**
     * Takes a bank for the caller's thread.
     *
     * @param bank        number of the bank.
     * @param endOfStride slot at which all workers meet, later in every stride.
     * @return false if another worker has it.
     */
    public boolean take(final int bank, final long endOfStride) {
        final long before = (long) LONG.getOpaque(takenUntil, bank * SPACING);
        return before < endOfStride && LONG.compareAndSet(takenUntil, bank * SPACING, before, endOfStride);
    }
}
