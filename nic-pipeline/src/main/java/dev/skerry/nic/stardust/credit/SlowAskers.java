package dev.skerry.nic.stardust.credit;

import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.VoqRules;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Queues that hold little and ask a scheduler for a slow rate (docs/spec/stardust.md §3.2): after a credit such a queue
 * has its next turn once its rate allows, and meanwhile it does not ask. A rate is a share of its port's pace.
 *
 * <pre>
 *   one queue    rung 0: full pace | 1 to 8: a rate | slot of its next turn, while it waits | neighbours in the list
 *   a list       the queues that wait for a slot modulo the number of lists, which no wait exceeds
 * </pre>
 *
 * One thread.
 */
final class SlowAskers {
    /** Percent of a port's pace, by rung: on a port of 100 Gb/s the rates of the SDK, in Gb/s. */
    private static final int[] PERCENT = {100, VoqRules.LEAST_PERCENT, 6, 12, 24, 36, 48, 64, 96};
    /** Rungs below full pace. */
    static final int RUNGS = PERCENT.length - 1;
    private static final int NONE = -1;
    private static final long NEVER = -1;

    private final long[] waitSlots = new long[PERCENT.length];
    private final byte[] rung;
    private final long[] last;
    private final long[] due;
    private final int[] next;
    private final int[] before;
    private final int[] heads;
    private long now = -1;

    /**
     * Nobody asks.
     *
     * @param queues that may ask the ports of a bank.
     */
    SlowAskers(final Credits credits, final int queues) {
        for (int of = 1; of < PERCENT.length; of++) {
            waitSlots[of] = wait(credits, of);
        }
        this.rung = new byte[queues];
        this.last = new long[queues];
        this.due = new long[queues];
        this.next = new int[queues];
        this.before = new int[queues];
        this.heads = new int[Integer.highestOneBit((int) waitSlots[1]) << 1];
        Arrays.fill(last, -waitSlots[1]);
        Arrays.fill(due, NEVER);
        Arrays.fill(heads, NONE);
    }

    /** Slots between two credits of a queue on a rung. */
    static long wait(final Credits credits, final int rung) {
        return Math.max(1, Math.round(100.0 * credits.bytes() / (PERCENT[rung] * credits.bytesPerSlot())));
    }

    /**
     * A queue asks at a rate, or for no more.
     *
     * @param at   number of the queue.
     * @param asks whether it asks; else the rung means nothing.
     * @param to   its rung.
     * @return whether it has its turn at once, if it asks.
     */
    boolean request(final int at, final boolean asks, final int to) {
        stopWaiting(at);
        rung[at] = (byte) (asks ? to : 0);
        if (!asks || to == 0 || last[at] + waitSlots[to] <= now + 1) {
            return true;
        }
        await(at, last[at] + waitSlots[to]);
        return false;
    }

    /** A queue got a credit; true if it has its next turn later and asks for nothing until then. */
    boolean isSlowAfterCredit(final int at) {
        last[at] = now;
        if (rung[at] == 0) {
            return false;
        }
        await(at, now + waitSlots[rung[at]]);
        return true;
    }

    /** A slot begins: queues whose time has come have their turn. Every slot is told. */
    void turnTo(final long slot, final IntConsumer turn) {
        now = slot;
        final int list = (int) (slot & heads.length - 1);
        while (heads[list] != NONE) {
            final int at = heads[list];
            stopWaiting(at);
            turn.accept(at);
        }
    }

    private void await(final int at, final long slot) {
        final int list = (int) (slot & heads.length - 1);
        due[at] = slot;
        before[at] = NONE;
        next[at] = heads[list];
        if (next[at] != NONE) {
            before[next[at]] = at;
        }
        heads[list] = at;
    }

    private void stopWaiting(final int at) {
        if (due[at] == NEVER) {
            return;
        }
        if (before[at] == NONE) {
            heads[(int) (due[at] & heads.length - 1)] = next[at];
        } else {
            next[before[at]] = next[at];
        }
        if (next[at] != NONE) {
            before[next[at]] = before[at];
        }
        due[at] = NEVER;
    }
}
