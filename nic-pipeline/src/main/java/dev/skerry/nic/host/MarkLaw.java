package dev.skerry.nic.host;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.check.Bounds;

/**
 * ECN marking rule of a queue. The marking probability of a segment is 0 for a queue of up to {@code from} bytes, rises
 * to {@code most} at {@code to} bytes, and is 1 above. This is RED on the instantaneous queue length (Zhu et al.,
 * "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, §3.1, Figure 5). If {@code from} equals {@code
 * to}, it is the threshold of DCTCP. Immutable.
 *
 * @param from Kmin in bytes, 1 or more; {@link Long#MAX_VALUE} for no marks.
 * @param to   Kmax in bytes, {@code from} or more.
 * @param most Pmax, the marking probability at {@code to}; above 0, up to 1.
 */
public record MarkLaw(long from, long to, double most) {
    /** No marks. */
    public static final MarkLaw NONE = above(Long.MAX_VALUE);

    private static final double ONE = 0x1p53;

    /** Checks every bound. */
    public MarkLaw {
        Bounds.refuseIf(from < 1 || to < from, "marking thresholds are at least 1 and do not decrease: from=", from,
            " to=", to);
        Bounds.refuseIf(!(most > 0 && most <= 1), "a marking probability is above 0 and at most 1: most=", most);
    }

    /** Marks every segment that joins a queue of more than {@code bytes} bytes. */
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
     * @param bytes length of the queue that it joins.
     * @param seed  seed of the queue; the decision is a hash of seed, slot and packet.
     */
    public boolean isMarked(final long bytes, final long seed, final long slot, final long packet) {
        if (bytes <= from) {
            return false;
        }
        return bytes > to || (CounterRandom.mix(CounterRandom.slotKey(seed, slot) ^ packet) >>> 11) / ONE
            < most * (bytes - from) / (to - from);
    }
}
