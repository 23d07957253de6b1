package dev.skerry.nic.engine;

import dev.skerry.nic.engine.LockStepWorkers.WorkerSums;
import dev.skerry.nic.engine.MemberMessages.RowBatch;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.nic.fabric.Engine;

/**
 * Runs the banks of one member of a fabric from barrier to barrier. A stride has two parts. Data that other members
 * send in one part is not needed until the second part after it, so it is in flight while this member continues.
 * Members do not wait for each other at a barrier either: they decide by the combined status at the previous barrier,
 * so all of them decide alike. Not thread-safe.
 */
public abstract class MemberWorker implements LockStepWorkers.Worker {
    private final MemberMessages messages;
    private final long stride;
    private final long delay;
    private final long part;
    /** Number of the next barrier. */
    private long round;
    /** Combined status at the previous barrier, and its slot. */
    private MemberMessages.Status known = MemberMessages.Status.NONE;
    private long knownSlot;
    private long lastSlot;
    private boolean isStopWanted;
    private boolean isStopAgreed;

    /**
     * Creates a worker that has not passed a barrier.
     *
     * @param messages messages to the other members.
     * @param stride   slots between two barriers.
     * @param delay    slots after which other members observe what is sent.
     */
    protected MemberWorker(final MemberMessages messages, final long stride, final long delay) {
        this.messages = messages;
        this.stride = stride;
        this.delay = delay;
        this.part = Math.min(Math.ceilDiv(stride, 2), RowBatch.MOST_SLOTS - 1);
    }

    /**
     * Runs this member.
     *
     * @param from  slot that all members have reached.
     * @param limit slot before which to stop.
     * @return number of slots executed, the same at all members; everything that other members sent before has been
     *     received.
     * @throws MemberLostException if another member is lost.
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

    /** Runs this member's banks through slots in which they receive nothing that is sent in these slots. */
    protected abstract void go(long from, long to);

    /** Runs through slots of a stride, one part after the other. */
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

    /** Passes the combined status at the previous barrier to the watch. */
    @Override
    public final void report(final WorkerSums into, final int parity, final long slot) {
        into.set(parity, 0, WorkerSums.COMPLETED, known.completed());
        into.set(parity, 0, WorkerSums.DELIVERED, known.delivered());
    }

    /** Tells whether this member's watch requests to stop. All members will stop at the same barrier. */
    protected final boolean isStopWanted() {
        return isStopWanted;
    }

    /**
     * Synchronises with the other members at a slot; returns the combined status at the previous barrier, or null at
     * the first.
     */
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

    /** Returns the slot of the barrier before the last one. */
    protected final long knownSlot() {
        return knownSlot;
    }

    /** Returns the slot of the last barrier. */
    public final long lastSlot() {
        return lastSlot;
    }

    /** Waits for the combined status at the last barrier and returns it; null if there has been no barrier. */
    public final MemberMessages.Status last() {
        return round == 0 ? null : messages.statusAt(round - 1);
    }
}
