package dev.skerry.dataplane.circuit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The place where workers in lock step meet: nobody leaves a generation before everybody has arrived in it.
 *
 * <p>Assumptions:
 * <ul>
 *   <li>Exactly {@code parties} threads call {@link #await()}, each again and again; which ones is not recorded.</li>
 *   <li>A party that cannot go on calls {@link #abort}; otherwise the others wait for it for ever.</li>
 *   <li>The memory outlives the threads: the arena is closed after they have been joined.</li>
 * </ul>
 * Guarantees:
 * <ul>
 *   <li>What a party did before {@code await()} happens-before what any party does after that {@code await()} returned
 *       true: from each party to the last one over the arrival counter (R1, A1), from the last one to all over the
 *       generation (R2, A2).</li>
 *   <li>What a thread did before the {@code abort} that broke the barrier happens-before what a party does after an
 *       {@code await()} that returned false (R3, A2).</li>
 *   <li>Once broken, always broken: every later or pending {@code await()} returns false, and {@link #failure()} is the
 *       first cause. A party may see false for a generation that others left with true just before the abort; the run
 *       is lost then, so no party may rely on it.</li>
 * </ul>
 * Progress: blocking by nature. A waiting party spins for a bounded number of rounds, then yields its core in every
 * round, and does not spin at all if there are more parties than cores. Interrupts are ignored. No allocation.
 *
 * <p>Layout: the counter is written by each party once in a generation and the generation is read by all waiting ones,
 * so they lie 128 bytes apart, and nothing else lies beside them.
 *
 * <pre>
 *   byte
 *      0 +----------------------------------------------------+
 *        | arrived, 8 bytes: parties in this generation so far |
 *    128 +----------------------------------------------------+
 *        | generation, 8 bytes: completed ones, -1 if broken   |
 *    256 +----------------------------------------------------+
 * </pre>
 */
public final class SlotBarrier {
    private static final int BLOCK_BYTES = 128;
    private static final long ARRIVED_OFFSET = 0;
    private static final long GENERATION_OFFSET = ARRIVED_OFFSET + BLOCK_BYTES;
    private static final long LENGTH_BYTES = GENERATION_OFFSET + BLOCK_BYTES;

    private static final long BROKEN = -1;

    /** Some tens of microseconds: longer than a release takes to arrive, shorter than a scheduler's time slice. */
    private static final int SPINS = 1 << 10;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle FAILURE;

    static {
        try {
            FAILURE = MethodHandles.lookup().findVarHandle(SlotBarrier.class, "failure", Throwable.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MemorySegment segment;
    private final int parties;
    private final int spins;
    private Throwable failure;

    /**
     * A whole barrier in generation 0.
     *
     * @param memory  gives the 256 bytes, aligned to 128: native memory which all parties may access (a shared arena,
     *                or a slice of one).
     * @param parties how many meet, at least 1.
     */
    public SlotBarrier(final SegmentAllocator memory, final int parties) {
        if (parties < 1) {
            throw new IllegalArgumentException("parties must be at least 1: parties=" + parties);
        }
        this.segment = memory.allocate(LENGTH_BYTES, BLOCK_BYTES);
        this.parties = parties;
        this.spins = parties > Runtime.getRuntime().availableProcessors() ? 0 : SPINS;
        LONG.set(segment, ARRIVED_OFFSET, 0L);
        LONG.set(segment, GENERATION_OFFSET, 0L);
    }

    /** How many meet. */
    public int parties() {
        return parties;
    }

    /** Generations completed, or -1 if the barrier is broken. Any thread may call. */
    public long generation() {
        return (long) LONG.getAcquire(segment, GENERATION_OFFSET); // A2
    }

    /**
     * The cause given to the first {@link #abort}, or null if there was none. Any thread may call; after an
     * {@code await()} that returned false it is never null.
     */
    public Throwable failure() {
        return (Throwable) FAILURE.getAcquire(this); // A4: pairs with R4 in abort
    }

    /**
     * Arrives, and waits until all parties have. Each party's thread calls.
     *
     * @return true when all parties have arrived; false if the barrier is broken, and then the caller is to stop.
     */
    public boolean await() {
        final long generation = (long) LONG.getAcquire(segment, GENERATION_OFFSET); // A2: pairs with R2 in release
        if (generation == BROKEN) {
            return false;
        }
        long arrived = (long) LONG.get(segment, ARRIVED_OFFSET);
        while (!LONG.compareAndSet(segment, ARRIVED_OFFSET, arrived, arrived + 1)) { // R1 and A1: pair with each other
            arrived = (long) LONG.getAcquire(segment, ARRIVED_OFFSET);
        }
        assert arrived < parties : "more threads than parties: arrived=" + (arrived + 1) + " parties=" + parties;
        return arrived == parties - 1 ? release(generation) : awaitRelease(generation);
    }

    /**
     * Breaks the barrier for good and releases all who wait. Any thread may call, as often as it likes.
     *
     * @param cause why; the first one is kept. Null is replaced, since the others must be released in any case.
     */
    public void abort(final Throwable cause) {
        final Throwable known = cause != null ? cause : new IllegalStateException("aborted without a cause");
        FAILURE.compareAndSet(this, null, known); // R4: pairs with A4 in failure
        long generation = (long) LONG.getAcquire(segment, GENERATION_OFFSET);
        while (generation != BROKEN
            && !LONG.compareAndSet(segment, GENERATION_OFFSET, generation, BROKEN)) { // R3: failure is set before
            generation = (long) LONG.getAcquire(segment, GENERATION_OFFSET);
        }
    }

    private boolean release(final long generation) {
        LONG.set(segment, ARRIVED_OFFSET, 0L); // plain: nobody arrives again before he has seen R2
        // R2: all arrivals seen (A1) and the counter reset before; pairs with A2. Fails only against R3.
        return LONG.compareAndSet(segment, GENERATION_OFFSET, generation, generation + 1);
    }

    private boolean awaitRelease(final long generation) {
        final MemorySegment words = segment;
        int left = spins;
        long now = (long) LONG.getAcquire(words, GENERATION_OFFSET); // A2: pairs with R2 in release and R3 in abort
        while (now == generation) {
            if (left > 0) {
                left--;
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
            now = (long) LONG.getAcquire(words, GENERATION_OFFSET); // A2: the same
        }
        return now != BROKEN;
    }
}
