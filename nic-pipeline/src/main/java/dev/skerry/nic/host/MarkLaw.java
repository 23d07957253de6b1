package dev.skerry.nic.host;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.check.Bounds;

/**
 * Segments that a queue marks (ECN): none that join a queue of up to {@code from} bytes, all that join one of more
 * than {@code to}, and in between a share that grows from 0 to {@code most}, as RED does by the length of the
 * moment (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, §3.1, Figure 5). With
 * {@code from} and {@code to} alike it is the step of DCTCP. Immutable.
 *
 * @param from Kmin in bytes, 1 or more; {@link Long#MAX_VALUE} for no marks.
 * @param to   Kmax in bytes, {@code from} or more.
 * @param most Pmax, the share of marked segments at {@code to}; over 0, up to 1.
 */
public record MarkLaw(long from, long to, double most) {
    /** No marks. */
    public static final MarkLaw NONE = above(Long.MAX_VALUE);

    private static final double ONE = 0x1p53;

    /** Checks every bound. */
    public MarkLaw {
        Bounds.refuseIf(from < 1 || to < from, "an empty queue marks nothing, a longer one more: from=", from,
            " to=", to);
        Bounds.refuseIf(!(most > 0 && most <= 1), "a share of segments is over 0, up to 1: most=", most);
    }

    /** Marks all that join a queue of more than some bytes. */
    public static MarkLaw above(final long bytes) {
        return new MarkLaw(bytes, bytes, 1);
    }

    /** Whether anything is ever marked. */
    public boolean marks() {
        return from != Long.MAX_VALUE;
    }

    /**
     * Whether a packet is marked.
     *
     * @param bytes of the queue that it joins in the slot.
     * @param seed  of the queues of a kind: each draws by slot and packet.
     */
    public boolean isMarked(final long bytes, final long seed, final long slot, final long packet) {
        if (bytes <= from) {
            return false;
        }
        return bytes > to || (CounterRandom.mix(CounterRandom.slotKey(seed, slot) ^ packet) >>> 11) / ONE
            < most * (bytes - from) / (to - from);
    }
}
