package dev.skerry.nic.engine;

import dev.skerry.nic.engine.LockStepWorkers.WorkerSums;
import dev.skerry.nic.engine.MemberMessages.RowBatch;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.nic.fabric.Engine;

/**
 * Takes the banks of one member of a fabric from barrier to barrier. A stride has two parts. What others send in one is
 * not needed before the part after the next, so it is in flight while this member goes on. Members do not wait for each
 * other at a barrier either: it decides by what all said at the barrier before, so all decide alike. One thread.
 */
public abstract class MemberWorker implements LockStepWorkers.Worker {
    private final MemberMessages messages;
    private final long stride;
    private final long delay;
    private final long part;
    /** Number of the next barrier. */
    private long round;
    /** All that is known of the barrier before, and its slot. */
    private MemberMessages.Status known = MemberMessages.Status.NONE;
    private long knownSlot;
    private long lastSlot;
    private boolean isStopWanted;
    private boolean isStopAgreed;

    /**
     * No barrier has been passed.
     *
     * @param stride slots between two barriers.
     * @param delay  slots after which others see what is sent.
     */
    protected MemberWorker(final MemberMessages messages, final long stride, final long delay) {
        this.messages = messages;
        this.stride = stride;
        this.delay = delay;
        this.part = Math.min(Math.ceilDiv(stride, 2), RowBatch.MOST_SLOTS - 1);
    }

    /**
     * Runs one member.
     *
     * @param from  the slot to which all have come.
     * @param limit the slot to stop before.
     * @return slots done, the same at all members; all that others sent before has been taken in.
     * @throws MemberLostException if another one is lost.
     */
    public final long run(final LockStepWorkers threads, final long from, final long limit,
        final Engine.Watch watch) {
        messages.begin(from, stride, delay);
        try {
            final long stepped = threads.run(from, limit, (slot, delivered, completed) -> {
                if (!watch.onProgress(slot, delivered, completed)) {
                    isStopWanted = true;
                }
                return !isStopAgreed;
            }, number -> this);
            messages.await(stepped);
            last();
            return stepped;
        } catch (final IllegalStateException failure) {
            throw failure.getCause() instanceof final MemberLostException lost ? lost : failure;
        }
    }

    /** Takes this member's banks through slots, in which they see nothing that is sent in these. */
    protected abstract void go(long from, long to);

    /** Goes through slots of a stride, in its parts. */
    @Override
    public boolean step(final long from, final long to) {
        final long base = from / stride * stride;
        for (long slot = from; slot < to;) {
            final long end = Math.min(to, base + ((slot - base) / part + 1) * part);
            messages.await(end - delay);
            go(slot, end);
            messages.pack(slot, end);
            if (end < to) {
                messages.send(end);
            }
            slot = end;
        }
        return true;
    }

    /** Reports to the watch: what all said at the barrier before. */
    @Override
    public final void report(final WorkerSums into, final int parity, final long slot) {
        into.set(parity, 0, WorkerSums.COMPLETED, known.completed());
        into.set(parity, 0, WorkerSums.DELIVERED, known.delivered());
    }

    /** Whether this member's watch asks to stop: all will, at the same barrier. */
    protected final boolean isStopWanted() {
        return isStopWanted;
    }

    /** Synchronises with the others at a slot; returns what all said at the barrier before, null at the first. */
    protected final MemberMessages.Status synchronise(final long slot, final MemberMessages.Status mine) {
        messages.synchronise(slot, round, mine);
        final MemberMessages.Status before = round == 0 ? null : messages.statusAt(round - 1);
        isStopAgreed = before != null && before.stops();
        known = before == null ? MemberMessages.Status.NONE : before;
        knownSlot = lastSlot;
        lastSlot = slot;
        round++;
        return before;
    }

    /** The slot of the barrier before the last one. */
    protected final long knownSlot() {
        return knownSlot;
    }

    /** The slot of the last barrier. */
    public final long lastSlot() {
        return lastSlot;
    }

    /** Waits for what all say at the last barrier; null if there has been none. */
    public final MemberMessages.Status last() {
        return round == 0 ? null : messages.statusAt(round - 1);
    }
}
