package dev.skerry.nic.stardust.adapter;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.stardust.adapter.EgressScheduler.SlowAskers;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;

/**
 * The requests of the queues of a bank, and their credits (docs/spec/stardust.md §3.2 and §3.3). A queue asks when it
 * holds more than its credits, and reports when it needs no more; a lost message or credit costs only time.
 *
 * <p>Credits of a queue are numbered modulo 16, so that a credit also replaces lost ones before it, and a duplicate
 * counts once. A queue that wants nothing and gets credits reports so again, at most once in 10 us; it keeps no more of
 * them than it could have requested. One thread.
 *
 * <p>The record of a queue of an adapter (docs/spec/stardust.md §3.1): 32 bytes, two to a cache line.
 *
 * <pre>
 *   0                         8            16        20       24      28
 *   +-------------------------+------------+---------+--------+-------+-------+
 *   | packet at the head      | bytes held | balance | number | place | state |   number, place: of the next cell
 *   +-------------------------+------------+---------+--------+-------+-------+   in the stream
 *
 *   state        31         6 5              2   1       0
 *                +-----------+----------------+--------+-------+
 *                | said last | number of the  | frozen | wants |   said: slot mod 2^26 in which it reported that it
 *                |           | last credit    |        |       |   wants nothing
 *                +-----------+----------------+--------+-------+
 * </pre>
 */
public final class Requests {
    /** Binary logarithm of the bytes of a record. */
    public static final int SHIFT = 5;
    /** Indices of ints in a record. */
    public static final int BALANCE = 4;
    public static final int NUMBER = 5;
    public static final int PLACE = 6;
    public static final int STATE = 7;
    /** Indices of longs in a record. */
    static final int HEAD = 0;
    static final int BYTES = 1;
    /** Bits of the state: it requested credits; its destination could not be reached in its turn. */
    static final int WANTS = 1;
    public static final int FROZEN = 2;
    /** Positions in the state of the number of the last credit, and of the slot. */
    static final int SEEN = 2;
    static final int SAID = 6;
    /** Largest difference of slots that the state can represent. */
    static final int MOST_SINCE = -1 >>> SAID;

    /** Largest number of consecutive lost credits that are replaced. */
    private static final int MOST_LOST = 8;
    /** Minimum number of credits for which a queue asks at once if it has requested some already. */
    private static final int WORTH_A_MESSAGE = 4;
    private static final int MOST_BALANCE = 1 << 26;
    /** 10 us in slots of 87.04 ns. */
    private static final int REPLY_SLOTS = 115;
    /** The rung above all slow rates; in a message it is 0. */
    private static final int FULL_PACE = SlowAskers.RUNGS + 1;

    private final Credits credits;
    private final SlotLists control;
    private final BankCounters tally;
    private final Region queues;
    private final int first;
    private final int fas;
    private final int perPair;
    /** Bytes of credits that were requested and did not come; null if each credit has the same worth. */
    private final int[] asked;
    /**
     * The request of each queue: 0 for nothing, then slow rates, and above them the full pace; null if none is slow.
     */
    private final byte[] rungs;
    /** Slot in which each queue last asked or got a credit; null if queues wait without a bound. */
    private final long[] since;
    private final int replySlots;

    /**
     * Creates the requests before any queue asks.
     *
     * @param queues the records of the bank's queues.
     * @param count  number of queues.
     * @param first  the first adapter of the bank.
     */
    public Requests(final Stardust fabric, final SlotLists control, final BankCounters tally, final Region queues,
        final int count,
        final int first) {
        this.credits = fabric.credits();
        this.control = control;
        this.tally = tally;
        this.queues = queues;
        this.first = first;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.asked = credits.voqs().byBacklog() ? new int[count] : null;
        this.rungs = credits.voqs().isSlow() ? new byte[count] : null;
        this.since = credits.voqs().givesUp() ? new long[count] : null;
        this.replySlots = Math.max(REPLY_SLOTS, 2 * fabric.linkSlots());
    }

    /** Requests credits if a queue has more than it may send and has not asked yet. */
    public void ask(final long slot, final int queue) {
        final long at = (long) queue << SHIFT;
        if (asked != null) {
            askForBacklog(slot, queue, at);
        } else if (rungs != null) {
            askAtRate(slot, queue, at);
        } else if ((queues.getInt(at, STATE) & WANTS) == 0
            && queues.getLong(at, BYTES) - queues.getInt(at, BALANCE) > credits.voqs().onBytes()) {
            await(slot, queue, at);
            send(slot, queue, Control.WANT, 0);
        }
    }

    /** Withdraws the request of a queue that is empty and owes nothing, or has more credits than bytes by a margin. */
    public void withdraw(final long slot, final int queue) {
        final long at = (long) queue << SHIFT;
        final int balance = queues.getInt(at, BALANCE);
        final long bytes = queues.getLong(at, BYTES);
        if (asked == null && (queues.getInt(at, STATE) & WANTS) != 0 && (balance - bytes >= credits.voqs().offBytes()
            || bytes == 0 && balance >= 0 && credits.voqs().onBytes() == 0)) {
            stop(slot, queue);
        }
    }

    /** Requests no more credits. */
    public void stop(final long slot, final int queue) {
        final long at = (long) queue << SHIFT;
        queues.setInt(at, STATE, queues.getInt(at, STATE) & ~WANTS);
        if (asked != null) {
            asked[queue] = 0;
        }
        if (rungs != null) {
            rungs[queue] = 0;
        }
        send(slot, queue, Control.ENOUGH, 0);
    }

    /** Returns the slot in which a queue last began to ask or got a credit, if queues are abandoned. */
    public long waitsSince(final int queue) {
        return since[queue];
    }

    /** Asks again if a queue has asked before: the message, or a credit, may be lost. */
    public void refresh(final long slot, final int queue) {
        if ((queues.getInt((long) queue << SHIFT, STATE) & WANTS) != 0) {
            send(slot, queue, asked == null ? Control.WANT : Control.WANT_IN_ALL, asked != null ? asked[queue]
                : rungs != null ? rungs[queue] % FULL_PACE : 0);
        }
    }

    /**
     * Applies a credit.
     *
     * @return whether the queue has something to send for it.
     */
    public boolean credit(final long slot, final int queue, final long message) {
        final long at = (long) queue << SHIFT;
        if (since != null) {
            since[queue] = slot;
        }
        final int state = queues.getInt(at, STATE);
        final int fresh = Control.number(message) - (state >>> SEEN) & Control.NUMBERS - 1;
        final long bytes = queues.getLong(at, BYTES);
        final int before = queues.getInt(at, BALANCE);
        queues.setInt(at, STATE, state & ~(Control.NUMBERS - 1 << SEEN) | Control.number(message) << SEEN);
        // More cannot be lost in a row while links work, so the device was restarted.
        final long worth = (long) Control.worth(message) * (fresh > MOST_LOST ? 1 : fresh);
        final long most = bytes == 0 ? credits.capBytes()
            : Math.min(bytes, MOST_BALANCE) + 2L * credits.voqs().offBytes();
        final int balance = (int) Math.max(Math.min(before, most), Math.min(before + worth, most));
        queues.setInt(at, BALANCE, balance);
        if (fresh == 0 || (state & WANTS) == 0) {
            tally.increment(NicCounter.CREDITS_IGNORED);
            sendAgain(slot, queue, at);
        }
        if (asked == null) {
            withdraw(slot, queue);
        } else {
            asked[queue] = (int) Math.max(0, asked[queue] - worth);
            queues.setInt(at, STATE, queues.getInt(at, STATE) & (asked[queue] > 0 ? -1 : ~WANTS));
            ask(slot, queue);
        }
        return balance > before && balance > 0 && bytes > 0;
    }

    /**
     * Requests a rate according to the need of a queue, for the full pace above the threshold; a rate once requested
     * only rises.
     */
    private void askAtRate(final long slot, final int queue, final long at) {
        final long need = queues.getLong(at, BYTES) - queues.getInt(at, BALANCE);
        final int most = credits.voqs().slowBytes();
        final int rung = need <= 0 ? 0 : need > most ? FULL_PACE : (int) ((need * SlowAskers.RUNGS + most - 1) / most);
        if (rung > rungs[queue]) {
            rungs[queue] = (byte) rung;
            await(slot, queue, at);
            send(slot, queue, Control.WANT, rung % FULL_PACE);
        }
    }

    /** Requests the bytes of a queue beyond its credits and earlier requests, in amounts that are worth a message. */
    private void askForBacklog(final long slot, final int queue, final long at) {
        final long need = queues.getLong(at, BYTES) - queues.getInt(at, BALANCE) - asked[queue];
        final int more = (int) Math.min(need, Control.MOST_ASKED - asked[queue]);
        if (more > 0 && (asked[queue] < credits.bytes() || more >= WORTH_A_MESSAGE * credits.bytes())) {
            asked[queue] += more;
            await(slot, queue, at);
            send(slot, queue, Control.WANT, more);
        }
    }

    private void await(final long slot, final int queue, final long at) {
        final int state = queues.getInt(at, STATE);
        if (since != null && (state & WANTS) == 0) {
            since[queue] = slot;
        }
        queues.setInt(at, STATE, state | WANTS);
    }

    /** Reports that a queue wants nothing, unless it does or reported so recently: the scheduler may not know. */
    private void sendAgain(final long slot, final int queue, final long at) {
        final int state = queues.getInt(at, STATE);
        if ((state & WANTS) == 0 && ((int) slot - (state >>> SAID) & MOST_SINCE) >= replySlots) {
            queues.setInt(at, STATE, state & (1 << SAID) - 1 | (int) slot << SAID);
            send(slot, queue, Control.ENOUGH, 0);
        }
    }

    private void send(final long slot, final int queue, final int kind, final int value) {
        final int pair = queue / perPair;
        control.add(slot, Control.message(pair % fas, first + pair / fas, queue % perPair, kind, value));
        tally.increment(NicCounter.REQUESTS_SENT);
    }
}
