package dev.skerry.dataplane.circuit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The place where workers in lock step meet: nobody leaves a generation before everybody has arrived in it.
 *
 * <p>Each party counts the generations it has arrived in, in a word that only it writes, and waits until the words of
 * all have come as far as its own. Nobody resets anything, and nobody is the last one who lets the others go: from a
 * party's arrival to another's leaving a cache line travels once. A party that has left may arrive in the next
 * generation while others still look at its word for this one, so they wait for at least their number, not for the same
 * one; further than one ahead it cannot be, for it waits there for them.
 *
 * <p>Assumptions:
 * <ul>
 *   <li>Parties are numbered from 0. One thread at a time calls {@link #await} for a party, each party in every
 *       generation; a thread that takes a number over does so after what the one before did with it. Assertions check
 *       that no number is used by two threads at once.</li>
 *   <li>A party that cannot go on calls {@link #abort}; otherwise the others wait for it for ever.</li>
 *   <li>The memory outlives the threads: the arena is closed after they have been joined.</li>
 * </ul>
 * Guarantees:
 * <ul>
 *   <li>What a party did before {@code await} happens-before what any party does after that {@code await} returned
 *       true: it wrote its word after that (R1), and the other one has read that word or a later one of the same writer
 *       (A1).</li>
 *   <li>What a thread did before the {@code abort} whose cause was kept happens-before what a party does after an
 *       {@code await} that returned false: whichever abort wrote the mark (R3) it has seen (A3), its own or another's
 *       cause was kept before (R2, A2).</li>
 *   <li>Once broken, always broken: every later or pending {@code await} returns false, and {@link #failure()} is the
 *       first cause. A party may see false for a generation that others left with true just before the abort; the run
 *       is lost then, so no party may rely on it. But nobody leaves a generation with true in which a party arrived
 *       that knew: the mark is read after the words (A1, A3).</li>
 * </ul>
 * Progress: blocking by nature. A waiting party spins for a bounded number of rounds, then yields its core in every
 * round, and does not spin at all if there are more parties than cores. Interrupts are ignored. No allocation. Each of
 * n parties reads the n - 1 others' words in a generation: made for a few, two to eight or so.
 *
 * <p>Layout: a word is written once in a generation by its party and read by all others, and the mark is written once
 * and read in every round of waiting, so each lies 128 bytes from the next, and nothing else lies beside them.
 *
 * <pre>
 *   byte
 *      0 +------------------------------------------------------+
 *        | mark, 8 bytes: 0 if whole, -1 if broken              |
 *    128 +------------------------------------------------------+
 *        | party 0, 8 bytes: generations it has arrived in      |
 *    192 |          8 bytes: 1 while it is in await, if asserted |
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

    private static final long WHOLE = 0;
    private static final long BROKEN = -1;

    /** Some tens of microseconds: longer than an arrival takes to be seen, shorter than a scheduler's time slice. */
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
     * @param memory  gives 128 bytes and as many for each party, aligned to 128: native memory which all parties may
     *                access (a shared arena, or a slice of one).
     * @param parties how many meet, at least 1.
     */
    public SlotBarrier(final SegmentAllocator memory, final int parties) {
        if (parties < 1) {
            throw new IllegalArgumentException("parties must be at least 1: parties=" + parties);
        }
        this.segment = memory.allocate(offset(parties), BLOCK_BYTES).fill((byte) 0);
        this.parties = parties;
        this.spins = parties > Runtime.getRuntime().availableProcessors() ? 0 : SPINS;
    }

    /** How many meet. */
    public int parties() {
        return parties;
    }

    /** Generations in which all have arrived, or -1 if the barrier is broken. Any thread may call. */
    public long generation() {
        long completed = Long.MAX_VALUE;
        for (int party = 0; party < parties; party++) {
            completed = Math.min(completed, (long) LONG.getAcquire(segment, offset(party))); // A1
        }
        return isBroken() ? BROKEN : completed;
    }

    /** Whether {@link #abort} was called: the cheap question for who only waits for the end. Any thread may call. */
    public boolean isBroken() {
        return (long) LONG.getAcquire(segment, MARK_OFFSET) != WHOLE; // A3: pairs with R3 in abort
    }

    /**
     * The cause given to the first {@link #abort}, or null if there was none. Any thread may call; after an
     * {@code await} that returned false it is never null.
     */
    public Throwable failure() {
        return (Throwable) FAILURE.getAcquire(this); // A2: pairs with R2 in abort
    }

    /**
     * Arrives, and waits until all parties have. The party's thread calls.
     *
     * @param party its number, below {@link #parties()}.
     * @return true when all parties have arrived; false if the barrier is broken, and then the caller is to stop.
     */
    public boolean await(final int party) {
        assert party >= 0 && party < parties : "no such party: party=" + party + " parties=" + parties;
        assert enters(party) : "two threads for one party: party=" + party;
        final boolean whole = meet(party);
        assert leaves(party);
        return whole;
    }

    /**
     * Breaks the barrier for good and releases all who wait. Any thread may call, as often as it likes.
     *
     * @param cause why; the first one is kept. Null is replaced, since the others must be released in any case.
     */
    public void abort(final Throwable cause) {
        final Throwable known = cause != null ? cause : new IllegalStateException("aborted without a cause");
        // R2: what was done before the abort; pairs with A2, also in an abort that comes too late and fails here.
        FAILURE.compareAndSet(this, null, known);
        LONG.setRelease(segment, MARK_OFFSET, BROKEN); // R3: a cause was kept before, R2 or A2; pairs with A3
    }

    private boolean meet(final int party) {
        final MemorySegment words = segment;
        final long own = offset(party);
        final long end = offset(parties);
        final long generation = (long) LONG.get(words, own) + 1; // plain: nobody else writes it
        LONG.setRelease(words, own, generation); // R1: all that the party did before; pairs with A1
        int left = spins;
        for (long other = next(own, end); other != own; other = next(other, end)) {
            // A1: pairs with R1 of this generation, or of the next one if that party has left already.
            while ((long) LONG.getAcquire(words, other) < generation) {
                if ((long) LONG.getAcquire(words, MARK_OFFSET) != WHOLE) { // A3: pairs with R3 in abort
                    return false;
                }
                if (left > 0) {
                    left--;
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        }
        return (long) LONG.getAcquire(words, MARK_OFFSET) == WHOLE; // A3: after A1, for one may have arrived who knew
    }

    private boolean enters(final int party) {
        return LONG.compareAndSet(segment, offset(party) + INSIDE_OFFSET, 0L, 1L);
    }

    private boolean leaves(final int party) {
        LONG.setRelease(segment, offset(party) + INSIDE_OFFSET, 0L);
        return true;
    }

    /** The next party's word; behind the last one comes the first, so parties begin with different words. */
    private static long next(final long word, final long end) {
        return word + BLOCK_BYTES == end ? PARTIES_OFFSET : word + BLOCK_BYTES;
    }

    private static long offset(final int party) {
        return PARTIES_OFFSET + (long) party * BLOCK_BYTES;
    }
}
