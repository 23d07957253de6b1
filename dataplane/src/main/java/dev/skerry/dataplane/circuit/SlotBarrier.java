package dev.skerry.dataplane.circuit;

import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * Barrier of workers in lock step: no party leaves a generation before all parties have arrived in it.
 *
 * <p>Each party counts the generations in which it has arrived, in a word that only it writes, and waits until every
 * other word has reached its own. Nothing is reset, and no last party releases the others: between one party's arrival
 * and another's departure a cache line travels once. A party that has left may arrive in the next generation while
 * others still read its word for the previous one, so they wait for at least their own count. It cannot be more than
 * one generation ahead, because it waits for them there.
 *
 * <p>Assumptions:
 * <ul>
 * <li>Parties are numbered from 0. One thread at a time calls {@link #await} for a party, each party in every
 *     generation. A thread that takes over a party's number does so in happens-before order. Assertions check that no
 *     two threads use a number at the same time.</li>
 * <li>A party that cannot continue calls {@link #abort}; otherwise the others wait forever.</li>
 * <li>The memory outlives the threads: the arena is closed after they have been joined.</li>
 * </ul> Guarantees:
 * <ul>
 * <li>What a party did before {@code await} happens-before what any party does after that {@code await} returned true:
 *     it wrote its word afterwards (R1), and the other has read that word or a later one of the same writer (A1).</li>
 * <li>What a thread did before the {@code abort} whose cause was kept happens-before what a party does after an
 *     {@code await} that returned false: the party has seen the mark (A3), whichever abort wrote it (R3), and that
 *     abort had kept its own or found another's cause before (R2, A2).</li>
 * <li>Once broken, always broken: every later or pending {@code await} returns false, and {@link #failure()} is the
 *     first cause. A party may see false for a generation that others left with true just before the abort. However, no
 *     party leaves a generation with true if a party that knew of the abort has arrived in it: the mark is read after
 *     the words (A1, A3).</li>
 * </ul> Progress: blocking. A waiting party spins for a bounded number of rounds, then sleeps for some microseconds in
 * every round. If there are more parties than cores, it yields its core a few times instead of spinning. It does not
 * yield otherwise: under CPU contention from another program a yield gives away a whole time slice, and the parties
 * then wait for each other for one slice per generation. The scheduler moves a party that waits for its core behind
 * another program only when a core is idle. Interrupts are ignored and preserved. No allocation. Each of n parties
 * reads n - 1 words per generation: meant for two to eight parties.
 *
 * <p>Layout: a party's word is written once in a generation and read by all others; the mark is written once and read
 * in every round of waiting. Each lies alone in a block of 128 bytes.
 *
 * <pre>
 *   byte
 *      0 +------------------------------------------------------+
 *        | mark, 8 bytes: 0 if whole, -1 if broken              |
 *    128 +------------------------------------------------------+
 *        | party 0, 8 bytes: generations it has arrived in      |
 *    192 |          8 bytes: 1 while in await, with assertions   |
 *    200 |          8 bytes: nanoseconds it has slept in await   |
 *    256 +------------------------------------------------------+
 *        | party 1                                              |
 *        ...
 * </pre>
 */
public final class SlotBarrier {
    private static final int BLOCK_BYTES = 128;
    private static final long MARK_OFFSET = 0;
    private static final long PARTIES_OFFSET = MARK_OFFSET + BLOCK_BYTES;
    private static final long INSIDE_OFFSET = BLOCK_BYTES / 2;
    private static final long WAITED_OFFSET = INSIDE_OFFSET + Long.BYTES;

    private static final long WHOLE = 0;
    private static final long BROKEN = -1;

    /**
     * Some hundreds of microseconds: longer than the usual difference between the workers' shares of a stride, shorter
     * than a time slice.
     */
    private static final int SPINS = 1 << 13;
    /** Enough for the other parties on the same core, if there are more parties than cores. */
    private static final int YIELDS = 16;
    /** Requested sleep; the kernel adds some tens of microseconds. */
    private static final long SLEEP_NS = 10_000;

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
    private final boolean spins;
    private final IntConsumer onLongWait;
    private Throwable failure;

    /**
     * Creates a barrier in generation 0.
     *
     * @param memory  provides 128 bytes plus 128 per party, aligned to 128: native memory that all parties may access
     *                (a shared arena, or a slice of one).
     * @param parties number of parties, at least 1.
     */
    public SlotBarrier(final SegmentAllocator memory, final int parties) {
        this(memory, parties, party -> { });
    }

    /**
     * Creates a barrier in generation 0.
     *
     * @param memory     see {@link #SlotBarrier(SegmentAllocator, int)}.
     * @param parties    number of parties, at least 1.
     * @param onLongWait called by a party's thread, with its number, when it has spun in vain and before it first
     *                   sleeps in a generation. Not called if there are more parties than cores.
     */
    public SlotBarrier(final SegmentAllocator memory, final int parties, final IntConsumer onLongWait) {
        Bounds.atLeast("parties", parties, 1);
        this.segment = memory.allocate(offset(parties), BLOCK_BYTES).fill((byte) 0);
        this.parties = parties;
        this.spins = parties <= Runtime.getRuntime().availableProcessors();
        this.onLongWait = onLongWait;
    }

    /** Generations in which all parties have arrived, or -1 if the barrier is broken. Any thread may call. */
    public long generation() {
        long completed = Long.MAX_VALUE;
        for (int party = 0; party < parties; party++) {
            completed = Math.min(completed, (long) LONG.getAcquire(segment, offset(party))); // A1
        }
        return isBroken() ? BROKEN : completed;
    }

    /** Nanoseconds that a party has slept while waiting: the cost of the other parties' delays. Any thread may call. */
    public long waitedNs(final int party) {
        return (long) LONG.getAcquire(segment, offset(party) + WAITED_OFFSET);
    }

    /** Whether {@link #abort} was called. Any thread may call; cheaper than {@link #failure()}. */
    public boolean isBroken() {
        return (long) LONG.getAcquire(segment, MARK_OFFSET) != WHOLE; // A3: pairs with R3 in abort
    }

    /**
     * The cause given to the first {@link #abort}, or null if there was none. Any thread may call; never null after an
     * {@code await} that returned false.
     */
    public Throwable failure() {
        return (Throwable) FAILURE.getAcquire(this); // A2: pairs with R2 in abort
    }

    /**
     * Arrives, and waits until all parties have arrived. Called by the party's thread.
     *
     * @param party number of the party, below the number of parties.
     * @return true when all parties have arrived; false if the barrier is broken and the caller must stop.
     */
    public boolean await(final int party) {
        assert party >= 0 && party < parties : "no such party: party=" + party + " parties=" + parties;
        assert enters(party) : "two threads for one party: party=" + party;
        final boolean whole = synchronise(party);
        assert leaves(party);
        return whole;
    }

    /**
     * Breaks the barrier permanently and releases all waiting parties. Any thread may call, any number of times.
     *
     * @param cause only the first one is kept; null is replaced by an exception that says so.
     */
    public void abort(final Throwable cause) {
        final Throwable known = cause != null ? cause : new IllegalStateException("aborted without a cause");
        // R2: actions before the abort; pairs with A2, also in a later abort whose exchange fails here.
        FAILURE.compareAndSet(this, null, known);
        LONG.setRelease(segment, MARK_OFFSET, BROKEN); // R3: a cause was kept before (R2 or A2); pairs with A3
    }

    private boolean synchronise(final int party) {
        final MemorySegment words = segment;
        final long own = offset(party);
        final long end = offset(parties);
        final long generation = (long) LONG.get(words, own) + 1; // plain: no other thread writes it
        LONG.setRelease(words, own, generation); // R1: all actions of the party before this; pairs with A1
        int left = spins ? SPINS : YIELDS;
        long asleepSince = 0;
        for (long other = next(own, end); other != own; other = next(other, end)) {
            // A1: pairs with R1 of this generation, or of the next if that party has already left.
            while ((long) LONG.getAcquire(words, other) < generation) {
                if ((long) LONG.getAcquire(words, MARK_OFFSET) != WHOLE) { // A3: pairs with R3 in abort
                    return false;
                }
                if (left > 0) {
                    left--;
                    pause();
                } else {
                    if (asleepSince == 0) {
                        if (spins) {
                            onLongWait.accept(party);
                        }
                        asleepSince = System.nanoTime();
                    }
                    sleep();
                }
            }
        }
        if (asleepSince != 0) {
            final long waited = own + WAITED_OFFSET;
            LONG.setRelease(words, waited, (long) LONG.get(words, waited) + System.nanoTime() - asleepSince);
        }
        return (long) LONG.getAcquire(words, MARK_OFFSET) == WHOLE; // A3: after A1: a party that knew may have arrived
    }

    private void pause() {
        if (spins) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    /** An interrupt would end every sleep immediately, so its status is cleared and restored afterwards. */
    private static void sleep() {
        final boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(SLEEP_NS);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean enters(final int party) {
        return LONG.compareAndSet(segment, offset(party) + INSIDE_OFFSET, 0L, 1L);
    }

    private boolean leaves(final int party) {
        LONG.setRelease(segment, offset(party) + INSIDE_OFFSET, 0L);
        return true;
    }

    /** The next party's word, cyclically, so that parties begin with different words. */
    private static long next(final long word, final long end) {
        return word + BLOCK_BYTES == end ? PARTIES_OFFSET : word + BLOCK_BYTES;
    }

    private static long offset(final int party) {
        return PARTIES_OFFSET + (long) party * BLOCK_BYTES;
    }
}
