package dev.skerry.nic.engine;

/**
 * The account of time that workers in lock step have saved by going together. Where meetings cost more than they save,
 * because another program has one of the processors or because there is little to do in a slot, the first worker goes
 * on alone; later all try again. The first worker's thread asks once per meeting. What it answers never changes a
 * result, only who computes it.
 *
 * <p>Time is measured in rounds. A round alone says what a slot costs one worker; a round together saves or loses what
 * it took less or more than that. Savings cover later losses, up to some rounds. When the account is overdrawn by more
 * than a round, the first worker goes on alone for {@value #LOSS_SHARE} times the debt, so together never lose more
 * than that share of the time, whatever the machine does. Now and then two rounds alone renew the measure: in the first
 * one, what others have worked on is still in their caches.
 */
final class CrewAccount {
    /** Going together may cost at most this part of the time. */
    static final int LOSS_SHARE = 32;
    /** Length of a round, at least: many meetings, and less than a time slice of the scheduler. */
    static final long ROUND_NS = 500_000;
    /** Longest time alone: one stall of the machine is not held against the workers for ever. */
    static final long MOST_ALONE_NS = 1_000_000_000;
    /** Rounds together, after which some alone measure again. */
    static final int MEASURE_ROUNDS = 64;
    /** Rounds together before the first measure. */
    private static final int FIRST_ROUNDS = 4;
    /** Savings are kept for as many rounds' time: they outlast some turns of the scheduler, of 3 ms each. */
    private static final int KEPT_ROUNDS = 32;
    /** Rounds alone that are no measure. */
    private static final int COLD_ROUNDS = 1;
    /** Weight of a new round alone among those before it. */
    private static final double NEWEST = 0.25;

    private boolean isAlone;
    private long roundNs;
    private long roundSlots;
    /** What a slot costs the first worker alone; 0 before it is known. */
    private double aloneSlotNs;
    /** Of rounds together; negative if lost. */
    private double savedNs;
    /** Rounds together until the next measure. */
    private int measureIn = FIRST_ROUNDS;
    /** The last round alone before all try again ends after this time. */
    private double aloneUntilNs;
    /** Rounds since the first worker went alone. */
    private int roundsAlone;
    private long aloneNs;

    /** A run begins; all go together. What was measured and saved before stays. */
    void begin(final long nowNs) {
        isAlone = false;
        roundNs = nowNs;
        roundSlots = 0;
        savedNs = Math.max(0, savedNs);
    }

    /**
     * Whether the first worker goes on alone after a meeting.
     *
     * @param slots that have been stepped since the last meeting.
     * @param nowNs the time in nanoseconds.
     */
    boolean goesAlone(final long slots, final long nowNs) {
        roundSlots += slots;
        final long ns = nowNs - roundNs;
        if (ns < ROUND_NS || roundSlots == 0) {
            return isAlone;
        }
        if (isAlone) {
            alone(ns, nowNs);
        } else {
            together(ns, nowNs);
        }
        roundNs = nowNs;
        roundSlots = 0;
        return isAlone;
    }

    /** Nanoseconds that the first worker has been alone. */
    long aloneNs() {
        return aloneNs;
    }

    private void alone(final long ns, final long nowNs) {
        final double slotNs = (double) ns / roundSlots;
        aloneNs += ns;
        roundsAlone++;
        if (roundsAlone <= COLD_ROUNDS) {
            return;
        }
        aloneSlotNs = roundsAlone == COLD_ROUNDS + 1 ? slotNs : aloneSlotNs + NEWEST * (slotNs - aloneSlotNs);
        if (nowNs >= aloneUntilNs) {
            isAlone = false;
            measureIn = MEASURE_ROUNDS;
        }
    }

    private void together(final long ns, final long nowNs) {
        final double expected = aloneSlotNs * roundSlots;
        if (aloneSlotNs > 0) {
            savedNs = Math.min(savedNs + expected - ns, KEPT_ROUNDS * expected);
        }
        if (savedNs < -expected) {
            goAlone(nowNs + Math.min(-savedNs * LOSS_SHARE, MOST_ALONE_NS));
            savedNs = 0;
        } else if (--measureIn == 0) {
            goAlone(nowNs);
        }
    }

    private void goAlone(final double untilNs) {
        isAlone = true;
        roundsAlone = 0;
        aloneUntilNs = untilNs;
    }
}
