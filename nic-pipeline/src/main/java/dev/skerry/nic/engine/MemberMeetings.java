package dev.skerry.nic.engine;

import dev.skerry.nic.engine.MemberMail.RowBatch;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.nic.engine.WorkerCrew.WorkerSums;
import dev.skerry.nic.fabric.Engine;

/**
 * How the members of a fabric go from meeting to meeting. A stride has two parts. What others send in one is not needed
 * before the part after the next, so it is under way while this member goes on. Members do not wait for each other at a
 * meeting either: it decides by what all said at the meeting before, so all decide alike. One thread.
 */
public final class MemberMeetings {
    private final MemberMail mail;
    private final long stride;
    private final long delay;
    private final long part;
    /** Number of the next meeting. */
    private long meeting;
    /** All that is known of the meeting before, and its slot. */
    private MemberMail.News known = MemberMail.News.NONE;
    private long knownSlot;
    private long lastSlot;
    private boolean isStopWanted;
    private boolean isStopAgreed;

    /** Takes this member's banks through slots, in which they see nothing that is sent in these. */
    @FunctionalInterface
    public interface Part {
        /** The slots from one to another. */
        void go(long from, long to);
    }

    /**
     * No meeting has been.
     *
     * @param stride slots between two meetings.
     * @param delay  slots after which others see what is sent.
     */
    public MemberMeetings(final MemberMail mail, final long stride, final long delay) {
        this.mail = mail;
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
    public long run(final WorkerCrew crew, final long from, final long limit, final Engine.Watch watch,
        final WorkerCrew.Worker worker) {
        mail.begin(from, stride, delay);
        try {
            final long stepped = crew.run(from, limit, (slot, delivered, completed) -> {
                if (!watch.onProgress(slot, delivered, completed)) {
                    isStopWanted = true;
                }
                return !isStopAgreed;
            }, number -> worker);
            mail.await(stepped);
            last();
            return stepped;
        } catch (final IllegalStateException failure) {
            throw failure.getCause() instanceof final MemberLostException lost ? lost : failure;
        }
    }

    /** Goes through slots of a stride, in its parts. */
    public void step(final long from, final long to, final Part through) {
        final long base = from / stride * stride;
        for (long slot = from; slot < to;) {
            final long end = Math.min(to, base + ((slot - base) / part + 1) * part);
            mail.await(end - delay);
            through.go(slot, end);
            mail.pack(slot, end);
            if (end < to) {
                mail.send(end);
            }
            slot = end;
        }
    }

    /** What the watch is told: what all said at the meeting before. */
    public void report(final WorkerSums into, final int parity) {
        into.set(parity, 0, WorkerSums.COMPLETED, known.completed());
        into.set(parity, 0, WorkerSums.DELIVERED, known.delivered());
    }

    /** Whether this member's watch asks to stop: all will, at the same meeting. */
    public boolean isStopWanted() {
        return isStopWanted;
    }

    /** Meets the others at a slot; returns what all said at the meeting before, null at the first. */
    public MemberMail.News meet(final long slot, final MemberMail.News told) {
        mail.meet(slot, meeting, told);
        final MemberMail.News before = meeting == 0 ? null : mail.newsOf(meeting - 1);
        isStopAgreed = before != null && before.stops();
        known = before == null ? MemberMail.News.NONE : before;
        knownSlot = lastSlot;
        lastSlot = slot;
        meeting++;
        return before;
    }

    /** The slot of the meeting before the last one. */
    public long knownSlot() {
        return knownSlot;
    }

    /** The slot of the last meeting. */
    public long lastSlot() {
        return lastSlot;
    }

    /** Waits for what all say at the last meeting; null if there has been none. */
    public MemberMail.News last() {
        return meeting == 0 ? null : mail.newsOf(meeting - 1);
    }
}
