package dev.skerry.nic.shale.limit;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.CongestionControl;

/**
 * Which tokens that are owed on a link are in its return FIFO, where that has few places: the oldest. The others wait
 * behind it in order; one of them comes in each time that the link sends. Only tokens of the FIFO leave, two at most.
 * One thread.
 */
final class TokenFifos {
    private static final long HALF = 0xFFFF_FFFFL;

    private final CongestionControl control;
    private final int places;
    /** By queue: tokens owed, and how many of them are in the FIFO. */
    private final int[] owed;
    private final int[] inside;
    private int most;
    private long overflowed;
    private long returned;

    /**
     * Nothing owed.
     *
     * @param control owes the tokens.
     * @param queues  of a bank.
     * @param places  of a FIFO, at least 1.
     */
    TokenFifos(final CongestionControl control, final int queues, final int places) {
        this.control = control;
        this.places = places;
        this.owed = new int[queues];
        this.inside = new int[queues];
    }

    /**
     * A token is owed on the link of a queue.
     *
     * @return whether it found the FIFO full.
     */
    boolean owe(final int queue) {
        final boolean fits = inside[queue] == owed[queue]++ && inside[queue] < places;
        most = Math.max(most, owed[queue]);
        inside[queue] += fits ? 1 : 0;
        overflowed += fits ? 0 : 1;
        return !fits;
    }

    /** Takes out what consecutive queues send, as {@link Admission#takeFeedback(int, int, long[])}. */
    void take(final int firstQueue, final int count, final long[] into) {
        if (overflowed == returned) {
            control.takeFeedback(firstQueue, count, into);
            return;
        }
        for (int i = 0; i < count; i++) {
            into[i] = take(firstQueue + i);
        }
    }

    private long take(final int queue) {
        return switch (inside[queue]) {
            case 0 -> InFlightCells.NO_FEEDBACK;
            case 1 -> control.takeNotice(queue) & HALF | (long) Admission.NO_NOTICE << Integer.SIZE;
            default -> control.takeFeedback(queue);
        };
    }

    /**
     * Tokens have left a queue.
     *
     * @param feedback what left.
     * @return whether another one came in.
     */
    boolean took(final int queue, final long feedback) {
        final int tokens = ((int) feedback == Admission.NO_NOTICE ? 0 : 1)
            + ((int) (feedback >>> Integer.SIZE) == Admission.NO_NOTICE ? 0 : 1);
        owed[queue] -= tokens;
        inside[queue] -= tokens;
        if (owed[queue] == inside[queue]) {
            return false;
        }
        inside[queue]++;
        returned++;
        return true;
    }

    /** Tokens in the FIFO of a queue. */
    int inside(final int queue) {
        return inside[queue];
    }

    /** Tokens owed that are not in it. */
    int outside(final int queue) {
        return owed[queue] - inside[queue];
    }

    /** Most tokens owed on a link, in the FIFO or not. */
    int most() {
        return most;
    }

    /** Tokens that found the FIFO full, or others waiting before it. */
    long overflowed() {
        return overflowed;
    }

    /** Such tokens that came in since. */
    long returned() {
        return returned;
    }
}
